// Up to three scenarios side by side: of the inputs only what differs, of the answers all four.

import { figure } from "./answers";
import type { Catalog } from "./catalog";
import { h, replace } from "./dom";
import type { Client } from "./engine/client";
import { jsonOf, type Json, type Request } from "./engine/door";
import { dollars, number, percent, perMillion } from "./format";
import { boundOf } from "./questions";
import { defaults, readLink, writeLink, type Scenario, type State, type Store } from "./state";

const letters = ["A", "B", "C"];
const compared: (keyof Scenario)[] = ["model", "weights", "machine", "batch", "isl", "osl", "price", "kv", "chips"];

/** Keeps what is on the board beside it, to change one of them. */
export function keep(store: Store): string {
  const { state } = store;
  const link = writeLink({ ...state, vs: [], read: defaults.read, basis: defaults.basis });
  if (state.vs.length >= 2) return "three scenarios at most: remove one first";
  store.commit({ vs: [...state.vs, link] });
  return "kept beside the board: now change something";
}

export async function showComparison(parent: HTMLElement, store: Store, client: Client, catalog: Catalog, withFiles: (request: Request) => Request): Promise<void> {
  const { state } = store;
  parent.hidden = state.vs.length === 0;
  if (state.vs.length === 0) return replace(parent);
  const all: State[] = [state, ...state.vs.map((link) => readLink(link).state)];
  const answers: (Json | null)[] = await Promise.all(all.map(async (one, i) => jsonOf(await client.ask(withFiles(boundOf(one)), `compare ${i}`, "slow"))));
  if (state !== store.state) return;
  const differs = compared.filter((key) => all.some((one) => one[key] !== all[0]?.[key]));
  const write = (key: keyof Scenario, one: Scenario) => {
    const value = one[key];
    if (key === "model" || key === "machine") return catalog.title(key, String(value));
    if (value === null) return "as usual";
    return key === "price" ? dollars(Number(value)) : typeof value === "number" ? number(value) : value || "as released";
  };
  const remove = (i: number) => h("button", { type: "button", "aria-label": `remove ${letters[i]}`, class: "remove", onclick: () => store.commit({ vs: state.vs.filter((_, at) => at !== i - 1) }) }, "remove");
  const head = h("tr", {}, h("th", {}, differs.length === 0 ? "the same inputs" : "what differs"), all.map((_, i) => h("th", { scope: "col" }, i === 0 ? "A, the board" : (letters[i] ?? ""), i > 0 ? remove(i) : null)));
  const inputs = differs.map((key) => h("tr", { "data-differs": key }, h("td", {}, key), all.map((one) => h("td", {}, write(key, one)))));
  const rows: [string, (json: Json) => number, (value: number) => string, boolean][] = [
    ["≤ tok/s/user", (json) => figure(json, "tok_s_per_user"), (value) => number(value, 3), true],
    ["≤ output tok/s/GPU", (json) => figure(json, "output_tok_s_per_chip"), (value) => number(value, 3), true],
    ["≥ $/Mtok", (json) => figure(json, "cost"), perMillion, false],
    ["HBM used", (json) => json.fit.needed / json.fit.capacity, percent, false],
  ];
  const body = rows.map(([name, value, show, more]) => {
    const values = answers.map((json) => (json?.fit.fits ? value(json) : null));
    const known = values.filter((one): one is number => one !== null);
    const best = more ? Math.max(...known) : Math.min(...known);
    const first = values[0];
    const ratio = (one: number, i: number) => (i === 0 || !first || !(one > 0) ? "" : one >= first ? `${number(one / first, 3)}× more` : `${number(first / one, 3)}× less`);
    return h("tr", {}, h("td", {}, name), values.map((one, i) => (one === null ? h("td", {}, answers[i] ? "does not fit" : "no answer") : h("td", { class: one === best ? "best num" : "num", "data-value": one }, show(one), h("em", {}, ratio(one, i))))));
  });
  replace(parent, h("table", {}, h("thead", {}, head), h("tbody", {}, inputs, body)));
}
