"""What is promised of admission, by name."""

from collections.abc import Mapping

from spec import ranks

PROPERTIES: Mapping[str, str] = {
    "admission-sound": "What is admitted can be done: there is a legal layout, and legal steps lead there.",
    "admission-complete": "What is refused cannot be done: no legal layout has room for it.",
    "lowest-step": "A demand is met by the lowest step that can meet it, with the fewest tickets settled.",
    "fewest-bytes": "Of all layouts that the step allows, a plan leads to one for which the fewest bytes move.",
    "reachable": "The layout that a step leads to is reached by legal actions, without any spare room.",
    "honest-refusal": "A refusal states the first reason that applies; what it names is enough and not too much.",
    "retry-terminates": "Doing what a plan or a refusal says, and asking again, comes to an end.",
    **ranks.PROPERTIES,
}
"""One sentence each; they are spoken of plans and refusals, or of several ranks, not of states."""
