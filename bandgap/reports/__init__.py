"""What the gate writes for people and for pipelines, and the picture in the README."""
