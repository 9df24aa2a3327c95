"""Traces as a person names them and reads what the judge says of them."""
