"""What the options of serving change: the KV dtype, tensor parallelism, a fused draft model, index keys."""

import pytest

from impl.layout import Draft, DType, LayoutError, Options, layout_of, layout_of_config
from tests.layout.presets import NAMES, document, text_fields


@pytest.mark.parametrize("name", NAMES)
def test_fp8_halves_kv_and_leaves_state(name: str) -> None:
    bf16, fp8 = layout_of(name), layout_of(name, Options(kv_dtype=DType.FP8_E4M3))
    for wide, narrow in zip(bf16.kinds, fp8.kinds, strict=True):
        assert narrow.entry_bytes * (1 if wide.name == "state" else 2) == wide.entry_bytes


@pytest.mark.parametrize("tp", [1, 2, 4, 8])
def test_kv_heads_are_divided(tp: int) -> None:
    for kind in layout_of("gpt-oss-20b", Options(tp_size=tp)).kinds:
        assert kind.entry_bytes == 24_576 // tp
        assert {row.shape for row in kind.rows} == {(8 // tp, 64)}


@pytest.mark.parametrize("tp", [8, 16, 64])
def test_kv_heads_are_replicated_beyond_their_number(tp: int) -> None:
    layout = layout_of("gpt-oss-20b", Options(tp_size=tp))
    assert {row.shape for kind in layout.kinds for row in kind.rows} == {(1, 64)}


def test_each_kind_has_heads_of_its_own() -> None:
    layout = layout_of("gemma-4-31b", Options(tp_size=8))
    assert {row.shape for row in layout.kind("full").rows} == {(1, 512)}
    assert {row.shape for row in layout.kind("window1024").rows} == {(2, 256)}


def test_a_latent_row_is_whole_on_every_rank_and_state_heads_are_divided() -> None:
    layout = layout_of("kimi-k3", Options(tp_size=8))
    assert layout.kind("full").entry_bytes == 27_648
    assert layout.kind("state").entry_bytes == 449_372_160 // 8


def test_a_gated_delta_net_is_divided() -> None:
    assert layout_of("qwen3.5-4b", Options(tp_size=4)).kind("state").entry_bytes == 51_511_296 // 4


def test_output_streams_of_short_convolutions_are_whole() -> None:
    state = layout_of("inkling-small", Options(tp_size=8)).kind("state")
    assert state.entry_bytes == 42 * (2 * 1024 // 8 + 2 * 4096) * 3 * 2


@pytest.mark.parametrize(
    ("name", "tp", "field"),
    [
        ("gpt-oss-20b", 3, "num_attention_heads"),
        ("gpt-oss-20b", 128, "num_attention_heads"),
        ("qwen3.5-4b", 3, "linear_num_key_heads"),
        ("qwen3.5-4b", 32, "num_attention_heads"),
        ("kimi-linear-48b-a3b", 64, "num_attention_heads"),
    ],
)
def test_ranks_that_do_not_divide(name: str, tp: int, field: str) -> None:
    with pytest.raises(LayoutError, match=rf"^tp_size = {tp}: does not divide .*(num_\w+_heads|num_heads) = ") as error:
        layout_of(name, Options(tp_size=tp))
    assert (error.value.field, error.value.value) == ("tp_size", tp)
    assert field.split("_")[0] in str(error.value)


def test_ranks_that_neither_divide_nor_replicate_kv_heads() -> None:
    config = document("gpt-oss-20b")
    config.update(num_attention_heads=12, num_key_value_heads=4)
    with pytest.raises(LayoutError, match="neither divides nor is a multiple of num_key_value_heads = 4"):
        layout_of_config("it", config, Options(tp_size=6))


def test_draft_rows_lie_in_the_target_s_entries() -> None:
    full = layout_of("gpt-oss-20b", Options(draft=Draft(2, DType.FP8_E4M3))).kind("full")
    draft = [row for row in full.rows if row.draft]
    assert full.entry_bytes == 24_576 + 2 * 2 * 8 * 64
    assert [(row.layer, row.part, row.dtype) for row in draft] == [
        (layer, part, DType.FP8_E4M3) for layer in (24, 25) for part in ("k", "v")
    ]
    assert min(row.offset for row in draft) == 24_576


def test_a_draft_is_as_the_target_unless_told() -> None:
    layout = layout_of("kimi-k3", Options(kv_dtype=DType.FP8_E4M3, draft=Draft(1)))
    row = layout.kind("full").rows[-1]
    assert (row.draft, row.part, row.shape, row.dtype) == (True, "latent", (576,), DType.FP8_E4M3)
    assert layout.kind("state") == layout_of("kimi-k3").kind("state")


def test_a_draft_with_heads_of_its_own() -> None:
    options = Options(tp_size=2, draft=Draft(1, DType.BF16, kv_heads=4, head_dim=96))
    rows = [row for row in layout_of("kimi-k3", options).kind("full").rows if row.draft]
    assert [(row.part, row.shape) for row in rows] == [("k", (2, 96)), ("v", (2, 96))]


def test_a_draft_window_joins_the_kind_of_its_length_or_makes_one() -> None:
    joined = layout_of("gpt-oss-20b", Options(draft=Draft(1, window=128)))
    assert [(kind.name, kind.entry_bytes) for kind in joined.kinds] == [("window128", 26_624), ("full", 24_576)]
    apart = layout_of("gpt-oss-20b", Options(draft=Draft(1, window=4096)))
    assert [kind.name for kind in apart.kinds] == ["window4096", "window128", "full"]


def test_index_keys_lie_beside_the_latent_rows() -> None:
    config = document("kimi-k3")
    text_fields(config)["index_head_dim"] = 128
    full = layout_of_config("it", config).kind("full")
    first = [(row.part, row.shape, row.dtype, row.offset) for row in full.rows if row.layer == 3]
    assert first == [
        ("latent", (576,), DType.BF16, 0),
        ("index_key", (128,), DType.FP8_E4M3, 1_152),
        ("index_scale", (1,), DType.FP32, 1_280),
    ]
    assert full.entry_bytes == 24 * (1_152 + 128 + 16)


def test_last_layers_that_share_kv_keep_none() -> None:
    config = document("gemma-4-31b")
    text_fields(config)["num_kv_shared_layers"] = 6
    layout = layout_of_config("it", config)
    assert layout.kind("full").entry_bytes == 9 * 8_192
    assert layout.kind("window1024").entry_bytes == 45 * 16_384


def test_sliding_layers_with_heads_of_their_own() -> None:
    config = document("inkling-small")
    text_fields(config).update(swa_num_attention_heads=16, swa_num_key_value_heads=2, swa_head_dim=64)
    layout = layout_of_config("it", config)
    assert {row.shape for row in layout.kind("window512").rows} == {(2, 64)}
    assert {row.shape for row in layout.kind("full").rows} == {(8, 128)}
    assert {row.shape for row in layout.kind("state").rows if row.part == "conv_k"} == {(128, 3), (1024, 3)}


def test_values_may_be_narrower_than_keys() -> None:
    config = document("gpt-oss-20b")
    config["v_head_dim"] = 32
    k, v = layout_of_config("it", config).kind("full").rows[:2]
    assert (k.shape, v.shape) == ((8, 64), (8, 32))


def test_head_size_follows_from_the_hidden_size() -> None:
    config = document("gpt-oss-20b")
    del config["head_dim"]
    assert layout_of_config("it", config).kind("full").rows[0].shape == (8, 2880 // 64)
