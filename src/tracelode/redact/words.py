"""Which words tell a secret from what is said about one? Closed lists, data only."""

from __future__ import annotations

from typing import Final


def words(text: str) -> frozenset[str]:
    """A closed list.

    Args:
        text: n words, blanks between.

    Returns:
        The words.
    """
    return frozenset(text.split())


ACCOUNTS: Final = words(
    "account admin amqp ansible api app auth backup become bind bot broker cert client config connection "
    "cpanel database db default desktop dev device docker elastic email enable es ftp git guest host http "
    "https imap influx ipmi jdbc jenkins jks kafka key keyring keystore ldap login mail mailer manager "
    "master mongo mongodb mqtt ms mssql my mysql nexus oracle os pdf pfx pg pgsql php pool pop3 postgres "
    "postgresql prod proxy rabbit rabbitmq rdp redis registry repl repo root router rpc samba sasl secret "
    "server service sftp site smb smtp socks sql ssh ssl staging store su sudo svc sys system tls "
    "truststore user usr vault vm vnc vpn web webdav wifi winrm wlan wordpress wp wpa zip"
)
"""Who or what has a password: words before `pass` and `pw`."""
STEPS: Final = words(
    "all analysis backward band base blit bloom blur by clear color compile compiler composite compute "
    "cull current deferred depth did each early effect emit even extra fail fast final first forward full "
    "func function gbuffer geometry graph high hot if initial last late ldr light lighting lint low lower "
    "lowering main min module multi next nightly no num one onnx opaque opt optimization optimizer "
    "optimizing per picking post pre prev previous quality raster reload render rewrite scene second "
    "shader shadow should single skip skybox ssao ssr static step sub subpass test tests third to total "
    "transform translucent transparent two type under validation will z"
)
"""What passes are made of: words before `pass` that make it no password."""
NO_PASSWORD: Final = words(
    "askpass bandpass bypass compass encompass firstpass highpass lowpass multipass onepass overpass "
    "postpass prepass renderpass secondpass singlepass subpass surpass testpass trespass twopass "
    "underpass"
)
"""Words that end in `pass` and are none."""
OUTCOMES: Final = words(
    "actual always criteria expected failure false index isequal matches number object partial passed "
    "pending received rejected result results skipped status string succeeded success undefined"
)
"""What `pass:` is set to in code and reports."""
STATES: Final = words(
    "about above absent again alone alphanumeric always available been below better bound broken built "
    "case chosen clear common compromised correct default different done easy either elsewhere empty "
    "encrypted enough exactly exposed false fine first forgotten found given going gone hardcoded hashed "
    "held hidden identical important inside intact kept known later left likely local longer lost made "
    "mandatory maybe meant met missing mixed needed neither never nothing obsolete obvious often okay "
    "older online optional other paid plain plaintext present private public put random read ready really "
    "right safe said same saved secret secure sensitive sent short shown simple simply sold something "
    "spent still stolen stood strong stronger supposed sure taken temporary there therefore though "
    "thought three today together told unchanged undefined under understood unique unknown unset until "
    "used useless valid visible weak weaker whatever where without won working written wrong yours"
)
"""What a password is said to be besides itself, as far as endings do not tell."""
SPOKEN: Final = words(
    "after again before command commands credentials endpoint error errors failed failing fails first "
    "flow flows handler help helper instead method methods option page prompt screen session succeeded "
    "support works"
)
"""What follows the name of a command in sentences: `the vault login page`."""
