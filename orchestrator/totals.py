"""What a deliberation has cost so far, as far as the vendors said: what one of them did not say makes it "at least"."""

from state.models import TurnEnded, Usage
from state.record import Record


def usages(record: Record) -> list[Usage]:
    """What every call reported, failed ones included: they are paid for too."""
    return [event.envelope.usage for event in record.events if isinstance(event, TurnEnded)]


def spent(record: Record) -> str:
    """Tokens and cost in one line. A cost is what the vendor's program estimates from API prices."""
    calls = usages(record)
    tokens = [(u.input_tokens or 0) + (u.output_tokens or 0) for u in calls if u.input_tokens is not None]
    costs = [u.cost_usd for u in calls if u.cost_usd is not None]
    told = [
        _told(f"{sum(tokens):,} tokens", len(tokens), len(calls)) if tokens else "tokens unknown",
        _told(f"${sum(costs):.2f} API price, as the vendor estimates it", len(costs), len(calls))
        if costs
        else "cost unknown",
    ]
    return ", ".join(told) if calls else ""


def _told(amount: str, known: int, calls: int) -> str:
    return amount if known == calls else f"at least {amount}"
