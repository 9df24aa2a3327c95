"""Triton's interpreter, made to notice what a GPU would suffer.

As it comes, the interpreter runs the programs of a launch one after the other, reads and writes wherever a pointer
leads, and ignores `device_assert`. Guarded, it finds accesses outside the tensor that a pointer was made of, to the
byte; bytes that two programs of one launch share while one of them writes; results that depend on the order of
programs; numbers that 32 bits cannot hold; and failed assertions.

It lies in `fuzz` because it checks the code of `impl`, and whoever drives kernels may want it: tests, campaigns, the
GPU's tests. Kernels are interpreted in a process that has TRITON_INTERPRET=1 before they are imported.
"""
