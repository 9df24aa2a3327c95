"""`python -m bench.peers KEY`, in a peer's own Python: answers one request a line until there are no more."""

import json
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from typing import Any, TextIO

Cases = Mapping[str, Callable[..., float]]


def main() -> None:
    """Load the peer, say which versions are in use, and serve it."""
    replies = _own_stdout()
    key = sys.argv[1]
    cases = _cases(key)
    _say(replies, answer={name: version(name) for name in (key, "torch")})
    serve(cases, sys.stdin, replies)


def serve(cases: Cases, requests: Iterable[str], replies: TextIO) -> None:
    """Answer requests in order, each as one line.

    Args:
        cases: what can be asked for, by name.
        requests: each is `{"case": ..., "parameters": {...}}`.
        replies: takes `{"answer": ...}` or `{"error": ...}`.
    """
    for line in requests:
        request = json.loads(line)
        try:
            figure = cases[request["case"]](**request["parameters"])
        except Exception:
            _say(replies, error=traceback.format_exc())
        else:
            _say(replies, answer=figure)


def _own_stdout() -> TextIO:
    """Stdout for answers alone: what the peer prints meanwhile goes to stderr."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return replies


def _say(replies: TextIO, **reply: Any) -> None:
    print(json.dumps(reply), file=replies, flush=True)


def _cases(key: str) -> Cases:
    # only one of them is installed in this Python
    if key == "sglang":
        from bench.peers.sglang_allocator import CASES
    elif key == "vllm":
        from bench.peers.vllm_manager import CASES
    else:
        sys.exit(f"no peer is named {key}")
    return CASES


if __name__ == "__main__":
    main()
