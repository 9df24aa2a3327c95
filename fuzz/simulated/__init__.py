"""A driver whose device works later: tickets' work is launched, and done in whatever order streams and events allow."""
