"""SGLang's unified-memory allocator as it is released, driven in its own environment."""
