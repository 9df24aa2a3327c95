"""A bad configuration is named by its field and its value, and nothing worse happens."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impl.layout import Draft, DType, LayoutError, Options, UnsupportedModel, layout_of, layout_of_config
from impl.layout.configs import MAX_CONFIG_BYTES
from tests.layout.presets import NAMES, document, text_fields

MISSING = object()


def _spoiled(name: str, field: str, value: object) -> dict[str, Any]:
    """A preset with one of its language model's fields changed; `a.b` is a field of a nested object."""
    config = document(name)
    *path, last = field.split(".")
    target = text_fields(config)
    for step in path:
        target = target[step]
    if value is MISSING:
        target.pop(last, None)
    else:
        target[last] = value
    return config


@pytest.mark.parametrize(
    ("name", "field", "value", "problem"),
    [
        ("gpt-oss-20b", "num_hidden_layers", MISSING, "is missing"),
        ("gpt-oss-20b", "num_hidden_layers", None, "is missing"),
        ("gpt-oss-20b", "num_hidden_layers", 0, "must be at least 1"),
        ("gpt-oss-20b", "num_hidden_layers", -24, "must be at least 1"),
        ("gpt-oss-20b", "num_hidden_layers", 10_001, "more than 10000"),
        ("gpt-oss-20b", "num_hidden_layers", 10**30, "more than 10000"),
        ("gpt-oss-20b", "num_hidden_layers", "24", "not a whole number"),
        ("gpt-oss-20b", "num_hidden_layers", 24.0, "not a whole number"),
        ("gpt-oss-20b", "num_hidden_layers", True, "not a whole number"),
        ("gpt-oss-20b", "num_key_value_heads", 0, "must be at least 1"),
        ("gpt-oss-20b", "num_key_value_heads", 7, "does not divide num_attention_heads = 64"),
        ("gpt-oss-20b", "num_attention_heads", MISSING, "is missing"),
        ("gpt-oss-20b", "num_attention_heads", 0, "must be at least 1"),
        ("gpt-oss-20b", "head_dim", 0, "must be at least 1"),
        ("gpt-oss-20b", "head_dim", 10**12, "more than"),
        ("gpt-oss-20b", "sliding_window", -128, "must be at least 1"),
        ("gpt-oss-20b", "sliding_window", 0, "must be at least 1"),
        ("gpt-oss-20b", "sliding_window", MISSING, "is missing"),
        ("gpt-oss-20b", "max_position_embeddings", -1, "must be at least 1"),
        ("gpt-oss-20b", "num_kv_shared_layers", 24, "more than 23"),
        ("gpt-oss-20b", "layer_types", ["full_attention"] * 23, "names 23 layers"),
        ("gpt-oss-20b", "layer_types", ["full_attention"] * 25, "names 25 layers"),
        ("gpt-oss-20b", "layer_types", "full_attention", "is not a list"),
        ("gpt-oss-20b", "layer_types", [], "names 0 layers"),
        ("gpt-oss-20b", "layer_types", MISSING, "is missing"),
        ("qwen3.5-4b", "full_attention_interval", 0, "must be at least 1"),
        ("qwen3.5-4b", "full_attention_interval", 8, "makes layer 3 linear_attention, and layer_types makes it full"),
        ("qwen3.5-4b", "linear_num_key_heads", MISSING, "is missing"),
        ("qwen3.5-4b", "linear_num_value_heads", 0, "must be at least 1"),
        ("qwen3.5-4b", "linear_num_value_heads", 24, "is not a multiple of linear_num_key_heads = 16"),
        ("qwen3.5-4b", "linear_conv_kernel_dim", 1, "must be at least 2"),
        ("qwen3.5-4b", "mamba_ssm_dtype", "int8", "is no dtype of a state"),
        ("qwen3.5-4b", "mamba_ssm_dtype", 32, "is not a string"),
        ("kimi-k3", "linear_attn_config", [], "is not an object"),
        ("kimi-k3", "linear_attn_config.num_heads", 0, "must be at least 1"),
        ("kimi-k3", "linear_attn_config.head_dim", MISSING, "is missing"),
        ("kimi-k3", "linear_attn_config.kda_layers", MISSING, "is not a list"),
        ("kimi-k3", "linear_attn_config.kda_layers", [1, 2, 3], "layer 5 is in no list"),
        ("kimi-k3", "linear_attn_config.kda_layers", [*range(1, 94)], "layer 4 is in both lists"),
        ("kimi-k3", "kv_lora_rank", 0, "must be at least 1"),
        ("kimi-k3", "qk_rope_head_dim", -64, "must be at least 0"),
        ("kimi-k3", "index_head_dim", 0, "must be at least 1"),
        ("inkling-small", "sconv_kernel_size", MISSING, "is missing"),
        ("inkling-small", "use_sconv", "yes", "is neither true nor false"),
        ("inkling-small", "sliding_window_size", -1, "must be at least 1"),
        ("inkling-small", "hidden_size", MISSING, "is missing"),
        ("inkling-small", "local_layer_ids", 3, "is not a list"),
    ],
)
def test_a_bad_field_is_named(name: str, field: str, value: object, problem: str) -> None:
    with pytest.raises(LayoutError) as error:
        layout_of_config("it", _spoiled(name, field, value))
    assert error.value.field.removeprefix("text_config.") == field
    assert error.value.value == (None if value is MISSING else value)
    assert problem in error.value.problem
    assert error.value.remedy


@pytest.mark.parametrize(
    ("name", "field", "values", "position", "problem"),
    [
        ("gpt-oss-20b", "layer_types", ["full_attention", "chunked_attention"], 1, "is unknown"),
        ("gpt-oss-20b", "layer_types", [3], 0, "is unknown"),
        ("inkling-small", "local_layer_ids", [0, 1, 0], 2, "is named twice"),
        ("inkling-small", "local_layer_ids", [0, 42], 1, "is no layer of the model"),
        ("inkling-small", "local_layer_ids", [-1], 0, "is no layer of the model"),
        ("inkling-small", "local_layer_ids", [0, "1"], 1, "is not a layer number"),
        ("inkling-small", "local_layer_ids", [True], 0, "is not a layer number"),
        ("kimi-k3", "linear_attn_config.full_attn_layers", [0], 0, "is no layer of the model"),
        ("kimi-k3", "linear_attn_config.full_attn_layers", [94], 0, "is no layer of the model"),
        ("kimi-k3", "linear_attn_config.kda_layers", [1, 1], 1, "is named twice"),
    ],
)
def test_a_bad_entry_of_a_list_is_named(
    name: str, field: str, values: list[object], position: int, problem: str
) -> None:
    with pytest.raises(LayoutError) as error:
        layout_of_config("it", _spoiled(name, field, values))
    assert error.value.field.removeprefix("text_config.") == f"{field}[{position}]"
    assert error.value.value == values[position]
    assert problem in error.value.problem


def test_a_field_given_twice_differently_is_named() -> None:
    config = document("qwen3.5-4b")
    config["num_key_value_heads"] = 8
    with pytest.raises(LayoutError, match=r"^text_config.num_key_value_heads = 4: is given twice.* = 8 outside"):
        layout_of_config("it", config)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[1]", "is not a JSON object"),
        ("null", "is not a JSON object"),
        ('{"head_dim": NaN}', "is not JSON (NaN"),
        ('{"head_dim": 1, "head_dim": 2}', "is given twice"),
        ("[" * 100_000, "is not JSON"),
        ('{"head_dim": ' + "9" * 5_000 + "}", "is not JSON"),
        ('{"text_config": 3}', "is not an object"),
        ("{}", "is missing"),
    ],
)
def test_a_file_that_is_no_configuration(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(LayoutError) as error:
        layout_of(str(path))
    assert problem in error.value.problem


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b"\xff\xfe\xfa{")
    with pytest.raises(LayoutError, match="is not JSON"):
        layout_of(str(path))


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(" " * (MAX_CONFIG_BYTES + 1))
    with pytest.raises(LayoutError, match="is larger than"):
        layout_of(str(path))


@pytest.mark.parametrize("model", ["no-such-model", "/dev/zero", ""])
def test_a_model_that_is_not_there(model: str) -> None:
    with pytest.raises(LayoutError) as error:
        layout_of(model)
    assert error.value.field == "MODEL"


def test_a_misspelt_preset_is_suggested() -> None:
    with pytest.raises(LayoutError, match=r"did you mean qwen3\.5-4b\?"):
        layout_of("Qwen3.5-4B-it")


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: Options(page_tokens=0), "page_tokens"),
        (lambda: Options(page_tokens=257), "page_tokens"),
        (lambda: Options(tp_size=0), "tp_size"),
        (lambda: Options(kv_dtype=DType.FP32), "kv_dtype"),
        (lambda: Draft(0), "draft.layers"),
        (lambda: Draft(1, DType.FP32), "draft.dtype"),
        (lambda: Draft(1, kv_heads=8), "draft.head_dim"),
        (lambda: Draft(1, head_dim=8), "draft.kv_heads"),
        (lambda: Draft(1, kv_heads=0, head_dim=8), "draft.kv_heads"),
        (lambda: Draft(1, window=0), "draft.window"),
    ],
)
def test_a_bad_option_is_named(make: Any, field: str) -> None:
    with pytest.raises(LayoutError) as error:
        make()
    assert error.value.field == field


def test_a_draft_window_needs_heads_where_the_target_has_a_latent() -> None:
    with pytest.raises(LayoutError, match=r"^draft.window = 512"):
        layout_of("kimi-k3", Options(draft=Draft(1, window=512)))


_LLAMA = {
    "model_type": "llama",
    "hidden_size": 8192,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
}


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (_LLAMA, "full attention only"),
        ({**_LLAMA, "kv_lora_rank": 512, "qk_rope_head_dim": 64}, "full attention only"),
        ({**_LLAMA, "layer_types": ["sliding_attention"] * 80, "sliding_window": 64}, "no layer is full attention"),
        ({**_LLAMA, "kv_lora_rank": 512, "sliding_window": 512}, "MLA with sliding windows"),
        (_spoiled("kimi-k3", "sliding_window", 512), "MLA with sliding windows"),
        (_spoiled("gpt-oss-20b", "kv_lora_rank", 512), "MLA with sliding windows"),
        ({"model_type": "deepseek_v4"}, "DeepSeek-V4"),
        ({"model_type": "x", "text_config": {"model_type": "deepseek_v4_text"}}, "DeepSeek-V4"),
        ({**_LLAMA, "hybrid_override_pattern": "M-M*"}, "says which layer is which"),
    ],
)
def test_a_model_that_is_not_served_is_refused_with_the_reason(config: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnsupportedModel, match=reason):
        layout_of_config("it", config)


def test_a_window_that_is_switched_off_is_none() -> None:
    with pytest.raises(UnsupportedModel, match="full attention only"):
        layout_of_config("it", {**_LLAMA, "sliding_window": 4096, "use_sliding_window": False})


def _outcome(config: dict[str, Any]) -> str:
    """The last kind of a layout, or what to do about there being none; any other exception escapes."""
    try:
        return layout_of_config("it", config).kinds[-1].name
    except LayoutError as error:
        return error.remedy


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.integers(-2, 130),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(NAMES), st.data())
@settings(max_examples=300, deadline=None)  # the first example imports and reads files
def test_any_field_may_be_anything(name: str, data: st.DataObject) -> None:
    config = document(name)
    for _ in range(data.draw(st.integers(1, 3))):
        fields = text_fields(config)
        if "linear_attn_config" in fields and data.draw(st.booleans()):
            fields = fields["linear_attn_config"]
        if not isinstance(fields, dict) or not fields:
            break
        field = data.draw(st.sampled_from(sorted(fields)))
        fields[field] = data.draw(_json)
        if not isinstance(text_fields(config).get("linear_attn_config", {}), dict):
            break
    assert _outcome(config)
