from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given

from tests.schema.test_files import BAD, EXAMPLE
from tests.strategies import schemas
from understudy.errors import SchemaError
from understudy.schema import files, json_schema
from understudy.schema.columns import KINDS

PUBLISHED = Path(__file__).parents[2] / "docs" / "reference" / "schema.schema.json"

# What a JSON Schema cannot see: relations between values, and what only Python knows.
ONLY_LOADING_TELLS = (
    "above 'max'", "bin edge", "each above", "last bin edge", "a level and a missing code",
    "a level of its own", "must not be one of", "among the columns", "[[rules]] 1", "years",
    "text encoding", "time zones", "NUL", "not TOML",
    "as the table writes it, not a date", "listed more than once",
)  # fmt: skip


@pytest.fixture(scope="module")
def validator():
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    return jsonschema.Draft202012Validator(json.loads(PUBLISHED.read_text()))


def as_json(text: str):
    return json.loads(json.dumps(tomllib.loads(text), default=lambda moment: moment.isoformat()))


def test_the_published_file_is_current():
    assert PUBLISHED.read_text() == json_schema.dumps(), (
        f"write the text of understudy.schema.json_schema.dumps() to {PUBLISHED.name}"
    )


def test_the_published_file_is_itself_valid(validator):
    validator.check_schema(validator.schema)


def test_it_knows_every_kind_and_key():
    kinds = json_schema.json_schema()["properties"]["columns"]["additionalProperties"]["oneOf"]
    assert [kind["properties"]["kind"]["const"] for kind in kinds] == list(KINDS)


def test_the_example_is_valid(validator):
    assert validator.is_valid(as_json(EXAMPLE))


@given(schema=schemas())
def test_every_written_schema_is_valid(validator, schema):
    document = as_json(files.dumps(schema))
    assert [error.message for error in validator.iter_errors(document)] == []


@pytest.mark.parametrize(("old", "new", "said"), BAD, ids=[f"{b[1][:40]!r}" for b in BAD])
def test_it_refuses_what_loading_refuses(validator, old, new, said):
    text = EXAMPLE.replace(old, new, 1)
    with pytest.raises(SchemaError) as raised:
        files.loads(text)
    if any(part in str(raised.value) for part in ONLY_LOADING_TELLS):
        return
    assert not validator.is_valid(as_json(text)), str(raised.value)
