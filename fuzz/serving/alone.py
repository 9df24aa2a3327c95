"""Texts, and what a model says after them on memory of its own: what everything is compared with."""

from functools import cache
from random import Random

import torch

from fuzz.serving.running import Task, said_alone
from fuzz.serving.scene import LONGEST_PROMPT, MOST_NEW, Scene
from impl.serving.engine.model import VOCABULARY


@cache
def family(number: int) -> tuple[int, ...]:
    """A text; prompts that begin with the same one have a prefix in common."""
    rnd = Random(number)
    return tuple(rnd.randrange(VOCABULARY) for _ in range(LONGEST_PROMPT))


def text_of(scene: Scene, prompt: tuple[int, ...]) -> tuple[int, ...]:
    """A prompt, and what the model says after it by itself, as far as anybody asks."""
    return (*prompt, *said_alone(scene.layout, Task(prompt, MOST_NEW))[0])


def reference(scene: Scene, task: Task, stop: int | None) -> tuple[tuple[int, ...], torch.Tensor]:
    """What a job must say up to a token after which it stops, if there is one, and the logits of all that."""
    said, logits = said_alone(scene.layout, Task(task.prompt, MOST_NEW))
    said = said[: task.new_tokens]
    if stop in said:
        said = said[: said.index(stop) + 1]
    return said, logits[: len(said)]
