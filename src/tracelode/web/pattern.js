// Does a text match a regular expression, in time that only grows with both? A browser's own engine tries one way
// after the other, and may take for ever; this one goes all ways at once (Thompson, 1968).

const MOST = 2000; // steps of an expression
const ATOM = /\\(?:[px]\{[^}]*\}|u\{[^}]*\}|u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|.)|\[(?:\\.|[^\\\]])*\]|./isuy;
const TIMES = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy;
const GROUP = /\((?:\?:|\?<[^=!>]+>|(?!\?))/uy;
const WORD = /\w/iu;

/**
 * @param {string} words a regular expression, upper and lower case alike
 * @returns {(text: string, late: () => boolean) => boolean | null} null where it is late
 * @throws {SyntaxError} it is none
 * @throws {RangeError} it is too long, or looks around or back, which cannot be done in time
 */
export function pattern(words) {
  const native = new RegExp(words, "iu");
  // without groups and repeats there is one way from each place: the browser's own is quick
  if (!/[*+?{(]/u.test(words)) return (text, late) => (late() ? null : native.test(text));
  const steps = [];
  let at = 0;
  const take = (what) => {
    what.lastIndex = at;
    const found = what.exec(words);
    if (found) at = what.lastIndex;
    return found;
  };
  const add = (step) => {
    if (steps.length >= MOST) throw new RangeError("too long");
    return steps.push({ to: [], ...step }) - 1;
  };
  // each part is a function: from where it goes on to where it begins
  const either = () => {
    const ways = [row()];
    while (words[at] === "|") {
      at += 1;
      ways.push(row());
    }
    return (next) => add({ to: ways.map((way) => way(next)) });
  };
  const row = () => {
    const parts = [];
    while (at < words.length && words[at] !== "|" && words[at] !== ")") parts.push(repeated(atom()));
    return (next) => parts.reduceRight((to, part) => part(to), next);
  };
  const repeated = (part) => {
    const found = take(TIMES);
    if (!found) return part;
    const [, sign, few, more, many] = found;
    const least = sign ? Number(sign === "+") : Number(few);
    const most = sign === "?" ? 1 : sign || (more && !many) ? Infinity : Number(more ? many : few);
    return (next) => {
      let to = next;
      let left = least;
      if (most === Infinity) {
        const again = add({});
        const first = part(again);
        steps[again].to = [first, next];
        to = left ? first : again;
        left -= left ? 1 : 0;
      } else for (let i = least; i < most; i += 1) to = add({ to: [part(to), next] });
      for (; left; left -= 1) to = add({ to: [part(to)] });
      return to;
    };
  };
  const atom = () => {
    if (words[at] === "(") {
      if (!take(GROUP)) throw new RangeError("it looks around");
      const inner = either();
      at += 1;
      return inner;
    }
    const [sign] = take(ATOM);
    if (/^\\[1-9k]/.test(sign)) throw new RangeError("it looks back");
    const look = { "^": (a) => a === "", $: (a, b) => b === "", "\\b": edge, "\\B": (a, b) => !edge(a, b) }[sign];
    if (look) return (next) => add({ look, to: [next] });
    const own = new RegExp(`^${sign}$`, "iu");
    const known = new Map();
    const eats = (char) => known.get(char) ?? (known.set(char, own.test(char)), known.get(char));
    return (next) => add({ eats, next });
  };
  const start = either()(add({ end: true }));

  return (text, late) => {
    const chars = [...text];
    let now = [];
    for (let i = 0; i <= chars.length; i += 1) {
      if (i % 64 === 0 && late()) return null;
      const seen = new Uint8Array(steps.length);
      const next = [];
      const todo = [start, ...now];
      while (todo.length) {
        const place = todo.pop();
        if (seen[place]) continue;
        seen[place] = 1;
        const step = steps[place];
        if (step.end) return true;
        if (step.look && !step.look(chars[i - 1] ?? "", chars[i] ?? "")) continue;
        if (step.eats && i < chars.length && step.eats(chars[i])) next.push(step.next);
        todo.push(...step.to);
      }
      now = next;
    }
    return false;
  };
}

function edge(before, after) {
  return WORD.test(before) !== WORD.test(after);
}
