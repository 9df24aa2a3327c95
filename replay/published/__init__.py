"""Figures that others have published, beside what a replay predicts for the same workloads."""
