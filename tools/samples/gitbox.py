"""What does the git server of the homelab show on every attempt? Texts and calls the three attempts share."""

from __future__ import annotations

from samples.toolbox import Tool, bash

AUTH = "deploy git server: ssh authentication"
DENIED = "git@localhost: Permission denied (publickey)."
CLONE = (
    'GIT_SSH_COMMAND="sshpass -f secrets/git-password ssh -p 2222" git clone git@localhost:/srv/git/notes.git'
)
LOGIN = "sshpass -f secrets/git-password ssh -vvv -p 2222 git@localhost true"
TRACE = """debug1: Authenticating to localhost:2222 as 'git'
... [{lines} lines truncated] ...
debug1: Authentications that can continue: publickey
debug1: Trying private key: /home/sam/.ssh/id_ed25519
debug1: No more authentication methods to try.
{end}"""
SSHD = """Include /etc/ssh/sshd_config.d/*.conf
PermitRootLogin no
PasswordAuthentication {password}
PubkeyAuthentication yes
UsePAM {pam}"""
LOG = """userauth-request for user git service ssh-connection method publickey [preauth]
Failed publickey for git from 172.17.0.1 port {port} ssh2
Connection closed by authenticating user git 172.17.0.1 port {port} [preauth]"""
DOCKERFILE = """FROM homelab/base:12
RUN apt-get update && apt-get install -y --no-install-recommends git openssh-server
RUN useradd --create-home --shell {shell} git && mkdir -p /srv/git /run/sshd
COPY entry.sh /entry.sh
EXPOSE 22
CMD ["/entry.sh"]"""
SERVE = "exec /usr/sbin/sshd -D -E /var/log/sshd.log"
ALLOW = f"sed -i 's/^PasswordAuthentication.*/PasswordAuthentication yes/' /etc/ssh/sshd_config\n{SERVE}"
ENTRY = f"""#!/bin/sh
set -e
echo "git:$(cat /run/secrets/git-password)" | chpasswd
{SERVE}"""
BUILT = """#6 [2/5] RUN apt-get update && apt-get install -y --no-install-recommends git openssh-server
... [{lines} lines truncated] ...
#9 [5/5] COPY entry.sh /entry.sh
#10 naming to gitbox:{tag} done"""


def clone(seconds: float = 14.2, into: str = "/tmp/check") -> Tool:
    """The acceptance check: it fails on every attempt."""
    out = f"Cloning into '{into}'...\n{DENIED}\nfatal: Could not read from remote repository."
    return bash(f"{CLONE} {into}", "Clone as a user would", out, seconds, code=128)


def login(lines: int, seconds: float, bulk: int, options: str = "") -> Tool:
    """A verbose login that fails."""
    command = LOGIN.replace("-p 2222", f"{options} -p 2222") if options else LOGIN
    out = TRACE.format(lines=lines, end=DENIED)
    return bash(command, "Log in with the trace on", out, seconds, code=255, bulk=bulk)


def inside(command: str, about: str, out: str = "", seconds: float = 0.6, *, bulk: int = 0) -> Tool:
    """A command in the container."""
    return bash(f"docker exec gitbox {command}", about, out, seconds, bulk=bulk)


def config(password: str = "yes", pam: str = "yes", bulk: int = 900) -> Tool:
    """A look at the server's main configuration file; the drop-in that overrides it is never opened."""
    out = SSHD.format(password=password, pam=pam)
    return inside("cat /etc/ssh/sshd_config", "Show the server's configuration", out, bulk=bulk)


def log(port: int, bulk: int = 1_400) -> Tool:
    """A look at the end of the server's log."""
    return inside("tail -n 60 /var/log/sshd.log", "Show the server's log", LOG.format(port=port), bulk=bulk)


def built(tag: str, lines: int, seconds: float, bulk: int) -> Tool:
    """A build of the image."""
    out = BUILT.format(lines=lines, tag=tag)
    return bash(f"docker build -t gitbox:{tag} git/", "Build the image", out, seconds, bulk=bulk)


def started(tag: str) -> Tool:
    """The house's playbook puts a container of the image in place."""
    command = f"ansible-playbook site.yml --tags git --extra-vars image=gitbox:{tag}"
    out = (
        "TASK [git : run container gitbox on port 2222] changed\nlocalhost : ok=6    changed=2   "
        " unreachable=0    failed=0"
    )
    return bash(command, "Deploy the container", out, 9.4)
