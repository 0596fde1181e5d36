"""The loss of PPO behind a network's last hidden layer, with its gradient, row by row.

A row is a decision of a rollout. The policy head is computed for the row's legal actions only, and everything that a
row needs is computed at once, while it is in the processor's cache. `training.ppo.ppo_loss` is the same loss for whole
batches, and says where it is from.

The legal actions of a rollout's decisions are one list of *entries*: those of decision c are
``ends[c - 1] <= k < ends[c]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dunaia_env.support.compile_cache import any_order_kernel, kernel

METRICS = ("policy_loss", "value_loss", "score_loss", "entropy", "approx_kl", "clip_fraction", "imitation_kl")
POLICY_LOSS, VALUE_LOSS, SCORE_LOSS, ENTROPY, APPROX_KL, CLIP_FRACTION, IMITATION_KL = range(len(METRICS))
# Log-probabilities are clamped so far below the highest one: smaller exponentials underflow, which is very slow.
LOWEST = np.float32(-80)
ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)


@kernel
def count_legal_actions(action_masks: Any, counts: Any, first: int, last: int) -> None:
    """Write the numbers of legal actions of some decisions.

    Args (C decisions, A actions):
        action_masks: int8 ``(C, A)``, 1 for a legal action.
        counts: int64 ``(C,)``; the numbers are written here.
        first, last: the decisions to do are ``first <= c < last``.
    """
    for decision in range(first, last):
        mask, count = action_masks[decision], 0
        for action in range(len(mask)):
            count += mask[action] != 0
        counts[decision] = count


@kernel
def list_legal_actions(action_masks: Any, ends: Any, legal: Any, first: int, last: int) -> None:
    """List the legal actions of some decisions.

    Args (C decisions):
        action_masks, first, last: see `count_legal_actions`.
        ends: int64 ``(C,)``, the cumulative sum of the counts.
        legal: int16 ``(ends[-1],)``; the legal actions are written here.
    """
    for decision in range(first, last):
        mask, place, end = action_masks[decision], ends[decision - 1] if decision else 0, ends[decision]
        action = 0
        while place < end:
            # Without a branch, which the processor could not predict.
            legal[place] = action
            place += mask[action] != 0
            action += 1


@any_order_kernel
def squared_errors(
    x: Any, weights: Any, bias: Any, targets: Any, factor: Any, of_x: Any, of_weights: Any, of_bias: Any
) -> Any:
    """The sum of the squared errors of a head in one row; adds the gradients of the sum times a factor.

    Args (S outputs):
        x: float32 ``(units,)``, the input of the head.
        weights, bias: float32 ``(S, units)`` and ``(S,)``.
        targets: float32 ``(S,)``.
        factor: float32.
        of_x, of_weights, of_bias: like ``x``, ``weights`` and ``bias``; the gradients are added here.
    """
    total = ZERO
    for output in range(len(targets)):
        weight, of_weight = weights[output], of_weights[output]
        error = bias[output] - targets[output]
        for unit in range(len(x)):
            error += x[unit] * weight[unit]
        total += error * error
        gradient = TWO * factor * error
        of_bias[output] += gradient
        for unit in range(len(x)):
            of_x[unit] += gradient * weight[unit]
            of_weight[unit] += gradient * x[unit]
    return total


@any_order_kernel
def learn_rows(
    hidden: Any,
    cells: Any,
    ends: Any,
    legal: Any,
    actions: Any,
    logprobs: Any,
    advantages: Any,
    returns: Any,
    score_targets: Any,
    row_weights: Any,
    teacher_policies: Any,
    coefficients: Any,
    share: Any,
    policy: Any,
    value: Any,
    score: Any,
    of_hidden: Any,
    of_policy: Any,
    of_value: Any,
    of_score: Any,
    metrics: Any,
) -> None:
    """Add the loss of some decisions and its gradients, each times ``share``.

    Args (B rows, C decisions of the rollout, A actions, S seats; see `training.ppo.Batch`):
        hidden: float32 ``(B, units)``, the inputs of the heads.
        cells: int64 ``(B,)``, the decisions.
        ends, legal: see `list_legal_actions`.
        actions: int64 ``(C,)``, the chosen actions.
        logprobs, advantages, row_weights: float32 ``(C,)``.
        returns, score_targets: float32 ``(C, S)``.
        teacher_policies: float32 ``(B, A)``, zeros in rows without a teacher; ``(B, 0)`` without any.
        coefficients: float32 ``(5,)``, see `training.ppo.ppo_loss`.
        share: float32.
        policy, value, score: weights, float32 ``(outputs, units)``, and bias of each head.
        of_hidden: float32 ``(B, units)``; the gradients of ``hidden`` are written here.
        of_policy, of_value, of_score: like ``policy``, ``value`` and ``score``; the gradients are added here.
        metrics: float64, the `METRICS`; they are added here.
    """
    clip, entropy_weight, value_weight, score_weight, imitation_weight = coefficients
    weights, bias = policy
    of_weights, of_bias = of_policy
    units, is_taught = hidden.shape[1], teacher_policies.shape[1] > 0
    logprob, gradients = np.empty(len(bias), np.float32), np.empty(len(bias), np.float32)
    for row in range(len(cells)):
        cell, x, of_x = cells[row], hidden[row], of_hidden[row]
        begin, end, row_weight = ends[cell - 1] if cell else 0, ends[cell], row_weights[cell] * share
        count, chosen = end - begin, 0
        of_x[:] = 0
        factor, targets = value_weight * row_weight, returns[cell]
        metrics[VALUE_LOSS] += row_weight * squared_errors(
            x, value[0], value[1], targets, factor, of_x, of_value[0], of_value[1]
        )
        factor, targets = score_weight * row_weight, score_targets[cell]
        metrics[SCORE_LOSS] += row_weight * squared_errors(
            x, score[0], score[1], targets, factor, of_x, of_score[0], of_score[1]
        )

        # The policy over the legal actions.
        top = -np.float32(np.inf)
        for k in range(count):
            action = legal[begin + k]
            weight, logit = weights[action], bias[action]
            for unit in range(units):
                logit += x[unit] * weight[unit]
            logprob[k] = logit
            top = max(top, logit)
            if action == actions[cell]:
                chosen = k
        total = ZERO
        for k in range(count):
            logprob[k] = max(logprob[k] - top, LOWEST)
            total += np.exp(logprob[k])
        shift, entropy = np.log(total), ZERO
        for k in range(count):
            logprob[k] -= shift
            entropy -= np.exp(logprob[k]) * logprob[k]

        # A row with a teacher's policy imitates it, and is not learned from otherwise.
        taught = ZERO
        if is_taught:
            cross_entropy, target_entropy = ZERO, ZERO
            for k in range(count):
                target = teacher_policies[row, legal[begin + k]]
                taught += target
                cross_entropy -= target * logprob[k]
                if target > 0:
                    target_entropy -= target * np.log(target)
            metrics[IMITATION_KL] += row_weight * (cross_entropy - target_entropy)
        policy_weight = ZERO if taught > 0 else row_weight
        logratio = logprob[chosen] - logprobs[cell]
        ratio, advantage = np.exp(logratio), advantages[cell]
        unclipped, clipped = advantage * ratio, advantage * min(max(ratio, ONE - clip), ONE + clip)
        of_chosen = -unclipped * policy_weight if unclipped <= clipped else ZERO
        metrics[POLICY_LOSS] -= policy_weight * min(unclipped, clipped)
        metrics[ENTROPY] += policy_weight * entropy
        metrics[APPROX_KL] += policy_weight * (ratio - ONE - logratio)
        metrics[CLIP_FRACTION] += policy_weight if abs(ratio - ONE) > clip else ZERO

        for k in range(count):
            probability = np.exp(logprob[k])
            of_logit = entropy_weight * policy_weight * probability * (logprob[k] + entropy) - of_chosen * probability
            if taught > 0:
                target = teacher_policies[row, legal[begin + k]]
                of_logit += imitation_weight * row_weight * (taught * probability - target)
            gradients[k] = of_logit
        gradients[chosen] += of_chosen
        for k in range(count):
            action, gradient = legal[begin + k], gradients[k]
            weight, of_weight = weights[action], of_weights[action]
            of_bias[action] += gradient
            for unit in range(units):
                of_x[unit] += gradient * weight[unit]
                of_weight[unit] += gradient * x[unit]
