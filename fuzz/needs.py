"""Who needs the arena's bytes."""

from collections.abc import Iterable

from spec.judge.arena import JudgedArena


def in_need_of_bytes(s: JudgedArena, tickets: Iterable[int]) -> list[tuple[str, str]]:
    """Each need: the property that breaks where the bytes go, and who has it.

    Args:
        s: what the judge knows.
        tickets: those that are outstanding.
    """
    needs = [
        ("held-bytes-frozen", f"ticket {ticket}, which holds page {page} of band {band}")
        for ticket, band, page in s.held
    ]
    needs += [("content", f"id {vid} of band {band}, which is alive") for band, vid in s.refs]
    needs += [("gate-holds", f"{who!r}, who has published addresses") for who in s.published]
    needs += [
        ("stream-work-on-record", f"work that is queued on page {page} of band {band}") for band, page in s.queued
    ]
    needs += [("agreement", f"ticket {ticket}, which is outstanding") for ticket in tickets]
    return needs
