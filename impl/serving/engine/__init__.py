"""A tiny hybrid engine: random weights in real models' patterns, whose layers know no memory but the arena's."""
