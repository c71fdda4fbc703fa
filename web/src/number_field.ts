// A number of the sentence: drag it (40 pixels double it), press the arrow keys, type it, double-click to reset.

import { h } from "./dom";
import { defaults, limits, type Store } from "./state";

type Key = "batch" | "isl" | "osl" | "price";

export function draggable(store: Store, key: Key, label: string): HTMLElement {
  const [least, most] = limits[key] ?? [1, 1e9];
  const field = h("button", {
    type: "button", class: "v", id: `value-${key}`, role: "slider", "aria-label": label,
    "aria-valuemin": least, "aria-valuemax": most, "aria-valuenow": store.state[key] ?? 0,
  });
  const now = () => store.state[key] ?? Number(field.getAttribute("aria-valuenow"));
  const fitted = (value: number) => {
    const inside = Math.min(Math.max(value, least), most);
    return key === "price" ? +inside.toPrecision(3) : Math.max(1, Math.round(inside < 100 ? inside : Number(inside.toPrecision(inside < 1e4 ? 4 : 5))));
  };

  let start: { x: number; value: number; moved: boolean } | null = null;
  field.addEventListener("pointerdown", (event) => {
    if (field.dataset.editing !== undefined || event.button !== 0) return;
    start = { x: event.clientX, value: now(), moved: false };
    field.setPointerCapture(event.pointerId);
  });
  field.addEventListener("pointermove", (event) => {
    if (!start) return;
    const by = event.clientX - start.x;
    if (!start.moved && Math.abs(by) < 4) return;
    if (!start.moved) store.begin();
    start.moved = true;
    store.set({ [key]: fitted(start.value * 2 ** (by / 40)) });
  });
  field.addEventListener("pointerup", () => {
    const dragged = start?.moved ?? false;
    start = null;
    if (!dragged && field.dataset.editing === undefined) edit(field, store, key, fitted);
  });
  field.addEventListener("pointercancel", () => (start = null));
  field.addEventListener("dblclick", () => store.commit({ [key]: defaults[key] }));
  field.addEventListener("keydown", (event) => {
    if (field.dataset.editing !== undefined) return;
    const factor = { ArrowUp: 2, ArrowDown: 0.5, ArrowRight: 1.1, ArrowLeft: 1 / 1.1, PageUp: 8, PageDown: 1 / 8 }[event.key];
    if (factor !== undefined) {
      event.preventDefault();
      const value = now();
      const next = fitted(value * factor);
      store.commit({ [key]: next === value && key !== "price" ? Math.min(most, Math.max(least, value + Math.sign(factor - 1))) : next });
    } else if (event.key === "Enter" || /^[0-9]$/.test(event.key)) {
      event.preventDefault();
      edit(field, store, key, fitted, event.key === "Enter" ? undefined : event.key);
    } else if (event.key === "Delete" || event.key === "Backspace") store.commit({ [key]: defaults[key] });
  });
  return field;
}

const factors: Record<string, number> = { "": 1, k: 1e3, M: 1e6, B: 1e9, Ki: 1024, Mi: 1048576 };

/** "8k", "8Ki", "2,048", "$3.50": as the command line reads them. */
export function parseAmount(text: string): number | null {
  const match = /^\$?\s*([0-9][0-9,]*(?:\.[0-9]+)?|\.[0-9]+)\s*(k|M|B|Ki|Mi)?$/.exec(text.trim());
  if (!match) return null;
  return Number((match[1] as string).replaceAll(",", "")) * (factors[match[2] ?? ""] ?? 1);
}

function edit(field: HTMLElement, store: Store, key: Key, fitted: (value: number) => number, typed?: string): void {
  const before = field.textContent ?? "";
  field.dataset.editing = "";
  const input = h("input", { class: "type", value: typed ?? before.replace(/^\$/, ""), size: Math.max(4, before.length), "aria-label": field.getAttribute("aria-label") ?? key, inputmode: "decimal" });
  field.replaceChildren(input);
  input.focus();
  if (typed === undefined) input.select();
  const close = (keep: boolean) => {
    if (field.dataset.editing === undefined) return;
    delete field.dataset.editing;
    const value = parseAmount(input.value);
    field.textContent = before;
    if (keep && value !== null) store.commit({ [key]: fitted(value) });
  };
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter" || event.key === "Escape") {
      event.preventDefault();
      close(event.key === "Enter");
      field.focus();
    }
  });
  input.addEventListener("blur", () => close(true));
  for (const kind of ["pointerdown", "click", "dblclick"]) input.addEventListener(kind, (event) => event.stopPropagation());
}
