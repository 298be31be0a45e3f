"""What did three attempts at one deployment do? A git server with a password, lost each time at SSH."""

from __future__ import annotations

from samples.gitbox import (
    ALLOW,
    AUTH,
    DENIED,
    DOCKERFILE,
    ENTRY,
    SERVE,
    built,
    clone,
    config,
    inside,
    log,
    login,
    started,
)
from samples.ledger import OPUS, SONNET, Ledger
from samples.session import Session, opened
from samples.toolbox import bash, glob, grep, interrupted, read, search_web, write

README = """# homelab
Services of the house, one folder each: a Dockerfile and an entry script. site.yml deploys them.
`base/` is the image everything starts from; docs/hardening.md says what it locks down.
Secrets lie in secrets/ and are mounted, never copied."""
HARDENING = """# What the base image locks down
The base image follows the lab's checklist: no root login, no core dumps,
no empty passwords, a short list of ciphers, logs to stderr.
Services may relax a rule in their own folder and say why."""
PASSWORD = "-o PreferredAuthentications=password"
LISTED = """-rw-r--r-- 1 root root 3296 sshd_config
drwxr-xr-x 2 root root 4096 sshd_config.d
-rw------- 1 root root 411 ssh_host_ed25519_key"""
FINAL = """I did not get past it within this session.

State: the container runs, the repository is there, pushing and cloning inside the container works.
Not done: login as git with the password, which still ends in `Permission denied (publickey)`."""


def first(ledger: Ledger) -> list[Session]:
    """Attempt of 5 October: openssh in a container, then keys, then the configuration again."""
    s = opened(ledger, 2, "homelab", "2026-10-05T17:06:11+00:00", model=OPUS, base=17_900)
    s.prompt(
        "Deploy a git server on this machine: a container the family can clone from and push to over ssh on "
        "port 2222, as user git, with the password in secrets/git-password. First repository: notes. It is "
        "done when a clone from this machine asks for the password and works."
    )
    _first_setup(s)
    _first_start(s)
    with s.step(AUTH):
        _first_circle(s)
    s.say(
        "I have to stop here with a partial result. The server runs on port 2222 and /srv/git/notes.git"
        f" exists, but every login as git still ends in `{DENIED}`, with the password and with a key.",
        think=420,
    )
    s.prompt("Then leave it for today. I'll try again with a clean start.", after=141)
    s.say("All right. git/ holds the Dockerfile and entry script as they are; nothing is committed.")
    return [s]


def _first_setup(s: Session) -> None:
    s.call(
        "I'll look at how the other services are laid out first.",
        bash(
            "ls && cat README.md",
            "Show the repository",
            f"README.md base docs git media secrets site.yml\n{README}",
        ),
        bash("docker version --format '{{.Server.Version}}'", "Check docker", "27.3.1", 0.4),
        think=160,
    )
    s.call(
        None,
        read(s.path("docs/hardening.md"), HARDENING, total=168, bulk=5_900),
        read(s.path("media/Dockerfile"), "FROM homelab/base:12\n# ...", total=64, bulk=1_900),
    )
    s.call(
        None,
        search_web(
            "minimal git server docker openssh password login",
            [
                ("Git on the Server - Setting Up the Server", "https://git-scm.com/book/en/v2"),
                ("sshd_config(5)", "https://man.openbsd.org/sshd_config"),
            ],
            "A bare repository, a git user with git-shell or a normal shell, and an sshd are enough.",
            6.8,
            bulk=4_200,
        ),
    )


def _first_start(s: Session) -> None:
    s.call(
        "Simple enough: a git user, a bare repository, sshd in the foreground.",
        write(s.path("git/Dockerfile"), DOCKERFILE.format(shell="/bin/bash")),
        write(s.path("git/entry.sh"), ENTRY),
        think=380,
    )
    s.call(None, built("1", 612, 71.5, 8_700))
    s.call(None, started("1"))
    s.call(
        None,
        inside(
            "su git -c 'git init --bare /srv/git/notes.git'",
            "Create the repository",
            "Initialized empty Git repository in /srv/git/notes.git/",
        ),
        bash(
            "docker inspect gitbox",
            "Show the container",
            '[{"State": {"Running": true}, ...',
            0.3,
            bulk=6_400,
        ),
    )


def _first_circle(s: Session) -> None:
    s.call("Now the check from the outside.", clone())
    s.call("Refused before it asks for a password. With the trace on:", login(188, 17.6, 6_100), think=240)
    s.call(None, login(176, 19.2, 5_600, PASSWORD), think=160)
    s.call(None, login(203, 21.4, 6_600, "-i ~/.ssh/id_ed25519"), think=220)
    s.call("No method gets through, so it is the server.", config(password="no"), log(40112), think=210)
    s.call(
        "PasswordAuthentication is off in sshd_config. I'll check the account before I turn it on.",
        inside("grep '^git:' /etc/passwd", "Show the account", "git:x:1001:1001::/home/git:/bin/bash"),
        inside(
            "ls -la /home/git",
            "Show its home",
            "drwxr-xr-x 2 git git 4096 .\n-rw-r--r-- 1 git git 3526 .bashrc",
        ),
        think=300,
    )
    s.call(None, log(40131), think=150)
    s.call(
        None,
        inside(
            "sed -i 's/^PasswordAuthentication no/PasswordAuthentication yes/' /etc/ssh/sshd_config"
            " && docker restart gitbox",
            "Allow passwords and restart",
            "gitbox",
            11.8,
        ),
        think=190,
    )
    s.call(None, login(188, 18.8, 6_100), think=260)
    s.call(
        "Same answer, although the file says yes now.",
        config(),
        log(40140),
        inside("ls -la /etc/ssh", "List the server's files", LISTED),
        think=520,
        thought="The file says yes and the server offers publickey only. Did it read another file?",
    )


def second(ledger: Ledger) -> list[Session]:
    """Attempt of 8 October: a clean start with git-shell and PAM; the user sees the same refusal."""
    s = opened(ledger, 5, "homelab", "2026-10-08T18:22:40+00:00", model=OPUS, base=17_900)
    s.prompt(
        "Deploy the git server again, from a clean start: user git, password in secrets/git-password, port"
        " 2222, repository notes. Monday's attempt ended in Permission denied (publickey). Don't patch it, do"
        " it properly."
    )
    _second_setup(s)
    with s.step(AUTH):
        _second_circle(s)
        s.say(
            "The account and PAM look right, and the login is still refused with the same message.",
            think=260,
        )
        s.prompt(
            "Same for me: Permission denied (publickey). I need the password to work, not a key.", after=204
        )
        _second_again(s)
    s.say(f"I could not finish this. {FINAL}", think=330)
    return [s]


def _second_setup(s: Session) -> None:
    s.call(
        "I'll start from the hardening notes this time, then write the service anew.",
        read(s.path("docs/hardening.md"), HARDENING, total=168, bulk=5_900),
        read(s.path("git/Dockerfile"), DOCKERFILE.format(shell="/bin/bash")),
        think=210,
    )
    s.call(
        None,
        bash(
            "docker history --no-trunc homelab/base:12",
            "Show the layers of the base image",
            "IMAGE CREATED BY\n... [96 lines truncated] ...",
            0.5,
            bulk=7_900,
        ),
        glob("git/**", [s.path("git/Dockerfile"), s.path("git/entry.sh")]),
    )
    s.call(
        "git-shell keeps users away from a prompt and needs no key set-up.",
        write(s.path("git/Dockerfile"), DOCKERFILE.format(shell="/usr/bin/git-shell")),
        write(s.path("git/entry.sh"), ENTRY.replace(SERVE, ALLOW)),
        think=450,
    )
    s.call(None, built("3", 598, 66.0, 8_500))
    s.call(None, started("3"))
    s.call(
        None,
        bash(
            "docker inspect gitbox",
            "Show the container",
            '[{"State": {"Running": true}, ...',
            0.3,
            bulk=6_300,
        ),
    )


def _second_circle(s: Session) -> None:
    s.call("Up. Now the clone.", clone())
    s.call(None, login(191, 18.3, 6_300), think=150)
    s.call(None, login(176, 16.9, 5_700, PASSWORD), think=170)
    s.call(None, login(179, 17.7, 5_700, "-o KbdInteractiveAuthentication=yes"), think=120)
    s.call("Every way in is refused. Configuration and log:", config(), log(51820), think=280)
    s.call(
        "The file allows passwords, so I suspect PAM.",
        inside(
            "cat /etc/pam.d/sshd",
            "Show PAM",
            "@include common-auth\naccount required pam_nologin.so\n@include common-account",
            bulk=1_100,
        ),
        think=470,
    )
    s.call(
        None,
        inside("cat /etc/shells", "List valid shells", "/bin/sh\n/bin/bash"),
        log(51877, 2_600),
        think=560,
    )
    s.call(
        None,
        inside(
            "sed -i 's/^UsePAM yes/UsePAM no/' /etc/ssh/sshd_config && docker restart gitbox",
            "Turn PAM off and restart",
            "gitbox",
            11.3,
        ),
        think=220,
    )
    s.call(None, login(191, 18.9, 6_300), think=170)


def _second_again(s: Session) -> None:
    s.call(
        "I'll go through the configuration and the log once more.",
        config(pam="no"),
        log(51903, 2_600),
        inside(
            "grep '^git:' /etc/passwd", "Show the account", "git:x:1001:1001::/home/git:/usr/bin/git-shell"
        ),
        think=640,
    )
    s.call(None, clone(13.1), think=90)


def third(ledger: Ledger) -> list[Session]:
    """Attempt of 12 October: another model, other options, the same wall; the user breaks off."""
    s = opened(ledger, 7, "homelab", "2026-10-12T18:40:02+00:00", model=SONNET, base=17_900)
    s.prompt(
        "Deploy the git server, third attempt. Wanted: clone over ssh on port 2222 as git with the password"
        " from secrets/git-password. Two attempts got stuck at Permission denied (publickey). What is in git/"
        " may stay."
    )
    _third_setup(s)
    with s.step(AUTH):
        _third_circle(s)
        s.call(
            "One more run with only the password method allowed.",
            interrupted(login(0, 0, 0, "-o PubkeyAuthentication=no"), 47.0),
            think=120,
        )
    s.break_off()
    s.prompt("Stop. This is the third evening at the same line. I'll look at it myself.", after=9)
    s.say(
        "Understood. Every attempt reached a running server and a repository, and every one failed at the"
        f" login: `{DENIED}`. The server never offers the password method, whatever /etc/ssh/sshd_config"
        " says.",
        think=140,
    )
    return [s]


def _third_setup(s: Session) -> None:
    s.call(
        None,
        read(s.path("git/Dockerfile"), DOCKERFILE.format(shell="/usr/bin/git-shell")),
        read(s.path("docs/hardening.md"), HARDENING, total=168, bulk=5_900),
        think=120,
    )
    s.call(
        "The image looks fine. I'll rebuild it without the cache and start it.", built("4", 633, 92.4, 9_100)
    )
    s.call(None, started("4"))
    s.call(
        None,
        bash(
            "docker inspect gitbox",
            "Show the container",
            '[{"State": {"Running": true}, ...',
            0.3,
            bulk=6_400,
        ),
    )
    s.call(
        None,
        bash(
            "docker diff gitbox",
            "List changed files",
            "C /etc\nC /etc/shadow\n... [240 lines truncated] ...",
            0.7,
            bulk=6_900,
        ),
    )


def _third_circle(s: Session) -> None:
    s.call("Reproduce first.", clone(14.9))
    s.call(None, login(194, 20.7, 6_400), think=240)
    s.call(
        "Maybe the client never offers a password. I'll force it.",
        login(176, 15.8, 5_900, PASSWORD),
        think=330,
    )
    s.call(None, login(194, 18.8, 6_400, "-o IdentitiesOnly=yes"), think=160)
    s.call(None, log(60210, 2_300), config(), think=240)
    s.call(
        None,
        grep(
            "sshd|passwd",
            s.path("git"),
            'git/entry.sh:3:echo "git:$(cat /run/secrets/git-password)" | chpasswd',
        ),
        log(60244, 2_300),
        think=280,
    )
    s.call(None, inside("ls -la /etc/ssh", "List the server's files", LISTED), think=410)
    s.call(
        None,
        inside(
            "sed -i 's/^#*StrictModes.*/StrictModes no/' /etc/ssh/sshd_config && docker restart gitbox",
            "Relax the mode check and restart",
            "gitbox",
            10.9,
        ),
        think=150,
    )
    s.call(None, login(194, 18.8, 6_400), think=210)
    s.call("Unchanged again. Back to the configuration and the log.", config(), log(60333, 2_300), think=520)
