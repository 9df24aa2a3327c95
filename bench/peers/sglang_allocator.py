"""SGLang's unified allocator: a full and a state band in one arena of bytes, on the CPU, with lazy compaction."""

import logging
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

import torch

from bench.peers import torchvision_absent

torchvision_absent.install()
warnings.filterwarnings("ignore", module="sglang")

from sglang.srt.mem_cache.allocator.unified_sub_pool import MultiEndedAllocator  # noqa: E402  # after the stand-in
from sglang.srt.mem_cache.unified_memory_pool import (  # noqa: E402
    MambaSubPoolSpec,
    MHASubPoolSpec,
    UnifiedKVPool,
)
from sglang.test.unified_allocator_fixtures import FakeKVCache, setup_allocator_context  # noqa: E402

from bench.arena import LIVE_SHARE, REQUEST_PAGES  # noqa: E402
from bench.timing import per_second, seconds_of  # noqa: E402

torch.set_num_threads(1)
logging.disable(logging.WARNING)
setup_allocator_context()
