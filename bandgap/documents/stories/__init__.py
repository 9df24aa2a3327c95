"""Stories: the allocator that serves, driven and judged while a document is made, drawn at every step."""
