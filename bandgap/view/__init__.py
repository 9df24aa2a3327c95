"""The arena over time: what each byte was at each line of a trace, as a page and for other viewers."""
