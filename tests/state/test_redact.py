import random
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.redact import redact, secrets_of

JWT = "eyJhbGciOiJub25lIn0.eyJmYWtlIjoxfQ.c2lnbmF0dXJl"
HEX64 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
SECRETS = {
    "sk-" + "Fake0" * 5: "[REDACTED_API_KEY]",
    "sk-abcdefghijklmnopqrstuvwxyz": "[REDACTED_API_KEY]",
    "sk-ant-api03-" + "F" * 40: "[REDACTED_API_KEY]",
    "sk-proj-" + "f-_" * 20: "[REDACTED_API_KEY]",
    "sk_live_" + "Fake0" * 5: "[REDACTED_API_KEY]",
    "AIza" + "Fake0" * 7: "[REDACTED_API_KEY]",
    "ghp_" + "F" * 36: "[REDACTED_TOKEN]",
    "gho_" + "F" * 36: "[REDACTED_TOKEN]",
    "github_pat_" + "F_" * 11: "[REDACTED_TOKEN]",
    "xoxb-123456789012-abcdef": "[REDACTED_TOKEN]",
    "glpat-" + "F" * 20: "[REDACTED_TOKEN]",
    "AKIA" + "FAKE" * 4: "[REDACTED_AWS_KEY]",
    "ASIA" + "FAKE" * 4: "[REDACTED_AWS_KEY]",
    "Bearer " + "f" * 20: "Bearer [REDACTED]",
    f"Bearer {JWT}": "Bearer [REDACTED]",
    JWT: "[REDACTED_TOKEN]",
    "Authorization: Basic dXNlcjpodW50ZXIy": "Authorization: Basic [REDACTED]",
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIfake\n-----END RSA PRIVATE KEY-----": "[REDACTED_PRIVATE_KEY]",
    "-----BEGIN PRIVATE KEY-----\\nMIIfake\\n-----END PRIVATE KEY-----": "[REDACTED_PRIVATE_KEY]",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA": "[REDACTED_PRIVATE_KEY]",
    "ANTHROPIC_API_KEY=abc": "ANTHROPIC_API_KEY=[REDACTED]",
    "DEEPSEEK_API_KEY=odd/shaped+value": "DEEPSEEK_API_KEY=[REDACTED]",
    "export AWS_SECRET_ACCESS_KEY='wJalr fake'": "export AWS_SECRET_ACCESS_KEY='[REDACTED]'",
    "DB_PASSWORD=1234": "DB_PASSWORD=[REDACTED]",
    '"password": "hunter2"': '"password": "[REDACTED]"',
    r"{\"api_key\": \"abcdef123456\"}": r"{\"api_key\": \"[REDACTED]\"}",
    "Server=db;Password=hunter2;Timeout=5": "Server=db;Password=[REDACTED];Timeout=5",
    "clientSecret: 'a1b2c3d4e5'": "clientSecret: '[REDACTED]'",
    "https://user:hunter2@proxy.example:8080/x": "https://user:[REDACTED]@proxy.example:8080/x",
    "postgres://u:p@ss@host/db": "postgres://u:[REDACTED]@host/db",
    "https://x.example/v1?key=abcdefghijklmnop1&alt=sse": "https://x.example/v1?key=[REDACTED]&alt=sse",
    f"signing key {HEX64}": "signing key [REDACTED]",
    f"encryption_key = {HEX64}": "encryption_key = [REDACTED]",
    "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW": "[REDACTED_HIGH_ENTROPY]",
}
HARMLESS = [
    "sk-learn and sk-learn-compatible-estimators, task-management-system-for-teams",
    "commit 447976ef4fd09b1be88b316d1a81553f1aa7cd07 (447976e)",
    f"sha256:{HEX64}",
    "sha512-z8dFf3J9wT6K4p2b7aQ1xV5rN0yU3mC8hL6jE2gS9oD4iB1kW7vX5qZ0tR3uY6nM8cP2fA9sH4lG1jK7dE5wQ==",
    "github.com/pkg/errors v0.9.1 h1:FEBLx1zS214owpjy7qsBeixbURkuhQAwrK5UwLGTwt4=",
    "123e4567-e89b-12d3-a456-426614174000",
    'password = os.environ["X"]',
    "api_key = os.getenv('API_KEY')",
    "token = get_token(1)",
    "token = tokens[0].value2",
    "password: str | None = None",
    "API_KEY=$API_KEY",
    "API_KEY=${OTHER}",
    "TOKEN=<your token>",
    "MAX_TOKENS=4096",
    "PRIMARY_KEY=1",
    '"token_type": "bearer", "key": "user_12345678"',
    "The password: it must be long. The secret = patience.",
    "src/orchestrator/formats/quorum/weights_with_history_v2/index",
    "test_a_timeout_ends_the_grandchild_too_and_leaves_no_zombie_behind_v2",
    "AbstractSingletonProxyFactoryBeanDefinitionReader2",
    "https://example.com/2024/10/31/how-to-build-a-job-queue-in-postgres-with-skip-locked",
    "http://localhost:8080/user@example.com",
    "https://user@example.com/x",
    "Bearer tokens are short-lived",
    "the line `-----BEGIN RSA PRIVATE KEY-----` starts a key",
    "数据库密码：不要写在代码里 password：环境变量",
]


@pytest.mark.parametrize(("text", "redacted"), SECRETS.items())
def test_a_secret_gets_its_mark_and_the_text_around_it_stays(text: str, redacted: str) -> None:
    assert redact(text) == (redacted, 1)
    assert redact(f"See ({text}), or `{text}`.\nEnd") == (f"See ({redacted}), or `{redacted}`.\nEnd", 2)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == (text, 0)


def test_the_words_of_an_error_stay_readable() -> None:
    key = "AIza" + "Fake0" * 7
    text, count = redact(f"401: API key not valid: {key} (x-goog-api-key: {key})")
    assert text == "401: API key not valid: [REDACTED_API_KEY] (x-goog-api-key: [REDACTED_API_KEY])"
    assert count == 2


def test_the_users_own_secrets_go_whatever_their_shape() -> None:
    secrets = secrets_of(
        {"OPENAI_API_KEY": "odd-shaped-secret-4711", "MY_Password": 'quote"d & more', "PATH": "/usr/bin:/usr/local/bin"}
    )
    text = 'key odd-shaped-secret-4711, json "quote\\"d & more", url ?p=quote%22d%20%26%20more, /usr/bin:/usr/local/bin'
    assert redact(text, secrets) == ('key [REDACTED], json "[REDACTED]", url ?p=[REDACTED], /usr/bin:/usr/local/bin', 3)


def test_an_own_secret_of_known_shape_gets_the_mark_of_its_shape() -> None:
    key = "sk-" + "Fake0" * 6
    assert redact(f"the key {key}", [key]) == ("the key [REDACTED_API_KEY]", 1)


def test_values_that_would_wreck_ordinary_text_are_not_taken_for_secrets() -> None:
    environ = {
        "POSTGRES_PASSWORD": "postgres",
        "TOKENIZERS_PARALLELISM": "disabled-2",
        "SSH_KEY_PATH": "/home/u/.ssh/id_rsa",
        "GIT_CONFIG_KEY_0": "safe.bareRepository",
        "SHORT_TOKEN": "abc",
        "KEY_NUMBER": "1234567890",
        "LANG": "en_US.UTF-8",
    }
    assert secrets_of(environ) == ()


def test_the_longest_secret_goes_first_so_that_no_rest_remains() -> None:
    secrets = secrets_of({"A_KEY": "abcd-1234", "B_KEY": "abcd-1234-efgh"})
    assert redact("abcd-1234-efgh", secrets) == ("[REDACTED]", 1)


def test_nearly_every_random_key_is_found() -> None:
    chance = random.Random(4)
    keys = ["".join(chance.choices(string.ascii_letters + string.digits, k=40)) for _ in range(500)]
    assert sum(redact(key)[1] for key in keys) > 480


PIECES = st.sampled_from(
    [
        *SECRETS,
        *HARMLESS,
        " ",
        "\n",
        '"',
        "=",
        "key",
        "KEY=",
        "token: ",
        "Bearer ",
        ".",
        "-",
        "[REDACTED]",
        "://a:",
        "@",
    ]
)


@given(st.lists(PIECES, max_size=8).map("".join))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once, _ = redact(text)
    assert redact(once) == (once, 0)


@given(st.text())
def test_any_text_can_be_redacted(text: str) -> None:
    once, count = redact(text)
    assert (count == 0) == (once == text)


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "KEY=",
        "sk-",
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
        "eyJaaaaaaaaaa.bb.",
        "://a:",
        "Bearer .",
        "token = ",
        "aA1",
        'password="',
        "KEY=\\",
        "?key=",
    ],
)
def test_a_hostile_megabyte_takes_no_longer_than_others(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    start = time.process_time()
    redact(text)
    assert time.process_time() - start < 5
