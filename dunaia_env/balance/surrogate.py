"""What changes of numbers are expected to do: Gaussian-process regression of measured effects.

The effect of a change is modelled as a linear function of the steps by which the numbers are moved, and a deviation
from it that is alike for similar files: with steps x and x' the covariance is ``l x·x' + d exp(-|x - x'|₁ / r)``
(Rasmussen and Williams 2006, "Gaussian Processes for Machine Learning", chapters 2, 4.2 and 5.4.1). Effects at two
tables are correlated, so that each table is also learned from the others (Bonilla, Chai and Williams 2008, "Multi-task
Gaussian Process Prediction"). The variances l and d, the range r, the correlation and the noise are those with the
largest marginal likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg, optimize
from scipy.spatial import distance

from dunaia_env.balance.games import Floats


@dataclass(frozen=True)
class Covariance:
    """How alike the effects of two files are.

    Attributes:
        linear: variance of the effect of a step of one number.
        deviation: variance of the deviation from the linear function.
        reach: distance in steps over which deviations are alike.
        shared: correlation of the effects of a change at two tables, 0..1.
        noise: by how much the variance of a measured effect differs from that of independent games, as a factor.
    """

    linear: float
    deviation: float
    reach: float
    shared: float
    noise: float

    def between(self, steps: Floats, others: Floats) -> Floats:
        """Covariances of effects at one table, float64 ``(N, M)``, of files with steps ``(N, P)`` and ``(M, P)``."""
        far = distance.cdist(steps, others, "cityblock")
        found: Floats = self.linear * (steps @ others.T) + self.deviation * np.exp(-far / self.reach)
        return found

    def correlation(self, tables: int) -> Floats:
        """Correlations of the effects of a change at T tables, float64 ``(T, T)``."""
        found: Floats = self.shared + (1 - self.shared) * np.eye(tables)
        return found

    def measured(self, steps: Floats, variances: Floats) -> Floats:
        """Covariances of measured effects, float64 ``(T * N, T * N)``, with the variances ``(N, T)``."""
        found = np.asarray(np.kron(self.correlation(variances.shape[1]), self.between(steps, steps)), np.float64)
        found[np.diag_indices_from(found)] += self.noise * variances.T.ravel()
        return found


# Where the search for the largest marginal likelihood begins, and its bounds, in the order of the fields of Covariance.
_FIRST = np.array([3e-4, 4e-3, 30.0, 0.7, 0.7])
_BOUNDS = np.array([[1e-7, 0.1], [1e-7, 1.0], [2.0, 1e3], [0.01, 1.0], [0.01, 100.0]])


def fit(steps: Floats, effects: Floats, variances: Floats) -> Covariance:
    """The covariance under which measured effects are most likely.

    Args:
        steps: float64 ``(N, P)``, by how many steps each of P numbers is moved in each of N files.
        effects: float64 ``(N, T)``, what the changes did at T tables.
        variances: float64 ``(N, T)``, the variances of these effects if games were independent.
    """

    def loss(logarithms: Floats) -> float:
        measured = Covariance(*np.exp(logarithms)).measured(steps, variances)
        factor = linalg.cholesky(measured, lower=True, overwrite_a=True)
        whitened = linalg.solve_triangular(factor, effects.T.ravel(), lower=True)
        return 0.5 * float(whitened @ whitened) + float(np.log(np.diag(factor)).sum())

    found = optimize.minimize(loss, np.log(_FIRST), method="L-BFGS-B", bounds=np.log(_BOUNDS))
    return Covariance(*np.exp(found.x).tolist())


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
    def _weights(self) -> list[Floats]:
        """Weights of the measured files in the expected effects on each role, float64 ``(N, T)``."""
        found = []
        for covariance, effects in zip(self.covariances, np.moveaxis(self.effects, 2, 0), strict=True):
            measured = covariance.measured(self.steps, self.variances)
            own = linalg.solve(measured, effects.T.ravel(), assume_a="pos").reshape(effects.T.shape).T
            found.append(own @ covariance.correlation(effects.shape[1]))
        return found

    def expected(self, steps: Floats) -> Floats:
        """Expected effects of changes with steps ``(M, P)``, float64 ``(M, T, R)``."""
        pairs = zip(self.covariances, self._weights, strict=True)
        return np.stack([covariance.between(steps, self.steps) @ weights for covariance, weights in pairs], axis=2)


def fit_surrogate(steps: Floats, effects: Floats, variances: Floats) -> Surrogate:
    """A surrogate whose covariances fit measured effects; the arguments are those of `Surrogate`."""
    fitted = tuple(fit(steps, effects[:, :, role], variances) for role in range(effects.shape[2]))
    return Surrogate(steps, effects, variances, fitted)
