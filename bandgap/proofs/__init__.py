"""Proofs as a person asks for them and reads them: what `bandgap prove` prints, and what helps where one fails."""
