"""The kernels on a GPU: the suite that runs everywhere, and their bandwidth."""
