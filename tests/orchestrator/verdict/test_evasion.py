"""A recommendation is something to do."""

import pytest

from orchestrator.verdict.evasion import evades

DUCKS = [
    "",
    "  ",
    "N/A",
    "None.",
    "Both have merit.",
    "Both sides make good points.",
    "Both approaches are valid!",
    "It depends.",
    "It really depends on your workload.",
    "Ultimately, the choice depends on your needs.",
    "Choose whichever suits your team.",
    "Both have merit; choose according to your needs.",
    "Pick the one that fits your use case.",
    "Either option works.",
    "Neither side is wrong.",
    "There is no clear winner.",
    "Overall, both options are viable, and it depends.",
    "There are pros and cons.",
    "两种方案各有优劣。",
    "双方都有道理。",
    "视具体情况而定。",
    "根据需求选择。",
    "总之，各有千秋，取决于场景。",
    "无",
]
ACTIONS = [
    "Keep the queue in PostgreSQL and revisit at 5000 jobs a second.",
    "Use Redis.",
    "Both have merit, so adopt Postgres now.",
    "Use both a Postgres table and a Redis cache.",
    "It depends on load: benchmark both at 5000 jobs/s this week.",
    "Adopt Postgres; both sides agree that backups matter.",
    "Do nothing until the index exists.",
    "Keep both backups as a valid fallback.",
    "采用 Postgres，一个月后复查。",
    "先加索引，再根据压测结果决定是否迁移到 Redis。",
    "保留现有队列。",
    "Run it",
]


@pytest.mark.parametrize("text", DUCKS)
def test_a_recommendation_that_ducks_is_none(text: str) -> None:
    assert evades(text)


@pytest.mark.parametrize("text", ACTIONS)
def test_a_recommendation_with_something_to_do_is_one_whatever_else_it_says(text: str) -> None:
    assert not evades(text)
