"""Which documents are alike? Average linkage over cosines, whole and in bounded memory.

Average linkage joins two groups only where the mean similarity of their members reaches the threshold; then
one pair at least reaches it. So groups never reach over the connected components of the graph of such
pairs, and each component is clustered by itself: exactly, and without the matrix of all pairs. Equal
documents count once. A component of more than LARGEST documents is first cut at stricter thresholds until
its parts fit; then groups that are alike on average are joined. Of more than MOST distinct documents an
even sample is clustered, and each other one goes to the group that it is most like on average, where that
is enough.

Everything here needs scipy, which the extra tracelode[compile] brings; it is loaded on the first call.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tracelode.errors import MissingExtra

MOST = 20_000
"""Distinct documents that are all compared with each other: a quarter of a minute."""
LARGEST = 4_000
"""Documents of one component whose pairs are all held: 64 MB of similarities."""
STRICTER = 0.05
"""Step of the threshold where a component is larger."""
BLOCK = 512
"""Documents whose similarities to all others are held at once."""
_COLUMNS = 64


def weighted(documents: Sequence[Mapping[str, float]]) -> Any:
    """Documents as vectors of length 1: term frequency times inverse document frequency.

    Args:
        documents: n counts of terms.

    Returns:
        Sparse n x terms float64 matrix; an empty document is a row of zeros.

    Raises:
        MissingExtra: scipy is not installed.

    Source:
        Salton and Buckley (1988); the smoothed inverse frequency of scikit-learn.
    """
    numpy, sparse = _numpy(), _scipy("sparse")
    seen: Counter[str] = Counter()
    for document in documents:
        seen.update(document.keys())
    columns = {term: n for n, term in enumerate(sorted(seen))}
    rare = [math.log((1 + len(documents)) / (1 + seen[term])) + 1 for term in columns]
    starts, places, values = [0], [], []
    for document in documents:
        row = [(columns[term], count * rare[columns[term]]) for term, count in document.items()]
        norm = math.sqrt(sum(value * value for _, value in sorted(row))) or 1.0
        for column, value in sorted(row):
            places.append(column)
            values.append(value / norm)
        starts.append(len(places))
    return sparse.csr_matrix(
        (numpy.array(values), numpy.array(places, dtype=numpy.int32), numpy.array(starts)),
        shape=(len(documents), max(1, len(columns))),
    )


def side_by_side(parts: Sequence[Any], weights: Sequence[Sequence[float]]) -> Any:
    """Vectors whose dot product is the weighted sum of the parts' cosines.

    Args:
        parts: n x m matrices with rows of length 1 or 0, sparse or dense.
        weights: per part n weights of 0 to 1.

    Returns:
        Sparse n x (sum of m) matrix.

    Raises:
        MissingExtra: scipy is not installed.
    """
    numpy, sparse = _numpy(), _scipy("sparse")
    scaled = [
        sparse.diags(numpy.sqrt(numpy.asarray(weight, dtype=float))) @ sparse.csr_matrix(part)
        for part, weight in zip(parts, weights, strict=True)
    ]
    found = sparse.hstack(scaled, format="csr")
    found.eliminate_zeros()
    return found


def linked(vectors: Any, least: float) -> list[int]:
    """The group of each document, by average linkage.

    Args:
        vectors: sparse n x m matrix with rows of length 0 to 1.
        least: mean similarity from which two groups are one, above 0.

    Returns:
        n numbers; groups are numbered in the order of their first documents. The same vectors in the same
        order give the same groups.

    Raises:
        MissingExtra: scipy is not installed.
    """
    firsts, copies = _distinct(vectors)
    rows = vectors[firsts]
    step = -(-len(firsts) // MOST)
    sample = list(range(0, len(firsts), max(1, step)))
    groups = _clustered(rows[sample], least)
    labels = [-1 - n for n in range(len(firsts))]
    for number, group in enumerate(groups):
        for member in group:
            labels[sample[member]] = number
    if step > 1:
        _join(rows, [[sample[n] for n in group] for group in groups], labels, least)
    renamed: dict[int, int] = {}
    return [renamed.setdefault(labels[copy], len(renamed)) for copy in copies]


def _clustered(rows: Any, least: float) -> list[list[int]]:
    return [group for part in _components(rows, least) for group in _groups(rows, part, least)]


def _join(rows: Any, groups: Sequence[Sequence[int]], labels: list[int], least: float) -> None:
    """Give those without label, a negative one, that of the group that they are most like."""
    means = _means(rows, groups).T.tocsc()
    rest = [n for n, label in enumerate(labels) if label < 0]
    for start in range(0, len(rest), BLOCK):
        part = rest[start : start + BLOCK]
        near = (rows[part] @ means).tocsr()
        for at, n in enumerate(part):
            begin, end = near.indptr[at], near.indptr[at + 1]
            found = zip(near.data[begin:end].tolist(), near.indices[begin:end].tolist(), strict=True)
            best = max(((round(like, 9), -group) for like, group in found), default=(0.0, 0))
            if best[0] >= least:
                labels[n] = -best[1]


def _distinct(vectors: Any) -> tuple[list[int], list[int]]:
    """First place of each distinct row, and for each row the place of its own among them.

    Documents without a word are not the same document.
    """
    seen: dict[bytes, int] = {}
    firsts: list[int] = []
    copies: list[int] = []
    for n in range(vectors.shape[0]):
        begin, end = vectors.indptr[n], vectors.indptr[n + 1]
        key = vectors.indices[begin:end].tobytes() + b"\0" + vectors.data[begin:end].tobytes()
        key = key if end > begin else b"%d" % n
        if key not in seen:
            seen[key] = len(firsts)
            firsts.append(n)
        copies.append(seen[key])
    return firsts, copies


def _components(rows: Any, least: float) -> Iterator[list[int]]:
    """Documents that are joined by pairs of at least this similarity, each component in order."""
    graph = _scipy("sparse.csgraph")
    numpy, sparse = _numpy(), _scipy("sparse")
    n = rows.shape[0]
    labels = numpy.arange(n)
    other = rows.T.tocsc()
    for start in range(0, n, BLOCK):
        near = (rows[start : start + BLOCK] @ other).tocoo()
        kept = near.data >= least
        # the blocks so far and this one: components of components, so that no edge list is ever held
        ends = (labels[near.row[kept] + start], labels[near.col[kept]])
        links = sparse.coo_matrix((numpy.ones(len(ends[0]), dtype=bool), ends), shape=(n, n))
        labels = graph.connected_components(links, directed=False)[1][labels]
    order = numpy.argsort(labels, kind="stable")
    bounds = numpy.flatnonzero(numpy.diff(labels[order])) + 1
    yield from sorted(part.tolist() for part in numpy.split(order, bounds) if len(part))


def _groups(rows: Any, members: Sequence[int], least: float) -> list[list[int]]:
    if len(members) <= LARGEST:
        return _average(rows[members], members, least)
    stricter = least + STRICTER
    if stricter >= 1:  # nearly equal documents, each in its own words
        return [list(members[n : n + LARGEST]) for n in range(0, len(members), LARGEST)]
    part = rows[members]
    found = [
        [members[n] for n in group]
        for component in _components(part, stricter)
        for group in _groups(part, component, stricter)
    ]
    return _joined(rows, found, least)


def _joined(rows: Any, groups: list[list[int]], least: float) -> list[list[int]]:
    """Groups whose members are alike on average, made one: the mean vectors' dot product is that average.

    Where too many hang together, slices of them are joined, and again, until they fit or nothing more joins.
    """
    count = len(groups) + 1
    while len(groups) < count:
        count = len(groups)
        means = _means(rows, groups)
        found: list[list[int]] = []
        for component in _components(means, least):
            for start in range(0, len(component), LARGEST):
                part = component[start : start + LARGEST]
                joined = _average(means[part], part, least)
                found.extend(sorted(member for n in one for member in groups[n]) for one in joined)
        groups = sorted(found)
        if count <= LARGEST:
            break
    return groups


def _average(part: Any, members: Sequence[int], least: float) -> list[list[int]]:
    """Average linkage of all pairs of a few documents."""
    if len(members) == 1:
        return [list(members)]
    numpy, hierarchy = _numpy(), _scipy("cluster.hierarchy")
    near = (part @ part.T).toarray()
    upper = numpy.triu_indices(len(members), 1)
    apart = numpy.clip(1 - near[upper], 0, None)
    tree = hierarchy.linkage(apart, method="average")
    labels = hierarchy.fcluster(tree, 1 - least + 1e-12, criterion="distance")
    groups: dict[int, list[int]] = {}
    for member, label in zip(members, labels.tolist(), strict=True):
        groups.setdefault(label, []).append(member)
    return sorted(groups.values())


def unit(vectors: Any) -> Any:
    """Vectors from elsewhere, brought to length 1.

    Args:
        vectors: n rows of m numbers.

    Returns:
        n x m float64 matrix; a row of zeros stays one.
    """
    numpy = _numpy()
    rows = numpy.asarray(vectors, dtype=float).reshape(len(vectors), -1)
    rows = numpy.nan_to_num(rows, nan=0.0, posinf=0.0, neginf=0.0)
    norms = numpy.linalg.norm(rows, axis=1, keepdims=True)
    return rows / numpy.where(norms > 0, norms, 1.0)


def alike(vectors: Any, row: int, groups: Sequence[Sequence[int]]) -> list[float]:
    """Mean similarity of one document to groups.

    Args:
        vectors: sparse n x m matrix.
        row: which.
        groups: places of documents, one or more in each.

    Returns:
        One number for each group.
    """
    return [round(float(near), 9) for near in (_means(vectors, groups) @ vectors[row].T).toarray().ravel()]


def audit(
    vectors: Any, groups: Sequence[Sequence[int]], near: int
) -> tuple[list[float | None], list[list[tuple[int, float]]]]:
    """How well groups are told apart, and who is close outside.

    Args:
        vectors: sparse n x m matrix.
        groups: k disjoint groups of two or more places.
        near: closest documents outside that are asked for.

    Returns:
        Per group its mean silhouette, None where it is the only one; and (place, mean similarity) of the
        closest documents that are not in it, the closest first.

    Source:
        Rousseeuw (1987), with cosine distance; the mean over pairs is the dot product with the mean vector.
    """
    numpy = _numpy()
    n = vectors.shape[0]
    own, other = numpy.zeros(n), numpy.full(n, -1.0)
    itself = numpy.asarray(vectors.multiply(vectors).sum(axis=1)).ravel()
    closest: list[list[tuple[int, float]]] = []
    for start in range(0, len(groups), _COLUMNS):
        block = groups[start : start + _COLUMNS]
        mean = (vectors @ _means(vectors, block).T).toarray()
        for column, group in enumerate(block):
            like = mean[:, column].copy()
            own[group] = (like[group] * len(group) - itself[group]) / max(1, len(group) - 1)
            like[group] = -1.0
            numpy.maximum(other, like, out=other)
            closest.append(_closest(like, near))
    if len(groups) == 1:
        return [None], closest
    within, beside = 1 - own, 1 - other
    scale = numpy.maximum(within, beside)
    each = numpy.where(scale > 0, (beside - within) / numpy.where(scale > 0, scale, 1.0), 0.0)
    return [round(float(each[group].mean()), 4) for group in groups], closest


def _closest(like: Any, near: int) -> list[tuple[int, float]]:
    numpy = _numpy()
    bound = numpy.partition(like, -near)[-near] if len(like) > near else -1.0
    places = numpy.flatnonzero((like >= bound) & (like > 0))
    found = sorted((-round(float(like[place]), 4), int(place)) for place in places)[:near]
    return [(place, -value) for value, place in found]


def _means(vectors: Any, groups: Sequence[Sequence[int]]) -> Any:
    """The mean vector of each group, sparse."""
    numpy, sparse = _numpy(), _scipy("sparse")
    places = [place for group in groups for place in group]
    shares = [1 / len(group) for group in groups for _ in group]
    starts = numpy.cumsum([0, *map(len, groups)])
    return sparse.csr_matrix((shares, places, starts), shape=(len(groups), vectors.shape[0])) @ vectors


def _numpy() -> Any:
    import numpy

    return numpy


def _scipy(module: str) -> Any:
    try:
        from importlib import import_module

        return import_module(f"scipy.{module}")
    except ImportError as error:
        raise MissingExtra("scipy", "compile") from error
