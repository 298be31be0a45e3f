"""Do paths get their role, outputs their error class, and operations both?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.signals.enrich import enrich
from tracelode.signals.failures import error_class, error_class_alone
from tracelode.signals.lexicon import load
from tracelode.signals.paths import OTHER, path_role, strip_home

LEXICON = load()

ROLES = {
    "tests": """tests/a.py test/a.py src/__tests__/a.ts spec/a.rb pkg/testdata/a.json fixtures/a.json
        fixture/a e2e/a.ts src/test_a.py src/a_test.go src/a.test.ts src/a.spec.ts conftest.py
        tests/README.md""",
    "dependencies": """package.json package-lock.json requirements.txt requirements-dev.txt pyproject.toml
        go.mod go.sum Cargo.toml Cargo.lock poetry.lock uv.lock pnpm-lock.yaml yarn.lock Gemfile Gemfile.lock
        environment.yml environment.yaml setup.py setup.cfg pom.xml sub/package.json composer.json Pipfile""",
    "ci": ".github/workflows/a.yml .gitlab-ci.yml .circleci/config.yml Jenkinsfile azure-pipelines.yml",
    "build file": """Makefile CMakeLists.txt Dockerfile Dockerfile.dev docker-compose.yml justfile mise.toml
        Taskfile.yml meson.build BUILD .goreleaser.yaml webpack.config.js vite.config.ts tsconfig.json
        tsconfig.base.json dune dune-project""",
    "plan": "plans/a.md plan.md PLAN.md specs/a.md prd/a.md rfc/1.md todo.md roadmap.md .claude/plans/a-b.md",
    "docs": "docs/a.html doc/a.txt wiki/a README README.md LICENSE CHANGELOG a.md a.rst a.adoc guide.mdx",
    "config": """settings.json config.json vercel.json plugin.json marketplace.json launch.json tasks.json
        manifest.json hooks.json biome.json turbo.json nx.json babel.json jest.config.json .eslintrc.json
        .prettierrc.json a.jsonc a.yml a.yaml a.toml a.ini a.cfg a.conf a.env a.properties a.service a.tf
        etc/app.d/a app_config.py .env.local .gitignore""",
    "logs": "a.log a.out logs/a log/a worker.output",
    "notebook": "a.ipynb",
    "data": """a.csv a.tsv a.json a.jsonl a.parquet a.db a.sqlite a.sqlite3 a.npy a.npz a.pkl a.arrow a.xml
        a.xls a.xlsx a.h5 a.pt a.pth""",
    "media": "a.png a.jpg a.jpeg a.gif a.svg a.mp4 a.mp3 a.wav a.pdf a.ppm",
    "archive": "a.zip a.tar a.gz a.tgz a.7z a.xz a.bz2 a.whl a.deb",
    "web page": "a.html a.htm a.css a.scss a.vue a.svelte",
    "script": "a.sh a.bash a.ps1 a.R a.pl scripts/a script/a bin/a hack/a tools/a",
    "code": """a.py a.js a.ts a.tsx a.jsx a.go a.rs a.c a.h a.cpp a.cc a.hpp a.java a.rb a.php a.ml a.mli
        a.f90 a.pyx a.stan a.scala a.kt a.swift a.lua a.sql a.cs a.m a.asm a.s a.scm a.lisp a.red
        src lib/core""",
    OTHER: "a notes a.unknown some/dir",
}
ROLE_ROWS = [(role, path) for role, text in ROLES.items() for path in text.split()]


@pytest.mark.parametrize(("role", "path"), ROLE_ROWS, ids=[path for _, path in ROLE_ROWS])
def test_a_path_has_its_role(role: str, path: str) -> None:
    assert path_role(path) == role
    assert path_role("deep/er/" + path) == role


def test_every_role_has_rows() -> None:
    assert set(LEXICON.role_names) | {OTHER} == set(ROLES)


HOMES = [
    "/home/{}/",
    "/Users/{}/",
    "C:\\Users\\{}\\",
    "c:/Users/{}/",
    "/c/Users/{}/",
    "/mnt/c/Users/{}/",
    "~/",
    "/root/",
    "/tmp/",
]


@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("user", ["docs", "tests", "config", "ann"])
def test_a_users_name_is_no_role(home: str, user: str) -> None:
    prefix = home.format(user)
    slash = "\\" if "\\" in home else "/"
    assert path_role(f"{prefix}app{slash}main.py") == "code"
    assert path_role(f"{prefix}app{slash}docs{slash}a") == "docs"
    assert user not in strip_home(f"{prefix}app{slash}main.py")


def test_a_folder_slug_loses_its_user() -> None:
    assert strip_home("~/.claude/projects/-Users-docs-app/a.jsonl") == ".claude/projects/app/a.jsonl"


def test_a_folder_called_home_inside_a_project_stays() -> None:
    assert strip_home("app/home/ann/a.py") == "app/home/ann/a.py"
    assert strip_home("/opt/maze/a.py") == "/opt/maze/a.py"


ERRORS = {
    "import error": [
        "ModuleNotFoundError: No module named 'a'",
        "ImportError: cannot import name b",
        "Error: Cannot find module './a'",
        'a.go:3: cannot find package "b"',
    ],
    "syntax error": [
        "SyntaxError: invalid syntax",
        "IndentationError: unexpected indent",
        "unexpected token '}'",
        "parse error near x",
        "bash: syntax error near `done'",
    ],
    "compile error": [
        "a.o: undefined reference to `b'",
        "a.c:1: fatal error: b.h: not there",
        "error[E0382]: borrow of moved value",
        "A.java:3: error: cannot find symbol",
        "a.go:3:5: undefined: b",
        "make: *** [all] Error 2",
        "compilation terminated.",
        "a.ts(1,2): error TS2304: name",
    ],
    "test failure": [
        "AssertionError: 1 != 2",
        "===== FAILURES =====",
        "--- FAIL: TestA (0.00s)",
        "2 failed, 3 passed in 0.1s",
        "FAILED (errors=1)",
        "Tests run: 3, failures=1",
        "Tests: 1 failed, 2 passed",
    ],
    "authentication error": [
        "401 Unauthorized",
        "HTTP 403",
        "The requested URL returned error: 403",
        "HTTP/1.1 401",
        "status code 401",
        "git@host: Permission denied (publickey).",
        "fatal: Authentication failed for 'https://example.org/'",
        "fatal: could not read Username for 'https://example.org'",
    ],
    "permission error": [
        "bash: ./a.sh: Permission denied",
        "mkdir: permission denied",
        "Error: EACCES: a",
        "Operation not permitted",
    ],
    "missing command": ["bash: frob: command not found", "'frob' is not recognized as an internal command"],
    "missing file": [
        "ls: a: No such file or directory",
        "FileNotFoundError: a",
        "Error: ENOENT: a",
        "File does not exist.",
    ],
    "network error": [
        "connect: Connection refused",
        "Could not resolve host: example.org",
        "connect ECONNREFUSED ::1",
        "Temporary failure in name resolution",
        "Connection reset by peer",
        "HTTP 404",
        "HTTP 503",
    ],
    "timeout": ["Command timed out after 2m", "Timeout waiting for lock", "TIMED OUT"],
    "type error": ["TypeError: a", "AttributeError: b", "NameError: c"],
    "value error": ["ValueError: a", "KeyError: 'b'", "IndexError: c"],
    "dependency conflict": [
        "ERROR: ResolutionImpossible",
        "these have conflicting dependencies",
        "UnsatisfiableError: a",
        "npm ERR! code ERESOLVE",
    ],
    "memory error": ["MemoryError", "java.lang.OutOfMemory", "Killed", "CUDA out of memory"],
}
ERROR_ROWS = [(name, text) for name, texts in ERRORS.items() for text in texts]


@pytest.mark.parametrize(("name", "text"), ERROR_ROWS, ids=[text for _, text in ERROR_ROWS])
def test_an_output_has_its_error_class(name: str, text: str) -> None:
    assert error_class(text) == name


def test_every_error_class_has_rows() -> None:
    assert set(LEXICON.error_classes) == set(ERRORS)


def test_authentication_comes_before_permission() -> None:
    order = list(LEXICON.error_classes)
    assert order.index("authentication error") < order.index("permission error")


def test_the_first_class_of_the_list_wins_wherever_it_stands() -> None:
    assert error_class("ValueError: a\nModuleNotFoundError: b") == "import error"


@pytest.mark.parametrize(
    "text",
    ["ok", "", "5 passed, 0 failed", "12 tests, 0 failures", "line 4013 of 9401", "all done in 1.401 s"],
)
def test_a_good_output_has_no_class(text: str) -> None:
    assert error_class(text) is None


def test_only_the_head_of_an_output_is_read() -> None:
    assert error_class("x" * 1_480 + " KeyError: a") == "value error"
    assert error_class("x" * 1_500 + " KeyError: a") is None


@given(st.text(max_size=200))
def test_no_output_breaks_the_classes(text: str) -> None:
    assert error_class(text) in (None, *LEXICON.error_classes)


def test_lone_surrogates_are_text() -> None:
    assert error_class("\ud800 KeyError") == "value error"
    assert path_role("\ud800/a.py") == "code"


@pytest.mark.parametrize(
    "text",
    ["see timeout=30", "tests/test_ValueError.py::test_x PASSED", "handles KeyError well", "403 items"],
)
def test_a_mere_word_is_no_failure_where_the_record_says_ok(text: str) -> None:
    assert error_class_alone(text) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("=== 2 failed, 1 passed ===", "test failure"),
        ("Traceback\nValueError: bad", "value error"),
        ("sh: 1: frob: command not found", "missing command"),
        ("make: *** [all] Error 1", "compile error"),
        ("curl: (7) Failed to connect to localhost port 80", "network error"),
        ("remote: HTTP/2 403", "authentication error"),
    ],
)
def test_a_pipe_that_hid_the_exit_code_hides_no_failure(text: str, name: str) -> None:
    assert error_class_alone(text) == name


def test_the_stricter_form_never_sees_what_the_wider_one_does_not() -> None:
    for _, text in ERROR_ROWS:
        assert error_class_alone(text) is None or error_class(text) is not None


ENRICHED = [
    ({"tool": "Read", "path": "docs/a.md"}, "ok", "", {"verb": "explore", "path_role": "docs"}),
    ({"tool": "Bash", "command": "cat src/a.py"}, "ok", "", {"verb": "explore", "path_role": "code"}),
    (
        {"tool": "Bash", "command": "sed -i s/a/b/ conf/a.yml"},
        "ok",
        "",
        {"verb": "edit", "path_role": "config"},
    ),
    (
        {"tool": "Bash", "command": "grep -n src/x.py a.csv"},
        "ok",
        "",
        {"verb": "search", "path_role": "data"},
    ),
    (
        {"tool": "Bash", "command": "cat <<E > t/a.sh\nls\nE"},
        "ok",
        "",
        {"verb": "create", "path_role": "script"},
    ),
    ({"tool": "Bash", "command": "pytest -q"}, "ok", "1 failed", {"verb": "test", "error": "test failure"}),
    (
        {"tool": "Bash", "command": "pytest -q"},
        "nonzero",
        "KeyError",
        {"verb": "test", "error": "value error"},
    ),
    (
        {"tool": "Bash", "command": "cat a.log"},
        "ok",
        "ValueError: a",
        {"verb": "explore", "path_role": "logs"},
    ),
    (
        {"tool": "Read", "path": "a.py"},
        "error",
        "File does not exist.",
        {"verb": "explore", "path_role": "code", "error": "missing file"},
    ),
    ({"tool": "Bash", "command": "make"}, "denied", "make: *** no", {"verb": "build"}),
    ({"tool": "Bash", "command": "make"}, "error", "it broke", {"verb": "build"}),
]


@pytest.mark.parametrize(("fields", "status", "output", "added"), ENRICHED)
def test_operations_are_enriched(
    fields: dict[str, str], status: str, output: str, added: dict[str, str]
) -> None:
    result = dict(fields)
    enrich(result, kind="tool", status=status, output=output)
    assert result == fields | added


@pytest.mark.parametrize("kind", ["prompt", "model", "note", "process", "file", "network"])
def test_other_kinds_are_left_alone(kind: str) -> None:
    fields = {"tool": "Read", "path": "a.py"}
    enrich(fields, kind=kind, status="error", output="KeyError")
    assert fields == {"tool": "Read", "path": "a.py"}


def test_what_is_known_stays() -> None:
    fields = {"tool": "Read", "verb": "test", "path_role": "docs", "path": "a.py", "error": "timeout"}
    before = dict(fields)
    enrich(fields, kind="tool", status="error", output="KeyError")
    assert fields == before


def test_a_result_that_comes_later_adds_its_class() -> None:
    fields = {"tool": "Bash", "command": "pytest"}
    enrich(fields, kind="tool", status="running")
    enrich(fields, kind="tool", status="nonzero", output="2 failed")
    assert fields["error"] == "test failure"


def test_the_name_stands_in_for_the_tool() -> None:
    fields: dict[str, str] = {}
    enrich(fields, kind="tool", status="ok", name="Grep")
    assert fields == {"verb": "search"}
