"""A serving engine without a device: it schedules, asks its memory for pages, and takes the time that steps cost."""
