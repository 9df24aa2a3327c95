"""The words that allocators, drivers and judges share: the record types of a trace, and how a trace is sealed."""
