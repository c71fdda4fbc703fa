// Where a label may stand: at the first of its places where it covers no line and no other label; else it is left out.

import type { Area, Point } from "./kit";

export interface Spot {
  x: number;
  y: number; // of the words' base line
  anchor?: "start" | "end";
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const high = 12;
const wideOf = (words: string): number => 6.6 * words.length;

function boxOf(spot: Spot, words: string): Box {
  const left = spot.anchor === "end" ? spot.x - wideOf(words) : spot.x;
  return { left: left - 2, right: left + wideOf(words) + 2, top: spot.y - high, bottom: spot.y + 3 };
}

const meet = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Whether a line runs through a box: its pieces are cut to the box's width, and looked at there. */
function crosses(line: Point[], box: Box): boolean {
  for (let i = 1; i < line.length; i++) {
    const [[x0, y0], [x1, y1]] = [line[i - 1] as Point, line[i] as Point];
    const from = Math.max(Math.min(x0, x1), box.left);
    const to = Math.min(Math.max(x0, x1), box.right);
    if (from > to) continue;
    const at = (x: number) => (x1 === x0 ? y0 : y0 + ((x - x0) / (x1 - x0)) * (y1 - y0));
    const ends = x1 === x0 ? [y0, y1] : [at(from), at(to)];
    if (Math.min(...ends) < box.bottom && Math.max(...ends) > box.top) return true;
  }
  return false;
}

export class Labels {
  #lines: Point[][];
  #area: Area;
  #taken: Box[] = [];

  constructor(lines: Point[][], area: Area) {
    this.#lines = lines;
    this.#area = area;
  }

  /** The first of the places that is free, and taken from now on; null: none is. */
  place(words: string, spots: Spot[]): Spot | null {
    const { left, right, top, bottom } = this.#area;
    for (const spot of spots) {
      const box = boxOf(spot, words);
      if (!(box.left >= left - 4 && box.right <= right + 60 && box.top >= top && box.bottom <= bottom)) continue;
      if (this.#taken.some((one) => meet(one, box)) || this.#lines.some((line) => crosses(line, box))) continue;
      this.#taken.push(box);
      return spot;
    }
    return null;
  }
}
