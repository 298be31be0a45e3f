"""What happened in the web client? A build tool upgraded over two major versions."""

from __future__ import annotations

from samples.ledger import Ledger
from samples.session import Session, opened
from samples.toolbox import bash, edit, read, search_web, steered

PACKAGE = """  "scripts": { "dev": "vite", "build": "tsc -b && vite build", "test": "vitest run" },
  "devDependencies": {
    "@vitejs/plugin-react": "^4.3.1",
    "typescript": "~5.5.4",
    "vite": "^5.4.2",
    "vitest": "^2.0.5"
  }"""
LINKS = [
    ("Migration from v6", "https://vite.dev/guide/migration"),
    ("Vitest migration guide", "https://vitest.dev/guide/migration"),
]
DIGEST = (
    "Version 7 needs Node 20.19 or later, drops the legacy Sass API and splitVendorChunkPlugin, and targets "
    "baseline-widely-available browsers by default."
)


def upgrade(ledger: Ledger) -> list[Session]:
    """7 October: search, install, two breakages, green; the user adds a wish while the install runs."""
    s = opened(ledger, 4, "web-ui", "2026-10-07T12:20:09+00:00", life="5m")
    s.prompt("Upgrade vite from 5 to 7 and vitest along with it. Everything has to stay green.")
    s.call(
        None,
        read(s.path("package.json"), PACKAGE, start=8),
        bash("node --version", "Check node", "v20.19.4", 0.2),
    )
    s.call(
        "Two major versions, so I'll look for what breaks.",
        search_web("vite 7 migration breaking changes", LINKS, DIGEST, 7.4, bulk=2_300),
    )
    s.call(
        None,
        steered(
            bash(
                "npm install -D vite@7 vitest@3 @vitejs/plugin-react@5",
                "Upgrade the packages",
                "added 31 packages, removed 48 packages, changed 27 packages in 36s",
                37.2,
            ),
            14.0,
            "and pin node 20.19 in the CI workflow while you're at it",
        ),
    )
    _repair(s)
    s.say("vite 7.1.9 and vitest 3 are in, build and 148 tests pass, and CI uses Node 20.19.", think=40)
    return [s]


def _repair(s: Session) -> None:
    failure = (
        "vite.config.ts(3,10): error TS2305: Module '\"vite\"' has no exported member"
        " 'splitVendorChunkPlugin'.\nnpm error code 2"
    )
    s.call(
        "Installed. I'll pin Node in CI as well.",
        bash("npm run build", "Build", failure, 11.8, code=2),
        edit(s.path(".github/workflows/ci.yml"), "node-version: 20", "node-version: 20.19", line=17),
    )
    s.call(None, read(s.path("vite.config.ts"), 'import { splitVendorChunkPlugin } from "vite";', start=3))
    s.call(
        "The plugin is gone; a manual chunk does the same.",
        edit(
            s.path("vite.config.ts"),
            "plugins: [react(), splitVendorChunkPlugin()],",
            'plugins: [react()],\n  build: { rollupOptions: { output: { manualChunks: { vendor: ["react"] } }'
            " } },",
            line=9,
        ),
        edit(
            s.path("vite.config.ts"),
            'import { defineConfig, splitVendorChunkPlugin } from "vite";',
            'import { defineConfig } from "vite";',
            line=3,
        ),
        think=150,
    )
    s.call(
        None,
        bash("npm run build", "Build again", "vite v7.1.9 building for production...\nbuilt in 4.87s", 12.4),
    )
    s.call(
        None, bash("npm test", "Run the tests", "Test Files  23 passed (23)\nTests  148 passed (148)", 19.6)
    )
