// One sentence above the board; what was there stays.

import { byId, h } from "./dom";

export function notice(words: string, good = false): void {
  const line = h("div", { class: `notice ${good ? "good" : ""}` }, h("span", {}, words));
  line.append(h("button", { type: "button", "aria-label": "close this message", onclick: () => line.remove() }, "×"));
  const all = byId("notices");
  all.prepend(line);
  while (all.children.length > 3) all.lastElementChild?.remove();
}
