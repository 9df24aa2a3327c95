"""Serving driven: tiny engines asked, disturbed and watched, by Hypothesis and from seeds."""
