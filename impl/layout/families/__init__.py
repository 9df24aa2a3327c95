"""How model families are read, by the fields that shape their memory rather than by their names."""
