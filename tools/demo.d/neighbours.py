#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which text is like which? Cosine similarity of TF-IDF vectors in single precision, with NumPy.

    neighbours.py [--words N] [--save FILE.npz] [FOLDER]

reads the Python sources in FOLDER (default: the standard library), weighs its words, and prints the nearest
neighbour of some texts, the words that mark each group of texts, and how far a random projection spreads them.
"""
import argparse
import collections
import pathlib
import re
import sysconfig

import numpy as np

CHUNK = 50  # texts compared with all the others at a time
SHOWN = 5
GROUPS = 7
AXES = 22


def read_texts(folder):
    """Names and word counts of the sources in `folder`; those with an underscore in front are not for readers."""
    texts = {}
    for path in sorted(pathlib.Path(folder).glob("[!_]*.py")):
        words = re.findall(r"[a-z]{3,}", path.read_text(errors="ignore").lower())
        if len(words) >= 100:
            texts[path.stem] = collections.Counter(words)
    return texts


def weigh(texts, most):
    """TF-IDF weights, one normalised row a text, and the words of the columns."""
    spread = collections.Counter(word for counts in texts.values() for word in counts)
    words = [word for word, seen in spread.most_common() if 1 < seen < len(texts) // 2][:most]
    frequency = np.array([[counts[word] for word in words] for counts in texts.values()], dtype=np.float32)
    rarity = np.log(len(texts) / np.array([spread[word] for word in words], dtype=np.float32))
    weights = np.log1p(frequency) * rarity
    return weights / np.maximum(np.linalg.norm(weights, axis=1, keepdims=True), np.float32(1e-9)), words


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=sysconfig.get_paths()["stdlib"])
    parser.add_argument("--words", type=int, default=1501, help="size of the vocabulary")
    parser.add_argument("--save", help="write the matrices to this .npz file")
    options = parser.parse_args()

    texts = read_texts(options.folder)
    names = list(texts)
    weights, words = weigh(texts, options.words)
    print(f"{len(names)} texts, {len(words)} words")

    chunks = np.array_split(weights, -(-len(names) // CHUNK))
    rows = [chunk @ weights.T for chunk in chunks]
    similarity = np.concatenate(rows)
    others = similarity - 2 * np.eye(len(names), dtype=np.float32)
    for i in np.argsort(-others.max(axis=1))[:SHOWN]:
        nearest = others[i].argmax()
        print(f"  {names[i]} is most like {names[nearest]} ({similarity[i, nearest]:.2f})")

    member = np.zeros((len(names), GROUPS), dtype=np.float32)
    member[np.arange(len(names)), np.arange(len(names)) * GROUPS // len(names)] = 1
    marks = weights.T @ member
    for group in range(GROUPS):
        first = names[int(member[:, group].argmax())]
        print(f"  from {first} on: {', '.join(words[i] for i in np.argsort(-marks[:, group])[:SHOWN])}")

    axes = np.random.default_rng(1).standard_normal((len(words), AXES), dtype=np.float32)
    places = weights @ axes
    print(f"  spread of the projection: {places.std():.3f}")
    if options.save:
        np.savez(options.save, weights=weights, member=member, axes=axes, similarity=similarity, marks=marks,
                 places=places, chunks=len(chunks))


if __name__ == "__main__":
    main()
