"""How the failures of a campaign came about: their calls are made again, in one process where another's is driven."""

from collections.abc import Iterator
from pathlib import Path

from bandgap.campaigns.terms import path_of
from bandgap.errors import UsageError
from bandgap.explaining import explained_file
from bandgap.explaining_serving import explained_serving_file
from bandgap.gate.violation import Violation
from bandgap.peers.asking import driven_named
from bandgap.peers.explaining import Driven, explained
from fuzz.campaign.campaign import Campaign
from fuzz.campaign.engines import ENGINES
from fuzz.peers.environments import is_peer
from fuzz.peers.hunting import Finding
from fuzz.peers.process import PeerFailed, running
from fuzz.peers.reproduction import decoded, played_again
from fuzz.saving import BadFile


def evidence_of(campaign: Campaign) -> dict[str, Violation]:
    """By the name of a failure's file; without those that do not show again, or whose target does not answer."""
    files = {name: campaign.folder / "failures" / name for name in campaign.files()}
    if not is_peer(campaign.plan.target):
        explained_one = explained_serving_file if campaign.plan.target == ENGINES else explained_file
        found = ((name, explained_one(file)) for name, file in files.items())
        return {name: evidence for name, evidence in found if evidence is not None}
    return dict(_of_peer(campaign, files)) if files else {}


def _of_peer(campaign: Campaign, files: dict[str, Path]) -> Iterator[tuple[str, Violation]]:
    plan = campaign.plan
    driven = Driven(plan.target, plan.checkout, plan.python)
    try:
        with running(driven_named(plan.target, path_of(plan.checkout), path_of(plan.python))) as process:
            for name, file in files.items():
                reproduction = decoded(file.read_bytes())
                life = played_again(reproduction, process)
                if life.broke is not None and life.broke.property == reproduction.property:
                    seen = life.broke.property, life.broke.problem
                    finding = Finding(reproduction.setup, *seen, tuple(life.script), reproduction.fault)
                    yield name, explained(life, finding, process.description, driven)
    except (BadFile, OSError, PeerFailed, UsageError):
        return  # what was found stands in the journal, and is told without
