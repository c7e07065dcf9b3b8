"""The environment of a child: what it needs to run and to log in, and nothing that could widen its rights."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from adapters.spec import Adapter, Place

COMMON = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TZ"),
    *("LANG", "LC_*"),
    *("http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "no_proxy"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "NODE_USE_SYSTEM_CA", "REQUESTS_CA_BUNDLE"),
    *("CURL_CA_BUNDLE",),
    *("XDG_*", "DBUS_SESSION_BUS_ADDRESS", "GNOME_KEYRING_CONTROL", "SECURITYSESSIONID", "__CF_USER_TEXT_ENCODING"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS", "USERNAME", "USERDOMAIN", "USERPROFILE"),
    *("HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "ALLUSERSPROFILE"),
    *("PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "COMMONPROGRAMFILES"),
    *("NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE"),
)
"""What every child may have: to be found, to speak the user's language, to reach the network, to open the keychain."""

AWS = ("AWS_*",)
AZURE = ("AZURE_*",)
GOOGLE = ("GOOGLE_*", "GCLOUD_PROJECT", "CLOUDSDK_*", "CLOUD_ML_REGION")
"""The logins of the clouds through which several vendors' models can be reached."""

NEVER = (
    # marks of the agent that we may have been started by: a child must not think that it is nested in it
    *("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_CHILD_SESSION"),
    *("CLAUDE_CODE_SESSION_ID",),
    *("CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE", "GEMINI_CLI", "GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR", "OPENCODE"),
    *("OPENCODE_PID", "CODEX_SANDBOX", "CODEX_SANDBOX_*", "CODEX_THREAD_ID", "CODEX_CI", "CODEX_MANAGED_*"),
    *("COPILOT_CLI",),
    # what loads code into a runtime or widens a participant's rights
    *("NODE_OPTIONS", "NODE_REPL_EXTERNAL_MODULE", "BUN_OPTIONS", "BASH_ENV", "ENV", "IS_SANDBOX"),
    *("COPILOT_ALLOW_ALL", "GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_CLI_TRUSTED_FOLDERS_PATH", "OPENCODE_PERMISSION"),
)
"""What no child gets, whoever asks for it."""


def child_environment(adapter: Adapter, place: Place, options: Mapping[str, Any] | None = None) -> dict[str, str]:
    """The environment for one call of this vendor.

    From the user's environment come the common names, the vendor's own (`adapter.env`) and those the user passes on
    (`options["pass_env"]`: names, a trailing `*` matches any ending). `adapter.denied_env` and `NEVER` win over all
    three. Names are compared without regard to case where they are refused.
    """
    wanted = (*COMMON, *adapter.env, *names((options or {}).get("pass_env")))
    refused = tuple(name.upper() for name in (*NEVER, *adapter.denied_env))
    chosen = {
        name: value
        for name, value in place.environ.items()
        if matches(name, wanted) and not matches(name.upper(), refused)
    }
    rest = {name: value for name, value in chosen.items() if name != "LANG" and not name.startswith("LC_")}
    return rest | _locale(chosen) | _path(chosen) | _fixed(place)


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name is one of these, or begins as one that ends in `*`."""
    return any(name == p or (p.endswith("*") and name.startswith(p[:-1])) for p in patterns)


def names(value: Any) -> tuple[str, ...]:
    """A setting that holds one name or several, as names."""
    return (value,) if isinstance(value, str) else tuple(str(name) for name in value or ())


def _fixed(place: Place) -> dict[str, str]:
    tmp = str(place.folder / "tmp")
    return {
        "TMPDIR": tmp,
        "TMP": tmp,
        "TEMP": tmp,
        "TERM": "dumb",
        "NO_COLOR": "1",
        "NO_BROWSER": "1",
        "DEBATE_PARTICIPANT": "1",
    }


def _locale(chosen: Mapping[str, str]) -> dict[str, str]:
    """The user's language for text, UTF-8 always, and messages in English, so that they can be told apart."""
    lang = _utf8(chosen.get("LC_ALL") or chosen.get("LANG", ""))
    if "LC_ALL" in chosen:
        return {"LANG": lang, "LC_MESSAGES": "C"}
    single = {name: _utf8(value) for name, value in chosen.items() if name.startswith("LC_")}
    return {"LANG": lang, **single, "LC_MESSAGES": "C"}


def _utf8(locale: str) -> str:
    return locale if locale.lower().endswith(("utf-8", "utf8")) else "C.UTF-8"


def _path(chosen: dict[str, str]) -> dict[str, str]:
    """PATH without relative and empty entries: they mean the folder that the participant reads, whose programs never run."""
    entries = chosen.get("PATH", os.defpath).split(os.pathsep)
    return {"PATH": os.pathsep.join(entry for entry in entries if os.path.isabs(entry))}
