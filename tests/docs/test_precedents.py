"""Public reports of faults, linked to where they lie."""

import re

from bandgap.documents.catalogue import all_faults
from bandgap.documents.precedents import linked


def test_a_report_is_a_link_and_the_rest_stays() -> None:
    assert linked("vllm#45357") == "[vllm#45357](https://github.com/vllm-project/vllm/issues/45357)"
    assert linked("sglang#39982 (a)").endswith("/issues/39982) (a)")
    assert linked("sglang#1, kvcached#430").count("](https://") == 2
    assert "/vllm-ascend/issues/16315" in linked("vllm-ascend#16315")
    assert linked("class: premature reuse") == "class: premature reuse"
    assert linked("elsewhere#7") == "elsewhere#7"


def test_every_report_that_a_fault_names_is_linked() -> None:
    reports = [report for fault in all_faults() for report in re.findall(r"\S+#\d+", fault.precedent)]
    assert len(reports) > 100
    plain = [report for report in reports if not linked(report).startswith("[")]
    assert not plain
