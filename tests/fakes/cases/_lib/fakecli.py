"""Shared helper of the synthetic fakes (no vendor code). The vendor is the fake's own file name."""

import hashlib, json, os, select, signal, subprocess, sys, time

A = sys.argv[1:]
V = os.path.basename(sys.argv[0])


def log(**kw):
    """One JSON line per event in $FAKE_LOG: who ran, pid, what it saw. Tests read it."""
    if os.environ.get("FAKE_LOG"):
        with open(os.environ["FAKE_LOG"], "a") as f:
            f.write(json.dumps(dict(vendor=V, pid=os.getpid(), t=time.time(), **kw)) + "\n")


def start(version="9.9.9"):
    """Call first: answers --version, logs the call."""
    if "--version" in A or A[:1] == ["-v"]:
        print(f"{version} (fake {V})")
        sys.exit(0)
    log(event="start", argc=len(A), argv_bytes=sum(len(os.fsencode(a)) for a in A), cwd=safe_cwd())


def safe_cwd():
    try:
        return os.getcwd()
    except OSError:
        return None


def mode():
    """text | json | stream-json, from the vendor's own flags."""
    for i, a in enumerate(A):
        for k in ("--output-format", "-o", "--format"):
            if a == k and i + 1 < len(A) and A[i + 1] in ("json", "stream-json", "text"):
                return A[i + 1]
            if a.startswith(k + "=") and a.split("=", 1)[1] in ("json", "stream-json"):
                return a.split("=", 1)[1]
    return "json" if "--json" in A else "text"


VALUE = set(
    "--output-format -o --format -m --model -c --config -C --cd --sandbox --approval-mode --permission-mode --allowedTools --allowed-tools --disallowedTools "
    "--disallowed-tools --tools --max-turns --append-system-prompt --system-prompt --settings --setting-sources --mcp-config --session-id --session --resume -r --add-dir "
    "--include-directories --agent --variant --dir --log-level --profile --output-schema --output-last-message --color --fallback-model --effort --input-format".split()
)


def argv_prompt():
    """The prompt as given in argv: after "--", or the value of -p/--prompt, else the last free word."""
    if "--" in A:
        return (A[A.index("--") + 1 :] or [""])[0]
    for i, a in enumerate(A):
        if a.startswith("--prompt="):
            return a.split("=", 1)[1]
        if a in ("-p", "--prompt") and i + 1 < len(A) and not A[i + 1].startswith("-"):
            return A[i + 1]
    free = [
        a
        for i, a in enumerate(A)
        if not a.startswith("-")
        and not (i == 0 and a in ("exec", "run", "chat"))
        and not (i and (A[i - 1] in VALUE or (A[i - 1] == "-s" and V in ("codex", "opencode"))))
    ]
    return free[-1] if free else ""


def stdin_text(wait=0.3, limit=None):
    """Stdin if there is one. With a prompt in argv, waits only `wait` seconds for the first byte."""
    if sys.stdin is None or sys.stdin.isatty():
        return ""
    fd = sys.stdin.fileno()
    try:
        if limit is None and argv_prompt() and not select.select([fd], [], [], wait)[0]:
            return ""
    except (OSError, ValueError):
        return ""
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


_P = None


def prompt():
    global _P
    if _P is None:
        _P = "\n".join(x for x in (argv_prompt(), stdin_text()) if x)
    return _P


def out(obj, end="\n"):
    s = obj if isinstance(obj, str) else json.dumps(obj, ensure_ascii=False)
    sys.stdout.buffer.write((s + end).encode("utf-8", "surrogatepass"))
    sys.stdout.flush()


def err(s, end="\n"):
    sys.stderr.write(s + end)
    sys.stderr.flush()


def claude_result(text, **kw):
    d = dict(
        type="result",
        subtype="success",
        is_error=False,
        duration_ms=900,
        duration_api_ms=800,
        num_turns=1,
        result=text,
        stop_reason="end_turn",
        session_id="00000000-0000-4000-8000-000000000001",
        total_cost_usd=0.0123,
        usage=dict(input_tokens=100, output_tokens=20, cache_read_input_tokens=0, cache_creation_input_tokens=0),
        modelUsage={"fake-claude-1": dict(inputTokens=100, outputTokens=20, costUSD=0.0123)},
        permission_denials=[],
    )
    d.update(kw)
    return d


def answer(text, code=0, **kw):
    """Print `text` the way this vendor would in the asked mode, then exit."""
    m, v = mode(), V
    if v == "claude":
        if m == "stream-json":
            out(dict(type="system", subtype="init", session_id="s", model="fake-claude-1"))
            out(
                dict(
                    type="assistant",
                    message=dict(role="assistant", model="fake-claude-1", content=[dict(type="text", text=text)]),
                )
            )
        out(claude_result(text, **kw) if m != "text" else text)
    elif v in ("gemini", "qwen"):
        st = dict(models={"fake-gemini-1": dict(tokens=dict(prompt=100, candidates=20, total=120))})
        if m == "json":
            out(json.dumps(dict(session_id="s", response=text, stats=st), ensure_ascii=False, indent=2))
        elif m == "stream-json":
            out(dict(type="init", session_id="s", model="fake-gemini-1"))
            out(dict(type="message", role="user", content="…"))
            out(dict(type="message", role="assistant", content=text, delta=True))
            out(dict(type="result", status="success", stats=st))
        else:
            out(text)
    elif v == "codex":
        last = next((A[i + 1] for i, a in enumerate(A[:-1]) if a in ("-o", "--output-last-message")), None)
        if last and last not in ("json", "text"):
            open(last, "w", encoding="utf-8", errors="surrogatepass").write(text)
        if m == "json":
            for e in codex_events(text):
                out(e)
        else:
            err("fake codex banner\nmodel: fake-codex-1")
            out(text)
    elif v == "opencode":
        if m == "json":
            out(dict(type="step_start", sessionID="s", part=dict(type="step-start")))
            out(dict(type="text", sessionID="s", part=dict(type="text", text=text)))
            out(
                dict(
                    type="step_finish",
                    sessionID="s",
                    part=dict(
                        type="step-finish", reason="stop", cost=0.01, tokens=dict(input=100, output=20, reasoning=0)
                    ),
                )
            )
        else:
            out(text)
    elif v == "copilot":
        if m == "json":
            out(
                dict(
                    type="assistant.message",
                    data=dict(messageId="m1", model="fake-copilot-1", content=text, toolRequests=[]),
                )
            )
            out(dict(type="result", sessionId="s", exitCode=0, usage=dict(premiumRequests=0)))
        else:
            out(text)
            err("\nTotal usage est: 1 Premium request")
    else:
        out(text)
    log(event="answered", code=code)
    sys.exit(code)


def codex_events(*texts, usage=True):
    ev = [dict(type="thread.started", thread_id="t1"), dict(type="turn.started")]
    ev += [
        dict(type="item.completed", item=dict(id=f"item_{i}", type="agent_message", text=t))
        for i, t in enumerate(texts)
    ]
    return ev + (
        [dict(type="turn.completed", usage=dict(input_tokens=100, cached_input_tokens=0, output_tokens=20))]
        if usage
        else []
    )


def hang(seconds=3600):
    log(event="hang")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.5)
    sys.exit(99)
