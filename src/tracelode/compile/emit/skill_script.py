"""What stands below the module in scripts/run.py: the workflow over standard streams."""

MAIN = '''

USAGE = """usage: run.py '{"INPUT": VALUE, ...}'

The one argument is a JSON object with the inputs. Each tool call and each question is one JSON line on
standard output, and wants one JSON line on standard input. Ends with 0 when it is done, 1 on an error,
2 on wrong arguments, 4 when it stands still."""
TRIES = 3


async def script_line() -> Any:
    """The next line that is a JSON object; None at the end or for an empty line."""
    for _ in range(TRIES):
        line = await asyncio.to_thread(sys.stdin.readline)
        if not line.strip():
            return None
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if isinstance(found, dict):
            return found
        script_tell({"error": "one JSON object on one line is wanted"})
    return None


def script_tell(what: Any) -> None:
    print(json.dumps(what), flush=True)


def script_read(answer: Any, answers: tuple[str, ...]) -> Any:
    """An answer of the one form that it may have; ABSENT for what is none."""
    if len(answer) != 1:
        return ABSENT
    ((word, value),) = answer.items()
    if word == "yes" and word in answers and (value is True or value is False):
        return value
    if word in ("output", "value") and word in answers:
        return Output(value) if word == "output" else Value(value)
    words = {"retry": RETRY, "skip": SKIP, "accept": ACCEPT, "stop": STOP}
    fits = word in words and value is True and word in (*answers, "stop")
    return words[word] if fits else ABSENT


async def script_answer(escalation: Escalation) -> Any:
    """Ask whoever called the script; no answer ends the run."""
    script_tell({"escalation": escalation.code, "step": escalation.step, "tool": escalation.tool,
           "what": escalation.what, "argument": escalation.argument, "arguments": escalation.arguments,
           "candidates": escalation.candidates, "completed": escalation.completed,
           "partly": escalation.partly, "answers": escalation.answers})
    for _ in range(TRIES):
        line = await script_line()
        if line is None:
            break
        answer = script_read(line, escalation.answers)
        if answer is not ABSENT:
            return answer
        script_tell({"error": f"that is no answer to {escalation.code}", "answers": escalation.answers})
    raise escalation


async def script_call(name: str, arguments: Any) -> Any:
    """Have whoever called the script call a tool."""
    script_tell({"call": name, "arguments": arguments})
    answer = await script_line()
    if answer is None or "output" not in answer:
        raise ToolFailed(name) if answer and answer.get("failed") is True else OSError("no answer")
    return answer["output"]


def script_wrong(what: str) -> int:
    wanted = [{"name": n, "type": t, "required": r} for n, t, r, _, _ in INPUTS]
    script_tell({"error": what, "inputs": wanted})
    print(USAGE, file=sys.stderr)
    return 2


def main() -> int:
    """Read the inputs and run the workflow."""
    if any(word in ("-h", "--help") for word in sys.argv[1:]):
        print(USAGE)
        return 0
    if len(sys.argv) > 2:
        return script_wrong("there is more than one argument")
    try:
        found = json.loads(sys.argv[1] if len(sys.argv) > 1 else "{}")
    except ValueError:
        return script_wrong("the argument is no JSON")
    if not isinstance(found, dict):
        return script_wrong("the argument is no JSON object")
    strange = sorted(set(found) - set(NAMES))
    if strange:
        return script_wrong(f"not inputs: {', '.join(strange)}")
    missing = [name for name, _, required, _, _ in INPUTS if required and name not in found]
    if missing:
        return script_wrong(f"these inputs are missing: {', '.join(missing)}")
    try:
        given(*((n, kind, lines, blank, found[n]) for n, kind, _, lines, blank in INPUTS if n in found))
    except TypeError as error:
        return script_wrong(str(error))
    try:
        inputs = {NAMES[name]: value for name, value in found.items()}
        outputs = asyncio.run(ENTRY(script_call, **inputs, escalate=script_answer))
    except Escalation as stop:
        script_tell({"stopped": stop.code, "step": stop.step, "what": stop.what, "completed": stop.completed,
               "partly": stop.partly, "skipped": stop.skipped})
        return 4
    script_tell({"handed_over" if PARTIAL else "done": outputs})
    return 0


if __name__ == "__main__":
    sys.exit(main())
'''
"""Source text; it needs what module() always writes."""
