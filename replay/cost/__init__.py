"""How long a step takes: bytes moved and operations done against a device's rates."""
