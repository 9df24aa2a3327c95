"""A causal convolution over time, each channel for itself, which remembers its last columns."""

import torch


def convolved(
    inputs: torch.Tensor, remembered: torch.Tensor, kernel: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The outputs of new tokens, and what is to be remembered after them.

    Args:
        inputs: [tokens, channels].
        remembered: [channels, columns], the inputs of the tokens before, the latest last.
        kernel: [channels, columns + 1], the newest token's weight last.

    Returns:
        [tokens, channels] and [channels, columns].
    """
    stream = torch.cat([remembered, inputs.T], dim=1)
    seen = stream.unfold(1, kernel.shape[1], 1)
    return torch.einsum("ctk,ck->tc", seen, kernel), stream[:, -remembered.shape[1] :]
