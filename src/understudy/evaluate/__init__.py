"""Utility: how close synthetic rows are to the real ones, beside what is possible and what is not.

    grid.py          the public cells that rows are compared on, and ``Sample``, rows on them
    reference.py     the ceiling (bootstrap of the real rows) and the floor (independent columns)
    columns.py       one column at a time: shares, distances, moments, quantiles, missing cells
    marginals.py     k columns at a time: total variation, the NIST score, Wasserstein distances
    associations.py  Pearson, Spearman, Kendall, Cramer's V, eta
    queries.py       random range and conjunctive counting queries
    pmse.py          can a tree, a regression tell the tables apart?
    prediction.py    train on synthetic, test on real
    regression.py    coefficients and the overlap of their intervals
    subgroups.py     the groups that fare worst
    rules.py         rows that break the schema's rules
    disclosure.py    unique matches, nearest records, membership: evidence, never proof of privacy
    compare.py       all of them: ``compare`` gives a ``Comparison``
    comparison.py    ``Comparison`` as JSON and as text
    criteria.py      limits that a comparison must keep to

Everything here is computed from the real rows, outside every budget: UNPROTECTED, for the keeper's
eyes. Whoever publishes "because the scores were good" has selected without paying for it.
"""
