"""Replays as a person asks for them and reads them."""
