"""Models to look at: a Llama-style transformer in plain torch, small or in the shape of the real one."""

from __future__ import annotations

import math

import torch
from torch import nn

VOCAB_SIZE = 1024


class RMSNorm(nn.Module):
    """Scales every row to a root mean square of one, in float32, then by a weight."""

    def __init__(self, dim: int, epsilon: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.epsilon = epsilon

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        wide = x.float()
        scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.epsilon)
        scaled: torch.Tensor = (wide * scale).to(x.dtype) * self.weight
        return scaled


class Attention(nn.Module):
    """Causal self-attention with rotary positions; key and value heads may be fewer than query heads."""

    def __init__(self, dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.head_dim = dim // num_heads
        self.num_repeats = num_heads // num_kv_heads
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, num_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, num_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)

    def forward(self, x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        query = _rotate(self._heads(self.wq(x)), angles)
        key = _rotate(self._heads(self.wk(x)), angles).repeat_interleave(self.num_repeats, dim=1)
        value = self._heads(self.wv(x)).repeat_interleave(self.num_repeats, dim=1)
        scores = query @ key.transpose(-1, -2) / math.sqrt(self.head_dim)
        length = x.shape[1]
        is_later = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.float().masked_fill(is_later, -math.inf).softmax(-1).to(x.dtype)
        mixed: torch.Tensor = self.wo((weights @ value).transpose(1, 2).flatten(2))
        return mixed

    def _heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(*x.shape[:-1], -1, self.head_dim).transpose(1, 2)


class FeedForward(nn.Module):
    """SwiGLU: a gated product of two projections, projected back."""

    def __init__(self, dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.w1 = nn.Linear(dim, hidden_dim, bias=False)
        self.w2 = nn.Linear(hidden_dim, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden_dim, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        narrow: torch.Tensor = self.w2(nn.functional.silu(self.w1(x)) * self.w3(x))
        return narrow


class Block(nn.Module):
    """One transformer layer: attention and feed-forward, each behind a norm and beside a residual."""

    def __init__(self, dim: int, num_heads: int, num_kv_heads: int, hidden_dim: int) -> None:
        super().__init__()
        self.attention_norm = RMSNorm(dim)
        self.attention = Attention(dim, num_heads, num_kv_heads)
        self.ffn_norm = RMSNorm(dim)
        self.feed_forward = FeedForward(dim, hidden_dim)

    def forward(self, x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.attention_norm(x), angles)
        deeper: torch.Tensor = x + self.feed_forward(self.ffn_norm(x))
        return deeper


class Llama(nn.Module):
    """Tokens to logits: embedding, blocks, norm, a head of its own.

    Shapes:
        tokens (batch, length) -> logits (batch, length, vocab_size).
    """

    def __init__(
        self, num_layers: int, dim: int, num_heads: int, num_kv_heads: int, hidden_dim: int, vocab_size: int
    ) -> None:
        super().__init__()
        self.head_dim = dim // num_heads
        self.tok_embeddings = nn.Embedding(vocab_size, dim)
        self.layers = nn.ModuleList(Block(dim, num_heads, num_kv_heads, hidden_dim) for _ in range(num_layers))
        self.norm = RMSNorm(dim)
        self.output = nn.Linear(dim, vocab_size, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        angles = _angles(tokens.shape[1], self.head_dim, tokens.device)
        x = self.tok_embeddings(tokens)
        for layer in self.layers:
            x = layer(x, angles)
        logits: torch.Tensor = self.output(self.norm(x))
        return logits


def llama(
    num_layers: int = 8,
    dim: int = 256,
    num_heads: int = 4,
    num_kv_heads: int | None = None,
    hidden_dim: int | None = None,
    vocab_size: int = VOCAB_SIZE,
) -> Llama:
    """Gives a small Llama-style transformer, nine weights a layer and three around them.

    Args:
        num_layers: Transformer layers.
        dim: Width.
        num_heads: Query heads.
        num_kv_heads: Key and value heads; as many as query heads by default.
        hidden_dim: Width inside the feed-forward part; by default 8/3 of ``dim``, up to a multiple of 64.
        vocab_size: Number of tokens.
    """
    hidden_dim = hidden_dim or math.ceil(dim * 8 / 3 / 64) * 64
    return Llama(num_layers, dim, num_heads, num_kv_heads or num_heads, hidden_dim, vocab_size)


def llama_8b_shape(num_layers: int = 32) -> Llama:
    """Gives a transformer with the widths of Llama 3 8B on the meta device, where weights take no memory."""
    with torch.device("meta"):
        return llama(num_layers, dim=4096, num_heads=32, num_kv_heads=8, hidden_dim=14336, vocab_size=128256)


def llama_inputs(
    batch_size: int = 2, length: int = 32, vocab_size: int = VOCAB_SIZE, device: str = "cpu"
) -> torch.Tensor:
    """Gives tokens for a model of this gallery, the same on every call.

    Shapes:
        (batch_size, length), int64.
    """
    return torch.arange(batch_size * length, device=device).view(batch_size, length) % vocab_size


def _angles(length: int, head_dim: int, device: torch.device) -> torch.Tensor:
    """Gives the rotation of each pair of coordinates at each position: (length, head_dim / 2)."""
    pairs = torch.arange(0, head_dim, 2, device=device, dtype=torch.float32)
    positions = torch.arange(length, device=device, dtype=torch.float32)
    return torch.outer(positions, 500000.0 ** (-pairs / head_dim))


def _rotate(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    """Turns each pair of coordinates by its angle: (batch, heads, length, head_dim) to the same."""
    even, odd = x.float().view(*x.shape[:-1], -1, 2).unbind(-1)
    cosine, sine = angles.cos(), angles.sin()
    turned = torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), dim=-1)
    return turned.flatten(-2).to(x.dtype)
