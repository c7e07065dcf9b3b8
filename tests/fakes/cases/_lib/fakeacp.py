"""Minimal ACP (JSON-RPC over stdio, one object a line) agent for the synthetic cases. Override what must misbehave."""

import json, os, sys, time


def send(o, raw=None):
    sys.stdout.write(raw if raw is not None else json.dumps(o, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def log(**kw):
    if os.environ.get("FAKE_LOG"):
        with open(os.environ["FAKE_LOG"], "a") as f:
            f.write(json.dumps(dict(vendor="acp", pid=os.getpid(), t=time.time(), **kw)) + "\n")


def chunk(text, sid="s1"):
    send(
        {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {
                "sessionId": sid,
                "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}},
            },
        }
    )


def reply(id, result):
    send({"jsonrpc": "2.0", "id": id, "result": result})


def error(id, code, msg):
    send({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": msg}})


def ask(method, params, id="agent-1"):
    """Agent -> client request; waits for the answer line. Returns it (or None at EOF)."""
    send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    for line in sys.stdin:
        m = json.loads(line)
        if m.get("id") == id and "method" not in m:
            log(event="client-answered", method=method, answer=m)
            return m
    return None


class Agent:
    def initialize(self, m):
        reply(m["id"], {"protocolVersion": 1, "agentCapabilities": {"loadSession": False}, "authMethods": []})

    def authenticate(self, m):
        reply(m["id"], {})

    def session_new(self, m):
        reply(m["id"], {"sessionId": "s1"})

    def session_prompt(self, m):
        chunk("ACP-OK")
        reply(m["id"], {"stopReason": "end_turn"})

    def other(self, m):
        if "id" in m and "method" in m:
            error(m["id"], -32601, "Method not found")

    def run(self):
        log(event="start", argv=sys.argv[1:])
        for line in sys.stdin:
            m = json.loads(line)
            getattr(self, str(m.get("method", "other")).replace("/", "_"), self.other)(m)
