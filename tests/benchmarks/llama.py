"""A training step with the shapes of Llama 3 405B: nine sharded weights a layer, gathered forward and backward."""

from __future__ import annotations

import torch
import torch.fx as fx
from layers import CAST, Caller, aten, module_of

from bucketviz import collectives

WORLD_SIZE = 16
TOKENS = 8192
DIM, KV_DIM, FFN_DIM = 16384, 1024, 53248
WEIGHTS = {
    "attention_norm": (DIM,),
    "wq": (DIM, DIM),
    "wk": (KV_DIM, DIM),
    "wv": (KV_DIM, DIM),
    "wo": (DIM, DIM),
    "ffn_norm": (DIM,),
    "w1": (FFN_DIM, DIM),
    "w3": (FFN_DIM, DIM),
    "w2": (DIM, FFN_DIM),
}
LAYER_BYTES = sum(torch.Size(shape).numel() for shape in WEIGHTS.values()) * torch.bfloat16.itemsize
"""Bytes of one layer's gathered weights."""


def forward(num_layers: int) -> fx.GraphModule:
    """Gives the forward graph; each weight is cast, gathered, waited for and used.

    x -> norm -> wq wk wv -> wo -> add -> norm -> w1 w3 -> w2 -> add ->
    """
    graph = fx.Graph()
    call = Caller(graph)
    layers = [_weights(call, layer) for layer in range(num_layers)]
    x = call.placeholder("x", TOKENS, DIM, dtype=torch.bfloat16)
    saved = []
    for weights in layers:
        w = {name: _gathered(call, weight) for name, weight in weights.items()}
        h = call(aten.mul.Tensor, x, w["attention_norm"])
        query, key, value = (_linear(call, h, w[name]) for name in ("wq", "wk", "wv"))
        saved += [key, value]
        x = call(aten.add.Tensor, x, _linear(call, call(aten.gelu.default, query), w["wo"]))
        h = call(aten.mul.Tensor, x, w["ffn_norm"])
        gate = call(aten.gelu.default, _linear(call, h, w["w1"]))
        product = call(aten.mul.Tensor, gate, _linear(call, h, w["w3"]))
        x = call(aten.add.Tensor, x, _linear(call, product, w["w2"]))
    graph.output((x, *saved))
    return module_of(graph, WORLD_SIZE)


def backward(num_layers: int) -> fx.GraphModule:
    """Gives the backward graph; each weight is gathered again, and its gradient cast, scattered and waited for.

    d -> w2 -> w1 w3 -> norm -> add -> wo -> wq wk wv -> norm -> add ->
    """
    graph = fx.Graph()
    call = Caller(graph)
    layers = [_weights(call, layer) for layer in range(num_layers)]
    wide = call.placeholder("saved_ffn", TOKENS, FFN_DIM, dtype=torch.bfloat16)
    saved = call.placeholder("saved", TOKENS, DIM, dtype=torch.bfloat16)
    d = call.placeholder("d", TOKENS, DIM, dtype=torch.bfloat16)
    gradients = []
    for weights in reversed(layers):
        w = {name: _gathered(call, weight) for name, weight in reversed(weights.items())}
        d_wide = call(aten.mm.default, d, w["w2"])
        d_hidden = [call(aten.mm.default, d_wide, w[name]) for name in ("w1", "w3")]
        d_ffn = call(aten.mul.Tensor, call(aten.add.Tensor, *d_hidden), w["ffn_norm"])
        gradients += [_scattered(call, _weight_gradient(call, d, wide))]
        gradients += [_scattered(call, _weight_gradient(call, d_wide, saved)) for _ in ("w1", "w3")]
        gradients += [_scattered(call, _norm_gradient(call, d_ffn, saved))]
        d = call(aten.add.Tensor, d, d_ffn)
        d_attention = call(aten.mm.default, d, w["wo"])
        narrow = call(aten.slice.Tensor, d_attention, 1, 0, KV_DIM)
        d_hidden = [call(aten.mm.default, narrow, w[name]) for name in ("wk", "wv")]
        d_sum = call(aten.add.Tensor, call(aten.mm.default, d_attention, w["wq"]), call(aten.add.Tensor, *d_hidden))
        gradients += [_scattered(call, _weight_gradient(call, d, saved))]
        gradients += [_scattered(call, _weight_gradient(call, narrow, saved)) for _ in ("wk", "wv")]
        gradients += [_scattered(call, _weight_gradient(call, d_attention, saved))]
        gradients += [_scattered(call, _norm_gradient(call, d_sum, saved))]
        d = call(aten.add.Tensor, d, call(aten.mul.Tensor, d_sum, w["attention_norm"]))
    graph.output((d, *gradients))
    return module_of(graph, WORLD_SIZE)


def _weights(call: Caller, layer: int) -> dict[str, fx.Node]:
    return {
        name: call.placeholder(f"layers_{layer}_{name}", shape[0] // WORLD_SIZE, *shape[1:])
        for name, shape in WEIGHTS.items()
    }


def _gathered(call: Caller, weight: fx.Node) -> fx.Node:
    start = call(collectives.ALL_GATHER, call(CAST, weight, torch.bfloat16), WORLD_SIZE, "0")
    return call(collectives.WAIT, start)


def _scattered(call: Caller, gradient: fx.Node) -> fx.Node:
    start = call(collectives.REDUCE_SCATTER, call(CAST, gradient, torch.float32), "avg", WORLD_SIZE, "0")
    return call(collectives.WAIT, start)


def _linear(call: Caller, x: fx.Node, weight: fx.Node) -> fx.Node:
    return call(aten.mm.default, x, call(aten.t.default, weight))


def _weight_gradient(call: Caller, d: fx.Node, x: fx.Node) -> fx.Node:
    return call(aten.mm.default, call(aten.t.default, d), x)


def _norm_gradient(call: Caller, d: fx.Node, x: fx.Node) -> fx.Node:
    return call(aten.sum.dim_IntList, call(aten.mul.Tensor, d, x), (0,))
