"""What claude answered: its result event judged. Exit code 0, `subtype: success` and an empty text are no proof of one."""

import re
from typing import Any

from adapters import efforts
from adapters.failing import failure, judged
from adapters.outcome import Dialect, Said, envelope
from adapters.reading import cost, count, part, text_of, values
from adapters.resetting import retry_at
from adapters.spec import Ask, Finished
from state.failures import FailureKind
from state.models import Envelope, Failure, Usage

K = FailureKind
Event = dict[str, Any]

DIALECT = Dialect(
    noise=re.compile(
        r"Warning: no stdin data received.*|Ignoring \d+ permissions\.allow entries.*|Warning: Unknown --effort.*"
    ),
)


def read(ask: Ask, finished: Finished) -> Envelope:
    """The envelope of one call: the last event of type `result` tells, wherever it stands and however the process ended."""
    events = values(finished.stdout)
    result = next((event for event in reversed(events) if event.get("type") == "result"), None)
    answer = _answer(result, events) if result else ""
    said = Said(
        text=answer,
        complete=result is not None,
        failure=_refused(result, events, answer, finished) if result else _retrying(events, finished),
        structured=bool(events),
        model=_model(events, result),
        session_id=_session(events),
        usage=_usage(result),
        notes=_notes(ask, events, result) if result else (),
    )
    return envelope(ask, finished, said, DIALECT)


def _answer(result: Event, events: list[Event]) -> str:
    """The result's text; where it is empty, the text of the last message (the result has lost it in some versions)."""
    text = text_of(result.get("result"))
    return text if text.strip() else text_of(part(_last_message(events), "message", "content"))


def _last_message(events: list[Event]) -> Event | None:
    return next((event for event in reversed(events) if event.get("type") == "assistant"), None)


def _refused(result: Event, events: list[Event], answer: str, finished: Finished) -> Failure | None:
    """Why a result is no answer, or None where it is one."""
    stop = result.get("stop_reason")
    if stop == "refusal":
        return failure(K.REFUSED, answer or "the model declined to answer")
    if result.get("is_error") is True or str(result.get("subtype")).startswith("error") or _is_synthetic(events):
        return _error(result, events, answer, finished)
    if stop == "max_tokens":
        return failure(K.TRUNCATED, "the answer was cut off at the model's output limit (stop_reason max_tokens)")
    if _no_model_was_asked(result):
        return (
            judged(answer, otherwise=K.EMPTY)
            if answer.strip()
            else failure(K.EMPTY, "no model was asked, and there is no text")
        )
    if answer.strip():
        return None
    return failure(
        K.EMPTY, f"the answer is empty although {part(result, 'usage', 'output_tokens')} tokens were produced"
    )


def _error(result: Event, events: list[Event], answer: str, finished: Finished) -> Failure:
    text = answer or text_of(result.get("errors")) or finished.stderr.decode("utf-8", "replace")
    if text.startswith("[ede_diagnostic]"):
        text = f"ended in {result.get('subtype')} ({result.get('terminal_reason')})"
    codes = [text_of(part(_last_message(events), "error")), text_of(result.get("error"))]
    if result.get("terminal_reason") == "prompt_too_long":
        codes.append("context_length_exceeded")
    told = judged(text, status=count(result.get("api_error_status")), codes=codes, now=finished.ended_at)
    return told if told.retry_at else told.model_copy(update={"retry_at": _reset(events, told)})


def _reset(events: list[Event], told: Failure) -> str | None:
    """The reset time of a used-up allowance, which a subscription's own event gives in seconds since 1970."""
    if told.kind not in (K.QUOTA, K.RATE_LIMITED):
        return None
    resets = (count(part(event, "rate_limit_info", "resetsAt")) for event in reversed(events))
    return retry_at(f"|{next((at for at in resets if at), '')}")


def _is_synthetic(events: list[Event]) -> bool:
    return part(_last_message(events), "message", "model") == "<synthetic>"


def _no_model_was_asked(result: Event) -> bool:
    """The text is claude's own (an error, a command's output): it says so itself that no model and no token was used."""
    tokens = count(part(result, "usage", "output_tokens"))
    return result.get("modelUsage") == {} and not tokens


def _retrying(events: list[Event], finished: Finished) -> Failure | None:
    """What claude was trying again after, if that is all it did until the deadline and the reason is known."""
    if finished.ended != "deadline" or not events or events[-1].get("subtype") != "api_retry":
        return None
    status, code = count(events[-1].get("error_status")), text_of(events[-1].get("error"))
    told = f"still trying again after {code} (HTTP {status}), attempt {events[-1].get('attempt')}"
    failed = judged(told, status=status, codes=[code], otherwise=K.TIMED_OUT)
    return None if failed.kind is K.TIMED_OUT else failed


def _model(events: list[Event], result: Event | None) -> str | None:
    """The model that wrote most of the answer, as the result counts; else the one of the last message."""
    used = result.get("modelUsage") if result else None
    counted = (
        {name: count(part(row, "outputTokens")) or 0 for name, row in used.items()} if isinstance(used, dict) else {}
    )
    if counted:
        return max(counted, key=lambda name: counted[name])
    named = part(_last_message(events), "message", "model")
    return named if isinstance(named, str) and named and named != "<synthetic>" else None


def _session(events: list[Event]) -> str | None:
    return next((s for event in reversed(events) if isinstance(s := event.get("session_id"), str)), None)


def _usage(result: Event | None) -> Usage:
    """Tokens (what came from or went into a cache counts as input) and money, as the result says."""
    usage = part(result, "usage")
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    tokens = [count(part(usage, name)) for name in names if part(usage, name) is not None]
    told_in = sum(t for t in tokens if t is not None) if tokens and None not in tokens else None
    told_out = count(part(usage, "output_tokens"))
    if not told_out and (by_model := _by_model(result)):
        told_in, told_out = by_model
    return Usage(input_tokens=told_in, output_tokens=told_out, cost_usd=cost(part(result, "total_cost_usd")))


def _by_model(result: Event | None) -> tuple[int, int] | None:
    """Input and output tokens summed over the models: right where `usage` stayed zero after a broken stream."""
    rows = list((part(result, "modelUsage") or {}).values()) if isinstance(part(result, "modelUsage"), dict) else []
    names = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "outputTokens")
    table = [[count(part(row, name)) for name in names] for row in rows]
    if not table or any(cell is None for row in table for cell in row):
        return None
    sums = [sum(cell or 0 for cell in column) for column in zip(*table, strict=True)]
    return sum(sums[:3]), sums[3]


def _notes(ask: Ask, events: list[Event], result: Event) -> tuple[str, ...]:
    answered, wish = _model(events, result), efforts.asked(ask)
    denials = result.get("permission_denials")
    pending = count(result.get("background_tasks_pending"))
    told: list[str] = []
    if wish and answered and not _same(wish, answered):
        told.append(f"asked for {wish}, answered by {answered}")
    if isinstance(denials, list) and denials:
        told.append(_counted(len(denials), "tool request", "refused"))
    if pending:
        told.append(_counted(pending, "background task", "still pending"))
    return tuple(told)


def _counted(number: int, thing: str, state: str) -> str:
    return f"1 {thing} was {state}" if number == 1 else f"{number} {thing}s were {state}"


def _same(wish: str, answered: str) -> bool:
    plain = wish.lower().split("[")[0]
    return plain in efforts.NO_MODEL or plain in answered.lower()
