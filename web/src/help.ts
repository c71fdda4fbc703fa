// What the keys do.

import { h } from "./dom";

const keys: [string, string][] = [
  ["↑ ↓", "on a yellow number: double it, halve it"], ["← →", "ten percent more, less"], ["Enter", "type it; on a name, search"],
  ["Delete", "as it was at first"], ["← → Home End", "in a chart: read it"], ["Enter, Esc", "pin what is read, let it go"],
  ["W", "why: the derivation"], ["Ctrl+Z", "back"], ["C", "keep this beside the board, to compare"], ["?", "this"],
];

export function helpDialog(): HTMLDialogElement {
  const dialog = h("dialog", { "aria-label": "Keys" }, h("h2", { class: "fttl" }, "Keys"), h("dl", {}, keys.map(([key, words]) => [h("dt", {}, key), h("dd", {}, words)])));
  dialog.append(h("form", { method: "dialog" }, h("button", { class: "run" }, "Close")));
  dialog.querySelector("form")?.addEventListener("submit", (event) => {
    event.preventDefault();
    dialog.close();
  });
  document.body.append(dialog);
  return dialog;
}
