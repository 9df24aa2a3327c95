"""A failure: what broke, and the shortest operations in the simplest scene that break it."""

from dataclasses import dataclass

from fuzz.looks import Look, look_of
from fuzz.serving.living import END, Script, lived
from fuzz.serving.scene import Scene
from fuzz.serving.shortening import Shortening
from fuzz.violation import Violation
from spec.judge.verdict import Finding


@dataclass(frozen=True)
class Failure:
    """A check that does not hold, and a life that shows it.

    Attributes:
        scene: in which.
        property: its name, in the specification or in `fuzz.serving.checks`.
        problem: what was seen, a clause.
        finding: the judge's, where it was the judge who saw it.
        script: the operations.
        fault: the seeded fault under which this was found, if it was one.
        repeats: whether the operations showed it again when they were done a second time.
        reduced: whether nothing can be left out of them; False where time ran out before that was known.
        absent: kinds of operations that were switched off in the life that broke.
        look: how it looks.
    """

    scene: Scene
    property: str
    problem: str
    finding: Finding | None
    script: Script
    fault: str | None = None
    repeats: bool = True
    reduced: bool = True
    absent: tuple[str, ...] = ()
    look: Look = ("", "", "")


def explained(
    scene: Scene,
    script: Script,
    violation: Violation,
    *,
    fault: str | None = None,
    seconds: float = 60.0,
    tries: int | None = None,
    absent: tuple[str, ...] = (),
) -> Failure:
    """The failure of a life, made short: operations are left out, scenes made simpler, numbers made smaller.

    The same property must break, so that a failure keeps its name.

    Args:
        scene: of the life.
        script: its operations, up to the one at which it broke.
        violation: what broke.
        fault: the seeded fault that is in force.
        seconds: for making it short.
        tries: lives that are lived to that end; none for as many as there is time for.
        absent: kinds of operations that were switched off.
    """
    again = lived(scene, script).violation
    if again is None or again.property != violation.property:
        seen = violation.property, violation.problem, violation.finding
        look = look_of(violation.property, script[-1].name if script else END, violation.problem)
        return Failure(scene, *seen, script, fault, repeats=False, reduced=False, absent=absent, look=look)

    def fails(where: Scene, shorter: Script) -> bool:
        seen = lived(where, shorter).violation
        return seen is not None and seen.property == violation.property

    shortening = Shortening(fails, seconds, tries)
    scene, script = shortening.shortened(scene, script)
    last = lived(scene, script)
    assert last.violation is not None, "a life that broke breaks again"
    assert last.look is not None, "a life that broke breaks again"
    seen = last.violation.property, last.violation.problem, last.violation.finding
    return Failure(scene, *seen, last.script, fault, reduced=not shortening.is_over, absent=absent, look=last.look)
