"""Why admission decides exactly: theorems about the arithmetic's own lines, whatever the bands and sizes."""
