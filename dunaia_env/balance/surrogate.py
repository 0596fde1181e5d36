"""What changes of numbers are expected to do: Gaussian-process regression of measured effects.

The effect of a change is modelled as a linear function of the steps by which the numbers are moved, and a deviation
from it that is alike for similar files: with steps x and x' the covariance is ``l x·x' + d exp(-|x - x'|₁ / r)``
(Rasmussen and Williams 2006, "Gaussian Processes for Machine Learning", chapters 2, 4.2 and 5.4.1). The variances l and
d, the range r and the variance of the noise are those with the largest marginal likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg, optimize
from scipy.spatial import distance

from dunaia_env.balance.games import Floats

# Where the search for the largest marginal likelihood begins, and its bounds, in the order of the fields of Covariance.
_FIRST = np.log([3e-4, 4e-3, 30.0, 0.7])
_BOUNDS = list(zip(np.log([1e-7, 1e-7, 2.0, 0.01]), np.log([0.1, 1.0, 1e3, 100.0]), strict=True))


@dataclass(frozen=True)
class Covariance:
    """How alike the effects of two files are.

    Attributes:
        linear: variance of the effect of a step of one number.
        deviation: variance of the deviation from the linear function.
        reach: distance in steps over which deviations are alike.
        noise: by how much the variance of a measured effect differs from that of independent games, as a factor.
    """

    linear: float
    deviation: float
    reach: float
    noise: float

    def between(self, steps: Floats, others: Floats) -> Floats:
        """Covariances of effects, float64 ``(N, M)``, of files with steps ``(N, P)`` and ``(M, P)``."""
        far = distance.cdist(steps, others, "cityblock")
        found: Floats = self.linear * (steps @ others.T) + self.deviation * np.exp(-far / self.reach)
        return found


def fit(steps: Floats, effects: Floats, variances: Floats) -> Covariance:
    """The covariance under which measured effects are most likely.

    Args:
        steps: float64 ``(N, P)``, by how many steps each of P numbers is moved in each of N files.
        effects: float64 ``(N, T)``, what the changes did at T tables.
        variances: float64 ``(N, T)``, the variances of these effects if games were independent.
    """

    def loss(logarithms: Floats) -> float:
        covariance, found = Covariance(*np.exp(logarithms)), 0.0
        alike = covariance.between(steps, steps)
        for effect, variance in zip(effects.T, variances.T, strict=True):
            factor = linalg.cholesky(alike + np.diag(covariance.noise * variance), lower=True)
            whitened = linalg.solve_triangular(factor, effect, lower=True)
            found += 0.5 * float(whitened @ whitened) + float(np.log(np.diag(factor)).sum())
        return found

    return Covariance(*np.exp(optimize.minimize(loss, _FIRST, method="L-BFGS-B", bounds=_BOUNDS).x).tolist())


@dataclass(frozen=True)
class Surrogate:
    """Expected effects of any change, from measured ones.

    Attributes:
        steps: float64 ``(N, P)``, the steps of the files that were measured.
        effects: float64 ``(N, T, R)``, what their changes did to R roles at T tables.
        variances: float64 ``(N, T)``, the variances of these effects if games were independent.
        covariances: the covariance of the effects on each role.
    """

    steps: Floats
    effects: Floats
    variances: Floats
    covariances: tuple[Covariance, ...]

    @cached_property
    def _coefficients(self) -> Floats:
        """Weights of the measured files in the expected effects, float64 ``(N, T, R)``."""
        found = np.empty_like(self.effects)
        for role, covariance in enumerate(self.covariances):
            alike = covariance.between(self.steps, self.steps)
            for table, variance in enumerate(self.variances.T):
                measured = alike + np.diag(covariance.noise * variance)
                found[:, table, role] = linalg.solve(measured, self.effects[:, table, role], assume_a="pos")
        return found

    def expected(self, steps: Floats) -> Floats:
        """Expected effects of changes with steps ``(M, P)``, float64 ``(M, T, R)``."""
        found = np.empty((len(steps), *self.effects.shape[1:]))
        for role, covariance in enumerate(self.covariances):
            found[:, :, role] = covariance.between(steps, self.steps) @ self._coefficients[:, :, role]
        return found


def fit_surrogate(steps: Floats, effects: Floats, variances: Floats) -> Surrogate:
    """A surrogate whose covariances fit measured effects; the arguments are those of `Surrogate`."""
    fitted = tuple(fit(steps, effects[:, :, role], variances) for role in range(effects.shape[2]))
    return Surrogate(steps, effects, variances, fitted)
