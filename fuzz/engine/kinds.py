"""Every kind of operation there is."""

from fuzz.engine import endings, mistakes, pressure, requests, work
from fuzz.engine.operations import KINDS

__all__ = ["KINDS", "endings", "mistakes", "pressure", "requests", "work"]
