"""Small models to capture, each with one thing that a capture could get wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import nn


def place_of(code: str) -> str:
    """Gives ``capture_models.py:21`` for the one line of this file that starts with that code."""
    lines = Path(__file__).read_text().splitlines()
    (number,) = (number for number, line in enumerate(lines, start=1) if line.strip().startswith(code))
    return f"{Path(__file__).name}:{number}"


class TwoLayers(nn.Module):
    """Two linear layers and a buffer; four parameters whose dim 0 divides by 2, 4 and 8."""

    def __init__(self, dim: int = 8, hidden_dim: int = 16, out_dim: int = 8) -> None:
        super().__init__()
        self.up = nn.Linear(dim, hidden_dim)
        self.down = nn.Linear(hidden_dim, out_dim)
        self.register_buffer("scale", torch.ones(out_dim))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(torch.relu(self.up(x))) * self.scale


class Tied(nn.Module):
    """An embedding and a head that are one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(16, 8)
        self.head = nn.Linear(8, 16, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.embedding(tokens))


class Scaled(nn.Module):
    """A linear layer times a learned number, which has no dim to split."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.factor = nn.Parameter(torch.tensor(2.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x) * self.factor


class ManyInputs(nn.Module):
    """Takes nested tensors, numbers and flags; returns nested tensors, numbers and nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(
        self,
        pair: tuple[torch.Tensor, torch.Tensor],
        table: dict[str, torch.Tensor],
        power: int = 2,
        *,
        is_shifted: bool = False,
        mask: torch.Tensor | None = None,
    ) -> dict[str, Any]:
        first, second = pair
        y = self.linear(first) ** power + second + table["offset"]
        y = y + 1 if is_shifted else y
        y = y if mask is None else y * mask
        return {"y": y, "extra": (y.sum(), power, None)}


class Everything(nn.Module):
    """The loss of a net with a tied, a frozen, an uneven and a scalar weight, and a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(12, 8)
        self.frozen = nn.Linear(8, 8)
        self.uneven = nn.Linear(8, 7)
        self.back = nn.Linear(7, 8)
        self.head = nn.Linear(8, 12, bias=False)
        self.head.weight = self.embedding.weight
        self.factor = nn.Parameter(torch.tensor(0.5))
        self.register_buffer("scale", torch.linspace(0.5, 1.5, 7))
        self.frozen.requires_grad_(False)

    def forward(self, tokens: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        x = x + self.frozen(x)
        x = x + self.back(torch.tanh(self.uneven(x) * self.scale)) * self.factor
        return nn.functional.cross_entropy(self.head(x), labels.long())


class Breaks(nn.Module):
    """Breaks the graph."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.linear(x)
        torch._dynamo.graph_break()
        return x


class Branches(Breaks):
    """Lets a number in a tensor decide what to compute."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.linear(x)
        if x.sum() > 0:
            return x + 1
        return x


class Raises(Breaks):
    """Raises while it computes."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise ValueError(f"no rows of {self.linear(x).shape[1]}")
