"""Public reports of faults, as seeded faults name them: `vllm#45357` is an issue or a pull request."""

import re
from collections.abc import Mapping

REPOSITORIES: Mapping[str, str] = {
    "LMCache": "LMCache/LMCache",
    "cubecl": "tracel-ai/cubecl",
    "kvcached": "ovg-project/kvcached",
    "mini-sglang": "sgl-project/mini-sglang",
    "pytorch": "pytorch/pytorch",
    "sglang": "sgl-project/sglang",
    "trtllm": "NVIDIA/TensorRT-LLM",
    "vllm": "vllm-project/vllm",
    "vllm-ascend": "vllm-project/vllm-ascend",
}
"""Where the reports lie, on GitHub."""

REPORT = re.compile(rf"(?<![\w-])({'|'.join(sorted(REPOSITORIES, key=len, reverse=True))})#(\d+)\b")

MEANS = (
    "Where a seeded fault was *seen in the field*, a fault of its sort is told of in that public report: an issue or a "
    "pull request, which may since be mended. *class* names a sort without a report."
)
"""What is said of them, once on a page."""


def linked(precedent: str) -> str:
    """A precedent in which each report is a link; GitHub leads from an issue to a pull request of that number."""
    return REPORT.sub(
        lambda found: f"[{found[0]}](https://github.com/{REPOSITORIES[found[1]]}/issues/{found[2]})", precedent
    )
