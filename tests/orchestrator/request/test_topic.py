import io

import pytest

from orchestrator.request.topic import LIMIT_BYTES, checked, decoded, from_arguments, read_topic
from orchestrator.usage import UsageError

TOPIC = "Tabs or spaces?\n微服务还是单体？ 😀"


def refusal(data: bytes) -> str:
    with pytest.raises(UsageError) as caught:
        decoded(data, "t.txt")
    return caught.value.lines[0]


@pytest.mark.parametrize(
    "data",
    [
        TOPIC.encode(),
        TOPIC.encode("utf-8-sig"),
        TOPIC.encode("utf-16"),
        b"\xfe\xff" + TOPIC.encode("utf-16-be"),
        TOPIC.encode("utf-32"),
        b"\x00\x00\xfe\xff" + TOPIC.encode("utf-32-be"),
    ],
)
def test_a_topic_is_read_in_the_encoding_that_its_mark_names(data):
    assert decoded(data, "t.txt") == TOPIC


def test_a_topic_is_kept_word_for_word_but_for_line_ends():
    text = "  {{7*7}} ${HOME} $(touch x) `id` %s @app.py\t\r\n--rounds 3\r\u2028\x1b[31m \n\n"
    assert (
        decoded(text.encode(), "t.txt")
        == "  {{7*7}} ${HOME} $(touch x) `id` %s @app.py\t\n--rounds 3\n\u2028\x1b[31m \n\n"
    )


def test_a_nul_byte_is_refused_with_its_offset():
    assert "NUL byte at offset 14" in refusal(b"Should we ship\0 on Friday?\n")


def test_a_nul_in_utf_16_is_refused_too():
    assert "NUL character at offset 1" in refusal("a\0b".encode("utf-16"))


def test_utf_16_without_a_mark_is_recognized():
    assert "looks like UTF-16" in refusal("Should we ship on Friday?".encode("utf-16-le"))
    assert "looks like UTF-16" in refusal("Should we ship on Friday?".encode("utf-16-be"))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"caf\xe9 au lait", "byte 0xe9 at offset 3"),
        (b"\xef\xbb\xbfab\xff", "byte 0xff at offset 5"),
        (b"ab\xed\xa0\x80", "at offset 2"),
        (b"\xff\xfea\x00b", "not UTF-16 text: byte 0x62 at offset 4"),
        (b"\xff\xfea\x00\x00\xd8", "not UTF-16 text"),
    ],
)
def test_what_is_not_text_is_refused_with_its_place(data, said):
    assert said in refusal(data)


@pytest.mark.parametrize(
    "data",
    [b"", b" \n\t", b"\xef\xbb\xbf", "\ufeff \n".encode("utf-16-le"), "\u3000".encode(), "\u200b\u202e".encode()],
)
def test_a_blank_topic_is_refused(data):
    assert "is empty" in refusal(data)


def test_too_large_a_topic_is_refused_and_the_largest_is_taken():
    assert len(decoded(b"x" * LIMIT_BYTES, "t.txt")) == LIMIT_BYTES
    assert "larger than" in refusal(b"x" * (LIMIT_BYTES + 1))


def test_half_characters_from_the_command_line_are_refused():
    with pytest.raises(UsageError, match="not UTF-8 text at offset 3"):
        checked("caf\udce9")


def test_arguments_that_the_locale_could_not_read_are_read_as_utf_8():
    assert from_arguments("数据库 é".encode().decode("ascii", "surrogateescape")) == "数据库 é"
    assert from_arguments("plain 数据库") == "plain 数据库"
    with pytest.raises(UsageError, match="not UTF-8 text at offset 3"):
        from_arguments("caf\udce9")


def test_a_topic_comes_from_a_file_below_the_folder_or_from_a_stream(tmp_path):
    (tmp_path / "プロ ジ.txt").write_text("from a file")
    assert read_topic("プロ ジ.txt", tmp_path, io.BytesIO()) == "from a file"
    assert read_topic("-", tmp_path, io.BytesIO(b"from a stream")) == "from a stream"


@pytest.mark.parametrize(
    ("name", "said"), [("none.txt", "not found"), (".", "cannot be read"), ("a\0b", "cannot be read")]
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, said):
    with pytest.raises(UsageError, match=said):
        read_topic(name, tmp_path, io.BytesIO())
