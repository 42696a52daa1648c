"""The models to look at: their shapes, that they learn, and that their inputs are always the same."""

import pytest
import torch
from torch import nn

import bucketviz as bv

gallery = bv.gallery


def num_parameters(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def test_a_llama_has_nine_weights_a_layer_and_three_around_them() -> None:
    for num_layers in (1, 3):
        model = gallery.llama(num_layers=num_layers, dim=32)
        assert len(list(model.parameters())) == 9 * num_layers + 3


def test_the_shape_of_llama_8b_has_the_parameters_of_llama_8b_and_no_memory() -> None:
    model = gallery.llama_8b_shape()
    assert num_parameters(model) == 8_030_261_248
    assert {parameter.device.type for parameter in model.parameters()} == {"meta"}


def test_tokens_become_logits() -> None:
    model = gallery.llama(num_layers=2, dim=32, num_heads=4, num_kv_heads=2, vocab_size=64)
    tokens = gallery.llama_inputs(batch_size=3, length=5, vocab_size=64)
    logits = model(tokens)
    assert logits.shape == (3, 5, 64)
    assert logits.isfinite().all()


def test_a_token_does_not_see_later_ones_but_earlier_ones_and_their_order() -> None:
    torch.manual_seed(0)
    model = gallery.llama(num_layers=2, dim=32)
    tokens = torch.tensor([[1, 2, 3, 4]])
    changed_late, swapped_early = torch.tensor([[1, 2, 3, 9]]), torch.tensor([[2, 1, 3, 4]])
    torch.testing.assert_close(model(tokens)[:, :3], model(changed_late)[:, :3])
    assert not torch.allclose(model(tokens)[:, 3], model(changed_late)[:, 3])
    assert not torch.allclose(model(tokens)[:, 3], model(swapped_early)[:, 3], atol=1e-6)


def test_a_step_of_descent_lowers_the_loss() -> None:
    torch.manual_seed(0)
    model = gallery.llama(num_layers=1, dim=32, vocab_size=64)
    tokens = gallery.llama_inputs(batch_size=2, length=8, vocab_size=64)
    losses = []
    for _ in range(2):
        loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            for parameter in model.parameters():
                assert parameter.grad is not None
                parameter -= 0.1 * parameter.grad
                parameter.grad = None
    assert losses[1] < losses[0]


def test_the_norm_scales_rows_to_a_root_mean_square_of_one() -> None:
    x = torch.randn(3, 4, 16) * 7
    expected = nn.functional.rms_norm(x, (16,), eps=1e-5)
    torch.testing.assert_close(gallery.RMSNorm(16)(x), expected)


def test_inputs_are_the_same_on_every_call_and_live_where_they_are_asked_to() -> None:
    assert torch.equal(gallery.llama_inputs(), gallery.llama_inputs())
    assert gallery.llama_inputs(2, 3, vocab_size=4).tolist() == [[0, 1, 2], [3, 0, 1]]
    assert gallery.llama_inputs(device="meta").device.type == "meta"


@pytest.mark.parametrize(("dim", "hidden_dim"), [(256, 704), (64, 192)])
def test_the_hidden_width_is_eight_thirds_of_the_width_up_to_a_multiple_of_64(dim: int, hidden_dim: int) -> None:
    assert gallery.llama(1, dim=dim).layers[0].feed_forward.w1.weight.shape == (hidden_dim, dim)
