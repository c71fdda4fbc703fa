// A name of the sentence: click it, and choose from a list that can be searched.

import { h, replace } from "./dom";

export interface Choice {
  value: string;
  title: string;
  note: string;
}

export function pick(id: string, label: string, choices: () => Choice[], chosen: (value: string) => void): HTMLElement {
  const field = h("button", { type: "button", class: "v pick", id, "aria-haspopup": "listbox", "data-label": label, "aria-expanded": "false" });
  field.addEventListener("click", () => open(field, label, choices(), chosen));
  return field;
}

function open(field: HTMLElement, label: string, choices: Choice[], chosen: (value: string) => void): void {
  document.querySelector(".picker")?.remove();
  const list = h("ul", { role: "listbox", "aria-label": label, id: "picker-list" });
  const search = h("input", {
    type: "text", placeholder: `search ${choices.length}`, "aria-label": `search: ${label}`, role: "combobox",
    "aria-controls": "picker-list", "aria-expanded": "true", autocomplete: "off", spellcheck: "false",
  });
  const panel = h("div", { class: "picker" }, search, list);
  let shown: Choice[] = [];
  let at = 0;
  const close = (focus: boolean) => {
    panel.remove();
    field.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside);
    if (focus) field.focus();
  };
  const take = (one: Choice | undefined) => {
    if (!one) return;
    close(true);
    chosen(one.value);
  };
  const outside = (event: Event) => {
    if (!panel.contains(event.target as Node)) close(false);
  };
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const typed = search.value.trim().toLowerCase();
    const exact = (one: Choice) => Number(one.value.toLowerCase() === typed || one.title.toLowerCase() === typed);
    shown = choices.filter((one) => words.every((word) => `${one.value} ${one.title} ${one.note}`.toLowerCase().includes(word)));
    shown.sort((a, b) => exact(b) - exact(a));
    at = Math.min(at, Math.max(0, shown.length - 1));
    const item = (one: Choice, i: number) =>
      h("li", { role: "option", id: `choice-${i}`, "aria-selected": i === at ? "true" : "false", onclick: () => take(one) }, h("b", {}, one.title), h("span", {}, one.note));
    replace(list, shown.length === 0 ? h("li", { class: "empty" }, "nothing of that name") : shown.map(item));
    search.setAttribute("aria-activedescendant", `choice-${at}`);
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };
  search.addEventListener("input", () => {
    at = 0;
    show();
  });
  search.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "ArrowDown") at = Math.min(shown.length - 1, at + 1);
    else if (event.key === "ArrowUp") at = Math.max(0, at - 1);
    else if (event.key === "Enter") return take(shown[at]);
    else if (event.key === "Escape" || event.key === "Tab") return close(true);
    else return;
    event.preventDefault();
    show();
  });
  document.body.append(panel);
  const frame = field.getBoundingClientRect();
  panel.style.top = `${frame.bottom + window.scrollY + 4}px`;
  panel.style.left = `${Math.max(8, Math.min(frame.left, window.innerWidth - panel.offsetWidth - 8))}px`;
  field.setAttribute("aria-expanded", "true");
  setTimeout(() => document.addEventListener("pointerdown", outside));
  show();
  search.focus();
}
