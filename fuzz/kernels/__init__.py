"""What is right of each kernel, whatever runs it, and the deliberate faults with which it is not."""
