"""What may a segment be called after? A ladder of objects from its files and the plan item in progress."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from tracelode.model.operation import Operation
from tracelode.model.segment import Segmentation
from tracelode.profile.name.objects import Ladder, Words, one, path_words, speaks, split_words
from tracelode.profile.name.stage import is_evidence
from tracelode.signals.lexicon import Lexicon, load
from tracelode.signals.plan.stretches import stretches
from tracelode.signals.shell import reading
from tracelode.signals.tools import is_shell

_SHARE = 0.5
"""Share of the operations with a path that must have a word."""
_FOLDERS = 2
"""Words of folders on a ladder."""
_ITEM = 400
"""Characters of a plan item that are looked at."""
_OBJECT = 4
"""Words of an item's object, the verb not counted."""
_ASIDE = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|(?<!\w)'[^'\n]*'(?!\w)|<[^<>\n]*>|\S*(?:://|[/\\]|\d|\w\.\w)\S*")
_PIECE = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|[,;:(.!?]")


def ladders(
    operations: Sequence[Operation], segmentation: Segmentation, stages: Sequence[str], project: str = ""
) -> list[Ladder | None]:
    """What every operation's innermost segment may be called.

    Args:
        operations: the n operations of one session in order; fields and previews only.
        segmentation: how it is cut.
        stages: n stages, those of the innermost segments.
        project: working folder of the session; its own name and the folders above say nothing.

    Returns:
        n ladders, None where a segment has no object of its own. O(n).

    Source:
        naming rules, step 5.
    """
    lexicon = load()
    inner = [0] * len(operations)
    for number, segment in enumerate(segmentation.segments):  # an inner segment overwrites its parent
        inner[segment.start : segment.stop] = [number] * (segment.stop - segment.start)
    planned = stretches(operations)
    items = [""] * len(operations) if planned else []
    for stretch in planned:
        items[stretch.start : stretch.stop] = [stretch.text] * (stretch.stop - stretch.start)
    found: list[Ladder | None] = [None] * len(operations)
    start = 0
    for stop in range(1, len(operations) + 1):
        if stop < len(operations) and inner[stop] == inner[start]:
            continue
        # a segment of which only a part was done for an item is not about the item
        told = {items[i] for i in range(start, stop) if items and is_work(operations[i])}
        item = told.pop() if len(told) == 1 else ""
        ladder = segment_ladder(stages[start], operations[start:stop], item, lexicon, project)
        found[start:stop] = [ladder] * (stop - start)
        start = stop
    return found


def is_work(operation: Operation) -> bool:
    """Is an operation evidence of work, and no mere keeping of a plan?"""
    return operation.kind != "plan" and is_evidence(operation)


def segment_ladder(
    stage: str,
    operations: Sequence[Operation],
    item: str = "",
    lexicon: Lexicon | None = None,
    project: str = "",
) -> Ladder | None:
    """What one segment may be called.

    Args:
        stage: its stage; its first word is the verb of the name, or says which it is.
        operations: its operations, in order.
        item: the plan item in progress during all of it, "" for none.
        lexicon: the words; None for the built-in ones.
        project: working folder of the session, "" if unknown.

    Returns:
        The ladder, None where the verb takes no object or nothing names one.
    """
    lexicon = lexicon or load()
    verb = stage.partition(" ")[0]
    if verb in lexicon.words["focus_never"]:
        return None
    verb = lexicon.stages["focus"].get(verb, verb)
    objects = item_objects(item, lexicon) if item else []
    objects += path_objects(_paths(stage, operations, lexicon, project))
    said = {one(word) for word in stage.split()}
    kept = {one(name): name for name in reversed(objects) if not said.issuperset(one(name).split())}
    ranked = [name for name in dict.fromkeys(objects) if kept.get(one(name)) == name]
    return Ladder(verb, tuple(ranked)) if ranked else None


def _paths(stage: str, operations: Sequence[Operation], lexicon: Lexicon, project: str) -> list[Words]:
    """Words of the paths of the operations that the stage speaks of, else of all."""
    own: list[Words] = []
    rest: list[Words] = []
    plain = lexicon.stages["focus"]
    verb = stage.partition(" ")[0]
    verb = plain.get(verb, verb)
    for operation in operations:
        if not is_evidence(operation):
            continue
        fields = operation.fields
        path, done = fields.get("path", ""), fields.get("verb", "")
        if not path:
            command = fields.get("command", "")
            if command and is_shell(fields.get("tool") or operation.name, lexicon):
                path = reading(command, lexicon).path
        if project:
            path = path.removeprefix(f"{project}/")  # shell lines spell the whole path
        if path:
            known = lexicon.verbs.get(done)
            speaks_of = plain.get(done, done) == verb or (known is not None and known.stage == stage)
            (own if speaks_of else rest).append(path_words(path, lexicon))
    return own or rest


def path_objects(paths: Sequence[Words]) -> list[str]:
    """Objects that most of some paths have.

    Args:
        paths: words of n paths.

    Returns:
        Two words of the file names, the last, the first, then words of the folders.

    Source:
        naming rules, step 5, candidates and ladder.
    """
    least = _SHARE * len(paths)
    in_stems = Counter(word for words in paths for word in set(words.stem))
    common = {word for word, count in in_stems.items() if count >= least}
    objects: list[str] = []
    if common:
        shapes = Counter(tuple(word for word in words.stem if word in common) for words in paths)
        shape = min(shapes, key=lambda s: (-shapes[s] if s else 0, -len(s), s))
        shape = shape or tuple(sorted(common, key=lambda word: (-in_stems[word], word)))[:1]
        if len(shape) > 1:
            objects.append(" ".join(shape[-2:]))
            objects += [shape[-1], shape[-2]]
        else:
            objects += shape
    in_folders = Counter(word for words in paths for word in words.folders)
    depth = Counter[str]()
    for words in paths:
        for place, word in enumerate(words.folders):
            depth[word] += place
    near = [word for word, count in in_folders.items() if count >= least and count]
    near.sort(key=lambda word: (depth[word] / in_folders[word], word))
    return objects + near[:_FOLDERS]


def item_objects(item: str, lexicon: Lexicon | None = None) -> list[str]:
    """Objects that a plan item names.

    Args:
        item: its text, redacted.
        lexicon: the words; None for the built-in ones.

    Returns:
        The last two nouns that say something as one object, then the last; none where it leads with no known
        verb.

    Source:
        naming rules, steps 4 and 5.

    Example:
        >>> item_objects("Rewrite the price parser so that it stops early")
        ['price parser', 'parser']
    """
    lexicon = lexicon or load()
    cut, passed = lexicon.words["focus_cut"], lexicon.words["focus_pass"]
    pieces = [piece.lower() for piece in _PIECE.findall(_ASIDE.sub(" ", item[:_ITEM]))]
    verb = next((place for place, piece in enumerate(pieces[:10]) if _is_verb(piece, lexicon)), None)
    if verb is None:
        return []
    nouns: list[str] = []
    for piece in pieces[verb + 1 :]:
        if not piece[0].isalpha() or piece in cut or len(nouns) == _OBJECT:
            break
        if piece not in passed:
            nouns.append(piece)
    words = [word for noun in nouns for word in split_words(noun) if speaks(word, lexicon)]
    return [" ".join(words[-2:]), words[-1]] if len(words) > 1 else words


def _is_verb(piece: str, lexicon: Lexicon) -> bool:
    if piece in lexicon.says:
        return True
    if not piece.endswith("ing"):
        return False
    root = piece[:-3]
    return any(form in lexicon.says for form in (root, f"{root}e", root[:-1]))
