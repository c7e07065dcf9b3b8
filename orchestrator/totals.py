"""What a deliberation has cost so far, as far as the vendors said: what one of them did not say makes it "at least"."""

from state.models import TurnEnded
from state.record import Record

LEAST_SHOWN = 0.01
"""US dollars."""


def spent(record: Record) -> str:
    """Tokens and cost in one line. A cost is what a vendor's program estimates from API prices; failed calls count too."""
    calls = [event.envelope for event in record.events if isinstance(event, TurnEnded)]
    if not calls:
        return ""
    tokens = [
        (c.usage.input_tokens or 0) + (c.usage.output_tokens or 0) for c in calls if c.usage.input_tokens is not None
    ]
    priced = [(c.tool, c.usage.cost_usd) for c in calls if c.usage.cost_usd is not None]
    return f"{_tokens(tokens, len(calls))}, {_cost(priced, len(calls))}"


def _tokens(known: list[int], calls: int) -> str:
    return _told(f"{sum(known):,} tokens", len(known), calls) if known else "tokens unknown"


def _cost(priced: list[tuple[str, float]], calls: int) -> str:
    if not priced:
        return "cost unknown"
    total, estimators = sum(cost for _, cost in priced), " and ".join(dict.fromkeys(tool for tool, _ in priced))
    amount = f"${total:.2f}" if total >= LEAST_SHOWN else f"less than ${LEAST_SHOWN:.2f}"
    verb = "estimate" if " and " in estimators else "estimates"
    return f"{_told(amount, len(priced), calls)} API price, as {estimators} {verb} it"


def _told(amount: str, known: int, calls: int) -> str:
    return amount if known == calls else f"at least {amount}"
