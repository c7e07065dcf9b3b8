import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.reading import cost, count, part, text_of, value, values

A = {"type": "result", "result": 'a { b } \\ " 日本語 👩‍👩‍👧'}
LINE = json.dumps(A).encode()

scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text() | st.floats(allow_nan=False)
jsons = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3))
objects = st.dictionaries(st.text(), jsons, max_size=4)
settings.register_profile("few", max_examples=40, deadline=None)
settings.load_profile("few")
noise = st.text(st.characters(exclude_characters="{}\n"), max_size=30)


@given(st.binary(max_size=400))
def test_reading_never_raises_on_any_bytes(data):
    values(data)


@given(st.text(alphabet='{}[]":,\\\n\r e1\x1bu\ufeff\u2028', max_size=200))
def test_reading_never_raises_on_almost_json(text):
    values(text.encode())


@given(st.lists(objects, max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.sampled_from([None, 1, 4]))
def test_every_object_is_found_in_order_however_it_is_laid_out(wanted, newline, ascii_only, indent):
    text = newline.join(json.dumps(v, ensure_ascii=ascii_only, indent=indent).replace("\n", newline) for v in wanted)
    data = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode()
    assert values(data) == [json.loads(json.dumps(v)) for v in wanted]


@given(st.lists(st.tuples(noise, objects), min_size=1, max_size=5))
def test_noise_before_and_between_does_no_harm(pieces):
    data = "\n".join(f"{text}\n{json.dumps(wanted)}" for text, wanted in pieces).encode("utf-8", "replace")
    assert values(data) == [wanted for _, wanted in pieces]


@given(st.text())
def test_what_was_read_can_always_be_written_as_utf8(text):
    [found] = values(json.dumps({"t": text + "\ud83d"}).encode())
    assert found["t"].encode().decode() == found["t"]


def test_half_a_surrogate_pair_becomes_a_replacement_character():
    assert values(rb'{"a\ud83d": ["\ud83d \udc00", "\ud83d\ude00"]}') == [{"a\ufffd": ["\ufffd \ufffd", "😀"]}]


@pytest.mark.parametrize(
    "around",
    [
        b"\xef\xbb\xbf%s\r\n",
        b"\x1b]0;title {}\x07%s",
        b"\x1b]0;title without end%s",
        b"\x1b[32m%s\x1b[0m\n",
        b"progress 10%%\rprogress 90%%\r%s\n",
        b"Go on? [Y/n]: %s\n",
        b"log line {x: 1}\n%s\ntrailing noise }}} {{{\n",
        b"\xff\xfe broken \x80 {\n%s",
        b"   \t%s   ",
        b"%strailing words",
    ],
)
def test_an_object_is_found_behind(around):
    assert values(around % LINE) == [A]


def test_objects_glued_together_are_all_found():
    assert values(b"noise " + b"\n" + LINE * 3 + b"\n" + LINE + b" " + LINE) == [A] * 5


@pytest.mark.parametrize("text", [b'He said {"type": "result"} and left.', b"a {} b", b'"{\\"type\\": 1}"'])
def test_an_object_inside_a_line_of_text_is_not_taken(text):
    assert values(text) == []


def test_separators_that_only_python_takes_for_line_ends_do_not_cut_an_event():
    said = {"t": "a\u2028b\u2029c\x85d\x0be\x1cf\x9bg"}
    assert values(json.dumps(said, ensure_ascii=False).encode()) == [said]


def test_raw_controls_inside_a_string_are_borne():
    assert values(b'{"t": "a\tb\nc"}\n{"u": 1}') == [{"t": "a\tb\nc"}, {"u": 1}]


def test_numbers_that_json_does_not_know_are_read_and_counted_as_unknown():
    (found,) = values(
        b'{"a": NaN, "b": 1e999, "c": -Infinity, "d": %s, "e": 10000000000000000000000000}' % (b"9" * 5000)
    )
    assert [count(v) for v in found.values()] == [None] * 5
    assert [cost(v) for v in found.values()] == [None] * 5


@pytest.mark.parametrize("bad", [None, True, "0.12", -1, 2**53, float("nan"), float("inf"), 10**400, [], {}])
def test_doubtful_amounts_are_unknown(bad):
    assert count(bad) is None
    assert cost(bad) is None


def test_sane_amounts_are_taken():
    assert (count(7), count(7.0), count(1.5), cost(0), cost(0.25)) == (7, 7, None, 0.0, 0.25)


def test_fields_of_another_shape_give_nothing():
    assert part({"a": {"b": 1}}, "a", "b") == 1
    assert part({"a": [1]}, "a", "b") is None
    assert part("x", "a") is None
    assert text_of([{"type": "text", "text": "a"}, "b", {"text": [1]}, 3, None]) == "ab"
    assert (text_of(None), text_of({"text": "a"})) == ("", "")


def test_a_line_that_is_not_one_object_is_no_value():
    assert value(LINE) == A
    assert value(b"[1]") is None
    assert value(b"") is None


MEGABYTE = 1_000_000
SOME = 400_000


@pytest.mark.parametrize(
    "unit",
    [
        b"{",
        b"}",
        b"{}",
        b"{\n",
        b'{"',
        b'{"a":',
        b'{"a":\n',
        b'{"a":[1,\n',
        b"[{",
        b'{"a":"\n',
        b"\\{\n",
        b"\x1b]{",
        b'x {"a":1} y\n',
    ],
)
def test_very_many_braces_cost_seconds_at_most_and_hide_no_result(unit):
    began = time.process_time()
    found = values(unit * (SOME // len(unit)) + b"\n" + LINE)
    assert time.process_time() - began < 4
    assert found[-1:] == [A] or unit in (b'{"a":"\n', b'{"')


def test_a_line_of_many_megabytes_is_read():
    wanted = {"t": "y{" * 4 * MEGABYTE}
    assert values(b"x\n" + json.dumps(wanted).encode() + b"\n") == [wanted]
