"""Prints the document."""

import sys

from replay.published.document import document

if __name__ == "__main__":
    for line in document():
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
