// Which frames match a regular expression, and how much do they hold together?

const BUDGET = 300; // milliseconds; an expression may be slow, a page must not hang for good

/**
 * @param {string} words a regular expression, upper and lower case alike
 * @returns {{names: Set<number>, nodes: number[], roots: number[], why: string}} why: what went wrong, "" for nothing
 */
export function search(model, words) {
  let pattern;
  try {
    pattern = new RegExp(words, "iu");
  } catch {
    return { names: new Set(), nodes: [], roots: [], why: "no regular expression" };
  }
  const names = new Set();
  const stop = performance.now() + BUDGET;
  for (let i = 0; i < model.names.length; i += 1) {
    if (performance.now() > stop) return { names, ...found(model, names), why: "too slow: stopped early" };
    if (pattern.test(model.names[i])) names.add(i);
  }
  return { names, ...found(model, names), why: "" };
}

/** Frames that match, and of these the ones that stand below no other: their sum counts nothing twice. */
function found(model, names) {
  const nodes = [];
  const roots = [];
  const inside = new Uint8Array(model.n);
  for (let i = 1; i < model.n; i += 1) {
    const above = inside[model.parent[i]];
    const here = names.has(model.name[i]) && !model.rest[i];
    inside[i] = above || here ? 1 : 0;
    if (here) nodes.push(i);
    if (here && !above) roots.push(i);
  }
  return { nodes, roots };
}
