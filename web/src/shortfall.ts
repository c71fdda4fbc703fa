// Where it does not fit: how much is missing, and ways out, each one click with its consequence.

import { figure, type Answers } from "./answers";
import { box, line, text } from "./charts/kit";
import { h, replace, s } from "./dom";
import type { Client } from "./engine/client";
import type { Catalog } from "./catalog";
import { jsonOf, type Request } from "./engine/door";
import { gib, number, percent, perMillion } from "./format";
import { boundOf } from "./questions";
import type { Scenario, State, Store } from "./state";

/** "--chips 16" as a change of the scenario. */
export function changeOf(way: string, one: Scenario, titleOf: (machine: string) => string = (name) => name): { words: string; change: Partial<State> } | null {
  const [flag, value = ""] = way.split(" ");
  const amount = Number(value.replaceAll(",", ""));
  switch (flag) {
    case "--chips":
      return { words: `${number(amount)} GPUs`, change: { chips: amount } };
    case "--batch":
      return { words: `batch ${number(amount)}`, change: { batch: amount } };
    case "--context":
      return { words: `context ${number(amount)}`, change: { isl: Math.max(1, Math.floor(amount - one.osl / 2)), ...(amount <= one.osl / 2 ? { osl: Math.max(1, Math.floor(amount)), isl: 1 } : {}) } };
    case "--on":
      return { words: titleOf(value), change: { machine: value, chips: null } };
    case "--weights":
      return { words: `weights in ${value}`, change: { weights: value } };
    case "--kv":
      return { words: `KV cache in ${value}`, change: { kv: value } };
    default:
      return null;
  }
}

export interface Asking {
  store: Store;
  client: Client;
  catalog: Catalog;
  question: (request: Request) => Request; // with the files that were dropped
}

export function showShortfall(parent: HTMLElement, answers: Answers, { store, client, catalog, question }: Asking): void {
  const { bound } = answers;
  if (!bound || bound.fit.fits) {
    parent.hidden = true;
    return replace(parent);
  }
  parent.hidden = false;
  const ways = h("div", { class: "ways" });
  replace(parent, barOf(bound, Math.min(792, parent.clientWidth || 792)), ways);
  for (const way of bound.fit.ways_out as string[]) {
    const out = changeOf(way, store.state, (name) => catalog.title("machine", name));
    if (!out) continue;
    const then = h("span", {}, "…");
    const card = h("button", { type: "button", class: "way", "data-way": way, onclick: () => store.commit(out.change) }, h("b", {}, out.words), then);
    ways.append(card);
    const next: Scenario = { ...store.state, ...out.change };
    void client.ask(question(boundOf(next)), `way ${way}`).then((answer) => {
      const json = answer && jsonOf(answer);
      if (!json) return replace(then, "no answer");
      const lines = json.fit.fits
        ? [`fits at ${percent(json.fit.needed / json.fit.capacity)} of HBM`, `≤ ${number(figure(json, "tok_s_per_user"), 3)} tok/s/user`, `≥ ${perMillion(figure(json, "cost"))}/Mtok`]
        : [`still ${gib(json.fit.shortfall)} GiB short`];
      then.replaceWith(...lines.map((words) => h("span", {}, words)));
    });
  }
}

function barOf(bound: Answers["bound"], wide: number): SVGSVGElement {
  const { needed, capacity } = bound.fit;
  const weights = figure(bound, "weights_stored");
  const x = (bytes: number) => (bytes / needed) * wide;
  const svg = s("svg", { viewBox: `0 0 ${wide} 64`, role: "img", class: "short", "aria-label": `Needs ${gib(needed)} GiB, has ${gib(capacity)}.` });
  svg.append(text(0, 12, `weights ${gib(weights)} GiB`, "c-hbm"), text(wide, 12, `KV cache ${gib(needed - weights)} GiB`, "c-hbm", "end"));
  svg.append(box(0, 20, Math.min(x(weights), x(capacity)), 20, "f-hbm"));
  if (capacity > weights) svg.append(box(x(weights) + 1, 20, x(capacity) - x(weights) - 1, 20, "f-kv"));
  svg.append(box(x(capacity), 20, wide - x(capacity), 20, "over"), line(x(capacity), 14, x(capacity), 46, "wall"));
  const at = Math.min(Math.max(x(capacity), 130), wide - 130);
  svg.append(text(at - 6, 58, `has ${gib(capacity)} GiB`, "sb", "end"), text(at + 6, 58, `${gib(bound.fit.shortfall)} GiB short`, "c-bad sb"));
  return svg;
}
