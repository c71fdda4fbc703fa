// The yellow handle on an axis of batches: drag it, and the board follows.

import { s } from "../dom";
import { number } from "../format";
import { box, line, text, type Area, type Scale } from "./kit";

type Move = (batch: number, done: boolean) => void;
let moved: Move = () => {};

export function onBatchHandle(move: Move): void {
  moved = move;
}

export function batchHandle(x: Scale, area: Area, batch: number): SVGGElement {
  const at = x(batch);
  const words = number(batch);
  const wide = 22 + 7 * words.length;
  const group = s("g", { class: "here" });
  group.append(line(at, area.top, at, area.bottom + 2, "hl"));
  const pill = s("g", { class: "pill" }, box(at - wide / 2, area.bottom + 3, wide, 22, "", 11), text(at, area.bottom + 18, words, "b", "middle"));
  group.append(pill);
  pill.addEventListener("pointerdown", (down) => drag(down, x));
  return group;
}

/** Listens on the window: the chart is drawn anew under the hand. */
function drag(down: PointerEvent, x: Scale): void {
  down.preventDefault();
  const svg = (down.currentTarget as SVGElement).ownerSVGElement;
  if (!svg) return;
  const stage = svg.parentElement as HTMLElement;
  const at = (event: PointerEvent) => {
    const batch = Math.round(x.invert(event.clientX - stage.getBoundingClientRect().left));
    return Math.max(1, Math.min(batch, x.domain[1]));
  };
  const move = (event: PointerEvent) => moved(at(event), false);
  const up = (event: PointerEvent) => {
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", up);
    moved(at(event), true);
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", up);
}
