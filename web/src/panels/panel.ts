// A panel: a question beyond the first screen, asked when it comes into sight, again when the state has moved.

import { h } from "../dom";
import type { Figure } from "../charts/figure";
import type { State, Store } from "../state";

export interface PanelParts {
  id: string;
  name: string; // in the header
  controls?: HTMLElement;
  figures: Figure[];
  story?: HTMLElement;
  /** Asks what the figures need; they are drawn when it is done. */
  ask: (state: State) => Promise<void>;
  /** What of the state its questions depend on. */
  key: (state: State) => string;
  /** What else its figures show, such as the board's own answers: they are drawn again when it is another. */
  shows?: (state: State) => unknown;
}

/** What the page shows below the first screen. */
export interface Shown {
  readonly id: string;
  readonly name: string; // in the header
  readonly element: HTMLElement;
  /** The state or the answers have moved. */
  refresh(again?: boolean): void;
  draw(): void;
}

export class Panel implements Shown {
  readonly element: HTMLElement;
  readonly id: string;
  readonly name: string;
  #parts: PanelParts;
  #seen = false;
  #asked = "";
  #shown: unknown = undefined;
  #store: Store;

  constructor(store: Store, parts: PanelParts) {
    this.#store = store;
    this.#parts = parts;
    this.id = parts.id;
    this.name = parts.name;
    const left = h("div", { class: "left" }, parts.controls, parts.figures.map((one) => one.element));
    const cols = parts.story ? h("div", { class: "cols" }, left, h("div", { class: "right" }, parts.story)) : left;
    this.element = h("section", { id: parts.id, class: "wrap panel", "aria-label": parts.name }, cols);
    new IntersectionObserver((entries) => {
      this.#seen = entries.some((one) => one.isIntersecting);
      if (this.#seen) this.refresh();
    }, { rootMargin: "300px 0px" }).observe(this.element);
  }

  refresh(again = false): void {
    const { state } = this.#store;
    const key = this.#parts.key(state);
    if (!this.#seen) {
      if (again) this.#asked = ""; // asked when it comes into sight
      return;
    }
    const shows = this.#parts.shows?.(state);
    if (key === this.#asked && !again) {
      if (shows !== this.#shown) this.draw();
      return;
    }
    this.#asked = key;
    void this.#parts.ask(state).then(() => this.draw());
  }

  draw(): void {
    this.#shown = this.#parts.shows?.(this.#store.state);
    for (const one of this.#parts.figures) one.draw();
  }
}
