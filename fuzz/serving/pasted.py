"""A failure of serving as Python that can be pasted."""

from fuzz.serving.failure import Failure
from fuzz.serving.scene import Scene

_PROGRAM = """\
# {property}: {problem}
{fault}from fuzz.serving.living import do, end
from fuzz.serving.operations import Operation
from fuzz.serving.scene import Scene
from fuzz.serving.stage import Stage

stage = Stage(Scene({scene}))
{operations}
end(stage)
"""


def pasted(failure: Failure) -> str:
    """The operations of a failure as a program that ends where the property breaks."""
    fault = f"# found under the seeded fault {failure.fault}, without which it passes\n" if failure.fault else ""
    return _PROGRAM.format(
        property=failure.property,
        problem=" ".join(failure.problem.split()),
        fault=fault,
        scene=_differing(failure.scene),
        operations="\n".join(f"do(stage, Operation({name!r}, {draws!r}))" for name, draws in failure.script),
    )


def _differing(scene: Scene) -> str:
    plain = Scene()
    fields = {name: getattr(scene, name) for name in scene.__struct_fields__}
    return ", ".join(f"{name}={value!r}" for name, value in fields.items() if value != getattr(plain, name))
