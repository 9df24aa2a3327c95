"""A replay as one HTML file that needs nothing else, and as pictures."""
