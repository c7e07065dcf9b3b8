import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from orchestrator.request.words import Words, parse_words, words_of

PAIR = ("codex", "gemini")

# What a person types (as the shell hands it on) -> topic, tools, rounds, effort.
FORMS = [
    # the documented ones, by R11
    ("codex vs gemini about T", "T", PAIR, None, None),
    ("with claude and codex about T", "T", ("claude", "codex"), None, None),
    ("thoroughly gemini vs codex about T", "T", ("gemini", "codex"), None, "high"),
    ("codex vs gemini 3 rounds about T", "T", PAIR, 3, None),
    # which pair, by R6
    ("codex and gemini about T", "T", PAIR, None, None),
    ("between codex and gemini about T", "T", PAIR, None, None),
    ("Codex VS Gemini About tabs", "tabs", PAIR, None, None),
    ("codex vs. gemini about T", "T", PAIR, None, None),
    ("codex versus gemini about T", "T", PAIR, None, None),
    ("codex:gpt-5@high vs Gemini:Pro-1 about T", "T", ("codex:gpt-5@high", "gemini:Pro-1"), None, None),
    ("kiro vs claude about T", "T", ("kiro", "claude"), None, None),
    # how many rounds, by R7
    ("single round about T", "T", None, 1, None),
    ("one round codex vs gemini about T", "T", PAIR, 1, None),
    ("5 rounds codex and gemini about T", "T", PAIR, 5, None),
    ("codex vs gemini, 1 round, about T", "T", PAIR, 1, None),
    ("codex vs gemini 9 rounds about T", "T", PAIR, 9, None),
    ("extended codex vs gemini about T", "T", PAIR, 3, None),
    ("deep codex vs gemini about T", "T", PAIR, 3, "high"),
    ("deep 2 rounds about T", "T", None, 2, "high"),
    # how much effort, by R8
    ("quick codex vs gemini about T", "T", PAIR, None, "low"),
    ("fast about T", "T", None, None, "low"),
    ("carefully codex vs gemini about T", "T", PAIR, None, "high"),
    ("thorough codex vs gemini about T", "T", PAIR, None, "high"),
    ("maximum codex vs gemini about T", "T", PAIR, None, "max"),
    ("codex vs gemini max effort about T", "T", PAIR, None, "max"),
    ("codex vs gemini medium effort about T", "T", PAIR, None, "medium"),
    ("quick but about T", "quick but about T", None, None, None),
    ("exhaustive codex vs gemini about T", "T", PAIR, None, "max"),
    ("quick, thorough codex vs gemini about T", "T", PAIR, None, "high"),
    # words that join
    ("let codex and gemini argue carefully about T", "T", PAIR, None, "high"),
    ("please debate with codex and gemini about T", "T", PAIR, None, None),
    ("about T", "T", None, None, None),
    ("debate about T", "T", None, None, None),
    # topics are kept whole behind `about` (R9, R10)
    (
        "codex vs gemini about deep learning or 3 rounds of review",
        "deep learning or 3 rounds of review",
        PAIR,
        None,
        None,
    ),
    ("codex vs gemini about claude and copilot pricing", "claude and copilot pricing", PAIR, None, None),
    ("codex vs gemini about what is known about FastAPI", "what is known about FastAPI", PAIR, None, None),
    ("codex vs gemini about: carefully worded prompts", "carefully worded prompts", PAIR, None, None),
    ("codex vs gemini about 微服务还是单体？", "微服务还是单体？", PAIR, None, None),
    ('codex vs gemini about "quick wins"', "quick wins", PAIR, None, None),
    ("codex vs gemini about 'don't repeat yourself'", "don't repeat yourself", PAIR, None, None),
    ('codex vs gemini about "Redis" vs "PostgreSQL"', '"Redis" vs "PostgreSQL"', PAIR, None, None),
    # a quoted topic behind markers
    ('codex vs gemini "Tabs or spaces?"', "Tabs or spaces?", PAIR, None, None),
    ('thoroughly "all about Rust"', "all about Rust", None, None, "high"),
    ("deep codex and gemini 「微服务 or 单体」", "微服务 or 单体", PAIR, 3, "high"),
    # a bare topic behind markers
    ("codex vs gemini microservices or monolith?", "microservices or monolith?", PAIR, None, None),
    ("with codex and gemini tabs or spaces?", "tabs or spaces?", PAIR, None, None),
    ("codex vs gemini 3 rounds is Rust worth it?", "is Rust worth it?", PAIR, 3, None),
    ("codex and gemini quick tabs or spaces?", "tabs or spaces?", PAIR, None, "low"),
    ("3 rounds tabs or spaces?", "tabs or spaces?", None, 3, None),
    ("3 rounds thoroughly tabs or spaces?", "tabs or spaces?", None, 3, "high"),
    # no topic yet
    ("codex vs gemini", None, PAIR, None, None),
    ("codex and gemini 3 rounds about", None, PAIR, 3, None),
    ("", None, None, None, None),
]


@pytest.mark.parametrize(("text", "topic", "tools", "rounds", "effort"), FORMS)
def test_words_typed_without_quotes_set_what_they_say(text, topic, tools, rounds, effort):
    words = parse_words(text)
    assert (words.topic, words.tools, words.rounds, words.effort) == (topic, tools, rounds, effort)


TOPICS = [
    "Tabs or spaces?",
    "Should we compare claude and gemini for CI?",
    "Should we compare claude and gemini? It is about cost.",
    "codex and claude pricing",
    "claude vs gemini for code review",
    "Claude vs Gemini: which is better?",
    "Redis vs PostgreSQL",
    "Redis vs PostgreSQL about latency",
    '"Redis" vs "PostgreSQL"',
    "Is FastAPI fast enough?",
    "deep learning or rules?",
    "quick wins or a thorough refactor?",
    "carefully worded prompts",
    "maximum line length of 100",
    "extended attributes on ext4",
    "Are 3 rounds of review too many?",
    "3 rounds of review or 2?",
    "one round trip or two?",
    "What about codex vs gemini?",
    "All about fast builds",
    "about time we moved to Rust?",
    "about-face on monorepos",
    "What do we know about deep learning?",
    "Redis or PostgreSQL for 3 rounds about queues",
    "Is `codex vs gemini about X` a good command line?",
    "微服务还是单体？",
    "claude 和 gemini 哪个更好",
    "--rounds 3 is what we type",
    "@app.py /init !ls $(id) `id` {{7*7}} %s",
    "codex vs gemini vs claude about X",
    "codex vs foo about X",
    "codex vs gemini about-face",
    'Claude vs Gemini "Flash"',
    'deep "learning"',
    "multi\nline topic\n\nwith claude and codex",
]


@pytest.mark.parametrize("text", TOPICS)
def test_a_topic_that_is_one_argument_is_untouched(text):
    words = words_of([text])
    assert words == Words(topic=text, hint=words.hint)


@pytest.mark.parametrize(
    "text", [t for t in TOPICS if " " in t and not t.startswith(("about", '"')) and not t.endswith('"')]
)
def test_these_topics_survive_without_quotes_too(text):
    words = words_of(text.split(" "))
    assert words == Words(topic=text, hint=words.hint)


def test_one_argument_with_a_documented_head_is_read():
    words = words_of(["codex vs gemini 3 rounds about microservices vs monolith"])
    assert words == Words(topic="microservices vs monolith", tools=PAIR, rounds=3)


def test_an_argument_with_blanks_among_others_is_the_topic():
    words = words_of(["quick", "codex", "vs", "gemini", "claude and copilot: 3 rounds about pricing"])
    assert words == Words(topic="claude and copilot: 3 rounds about pricing", tools=PAIR, effort="low")


def test_markers_inside_an_argument_with_blanks_are_topic():
    words = words_of(["compare", "codex vs gemini about X"])
    assert words == Words(topic="compare codex vs gemini about X")


def test_behind_a_double_dash_everything_is_topic():
    assert words_of(["codex", "vs", "gemini", "about", "X"], literal=True) == Words(topic="codex vs gemini about X")


def test_a_pair_left_in_a_topic_is_pointed_out():
    words = words_of(["Claude vs Gemini for code review"])
    assert words.hint is not None
    assert "--tools claude,gemini" in words.hint


def test_a_pair_in_the_middle_of_a_sentence_is_not_pointed_out():
    assert words_of(["Should we compare claude and gemini for CI?"]).hint is None


def test_only_one_enclosing_pair_of_quotes_is_taken_off():
    assert words_of(['"Tabs or spaces?"']).topic == "Tabs or spaces?"
    assert words_of(["""'"Tabs or spaces?"'"""]).topic == '"Tabs or spaces?"'
    assert words_of(["'a' or 'b'"]).topic == "'a' or 'b'"


def test_what_words_say_is_named_like_the_flags():
    assert parse_words("deep codex vs gemini about T").choices() == {
        "proposer": "codex",
        "challenger": "gemini",
        "rounds": 3,
        "effort": "high",
    }


LETTERS = st.sampled_from(
    [
        "claude",
        "codex",
        "gemini",
        "vs",
        "and",
        "with",
        "between",
        "deep",
        "quick",
        "3",
        "rounds",
        "max",
        "effort",
        "X",
        "是",
        "'",
        '"',
        "?",
    ]
)


@given(st.lists(LETTERS, min_size=1, max_size=12).map(" ".join))
def test_no_single_argument_without_about_and_quotes_loses_a_letter(text):
    assume(" " in text and text[0] not in "'\"")
    assert words_of([text]) == Words(topic=text, hint=words_of([text]).hint)


@given(
    st.lists(st.sampled_from([*"ab'\"“”`", "about", "codex vs gemini", "3 rounds"]), max_size=20).map(" ".join),
    st.text(),
)
def test_any_text_is_read_without_an_error(words, noise):
    for text in (words, noise, words + noise):
        assert isinstance(parse_words(text), Words)
        assert isinstance(words_of(text.split()), Words)


@given(st.text(min_size=1).filter(lambda t: t.strip() and not set(t) & set("\"'“”‘’«»「」『』`")))
def test_behind_about_every_topic_arrives_as_it_is(topic):
    assert words_of([f"codex vs gemini about {topic}"]) == Words(topic=topic.strip(), tools=PAIR)
