"""Small kernels with one habit each: what the guard must find, and what it must leave alone."""

import triton
import triton.language as tl


@triton.jit
def store_at(target, offset):
    tl.store(target + offset, 7)


@triton.jit
def store_beside(low, high):
    tl.store(high, 7)
    tl.store(low + 8, 7)


@triton.jit
def load_block(source, target, SIZE: tl.constexpr):
    place = tl.arange(0, SIZE)
    tl.store(target + place, tl.load(source + place))


@triton.jit
def masked_block(target, count, SIZE: tl.constexpr):
    place = tl.arange(0, SIZE)
    tl.store(target + place, place.to(tl.int64), mask=place < count)


@triton.jit
def pass_on(values):
    program = tl.program_id(0)
    tl.store(values + program + 1, tl.load(values + program))


@triton.jit
def scatter(target, places, SIZE: tl.constexpr):
    lanes = tl.arange(0, SIZE)
    tl.store(target + tl.load(places + lanes), lanes.to(tl.int64))


@triton.jit
def write_same(target):
    tl.store(target, 1)


@triton.jit
def count_programs(counter):
    tl.atomic_add(counter, 1)


@triton.jit
def last_one(value):
    tl.atomic_xchg(value, tl.program_id(0).to(tl.int64))


@triton.jit
def read_counter(counter, target):
    program = tl.program_id(0)
    if program == 0:
        tl.atomic_add(counter, 1)
    else:
        tl.store(target, tl.load(counter))


@triton.jit
def multiply(target, left, right):
    tl.store(target, left * right)


@triton.jit
def narrow(target, source):
    tl.store(target, tl.load(source).to(tl.int32).to(tl.int64))


@triton.jit
def insist(source):
    tl.device_assert(tl.load(source) > 0, "not positive")
