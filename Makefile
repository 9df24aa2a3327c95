# Every target works as the first command in a fresh clone; the second call finds .venv ready.
.DEFAULT_GOAL := help
.PHONY: help venv test test-browser test-peers test-transfer gate nightly docs gpu brute soak peers clean

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

help:
	@echo 'make gate           prove, fuzz and judge; one verdict'
	@echo 'make test           lint, types and tests'
	@echo 'make nightly        confirm the contracts; Z3 with three seeds and cvc5 must agree on every obligation'
	@echo 'make docs           generate the documents and build their site in build/docs/html'
	@echo 'make gpu            test and measure the kernels on a GPU'
	@echo 'make brute          compare admission with exhaustive search, 100 thousand demands'
	@echo 'make soak           ten million calls, each judged, in bounded memory'
	@echo 'make venv           build .venv alone'
	@echo 'make peers          build the environments of the allocators that figures are compared with (5 GB)'
	@echo 'make test-peers     drive the real SGLang and vLLM, with every deliberate fault (ten minutes)'
	@echo 'make test-browser   look at the pages in Chromium, which must be there'
	@echo 'make test-transfer  prefill and decode over the real Mooncake, killed and stopped at 1,000 moments (five minutes)'
	@echo 'make clean          remove all environments, caches and build output'

venv: $(READY)

# The CPU build of torch is small and has no CUDA libraries; where pip does not offer it, the plain release serves.
# triton is pinned only beside the CPU build, since the CUDA build brings the release it was made for.
$(READY): pyproject.toml constraints.txt constraints-cpu.txt
	@command -v $(PYTHON) >/dev/null || { echo 'bandgap needs Python 3.11 or newer: $(PYTHON) is not on PATH' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "bandgap needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) -V): try make PYTHON=python3.12" >&2; exit 1; }
	@echo "building .venv (about a minute)"
	@rm -f $@
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || $(PYTHON) -m venv --clear .venv
	@if $(BIN)/pip install -qq 'torch==2.13.0+cpu' -c constraints.txt -c constraints-cpu.txt 2>/dev/null; then \
	    pins='-c constraints.txt -c constraints-cpu.txt'; \
	else \
	    echo 'pip offers no CPU build of torch here: installing the plain release' && \
	    pins='-c constraints.txt' && $(BIN)/pip install -qq 'torch==2.13.0' $$pins; \
	fi && $(BIN)/pip install -qq --editable '.[dev,docs,cluster]' $$pins
	@touch $@

test: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2

gate: $(READY)
	$(BIN)/bandgap gate

# Half an hour on two cores. Anyone can check the files in .bandgap/smt2, where agreement.json says who decided what.
nightly: $(READY)
	$(BIN)/bandgap prove contracts
	$(BIN)/bandgap prove --export .bandgap/smt2
	$(BIN)/bandgap prove --check .bandgap/smt2
	$(BIN)/bandgap prove --cores

docs: $(READY)
	$(BIN)/bandgap docs

# .venv has the CPU build of torch where there is one: give a Python whose torch has CUDA, with triton, numpy, msgspec,
# pytest and pytest-timeout beside it.
GPU_PYTHON ?= $(BIN)/python
gpu: $(if $(filter $(BIN)/%,$(GPU_PYTHON)),$(READY))
	$(GPU_PYTHON) -m gpu_tests

# Seven minutes of processor time, shared by two processes.
CASES ?= 100000
brute: $(READY)
	$(BIN)/python -m tests.impl.exactness --cases $(CASES)

# Half an hour at most on a core of its own: about 7 thousand calls a second.
CALLS ?= 10000000
soak: $(READY)
	$(BIN)/python -m tests.impl.soak --calls $(CALLS)

PEERS := .venv-sglang/.ready .venv-vllm/.ready

peers: $(PEERS)

# Each must be able to answer, which its last line tries: it loads the peer and is asked nothing.
$(PEERS): .venv-%/.ready: constraints-peers-%.txt
	@echo "building .venv-$* (minutes, 2 to 3 GB)"
	@rm -f $@
	@$(PYTHON) -m venv --clear .venv-$*
	@.venv-$*/bin/pip install -qq 'torch==2.13.0+cpu' 2>/dev/null || .venv-$*/bin/pip install -qq 'torch==2.13.0'
	@.venv-$*/bin/pip install -qq --no-deps -r $<
	@.venv-$*/bin/python -m bench.peers $* </dev/null
	@touch $@

# Not part of `make test`, which needs no browser. Fails where there is none.
test-browser: $(READY)
	$(BIN)/pytest tests/browser/with_chromium.py

# Not part of `make test`, which builds no peers. Fails where they cannot be had.
test-peers: $(READY) $(PEERS)
	$(BIN)/pytest tests/peers/with_environments.py

# Not part of `make test`, which installs no transfer engine. That one needs libibverbs and listens on all addresses, so
# that it runs in a network namespace which has only a loopback; where there can be none, nothing is tested, and this fails.
MOMENTS ?= 1000
test-transfer: .venv/.transfer
	@unshare -rn true || { echo 'no network namespace can be made here, so the transfers were not tested' >&2; exit 1; }
	MOMENTS=$(MOMENTS) unshare -rn $(BIN)/pytest -s tests/serving/with_mooncake.py

.venv/.transfer: $(READY)
	@ldconfig -p | grep -q 'libibverbs\.so\.1 ' || { [ "$$(id -u)" = 0 ] && apt-get -qq update && \
	    apt-get -qq install --no-install-recommends libibverbs1; } || \
	    { echo 'Mooncake needs libibverbs.so.1: apt-get install libibverbs1' >&2; exit 1; }
	@$(BIN)/pip install -qq --editable '.[transfer]' -c constraints.txt
	@touch $@

clean:
	rm -rf .venv .venv-sglang* .venv-vllm* .bandgap .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
