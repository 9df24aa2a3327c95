"""How you ask: the command line, reports and generated documents."""
