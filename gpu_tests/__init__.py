"""The same checks on a GPU, and what only a GPU can tell: `python -m gpu_tests`, or `make gpu`."""
