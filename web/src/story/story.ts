// The guided story beside the board: one step at a time on the first screen, and each panel's own step beside it.

import { byId, h, replace } from "../dom";
import type { Json } from "../engine/door";
import type { State, Store } from "../state";
import { steps, type Step } from "./steps";

const marks: Record<string, string> = { holds: "✓", "holds under conditions": "◐", "does not hold": "✕", derived: "=" };

export class Story {
  readonly element = h("section", { class: "story", "aria-label": "The lecture" });
  #store: Store;
  #at = 0;
  #claims = new Map<string, Json>();
  #panels = new Map<string, HTMLElement>();

  constructor(store: Store) {
    this.#store = store;
    this.#show();
  }

  know(claims: Json | null): void {
    for (const claim of claims?.claims ?? []) this.#claims.set(claim.id, claim);
    this.#show();
    for (const [panel, element] of this.#panels) this.#fill(element, steps.findIndex((step) => step.panel === panel), false);
  }

  /** The step of a panel, for its right column. */
  panel(id: string): HTMLElement | undefined {
    const index = steps.findIndex((step) => step.panel === id);
    const element = h("section", { class: "story", "aria-label": index < 0 ? "A load through time" : (steps[index] as Step).title });
    if (index >= 0) {
      this.#panels.set(id, element);
      this.#fill(element, index, false);
    } else append(element);
    return element;
  }

  /** Goes to a step: its state, and the panel that shows it. */
  go(index: number): void {
    const step = steps[index];
    if (!step) return;
    if (step.panel === "board") {
      this.#at = index;
      this.#show();
    }
    this.#store.commit(step.panel === "board" || step.panel === "cost" ? { ...step.change } : {});
    byId(step.panel).scrollIntoView();
    if (step.panel === "board") window.scrollTo(0, 0);
    const shown = step.panel === "board" ? this.element : this.#panels.get(step.panel);
    shown?.querySelector("h2")?.focus({ preventScroll: true }); // whoever came by keyboard goes on from there
  }

  #show(): void {
    this.#fill(this.element, this.#at, true);
  }

  #fill(element: HTMLElement, index: number, contents: boolean): void {
    const step = steps[index] as Step;
    const bars = h("span", { class: "steps", "aria-hidden": "true" }, steps.map((_, i) => h("i", i === index ? { class: "on" } : {})));
    const at = step.claims.map((id) => this.#claims.get(id)?.at).find(Boolean) ?? "";
    const chip = (words: string, change: Partial<State>) => h("button", { type: "button", class: "chip", onclick: () => this.#store.commit(change) }, words);
    const list = h("ol", { class: "toc" }, steps.map((one, i) => h("li", {}, h("button", { type: "button", ...(i === index ? { "aria-current": "step" } : {}), onclick: () => this.go(i) }, `${i + 1} ${one.title}`))));
    const before = steps[index - 1];
    const after = steps[index + 1];
    replace(
      element,
      h("div", { class: "idx" }, h("span", {}, `The lecture, ${index + 1} of ${steps.length}`, bars), h("span", {}, at)),
      h("h2", { tabindex: -1 }, step.title), step.says.map((words) => h("p", { class: "says" }, words)),
      step.claims.map((id) => this.claim(id)),
      step.tries.length > 0 ? h("div", { class: "try" }, step.tries.map((one) => chip(one.words, one.change))) : null,
      contents ? list : null,
      h("div", { class: "next" }, before ? h("button", { type: "button", onclick: () => this.go(index - 1) }, `↑ ${index} ${before.title}`) : h("span"), after ? h("button", { type: "button", onclick: () => this.go(index + 1) }, h("b", {}, `${index + 2} ${after.title} ↓`)) : h("span")),
    );
  }

  /** A claim in the catalog's words, and the engine's verdict. */
  claim(id: string): HTMLElement | null {
    const claim = this.#claims.get(id);
    if (!claim) return null;
    const verdict = String(claim.verdict);
    const condition = verdict === "holds under conditions" ? `: ${firstSentence(claim.condition)}` : verdict === "does not hold" ? `: ${firstSentence(claim.condition)}` : "";
    return h("div", { class: "claim" }, h("span", { class: "words" }, `${claim.title}.`), h("div", { class: "vd" }, h("span", { class: "mark", "aria-hidden": "true" }, marks[verdict] ?? "·"), h("span", {}, h("b", {}, capital(verdict)), `${condition} ${id}`)));
  }

  all(): Json[] {
    return [...this.#claims.values()];
  }
}

function append(element: HTMLElement): void {
  replace(
    element, h("div", { class: "idx" }, h("span", {}, "Beside the lecture")), h("h2", {}, "A load through time"),
    h("p", { class: "says" }, "The steps above, with requests that arrive, wait and leave. Every step asks the same engine for exactly what a scheduler put together; the same seed gives the same bytes."),
  );
}

export const marksOf = marks;
export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
export const firstSentence = (words: string): string => (words.match(/^.*?[.;](?=\s|$)/)?.[0] ?? words).replace(/;$/, ".").slice(0, 180);
