"""`python -m bandgap` is the command `bandgap`."""

from bandgap.cli import main

main()
