"""The Triton kernels and their launches.

Every offset is 64 bits wide. Pages are counted in units of 16 bytes and addressed in words of 8: twice a count of
units is even, from which the compiler concludes that two words at a time never cross a mask, so it may load 128 bits.

Integers are annotated, so that they have that type whatever their value, and neither they nor the alignment of ids is
specialised on: a kernel is compiled once for each tile, and never again while requests are served. They are converted
once more, since the interpreter takes small ones for 32 bits whatever their annotation.

In debug mode (`TRITON_DEBUG=1`) kernels assert that what they are given lies inside the arena or table.
"""
