// How does a number read to a person? Exact integers in, the words of the command line out (model/words.py).

export const UNKNOWN = "unknown";

const abs = (n) => (n < 0n ? -n : n);
const halfUp = (n, divisor) => (2n * n + divisor) / (2n * divisor);

/** @param {bigint | number} n */
export const grouped = (n) => n.toString().replace(/\B(?=(\d{3})+$)/g, ",");

function scaled(n, steps) {
  let power = 0;
  while (power + 1 < steps.length && halfUp(n, 1000n ** BigInt(power)) >= 1000n) power += 1;
  const step = 1000n ** BigInt(power);
  const tenths = halfUp(10n * n, step);
  if (power && tenths < 100n) {
    return (tenths % 10n ? `${tenths / 10n}.${tenths % 10n}` : `${tenths / 10n}`) + steps[power];
  }
  return grouped(halfUp(n, step)) + steps[power];
}

function exactDollars(n) {
  const decimals = (n % 10n ** 12n).toString().padStart(12, "0").replace(/0+$/, "").padEnd(2, "0");
  return `${n / 10n ** 12n}.${decimals}`;
}

function dollars(n) {
  if (n === 0n) return "$0";
  if (n < 10n ** 6n) return "<$0.000001";
  if (n < 10n ** 11n) {
    const step = 10n ** BigInt(n.toString().length - 2);
    return `$${exactDollars(halfUp(n, step) * step)}`;
  }
  if (n < 10n ** 16n) {
    const cents = halfUp(n, 10n ** 10n);
    return `$${grouped(cents / 100n)}.${(cents % 100n).toString().padStart(2, "0")}`;
  }
  return `$${grouped(halfUp(n, 10n ** 12n))}`;
}

function pair(large, small, name, end) {
  if (!small) return `${large} ${name}`;
  return end ? `${large} ${name} ${small}${end}` : `${large} ${name} ${small.toString().padStart(2, "0")}`;
}

function duration(n) {
  const second = 10n ** 6n;
  if (n > 0n && n < 1000n) return `${n} µs`;
  if (n > 0n && halfUp(n, 1000n) < 1000n) return `${halfUp(n, 1000n)} ms`;
  const tenths = halfUp(10n * n, second);
  if (tenths < 100n) return tenths % 10n ? `${tenths / 10n}.${tenths % 10n} s` : `${tenths / 10n} s`;
  const seconds = halfUp(n, second);
  if (seconds < 60n) return `${seconds} s`;
  if (seconds < 600n) return pair(seconds / 60n, seconds % 60n, "min", "");
  const minutes = halfUp(n, 60n * second);
  if (minutes < 60n) return `${minutes} min`;
  if (minutes < 2880n) return pair(minutes / 60n, minutes % 60n, "h", "");
  const hours = halfUp(n, 3600n * second);
  return pair(hours / 24n, hours % 24n, "d", " h");
}

const FORMS = {
  picodollars: dollars,
  microseconds: duration,
  bytes: (n) => scaled(n, [" B", " kB", " MB", " GB", " TB"]),
};

/**
 * A value in its human unit, a mean where the divisor is above 1.
 * @param {string} unit
 * @param {bigint | null} value in 1/divisor of the unit; null where unknown
 */
export function valueText(unit, value, divisor = 1n, sign = false) {
  if (value === null) return UNKNOWN;
  const size = abs(value);
  const whole = halfUp(size, divisor);
  let text;
  let nothing = whole === 0n;
  if (unit === "count" && divisor > 1n && size < 100n * divisor) {
    const tenths = halfUp(10n * size, divisor);
    nothing = tenths === 0n;
    text = `${tenths / 10n}.${tenths % 10n}`;
  } else {
    text = (FORMS[unit] ?? ((n) => scaled(n, ["", "k", "M", "B"])))(whole);
  }
  return (nothing ? "" : value < 0n ? "-" : sign ? "+" : "") + text;
}

/** A share: no decimals from 1% on, "-" where there is no whole. */
export function percent(part, whole) {
  if (part === null || whole === null || whole === 0n) return "-";
  if (whole < 0n) [part, whole] = [-part, -whole];
  const sign = part < 0n ? "-" : "";
  const n = abs(part);
  if (n === 0n) return "0%";
  let tenths = halfUp(1000n * n, whole);
  if (tenths === 0n) return `${sign}<0.1%`;
  if (tenths < 10n || (n < whole && tenths >= 995n)) {
    if (n < whole && tenths > 999n) tenths = 999n;
    return `${sign}${tenths / 10n}.${tenths % 10n}%`;
  }
  return `${sign}${halfUp(100n * n, whole)}%`;
}

/** "1 frame", "2 frames". */
export const counted = (n, noun) => `${grouped(n)} ${noun}${Number(n) === 1 ? "" : "s"}`;
