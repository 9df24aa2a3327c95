"""What the verbs that measure may be asked for."""

from bandgap.errors import UsageError


def check_range(option: str, value: float, least: float, most: float) -> None:
    """Raise UsageError unless an option's number lies in a range, both ends included."""
    if not least <= value <= most:
        raise UsageError(option, value, "is out of range", f"give {least:,} to {most:,}")


def check_rounds(rounds: int) -> None:
    """Raise UsageError unless a figure is measured 1 to 100 times."""
    check_range("--rounds", rounds, 1, 100)


def check_seconds(seconds: float) -> None:
    """Raise UsageError unless a rate is measured for 0.001 to 10 seconds."""
    check_range("--seconds", seconds, 0.001, 10)
