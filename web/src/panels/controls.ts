// Controls of a panel: yellow, since they change what is asked.

import { h } from "../dom";

export function choice(label: string, values: string[], now: () => string, chosen: (value: string) => void): HTMLElement {
  const all = values.includes(now()) ? values : [now(), ...values];
  const select = h("select", {}, all.map((value) => h("option", { value, ...(value === now() ? { selected: true } : {}) }, value)));
  select.addEventListener("change", () => chosen(select.value));
  return h("label", {}, label, select);
}

export function numberField(label: string, now: number, least: number, most: number, chosen: (value: number) => void, step = 1): HTMLElement {
  const input = h("input", { type: "number", value: now, min: least, max: most, step: step === 1 ? 1 : "any" });
  input.addEventListener("change", () => {
    const within = Math.min(Math.max(Number(input.value) || least, least), most);
    const value = step === 1 ? Math.round(within) : within;
    input.value = String(value);
    input.defaultValue = input.value; // no longer being typed
    chosen(value);
  });
  return h("label", {}, label, input);
}

export function textField(now: string, usual: string, chosen: (value: string) => void): HTMLElement {
  const input = h("input", { type: "text", value: now, placeholder: usual, maxlength: 120, spellcheck: "false" });
  input.addEventListener("change", () => {
    input.defaultValue = input.value;
    chosen(input.value.trim());
  });
  return h("label", {}, input);
}

export function runButton(words: string, does: () => void): HTMLButtonElement {
  return h("button", { type: "button", class: "run", hidden: true, onclick: does }, words);
}
