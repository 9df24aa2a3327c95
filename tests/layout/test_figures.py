"""Bytes per token and per slot of real models, as known figures and by a second way of counting."""

import pytest

from impl.layout import DType, Kind, Lifetime, Options, layout_of, layout_of_config, preset_names
from tests.layout.presets import NAMES, document, text_fields

ENTRY_BYTES = {
    "gpt-oss-20b": {"window128": 24_576, "full": 24_576},
    "gpt-oss-120b": {"window128": 36_864, "full": 36_864},
    "qwen3.5-4b": {"state": 51_511_296, "full": 32_768},
    "qwen3.5-9b": {"state": 51_511_296, "full": 32_768},
    "qwen3-next-80b-a3b": {"state": 77_266_944, "full": 24_576},
    "kimi-linear-48b-a3b": {"state": 43_417_600, "full": 8_064},
    "kimi-k3": {"state": 449_372_160, "full": 27_648},
    "gemma-4-31b": {"window1024": 819_200, "full": 81_920},
    "inkling-small": {"state": 2_580_480, "window512": 143_360, "full": 28_672},
}


def test_every_preset_has_its_figures() -> None:
    assert set(preset_names()) == set(ENTRY_BYTES) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_preset_has_its_entries_in_chain_order(name: str) -> None:
    layout = layout_of(name)
    assert {kind.name: kind.entry_bytes for kind in layout.kinds} == ENTRY_BYTES[name]
    assert [kind.name for kind in layout.kinds] == list(ENTRY_BYTES[name])
    assert layout.model == name
    assert layout.source == document(name)["_source"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("page_tokens", [1, 16, 64, 256])
def test_a_page_is_so_many_entries(name: str, page_tokens: int) -> None:
    for kind in layout_of(name, Options(page_tokens=page_tokens)).kinds:
        entries = 1 if kind.lifetime is Lifetime.STATE else page_tokens
        assert (kind.page_tokens, kind.page_bytes) == (entries, entries * ENTRY_BYTES[name][kind.name])


@pytest.mark.parametrize("name", NAMES)
def test_the_longest_context_is_that_of_the_configuration(name: str) -> None:
    fields = text_fields(document(name))
    assert layout_of(name).max_context == fields.get("max_position_embeddings", fields.get("model_max_length"))


def _elements(kind: Kind, dtype: DType) -> int:
    total = 0
    for row in kind.rows:
        if row.dtype is dtype:
            count = 1
            for length in row.shape:
                count *= length
            total += count
    return total


@pytest.mark.parametrize("name", ["gpt-oss-20b", "gpt-oss-120b", "gemma-4-31b", "inkling-small"])
def test_keys_and_values_by_counting_layers(name: str) -> None:
    fields = text_fields(document(name))
    layout = layout_of(name)
    words = fields.get("layer_types") or [
        "sliding_attention" if layer in fields["local_layer_ids"] else "full_attention"
        for layer in range(fields["num_hidden_layers"])
    ]
    heads = fields.get("num_global_key_value_heads", fields["num_key_value_heads"])
    dim = fields.get("global_head_dim", fields["head_dim"])
    window = fields.get("sliding_window", fields.get("sliding_window_size"))
    sliding = words.count("sliding_attention")
    full, windowed = layout.kind("full"), layout.kind(f"window{window}")
    assert _elements(full, DType.BF16) == words.count("full_attention") * 2 * heads * dim
    assert _elements(windowed, DType.BF16) == sliding * 2 * fields["num_key_value_heads"] * fields["head_dim"]
    assert windowed.window == window


@pytest.mark.parametrize("name", ["qwen3.5-4b", "qwen3.5-9b", "qwen3-next-80b-a3b"])
def test_gated_delta_net_by_counting_layers(name: str) -> None:
    fields = text_fields(document(name))
    linear = fields["num_hidden_layers"] - fields["num_hidden_layers"] // fields["full_attention_interval"]
    keys = fields["linear_num_key_heads"] * fields["linear_key_head_dim"]
    values = fields["linear_num_value_heads"] * fields["linear_value_head_dim"]
    state = layout_of(name).kind("state")
    assert _elements(state, DType.FP32) == linear * values * fields["linear_key_head_dim"]
    assert _elements(state, DType.BF16) == linear * (keys + keys + values) * (fields["linear_conv_kernel_dim"] - 1)


@pytest.mark.parametrize("name", ["kimi-k3", "kimi-linear-48b-a3b"])
def test_the_states_of_kimi_are_what_counting_its_layers_gives(name: str) -> None:
    fields = text_fields(document(name))
    delta = fields["linear_attn_config"]
    layers, width = len(delta["kda_layers"]), delta["num_heads"] * delta["head_dim"]
    layout = layout_of(name)
    assert _elements(layout.kind("state"), DType.FP32) == layers * width * delta["head_dim"]
    assert _elements(layout.kind("state"), DType.BF16) == layers * 3 * width * (delta["short_conv_kernel_size"] - 1)
    latent = fields["kv_lora_rank"] + fields["qk_rope_head_dim"]
    assert _elements(layout.kind("full"), DType.BF16) == len(delta["full_attn_layers"]) * latent


def test_kimi_layers_are_counted_from_zero() -> None:
    layers = [row.layer for row in layout_of("kimi-k3").kind("full").rows]
    assert layers == [*range(3, 92, 4), 92]


def test_rows_of_one_token_of_gpt_oss() -> None:
    first, second, *_ = layout_of("gpt-oss-20b").kind("window128").rows
    assert (first.layer, first.part, first.shape, first.dtype, first.offset) == (0, "k", (8, 64), DType.BF16, 0)
    assert (second.layer, second.part, second.offset, second.nbytes) == (0, "v", 1_024, 1_024)


def test_state_dtype_is_the_configuration_s() -> None:
    config = document("qwen3.5-4b")
    text_fields(config)["mamba_ssm_dtype"] = "bfloat16"
    assert layout_of_config("it", config).kind("state").entry_bytes == 24 * (32 * 128 * 128 * 2 + 8_192 * 3 * 2)
