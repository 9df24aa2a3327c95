"""Which models and features of serving go together: run together in a test, refused with a reason, or not tested."""
