"""Which commands are there? The cyclopts app; each command's module is imported when it is called."""

from __future__ import annotations

from cyclopts import App, Parameter

from tracelode import __version__
from tracelode.cli.summary import summary

COMMANDS: tuple[tuple[str, str, str, str], ...] = (
    ("Start", "demo", "demo:demo", "The same screen on bundled sample sessions."),
    ("Start", "import", "import_:import_", "Read traces: files, folders, or the local history."),
    ("Start", "record", "record:record", "Run a command; write down what it does below itself."),
    ("Look", "sessions", "sessions:sessions", "List sessions, newest first."),
    ("Look", "show", "show:show", "One session's operations, or one operation (SESSION#N)."),
    ("Look", "report", "report:report", "The main findings as one page to send (--share)."),
    ("Profile", "top", "top:top", "Largest stacks by cost, tokens, time or any measure."),
    ("Profile", "tree", "tree:tree", "The stacks as an indented tree."),
    ("Profile", "peek", "peek:peek", "Callers and callees of the frames that match REGEX."),
    ("Profile", "flame", "flame:flame", "Flame graph: in the terminal, or as a file (-o)."),
    ("Profile", "diff", "diff:diff", "Where two sets of sessions differ, as failed and succeeded."),
    ("Profile", "compare", "compare:compare", "Did a change pay? Paired effect, and a quality gate."),
    ("Profile", "export", "export:export", "Write a profile: pprof, folded, speedscope, CSV, ..."),
    ("Profile", "rank", "rank:rank", "Which operations to look at first, and why."),
    ("Profile", "guide", "guide:guide", "Which few groups to read, within a token budget."),
    ("Profile", "loops", "loops:loops", "Actions that came again with the same result."),
    ("Profile", "segment", "segment:segment", "How sessions are cut into stretches of work."),
    ("Profile", "annotate", "annotate:annotate", "Marks of people and agents: export, import, review."),
    ("Profile", "rename", "rename:rename", "What segments are called after; name all of them anew."),
    ("Compile", "intents", "intents:intents", "Which runs ask for the same thing."),
    ("Compile", "compile", "compile:compile_", "Make a workflow of an intent, with proof, or refuse."),
    ("Compile", "explain", "explain:explain", "The proof of an edge, down to file and line."),
    ("Compile", "verify", "verify:verify", "Does a workflow hold? Runs left out, other orders."),
    ("Compile", "run", "run_workflow:run_workflow", "Run a workflow; it asks before it writes."),
    ("Plan", "plan", "plan:plan", "How people and agents plan: check, metrics, timeline."),
    ("Plan", "watch", "watch:watch", "Follow a folder of plan events; tell which rules fire."),
    ("Trust", "audit", "audit:audit", "Which lines of which files make a number."),
    ("Trust", "doctor", "doctor:doctor", "What was found, skipped, missing; how exact it is."),
    ("Trust", "outcome", "outcome:outcome", "Say how sessions ended: set one, or import many."),
    ("Trust", "redact", "redact:redact", "Rewrite recorded files under a profile; ids stay."),
    ("Trust", "gc", "gc:gc", "Delete what is over by retention, or forget sessions."),
    ("Trust", "access", "access:access", "Who may see a store, and who did."),
    ("Shell", "completion", "completion:completion", "Print or install shell completion."),
)
"""Group, name, where the function is, one line of help."""


def build() -> App:
    """The app with every command.

    Returns:
        A new App; no command's module is imported but the bare command's.
    """
    app = App(
        name="tracelode",
        help="Where do the tokens, the money and the time of your agents go, by kind of work?",
        version=f"tracelode {__version__}",
        help_format="plaintext",
        default_command=summary,
        default_parameter=Parameter(negative=(), show_default=False),
    )
    for group, name, place, text in COMMANDS:
        module, _, function = place.partition(":")
        app.command(
            f"tracelode.cli.{module}:{function}", name=name, help=text, group=group, help_format="plaintext"
        )
    return app
