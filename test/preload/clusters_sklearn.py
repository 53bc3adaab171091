# SPDX-License-Identifier: MIT
"""k-means of scikit-learn in single precision. Saves labels and centres to argv[1].

It calls SciPy's scipy_sgemm_ through a function pointer, from an object that does not depend on SciPy's BLAS: what the
product would have been without us can only be found among all that is loaded.
"""
import sys

import numpy as np
from sklearn.cluster import KMeans

CLUSTERS, POINTS, DIMENSIONS = 4, 900, 12
FAR_APART = 10

rng = np.random.default_rng(20240607)
true_labels = rng.integers(0, CLUSTERS, POINTS)
points = rng.normal(size=(POINTS, DIMENSIONS)) + FAR_APART * true_labels[:, np.newaxis]
fit = KMeans(CLUSTERS, n_init=1, max_iter=10, random_state=0, algorithm="lloyd").fit(points.astype(np.float32))
assert fit.cluster_centers_.dtype == np.float32

np.savez(sys.argv[1], labels=fit.labels_, centres=fit.cluster_centers_, true_labels=true_labels)
