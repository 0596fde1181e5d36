"""The masked policy that is learned: what a softmax over the legal actions gives, without slow exponentials."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from training.policy import masked_policy  # noqa: E402

pytestmark = pytest.mark.once


def test_it_is_the_softmax_over_the_legal_actions() -> None:
    generator = torch.Generator().manual_seed(0)
    logits = (5 * torch.randn(50, 12, generator=generator)).requires_grad_()
    masks = (torch.rand(50, 12, generator=generator) < 0.4).to(torch.int8)
    masks[:, 3] = 1
    log_policy, policy = masked_policy(logits, masks)
    expected = torch.where(masks != 0, logits, -torch.inf).softmax(dim=1)
    torch.testing.assert_close(policy, expected)
    assert (policy[masks == 0] == 0).all()
    torch.testing.assert_close(log_policy[masks != 0], expected.log()[masks != 0])

    (found,) = torch.autograd.grad(-(policy * log_policy).sum() + log_policy[:, 3].sum(), logits, retain_graph=True)
    safe = torch.where(masks != 0, expected, 1.0).log()
    (wanted,) = torch.autograd.grad(-(expected * safe).sum() + safe[:, 3].sum(), logits)
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


def test_far_apart_logits_stay_numbers() -> None:
    logits = torch.tensor([[0.0, 1e6, -1e6, 3.0]], requires_grad=True)
    log_policy, policy = masked_policy(logits, torch.tensor([[1, 0, 1, 1]], dtype=torch.int8))
    assert log_policy.isfinite().all()
    assert policy[0, 3].item() == pytest.approx(1 / (1 + torch.e**-3), rel=1e-5)
    (policy * log_policy).sum().backward()
    assert logits.grad is not None
    assert logits.grad.isfinite().all()
    assert logits.grad[0, 1] == 0
