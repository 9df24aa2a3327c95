"""How fast it is, beside its peers where there are any."""
