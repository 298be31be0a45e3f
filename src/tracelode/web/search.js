// Which frames match a regular expression, and how much do they hold together?

import { pattern } from "./pattern.js";

const BUDGET = 300; // milliseconds; names may be many and long, a page must not hang

/**
 * @param {string} words a regular expression, upper and lower case alike
 * @returns {{names: Set<number>, nodes: number[], roots: number[], why: string}} why: what went wrong, "" for nothing
 */
export function search(model, words) {
  const names = new Set();
  let matches;
  try {
    matches = pattern(words);
  } catch (error) {
    const none = error instanceof SyntaxError;
    return { names, nodes: [], roots: [], why: none ? "no regular expression" : "too long, or looks around: not searched" };
  }
  const stop = performance.now() + BUDGET;
  const late = () => performance.now() > stop;
  for (let i = 0; i < model.names.length; i += 1) {
    const found = matches(model.names[i], late);
    if (found === null) return { names, ...holding(model, names), why: "too slow: stopped early" };
    if (found) names.add(i);
  }
  return { names, ...holding(model, names), why: "" };
}

/** Frames that match, and of these the ones that stand below no other: their sum counts nothing twice. */
function holding(model, names) {
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
