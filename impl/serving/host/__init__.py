"""The host tier: what the prefix cache knows is also kept in pinned memory of the host, and in files."""
