"""What is said to a person who asked in a way that cannot be answered."""

import reprlib

# A value comes from outside and may be of any length: enough of it to be recognised, and a path of usual length whole.
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 240


class UsageError(Exception):
    """Bad input: printed as one short message without a traceback, exit code 2.

    Args:
        field: the option, the argument or the field of a file, named as the person wrote it.
        value: what was found there.
        problem: what is wrong with it, a clause.
        remedy: what to do about it, a clause; may be empty.
    """

    def __init__(self, field: str, value: object, problem: str, remedy: str = "") -> None:
        self.field = field
        self.value = value
        self.problem = problem
        self.remedy = remedy
        super().__init__(self.message)

    @property
    def shown_value(self) -> str:
        """The value as it is printed, shortened."""
        return _SHORT.repr(self.value)

    @property
    def message(self) -> str:
        """Field, value, problem and remedy in one line."""
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{self.field} = {self.shown_value}: {self.problem}{remedy}"
