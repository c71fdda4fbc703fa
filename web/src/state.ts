// The state of the board: what the sentence says, and what a link carries. A link holds only what differs from the defaults.

export interface Scenario {
  model: string;
  weights: string; // "": as released
  machine: string;
  batch: number;
  isl: number;
  osl: number;
  price: number | null; // $ a chip-hour; null: the catalog's
  kv: string;
  chips: number | null; // null: the machine's scale-up domain
  engine: string;
  layout: string; // "": experts over the whole domain, a dense model on the fewest chips
  tpot: number; // seconds a token at most, of the frontier
}

export interface State extends Scenario {
  read: "bound" | "calibrated";
  basis: "output" | "total"; // which tokens a rate or a cost counts
  vs: string[]; // up to two other scenarios, as links
}

export const defaults: Readonly<State> = {
  model: "deepseek-v3",
  weights: "",
  machine: "gb200-nvl72",
  batch: 2048,
  isl: 8192,
  osl: 1024,
  price: null,
  kv: "fp8",
  chips: null,
  engine: "sglang",
  layout: "",
  tpot: 0.03,
  read: "bound",
  basis: "output",
  vs: [],
};

interface Key {
  read(text: string): unknown; // undefined: not understood
  write?(value: unknown): string;
}

const name: Key = { read: (text) => (/^[\p{L}\p{N} _./:@+-]{0,120}$/u.test(text) ? text : undefined) };
const whole = (most: number): Key => ({
  read: (text) => {
    const value = Number(text);
    return text !== "" && Number.isFinite(value) && value >= 1 && value <= most ? Math.round(value) : undefined;
  },
});
const positive = (most: number): Key => ({
  read: (text) => {
    const value = Number(text);
    return text !== "" && Number.isFinite(value) && value > 0 && value <= most ? value : undefined;
  },
});
const oneOf = (...words: string[]): Key => ({ read: (text) => (words.includes(text) ? text : undefined) });

const keys: Record<Exclude<keyof State, "vs">, Key> = {
  model: name,
  weights: name,
  machine: name,
  batch: whole(1e7),
  isl: whole(1e8),
  osl: whole(1e7),
  price: positive(1e5),
  kv: name,
  chips: whole(1e5),
  engine: name,
  layout: name,
  tpot: positive(1e3),
  read: oneOf("bound", "calibrated"),
  basis: oneOf("output", "total"),
};

/** Keys of links written before version 1. */
const formerKeys: Record<string, keyof typeof keys> = { b: "batch", hw: "machine", in: "isl", out: "osl", m: "model" };

export const limits: Partial<Record<keyof Scenario, [number, number]>> = {
  batch: [1, 1e7],
  isl: [1, 1e8],
  osl: [1, 1e7],
  price: [0.001, 1e5],
  tpot: [0.0005, 10],
};

export interface ReadLink {
  state: State;
  warnings: string[];
}

export function writeLink(state: State): string {
  const words = new URLSearchParams();
  for (const key of Object.keys(keys) as (keyof typeof keys)[]) {
    const value = state[key];
    if (value !== defaults[key] && value !== null) words.set(key, String(value));
  }
  for (const other of state.vs) words.append("vs", other);
  return words.toString();
}

export function readLink(link: string): ReadLink {
  const state: State = { ...defaults, vs: [] };
  const warnings: string[] = [];
  for (const [given, text] of new URLSearchParams(link.replace(/^#/, ""))) {
    if (given === "v") continue; // the version: every one so far is read
    if (given === "vs") {
      if (state.vs.length < 2) state.vs.push(text);
      else warnings.push("three scenarios at most: the others were left out");
      continue;
    }
    const key = given in keys ? (given as keyof typeof keys) : formerKeys[given];
    const value = key === undefined ? undefined : keys[key].read(text);
    if (key === undefined) warnings.push(`the link says "${given.slice(0, 40)}", which this board does not know`);
    else if (value === undefined) warnings.push(`the link's ${key} "${text.slice(0, 40)}" was not understood`);
    else (state as unknown as Record<string, unknown>)[key] = value;
  }
  return { state, warnings };
}

/** How many tokens a rate counts for each output token: one, or prompts as well. */
export const tokensCounted = (one: State): number => (one.basis === "total" ? (one.isl + one.osl) / one.osl : 1);

/** Tokens of context in the middle of an answer: what a step reads on average. */
export const contextOf = (one: Scenario): number => one.isl + one.osl / 2;

type Listener = (state: State, before: State) => void;

/** The one state of the page. `set` moves (a drag), `commit` makes a step that Back undoes. */
export class Store {
  #state: State;
  #listeners: Listener[] = [];
  readonly warnings: string[];
  #later: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    const read = readLink(location.hash || (document.documentElement.dataset.state ?? ""));
    this.#state = read.state;
    this.warnings = read.warnings;
    window.addEventListener("popstate", () => this.#become(readLink(location.hash).state));
    window.addEventListener("hashchange", () => this.#become(readLink(location.hash).state));
  }

  get state(): State {
    return this.#state;
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** While a hand moves: the link follows when it rests (browsers allow few writes a second), the history does not. */
  set(change: Partial<State>): void {
    this.#become({ ...this.#state, ...change });
    clearTimeout(this.#later);
    this.#later = setTimeout(() => this.#link("replaceState"), 200);
  }

  commit(change: Partial<State> = {}): void {
    const before = writeLink(this.#state);
    this.#become({ ...this.#state, ...change });
    if (writeLink(this.#state) !== before || location.hash.replace(/^#/, "") !== before) this.#link("pushState");
  }

  /** A drag begins: what was there becomes a step of the history of its own. */
  begin(): void {
    this.#link("pushState");
  }

  #link(how: "replaceState" | "pushState"): void {
    clearTimeout(this.#later);
    const link = writeLink(this.#state);
    try {
      history[how](null, "", link === "" ? location.pathname + location.search : `#${link}`);
    } catch {
      // A page from a file may not have a history to write to: the board works without.
    }
  }

  #become(next: State): void {
    const before = this.#state;
    if (writeLink(next) === writeLink(before)) return;
    this.#state = next;
    for (const listener of this.#listeners) listener(next, before);
  }
}
