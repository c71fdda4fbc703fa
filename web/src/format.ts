// Numbers as the board writes them: at most four digits, units beside them. The values stay the engine's.

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** 2,359; 12,626; 0.93: whole above 100, else up to `digits` significant digits. */
export function number(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "∞";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e15) return value.toExponential(2);
  if (size >= 100 || Number.isInteger(value)) return grouped.format(Math.round(value));
  return trimmed(value.toPrecision(digits));
}

function trimmed(text: string): string {
  const plain = text.includes("e") ? String(Number(text)) : text;
  return plain;
}

const prefixes: [number, string][] = [
  [1e18, "E"],
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
];

function scaled(value: number, digits: number): string {
  return value >= 1000 ? grouped.format(Math.round(value)) : value.toPrecision(digits);
}

export function seconds(value: number, digits = 4): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return "∞";
  if (size === 0) return "0 s";
  if (size < 1e-3) return `${(value * 1e6).toPrecision(digits)} µs`;
  if (size < 1) return `${(value * 1e3).toPrecision(digits)} ms`;
  if (size < 120) return `${value.toPrecision(Math.min(digits, 3))} s`;
  if (size < 7200) return `${(value / 60).toPrecision(2)} min`;
  if (size < 172800) return `${(value / 3600).toPrecision(2)} h`;
  return `${number(value / 86400, 2)} days`;
}

/** A round time at an axis: 10 ms, 1 s. */
export function roundSeconds(value: number): string {
  if (value === 0) return "0 s";
  const [factor, unit] = value < 1e-3 ? [1e6, "µs"] : value < 1 ? [1e3, "ms"] : [1, "s"];
  return `${number(+(value * (factor as number)).toPrecision(6), 3).replace(/\.0+$/, "")} ${unit}`;
}

export function dollars(value: number): string {
  if (!Number.isFinite(value)) return "$∞";
  const size = Math.abs(value);
  if (size === 0) return "$0";
  if (size >= 1e9) return `$${(value / 1e9).toPrecision(3)}B`;
  if (size >= 1e6) return `$${(value / 1e6).toPrecision(3)}M`;
  if (size >= 1000) return `$${grouped.format(Math.round(value))}`;
  if (size >= 100) return `$${value.toFixed(0)}`;
  if (size >= 0.995) return `$${value.toFixed(2)}`;
  if (size >= 0.1) return `$${value.toFixed(2)}`;
  return `$${value.toFixed(Math.min(12, 1 - Math.floor(Math.log10(size)))).replace(/(\.\d*[1-9])0+$/, "$1")}`;
}

/** Money at an axis, where ticks are whole decades: $10, $1, $0.10, $0.01. */
export const roundDollars = (value: number): string => (value >= 0.999 ? dollars(value).replace(/\.00$/, "") : value >= 0.0999 ? `$${value.toFixed(2)}` : dollars(value));

/** $ a token, shown as $ a million. */
export const perMillion = (value: number): string => dollars(value * 1e6);

export const gibibytes = (value: number): string => `${number(value / 2 ** 30, 4)} GiB`;
export const gib = (value: number): string => {
  const amount = value / 2 ** 30;
  return amount >= 1000 ? grouped.format(Math.round(amount)) : amount.toFixed(1);
};

export function percent(share: number): string {
  const value = share * 100;
  if (value !== 0 && Math.abs(value) < 1) return `${value.toPrecision(1)}%`;
  return `${Math.round(value)}%`;
}

export function withPrefix(value: number, unit: string, digits = 4): string {
  for (const [size, prefix] of prefixes)
    if (Math.abs(value) >= size) return `${scaled(value / size, digits)} ${prefix}${unit}`.trim();
  return `${number(value, digits)} ${unit}`.trim();
}

/** A value with the engine's unit, as its derivations write it. */
export function withUnit(value: number | null, unit: string): string {
  if (value === null) return "unbounded";
  switch (unit) {
    case "s":
      return seconds(value);
    case "$/token":
      return `${perMillion(value)}/Mtok`;
    case "$/s":
      return `${dollars(value * 3600)}/h`;
    case "$":
      return dollars(value);
    case "B":
      return withPrefix(value, "B");
    case "B/s":
    case "FLOP/s":
    case "FLOP":
    case "B/token":
    case "FLOP/token":
      return withPrefix(value, unit);
    case "token/s":
      return `${number(value, 4)} tok/s`;
    case "param":
      return params(value);
    case "":
      return number(value, 4);
    default:
      return `${number(value, 4)} ${unit}`;
  }
}

export function params(value: number): string {
  if (value >= 1e12) return `${(value / 1e12).toPrecision(3)}T`;
  if (value >= 1e9) return `${(value / 1e9).toPrecision(3)}B`;
  if (value >= 1e6) return `${(value / 1e6).toPrecision(3)}M`;
  return number(value);
}

/** 1, 10, 1k, 1M: labels of a decade. */
export function short(value: number): string {
  if (value >= 1e12) return `${trimZero(value / 1e12)}T`;
  if (value >= 1e9) return `${trimZero(value / 1e9)}B`;
  if (value >= 1e6) return `${trimZero(value / 1e6)}M`;
  if (value >= 1e3) return `${trimZero(value / 1e3)}k`;
  return trimZero(value);
}

function trimZero(value: number): string {
  return String(Number(value.toPrecision(3)));
}
