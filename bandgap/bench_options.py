"""What the verbs that measure may be asked for."""

from bandgap.errors import UsageError


def check_rounds(rounds: int) -> None:
    """Raises UsageError unless a figure is measured 1 to 100 times."""
    if not 1 <= rounds <= 100:
        raise UsageError("--rounds", rounds, "is not 1 to 100")


def check_seconds(seconds: float) -> None:
    """Raises UsageError unless a rate is measured for 0.001 to 10 seconds."""
    if not 0.001 <= seconds <= 10:
        raise UsageError("--seconds", seconds, "is not 0.001 to 10")
