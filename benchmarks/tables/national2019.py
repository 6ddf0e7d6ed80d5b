"""The NIST excerpt of the American Community Survey, national 2019: 27,253 rows, with rules.

The "demographic" set of SDNist. "N" means "not applicable" and is a level of its own. The age rules
are public: a synthetic row should break none.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.tables import PublicTable, code, read
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category, Column, Integer
from understudy.schema.schema import Rule, Schema

NAME = "national2019"
TARGET = "PINCP_DECILE"

_N = ("N",)
LEVELS: dict[str, tuple[str, ...]] = {
    "SEX": ("1", "2"),
    "MSP": (*_N, *map(str, range(1, 7))),
    "RAC1P": tuple(map(str, range(1, 10))),
    "HOUSING_TYPE": ("1", "2", "3"),
    "OWN_RENT": ("0", "1", "2"),
    "EDU": (*_N, *map(str, range(1, 13))),
    "PINCP_DECILE": (*_N, *map(str, range(10))),
    "DVET": (*_N, *map(str, range(1, 7))),
    "DEYE": ("1", "2"),
}

_LOW_EDU = ", ".join(f'"{level}"' for level in ("N", "1", "2", "3", "4"))
RULES = (
    'AGEP < 15 implies (MSP == "N" and PINCP_DECILE == "N" and DVET == "N")',
    'AGEP < 15 implies EDU != "12"',
    f"AGEP < 5 implies EDU in ({_LOW_EDU})",
    'AGEP < 3 implies EDU == "N"',
    'AGEP > 15 implies (MSP != "N" and PINCP_DECILE != "N" and EDU != "N")',
)


def load(data: Path) -> PublicTable:
    """The table from the folder of public tables; all rows are given to an engine."""
    columns: dict[str, Column] = {"AGEP": Integer(name="AGEP", min=0, max=99)}
    columns |= {name: Category(name=name, levels=levels) for name, levels in LEVELS.items()}
    rules = tuple(Rule(require=text) for text in RULES)
    domain = domain_of(Schema(name=NAME, columns=columns, rules=rules))
    header, *lines = read(data / "national2019" / "national2019.csv.gz")
    train = code(domain, np.array(lines, dtype=object), header)
    return PublicTable(domain, train, None, TARGET)
