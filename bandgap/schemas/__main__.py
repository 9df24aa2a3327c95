"""`python -m bandgap.schemas [FOLDER]` writes every schema, into `docs/schemas` if no folder is named."""

import sys
from pathlib import Path

from bandgap.schemas.all import write_schemas

write_schemas(Path(*sys.argv[1:2] or ["docs/schemas"]))
