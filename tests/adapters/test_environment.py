from pathlib import Path

import pytest

from adapters.environment import NEVER, child_environment
from adapters.spec import Adapter, Command, Place, Progress
from state.models import Envelope


def vendor(env=(), denied=()):
    return Adapter(
        name="x",
        executable="x",
        install="",
        login="",
        build=lambda _ask, place: Command((), b"", {}, place.folder),
        read=lambda _ask, _finished: Envelope(tool="x"),
        watch=lambda progress, _line, _stream: progress or Progress(),
        keep=lambda _line: True,
        env=env,
        denied_env=denied,
    )


def given(environ, env=(), denied=(), **options):
    return child_environment(vendor(env, denied), Place(Path("/bin/x"), Path("/private"), environ), options)


def test_the_private_folder_is_the_temporary_one_and_the_child_knows_that_it_takes_part():
    env = given({"TMPDIR": "/tmp", "TERM": "xterm-256color"})
    assert {env[name] for name in ("TMPDIR", "TMP", "TEMP")} == {"/private/tmp"}
    assert (env["TERM"], env["NO_COLOR"], env["NO_BROWSER"], env["DEBATE_PARTICIPANT"]) == ("dumb", "1", "1", "1")


@pytest.mark.parametrize(
    "name",
    [
        "HOME",
        "USER",
        "TZ",
        "https_proxy",
        "HTTPS_PROXY",
        "no_proxy",
        "SSL_CERT_FILE",
        "NODE_EXTRA_CA_CERTS",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "XDG_CONFIG_HOME",
        "XDG_RUNTIME_DIR",
        "DBUS_SESSION_BUS_ADDRESS",
        "SYSTEMROOT",
        "APPDATA",
        "PATHEXT",
    ],
)
def test_common_names_are_passed_on(name):
    assert given({name: "v"})[name] == "v"


@pytest.mark.parametrize("name", ["GITHUB_TOKEN", "OPENAI_API_KEY", "MY_SECRET", "LD_PRELOAD", "GIT_DIR", "PYTHONPATH"])
def test_what_nobody_listed_stays_outside(name):
    assert name not in given({name: "v"})


def test_a_vendor_gets_its_own_names_and_patterns_but_not_those_it_denies():
    env = given({"ACME_KEY": "k", "ACME_YOLO": "1", "OTHER": "o"}, env=("ACME_*",), denied=("ACME_YOLO",))
    assert env["ACME_KEY"] == "k"
    assert not {"ACME_YOLO", "OTHER"} & env.keys()


def test_the_user_passes_names_and_patterns_on():
    env = given({"FAKE_LOG": "f", "LAB_KEY": "k", "OTHER": "o"}, pass_env=["FAKE_*", "LAB_KEY"])
    assert (env["FAKE_LOG"], env["LAB_KEY"]) == ("f", "k")
    assert "OTHER" not in env


@pytest.mark.parametrize("name", [name.replace("*", "X") for name in NEVER])
def test_nobody_brings_back_what_no_child_may_get(name):
    env = given({name: "1", name.lower(): "1"}, env=(name, "*"), pass_env=(name, "*"))
    assert name not in env
    assert name.lower() not in env


def test_the_user_cannot_bring_back_what_the_vendor_denies():
    assert "ACME_YOLO" not in given({"ACME_YOLO": "1"}, denied=("ACME_*",), pass_env=["*"])


def test_messages_are_english_and_text_is_utf8_in_the_users_language():
    env = given({"LANG": "de_DE.UTF-8", "LC_TIME": "fr_FR.ISO-8859-1", "LANGUAGE": "zh"})
    assert (env["LANG"], env["LC_MESSAGES"], env["LC_TIME"]) == ("de_DE.UTF-8", "C", "C.UTF-8")
    assert "LANGUAGE" not in env


@pytest.mark.parametrize(("said", "told"), [("zh_CN.UTF-8", "zh_CN.UTF-8"), ("POSIX", "C.UTF-8")])
def test_one_locale_over_all_does_not_bring_back_translated_messages(said, told):
    env = given({"LC_ALL": said, "LANG": "de_DE.UTF-8", "LC_TIME": "C"})
    assert (env["LANG"], env["LC_MESSAGES"]) == (told, "C")
    assert not {"LC_ALL", "LC_TIME"} & env.keys()


def test_a_search_path_never_leads_into_the_current_folder():
    assert given({"PATH": ".:/usr/bin::node_modules/.bin:/opt/bin:"})["PATH"] == "/usr/bin:/opt/bin"
