"""Every kind of operation there is."""

from fuzz.engine import beginnings, endings, hostile, mistakes, pressure, requests, work
from fuzz.engine.operations import KINDS

__all__ = ["KINDS", "beginnings", "endings", "hostile", "mistakes", "pressure", "requests", "work"]
