"""Sessions of the real CLIs: a later question goes on where the first one ended, and what is lost is told as lost."""

from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from adapters import adapter_for
from adapters.acp.agents import ACP
from adapters.ask import Answered, Setting, Teller, ask
from adapters.spec import Ask
from state.failures import FailureKind as K
from state.models import Seat
from tests.fakes.model_server import ModelServer
from tests.vendors.cli import VENDORS, Vendor, environment, program
from tests.vendors.conftest import installed

pytestmark = pytest.mark.vendors
UNKNOWN = "0199aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee"


WAYS = [(name, "cli") for name in VENDORS] + [(name, "acp") for name in ACP if name in VENDORS]


@pytest.fixture(params=[f"{name}@{way}" for name, way in WAYS if adapter_for(name, way).continuable])
def vendor(request: pytest.FixtureRequest) -> Vendor:
    name, _, transport = request.param.partition("@")
    return replace(installed(name), transport=transport)


def question(vendor: Vendor, models: ModelServer, home: Path, view: Path) -> Ask:
    keep = home / "seat"
    keep.mkdir(mode=0o700, exist_ok=True)
    view.mkdir(exist_ok=True)
    seat = Seat(role="proposer", tool=vendor.name, model=vendor.model, timeout_s=60, transport=vendor.transport)
    return Ask(seat, "The first question is green.", view, options=vendor.options(models.url(vendor.name)), keep=keep)


def asked(one: Ask, vendor: Vendor, models: ModelServer, home: Path) -> Answered:
    environ = environment(home) | dict(vendor.env(models.url(vendor.name)))
    found = program(vendor.name)
    assert found is not None
    setting = Setting(home, found, environ)
    return anyio.run(
        ask, one, adapter_for(vendor.name, vendor.transport), setting, Teller(lambda _p: None, lambda *_: None)
    )


def test_a_later_question_goes_on_with_the_session(
    vendor: Vendor, models: ModelServer, home: Path, tmp_path: Path
) -> None:
    first = question(vendor, models, home, tmp_path / "view")
    begun = asked(first, vendor, models, home).envelope
    assert begun.failure is None
    assert (begun.continuable, bool(begun.session_id)) == (True, True)
    later = replace(first, prompt="The second question is blue.", continues=begun.session_id)
    gone_on = asked(later, vendor, models, home).envelope
    assert (gone_on.failure, gone_on.response) == (None, "PONG from the scripted model.")
    last = models.asked(vendor.name)[-1].everything
    assert "The first question is green." in last
    assert "The second question is blue." in last
    assert "green" not in later.prompt


def test_a_session_that_the_vendor_does_not_know_is_lost_and_not_something_else(
    vendor: Vendor, models: ModelServer, home: Path, tmp_path: Path
) -> None:
    unknown = f"ses_{UNKNOWN.replace('-', '')[:26]}" if vendor.name == "opencode" else UNKNOWN
    one = replace(question(vendor, models, home, tmp_path / "view"), continues=unknown)
    failure = asked(one, vendor, models, home).envelope.failure
    assert failure is not None
    assert failure.kind is K.SESSION_LOST, failure
