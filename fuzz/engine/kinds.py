"""Every kind of operation there is."""

from fuzz.engine import mistakes, pressure, requests, work
from fuzz.engine.operations import KINDS

__all__ = ["KINDS", "mistakes", "pressure", "requests", "work"]
