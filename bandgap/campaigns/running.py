"""Works off a campaign."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from bandgap.errors import UsageError
from crew.engines import crew_of
from crew.words import NoCrew
from fuzz.campaign.campaign import LONGEST_UNIT, PRELOADED, Campaign, Head, Unfit, opened
from fuzz.campaign.corpus import NoCorpus


@dataclass(frozen=True)
class Ended:
    """A campaign, and whether it was stopped before it was over."""

    campaign: Campaign
    stopped: bool


def worked_off(folder: Path, head: Head, engine: str, address: str | None, told: Callable[[Campaign], None]) -> Ended:
    """Go on with a campaign until it is over, or somebody stops it.

    Raises:
        UsageError: the folder, the corpus or the engine is not to be had.
    """
    try:
        with opened(folder, head) as campaign:
            return Ended(campaign, not campaign.is_over and _stopped(campaign, engine, address, told))
    except Unfit as error:
        raise UsageError("--out", str(folder), str(error), error.remedy) from error
    except NoCorpus as error:
        raise UsageError("--corpus", ", ".join(head.corpus), str(error), error.remedy) from error


def _stopped(campaign: Campaign, engine: str, address: str | None, told: Callable[[Campaign], None]) -> bool:
    lanes = campaign.plan.lanes
    try:
        with crew_of(
            engine,
            campaign.work(),
            lanes,
            address=address,
            preload=PRELOADED,
            gpus=torch.cuda.device_count(),
            limit=LONGEST_UNIT,
        ) as crew:
            campaign.run(crew, told)
    except NoCrew as error:
        raise UsageError("--engine", engine, str(error), error.remedy) from error
    except KeyboardInterrupt:
        return True
    return False
