from __future__ import annotations

import gzip
import json
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import names
from understudy.errors import SchemaError, SourceError, UsageError
from understudy.schema import files
from understudy.schema.columns import Category, Fake
from understudy.schema.draft import draft, from_columns, from_header, from_sql
from understudy.schema.draft_sample import from_public_sample
from understudy.schema.schema import Dialect

SECRET = "Zaphod,42,3.7\n"


def test_a_header_gives_a_skeleton_that_loads_and_says_what_to_decide(tmp_path):
    path = tmp_path / "adult.2019.csv"
    path.write_text(f'age,"work, class",patient_id\n{SECRET}')
    made = draft(path)
    text = made.to_toml()
    assert files.loads(text) == made.schema
    assert made.schema.name == "adult"
    assert list(made.schema.columns) == ["age", "work, class", "patient_id"]
    assert made.schema.columns["patient_id"] == Fake(name="patient_id")
    assert made.schema.columns["age"] == Category(name="age", levels="discover", missing=[""])
    assert text.startswith("# A draft.")
    assert "# decide: kind = category, ordinal" in text
    assert "personal id" in text


@pytest.mark.parametrize(
    "content",
    [
        f"a,b\n{SECRET}",
        f"a,b\r\n{SECRET}",
        f"a,b\r{SECRET}",
        f"\ufeffa,b\n{SECRET}",
        "a,b\n\ud800".encode("utf-8", "surrogatepass"),
        b"a,b\n\xff\xff\xff",
    ],
)
def test_only_the_first_line_is_looked_at(tmp_path, content):
    raw = content if isinstance(content, bytes) else content.encode()
    for path, data in ((tmp_path / "t.csv", raw), (tmp_path / "t.csv.gz", gzip.compress(raw))):
        path.write_bytes(data)
        made = draft(path)
        assert list(made.schema.columns) == ["a", "b"]
        assert "Zaphod" not in made.to_toml()


@pytest.mark.parametrize(
    "line",
    [
        "Zaphod,42", "a,-1.5e3", "Zaphod,2010-01-31", "z,31/12/2010", "a,zaphod@example.org",
        "a,,b", "a,$5", "a,1,5", 'a,"open', "Zaphod;42", "Zaphod; B; Jr,42", "", "\n", "a,12.5%",
    ],
)  # fmt: skip
def test_a_first_line_that_looks_like_data_is_refused_and_not_shown(tmp_path, line):
    path = tmp_path / "t.csv"
    path.write_text(line + "\n" + SECRET)
    with pytest.raises(SchemaError) as raised:
        from_header(path)
    assert "first line" in str(raised.value)
    for cell in ("aphod", "42", "31", "open"):
        assert cell not in str(raised.value)


def test_files_that_give_no_header(tmp_path):
    path = tmp_path / "t.csv"
    for raw in (b"x" * 1_000_001, b"a,\xff\n", b"a," + b"y" * 200_000 + b"\n"):
        path.write_bytes(raw)
        with pytest.raises(SchemaError, match="no header"):
            from_header(path)
    with pytest.raises(UsageError, match="without a header"):
        from_header(path, dialect=Dialect(header=False))
    with pytest.raises(SourceError, match="cannot be read"):
        from_header(tmp_path / "none.csv")
    (tmp_path / "t.csv.gz").write_bytes(b"\x1f\x8b\x08\x00broken")
    with pytest.raises(SourceError, match="cannot be read"):
        draft(tmp_path / "t.csv.gz")
    with pytest.raises(UsageError, match=r"not from t\.parquet"):
        draft(tmp_path / "t.parquet")
    path.write_text("a,b,a\n")
    with pytest.raises(SchemaError, match="column 'a': two columns"):
        from_header(path)


@pytest.mark.parametrize(
    ("line", "delimiter", "names"),
    [
        ("age,city", ",", ["age", "city"]),
        ('age;"city; old";town, now', ";", ["age", "city; old", "town, now"]),
        ("age\tcity", "\t", ["age", "city"]),
        ("age|city|x,y", "|", ["age", "city", "x,y"]),
        ("a;b,c", ",", ["a;b", "c"]),
        ("age", ",", ["age"]),
    ],
)
def test_the_delimiter_of_a_header_is_the_one_that_gives_most_names(
    tmp_path, line, delimiter, names
):
    path = tmp_path / "t.csv"
    path.write_text(f"{line}\n1,2;3\t4|5|6|7\n")
    made = draft(path).schema
    assert (made.csv.delimiter, list(made.columns)) == (delimiter, names)
    assert files.loads(draft(path).to_toml()).csv.delimiter == delimiter


def test_the_dialect_is_used_and_kept(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(" größe ; b\n".encode("latin-1"))
    dialect = Dialect(delimiter=";", encoding="latin-1", strip=True)
    made = from_header(path, dialect=dialect)
    assert list(made.schema.columns) == ["größe", "b"]
    assert files.loads(made.to_toml()).csv == dialect


@given(st.lists(names(), unique=True, min_size=1, max_size=5))
def test_drafts_of_any_names_load(found):
    made = from_columns(found)
    assert files.loads(made.to_toml()) == made.schema


def test_names_that_point_to_a_person_are_not_read():
    personal = ["ID", "e-mail", "Full Name", "customer_id", "UUID", "phone"]
    made = from_columns([*personal, "idea", "email_opened", "age"])
    fakes = {
        name: column.style for name, column in made.schema.columns.items() if column.kind == "fake"
    }
    assert list(fakes) == personal
    assert list(fakes.values()) == ["id", "email", "name", "id", "uuid", "phone"]


def test_frictionless_drafts_tell_what_was_mapped_how(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"fields": [{"name": "a", "type": "geojson"}, {"name": "b"}]}))
    text = draft(path).to_toml()
    assert (
        "# dropped, because type 'geojson' cannot be modelled\n[columns.a]\nkind = \"drop\"" in text
    )
    assert files.loads(text) == draft(path).schema


def test_notes_cannot_break_the_file():
    hostile = "a\nb = 1\r\u2028[x]\x00\u202e"
    schema = from_columns(["a"]).schema
    made = type(from_columns(["a"]))(schema, {"a": [hostile]})
    assert files.loads(made.to_toml()) == schema


def test_sql_drafts(tmp_path):
    path = tmp_path / "t.sql"
    path.write_text("CREATE TABLE t (a int);")
    assert draft(path).schema.columns["a"].kind == "integer"
    with pytest.raises(SchemaError, match="no CREATE TABLE"):
        from_sql("SELECT 1")


SAMPLE = """\
id,name2,n,x,d,t,b,c,many,empty,order
1,Ann,5,1.5,2010-01-31,2010-01-31 10:00:00,yes,M,a0,,lo
2,Bob,-3,NA,2011-01-31,2010-01-31 11:00:00,no,F,a1,,hi
3,Cid,7,2,2010-05-31,2010-02-01 10:00:00,yes,,a2,NA,lo
short
"""


def test_a_public_sample_gives_kinds_bounds_and_levels(tmp_path):
    path = tmp_path / "sample.csv"
    rows = [f"{n},P{n},1,1,2010-06-01,2010-01-31 10:00:00,no,M,a{n % 60},,lo" for n in range(4, 90)]
    path.write_text(SAMPLE + "\n".join(rows) + "\n")
    made = from_public_sample(path)
    columns = made.schema.columns
    assert {name: column.kind for name, column in columns.items()} == {
        "id": "fake", "name2": "fake", "n": "integer", "x": "real", "d": "date", "t": "datetime",
        "b": "boolean", "c": "category", "many": "category", "empty": "drop", "order": "category",
    }  # fmt: skip
    assert (columns["n"].min, columns["n"].max) == (-3, 7)
    assert (columns["x"].min, columns["x"].max, columns["x"].missing) == (1.0, 2.0, ("NA",))
    assert (columns["d"].min, columns["d"].max) == (date(2010, 1, 31), date(2011, 1, 31))
    assert columns["t"].max == datetime(2010, 2, 1, 10)
    assert columns["t"].format == "%Y-%m-%d %H:%M:%S"
    assert (columns["b"].true, columns["b"].false) == ("yes", "no")
    assert (columns["c"].levels, columns["c"].missing) == (("F", "M"), ("",))
    assert columns["many"].is_open
    assert "widen them" in made.to_toml()
    assert files.loads(made.to_toml()) == made.schema


def test_samples_in_another_dialect(tmp_path):
    path = tmp_path / "s.csv"
    path.write_bytes("ä;b\n x ;2010-01-31T10:00:00\n y;2010-1-3\n".encode("latin-1"))
    dialect = Dialect(delimiter=";", encoding="latin-1", strip=True)
    columns = from_public_sample(path, dialect=dialect).schema.columns
    assert columns["ä"].levels == ("x", "y")
    assert columns["b"].kind == "category"
    path.write_bytes(b"a\n" + b"z" * 140_000)
    with pytest.raises(SchemaError, match="not CSV"):
        from_public_sample(path)
    path.write_bytes(b"a\n20100131\n2010-01-31\n")
    assert from_public_sample(path).schema.columns["a"].kind == "category"
