"""The torch twins: what serves CPU tensors, and what kernels are compared with."""
