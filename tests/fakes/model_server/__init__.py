"""A scripted model server on loopback that speaks the APIs of Anthropic, OpenAI and Google to the real CLIs."""

from tests.fakes.model_server.scenario import SCENARIOS, Scenario, refusing, speaking
from tests.fakes.model_server.server import ModelServer, Request
from tests.fakes.model_server.talk import Call

__all__ = ["SCENARIOS", "Call", "ModelServer", "Request", "Scenario", "refusing", "speaking"]
