"""Requests: which virtual pages the tokens of each live in, from the first token to the last."""
