// The first screen: the sentence, four answers, step time against batch; on the right one step as bars, and the story.

import { fits, none, type Answers } from "./answers";
import type { Catalog } from "./catalog";
import { Figure } from "./charts/figure";
import { stepTimeChart } from "./charts/step_time";
import { h, replace } from "./dom";
import type { Client } from "./engine/client";
import { lineOf, type Request } from "./engine/door";
import { boundOf, calibratedOf, groundOf } from "./questions";
import { showRace } from "./race";
import { Sentence } from "./sentence";
import { showShortfall } from "./shortfall";
import { showTiles } from "./tiles";
import type { State, Store } from "./state";

export class FirstScreen {
  readonly element: HTMLElement;
  readonly sentence: Sentence;
  readonly right = h("div", { class: "right" });
  readonly race = h("div", { class: "race" });
  readonly comparison = h("div", { class: "compare", hidden: true });
  #answers: Answers = none;
  #tiles = h("div", { class: "answers", id: "answers-row" });
  #short = h("div", { class: "nofit", hidden: true });
  #figure: Figure;
  #store: Store;
  #client: Client;
  #catalog: Catalog;
  #switches: HTMLElement;
  #chosen = "";
  #basis = h("span", { class: "switch basis", role: "group", "aria-label": "which tokens a rate counts" });
  onWhy: (figure: string) => void = () => {};
  /** Adds the files that a question names. */
  question: (request: Request) => Request = (request) => request;

  constructor(store: Store, client: Client, catalog: Catalog) {
    this.#store = store;
    this.#client = client;
    this.#catalog = catalog;
    this.sentence = new Sentence(store, catalog);
    this.#switches = h("span", { class: "switch", role: "group", "aria-label": "which reading is the headline" });
    const how = h("p", { class: "how" }, h("span", {}, h("span", { class: "key" }, "Yellow is yours"), ": drag it, type it, or press ↑ ↓."), h("span", { class: "switches" }, this.#basis, this.#switches));
    this.#figure = new Figure({
      id: "step", height: (width) => (width < 600 ? 280 : 316),
      draw: (width, height) => stepTimeChart(this.#answers, store.state, width, height),
      command: () => this.command(), onWhy: (name) => this.onWhy(name),
    });
    this.right.append(this.race);
    const left = h("div", { class: "left" }, this.sentence.element, how, this.#short, this.#tiles, this.#figure.element, this.comparison);
    this.element = h("section", { id: "board", class: "wrap", "aria-label": "The board" }, h("div", { class: "cols" }, left, this.right));
  }

  /** The state has moved and the engine has not answered yet: the inputs follow at once. */
  follow(): void {
    this.sentence.show(this.#answers);
    this.#showSwitch(this.#store.state);
  }

  show(answers: Answers): void {
    this.#answers = answers;
    const state = this.#store.state;
    this.sentence.show(answers);
    this.#showSwitch(state);
    showTiles(this.#tiles, answers, state, (name) => this.onWhy(name));
    showShortfall(this.#short, answers, { store: this.#store, client: this.#client, catalog: this.#catalog, question: this.question });
    showRace(this.race, answers, state);
    this.#figure.draw();
  }

  /** The `ridge` line that prints this headline. */
  command(): string {
    const { state } = this.#store;
    const { bound } = this.#answers;
    return lineOf(state.read === "calibrated" && bound && fits(this.#answers.calibrated) ? calibratedOf(state, groundOf(bound)) : boundOf(state));
  }

  #showSwitch(state: State): void {
    const chosen = `${state.read} ${state.basis}`;
    if (chosen === this.#chosen) return; // a drag leaves them alone
    this.#chosen = chosen;
    const one = (pressed: boolean, change: Partial<State>, words: string) =>
      h("button", { type: "button", "aria-pressed": pressed ? "true" : "false", onclick: () => this.#store.commit(change) }, words);
    replace(this.#switches, one(state.read === "bound", { read: "bound" }, "≤ bound"), one(state.read === "calibrated", { read: "calibrated" }, "calibrated"));
    replace(this.#basis, one(state.basis === "output", { basis: "output" }, "output tok/s"), one(state.basis === "total", { basis: "total" }, "total"));
  }
}
