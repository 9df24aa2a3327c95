"""Whether code obeys: allocators are driven as a serving engine would, every event judged, every byte read back."""
