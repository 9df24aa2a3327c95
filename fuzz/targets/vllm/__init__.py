"""vLLM's KV cache manager as it is released, driven in its own environment."""
