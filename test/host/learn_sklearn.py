# SPDX-License-Identifier: MIT
"""scikit-learn on single-precision data: principal components, k-means, non-negative factors.

usage: learn_sklearn.py pca|kmeans|nmf SAMPLES FEATURES GROUPS ROUNDS REPEATS
"""
import sys
import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import NMF, PCA
from sklearn.exceptions import ConvergenceWarning

import timed

ROWS_AT_A_TIME = 8192  # of what is looked at in float64
CHECKED_SAMPLES = 2000
LEADING = 5  # components that are looked at
DECAY = 0.9  # of the spread from one feature to the next
CLOSE = 1e-3  # relative: far above FP32's rounding, far below what a product gone wrong would do
LEFT_OF_A_ROW = 0.9  # of its norm, at most: a single factor would leave 0.67 of all
CLOSE_SUM = 1e-2  # relative: of hundreds of millions of squares, added up in FP32

kind = sys.argv[1]
samples, features, groups, rounds, repeats = map(int, sys.argv[2:])
random = np.random.default_rng(1)
warnings.simplefilter("ignore", ConvergenceWarning)  # the rounds are counted


def blocks(data):
    """The rows in float64, some at a time."""
    for begin in range(0, samples, ROWS_AT_A_TIME):
        yield slice(begin, begin + ROWS_AT_A_TIME), data[begin:begin + ROWS_AT_A_TIME].astype(np.float64)


def principal_components():
    data = random.standard_normal((samples, features), dtype=np.float32)
    data *= np.maximum(DECAY ** np.arange(features), CLOSE).astype(np.float32)

    def judge(fit):
        """The leading components are orthonormal, and what lies along them is as spread as they say."""
        assert fit.components_.dtype == np.float32
        axes = fit.components_[:LEADING].astype(np.float64)
        mean = sum(block.sum(0) for _, block in blocks(data)) / samples
        along = sum((((block - mean) @ axes.T) ** 2).sum(0) for _, block in blocks(data)) / (samples - 1)
        apart = np.abs(axes @ axes.T - np.eye(len(axes))).max()
        off = np.abs(fit.explained_variance_[:LEADING] / along - 1).max()
        return np.maximum(apart, off) / CLOSE

    return lambda: PCA(groups, svd_solver="randomized", iterated_power=rounds, random_state=0).fit(data), judge


def clusters():
    centres = random.standard_normal((groups, features), dtype=np.float32)
    data = random.standard_normal((samples, features), dtype=np.float32)
    data += centres[random.integers(0, groups, samples)]

    def judge(fit):
        """No centre is nearer to a point than the one that it was given, but for rounding: |c|^2 - 2 x c is a sum of so
        many products."""
        assert fit.cluster_centers_.dtype == np.float32
        chosen = random.choice(samples, min(CHECKED_SAMPLES, samples), replace=False)
        points, middle = data[chosen].astype(np.float64), fit.cluster_centers_.astype(np.float64)
        squares = (middle ** 2).sum(1)
        distances = squares - 2 * points @ middle.T
        slack = 2 * timed.gamma(features + 4) * (squares + 2 * np.abs(points) @ np.abs(middle).T).max(1)
        mine = distances[np.arange(len(chosen)), fit.labels_[chosen]]
        return timed.share_of_bound(mine - distances.min(1), slack)

    return lambda: KMeans(groups, init="random", n_init=1, max_iter=rounds, tol=0, algorithm="lloyd",
                          random_state=0).fit(data), judge


def non_negative_factors():
    patterns = random.random((groups, features), dtype=np.float32) ** 2
    data = patterns[random.integers(0, groups, samples)]
    data *= random.random((samples, 1), dtype=np.float32) + np.float32(0.5)

    def judge(outcome):
        """Nothing is negative, much was learnt of each row, and what is left is as much as scikit-learn says."""
        fit, weights = outcome
        assert weights.dtype == fit.components_.dtype == np.float32
        parts = fit.components_.astype(np.float64)
        left = np.concatenate([((block - weights[rows].astype(np.float64) @ parts) ** 2).sum(1)
                               for rows, block in blocks(data)])
        whole = np.concatenate([(block ** 2).sum(1) for _, block in blocks(data)])
        if min(weights.min(), parts.min()) < 0:
            return np.inf
        return np.maximum(np.sqrt(left / whole).max() / LEFT_OF_A_ROW,
                          abs(fit.reconstruction_err_ / left.sum() ** 0.5 - 1) / CLOSE_SUM)

    def work():
        fit = NMF(groups, init="random", solver="mu", max_iter=rounds, tol=0, random_state=0)
        return fit, fit.fit_transform(data)

    return work, judge


timed.run(*{"pca": principal_components, "kmeans": clusters, "nmf": non_negative_factors}[kind](), repeats)
