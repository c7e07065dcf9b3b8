"""`kiro.py AGE acp --agent-engine=v3`: Kiro as documented, ACP on stdio. One whose AGE is `old` does not know `acp`."""

import json
import sys


def say(**message: object) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def main() -> None:
    _, age, *arguments = sys.argv
    if arguments == ["--version"]:
        print("kiro-cli 3.2.0")
        return
    if age == "old" or arguments != ["acp", "--agent-engine=v3"]:
        sys.exit("error: unrecognized subcommand 'acp'")
    for line in sys.stdin:
        asked = json.loads(line)
        match asked["method"]:
            case "initialize":
                say(id=asked["id"], result={"protocolVersion": 1, "agentInfo": {"name": "Kiro"}, "authMethods": []})
            case "session/new":
                say(id=asked["id"], result={"sessionId": "k-1", "modes": {"currentModeId": "default"}})
            case "session/prompt":
                said = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "KIRO-OK"}}
                say(method="session/update", params={"sessionId": "k-1", "update": said})
                say(id=asked["id"], result={"stopReason": "end_turn"})


main()
