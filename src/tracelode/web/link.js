// How does a link restore a view? The part of the address after # says measure, zoom, selection and search.

const PARTS = ["m", "z", "f", "s"];

/** Write a state; what is at its default is left out. */
export function write(state) {
  const parts = PARTS.filter((key) => state[key]).map((key) => {
    const value = Array.isArray(state[key]) ? state[key].map(encodeURIComponent).join("/") : encodeURIComponent(state[key]);
    return `${key}=${value}`;
  });
  return parts.length ? `#${parts.join("&")}` : "";
}

/** Read a state: measure, frames of the zoom, frames of the selection, search; null for what cannot be read. */
export function read(hash) {
  const found = new Map();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [key, value = ""] = part.split("=");
    if (PARTS.includes(key)) found.set(key, value);
  }
  const words = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return null;
    }
  };
  const frames = (key) => {
    const made = (found.get(key) ?? "").split("/").filter(Boolean).map(words);
    return made.includes(null) ? null : made;
  };
  return { m: words(found.get("m") ?? ""), z: frames("z"), f: frames("f"), s: words(found.get("s") ?? "") };
}

/** Put a state into the address; a frame of a notebook may not, and does without. */
export function keep(state) {
  try {
    history.replaceState(null, "", location.pathname + location.search + write(state));
  } catch {
    // no address to keep it in
  }
}
