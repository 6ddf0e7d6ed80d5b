"""The only door between private rows and everything else.

Each verb of ``PrivateTable`` has its mechanism in a file of its own, with the proof beside it:

    count.py      noisy contingency tables               count.md
    select.py     the best of several candidates         select.md, scores in scores.py
    discover.py   levels that enough units hold          discover.md
    quantiles.py  quantiles on a public grid             quantiles.md
    draw.py       rows from a smoothed table             draw.md
    partition.py  boxes that follow the rows             partition.md
    sums.py       sums of bounded moments                sums.md
    statistics.py declared functions of exact tables     statistic.md
    losses.py     the best of finitely many parameters   minimise.md
    impurity.py   ... told from the rows by trees        impurity.md

``sensitivity.py`` is the one table of sensitivities, ``scale.py`` the one place where a budget
becomes a noise scale (rounded towards more noise), ``noise.py`` the one source of noise.
"""
