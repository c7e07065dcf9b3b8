import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.tokens import estimate, upper_bound


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("Should the queue be in Postgres?", 7),  # 6 words, 1 symbol
        ("1234567", 6),  # 3 groups of digits
        ("数据库应该用哪一个", 8),
        ("a\n\n\nb\nc", 7),
    ],
)
def test_the_estimate_follows_the_fitted_weights(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@given(st.text())
def test_the_bound_lies_above_the_estimate(text: str) -> None:
    assert upper_bound(text) >= estimate(text)


@given(st.text(), st.text())
def test_more_text_takes_no_fewer_tokens(text: str, more: str) -> None:
    assert upper_bound(text + " " + more) >= upper_bound(text) >= 0


def test_encoded_data_does_not_count_as_one_word() -> None:
    assert upper_bound("A" * 100_000) > 30_000
