// The rack map: experts on chips, one token's way to its experts, and what leaving the rack costs.

import type { Json } from "../engine/door";
import { s } from "../dom";
import { gib, number, seconds, withPrefix } from "../format";
import type { Drawing, Stop } from "./figure";
import { box, dot, line, linearScale, text } from "./kit";

const top = 34;
const mostHigh = 414; // of a rack

const domainOf = (layout: Json): number => layout.rack?.chips ?? layout.chips.length;

/** Slots of a rack: how many beside each other, and how high each. */
function slotsOf(domain: number): { columns: number; rows: number; high: number } {
  const columns = domain > 144 ? 24 : domain > 32 ? 4 : domain > 4 ? 2 : 1;
  const rows = Math.ceil(domain / columns);
  return { columns, rows, high: Math.min(22, (mostHigh - 8) / rows) };
}

/** Where the bar of memory begins: below the rack, and below what is said beside it. */
function memoryTop(layout: Json): number {
  const { rows, high } = slotsOf(domainOf(layout));
  const spans: number = layout.spans?.length ?? 0;
  const said = 14 + (layout.traffic?.[0] ? 68 : 0) + (layout.rack?.network_ratio ? 45 : 0) + (spans < 2 ? 0 : 37 + 28 * spans);
  return top + Math.max(high * rows + 8, said) + 22;
}

/** A small rack needs little room. */
export const rackHeight = (layout: Json | null): number => (layout ? memoryTop(layout) + 46 : top + mostHigh + 92);

export function rackChart(layout: Json | null, width: number, _height: number): Drawing | null {
  if (!layout) return null;
  const narrow = width < 600;
  const svg = s("svg", {});
  const domain = domainOf(layout);
  const used: number = layout.chips.length;
  const perRack = Math.min(used, domain);
  const { columns, rows, high } = slotsOf(domain);
  const rackWide = narrow ? 150 : 210;
  const cell = { w: (rackWide - 12) / columns, h: high };
  const rackHigh = high * rows + 8;
  svg.append(text(0, 14, domain > 1 ? "One scale-up domain" : "One chip", "sb"), text(0, 28, `${number(perRack)} of ${number(domain)} GPUs used`, "t2"));
  svg.append(box(0.5, top + 0.5, rackWide, rackHigh, "frame", 4));
  const place = (slot: number): [number, number] => [6 + (slot % columns) * cell.w, top + 4 + Math.floor(slot / columns) * cell.h];
  const experts: number = Math.max(0, ...layout.chips.map((chip: Json) => (chip.experts ? chip.experts[1] + 1 : 0)));
  const stops: Stop[] = [];
  const stray = chosen(layout, 8);
  const spine = rackWide + 8;
  svg.append(box(spine, top, 10, rackHigh, "f-net"));
  for (let slot = 0; slot < Math.min(domain, 1024); slot++) {
    const [x, y] = place(slot);
    const chip = layout.chips.find((one: Json) => one.rack === 0 && one.slot === slot);
    svg.append(box(x + 1, y + 1, cell.w - 2, cell.h - 2, chip ? "gpu" : "gpu idle", 2));
    if (!chip) continue;
    const first = chip.experts?.[0];
    const last = chip.experts?.[1];
    const count = first === undefined ? 0 : Math.min(8, last - first + 1);
    for (let i = 0; i < count && cell.h > 8; i++) svg.append(box(x + 6 + (i * (cell.w - 12)) / count, y + cell.h / 2 - 4, Math.max(2, (cell.w - 12) / count - 2), 8, stray.has(chip.chip) && i === 0 ? "ex on" : "ex"));
    if (stray.has(chip.chip)) svg.append(line(x + 8, y + cell.h / 2, spine, y + cell.h / 2, "link"));
    stops.push({
      x: x + cell.w / 2, y: y + cell.h / 2, value: slot + 1,
      lines: [`GPU ${slot + 1}`, first === undefined ? "no routed experts" : `experts ${first + 1} to ${last + 1} of ${experts} in each layer`, `layers ${chip.layers[0] + 1} to ${chip.layers[1] + 1}`],
    });
  }
  const source = place(Math.min(perRack - 1, 19));
  if (perRack > 1) svg.append(box(source[0] + 1, source[1] + 1, cell.w - 2, cell.h - 2, "gpu src", 2), dot(source[0] + cell.w / 2, source[1] + cell.h / 2, 3, "f-ink"), line(source[0] + cell.w / 2, source[1] + cell.h / 2, spine, source[1] + cell.h / 2, "hl"));
  notes(svg, layout, spine + 28, width, narrow);
  memoryBar(svg, layout, 0, memoryTop(layout), width);
  const spans: Json[] = layout.spans ?? [];
  const two = spans.find((one) => one.racks === 2);
  const title = two
    ? `An expert layer fits one rack; spread over two, its all-to-all takes ${number(two.merged, 2)} to ${number(two.every_copy, 2)} times as long.`
    : experts > 1 ? "Experts are spread over the domain; every token visits some of them in every layer." : "A dense model: every chip holds a part of every layer.";
  return {
    title, svg, stops, axis: "", top, bottom: top + rackHigh, label: `${perRack} of ${domain} chips used; ${experts} experts in a layer.`,
    badges: [{ kind: "bound", words: "bound: datasheet links, uniform routing" }, { kind: "note", words: "latency and overlap not counted" }],
    table: {
      columns: [{ name: "racks", unit: "" }, { name: "all-to-all, sent once to a rack", unit: "× one rack" }, { name: "every copy crosses", unit: "× one rack" }],
      rows: spans.map((one) => [one.racks, one.merged, one.every_copy]),
    },
  };
}

/** Chips that one token's experts sit on: spread evenly, to show the way. */
function chosen(layout: Json, count: number): Set<number> {
  const chips: number = layout.chips.length;
  if (chips < 2 || !layout.chips[0].experts) return new Set();
  return new Set(Array.from({ length: Math.min(count, chips) }, (_, i) => Math.floor(((i * 7919 + 13) % 997) / 997 * chips)));
}

function notes(svg: SVGElement, layout: Json, left: number, width: number, narrow: boolean): void {
  const toExperts = layout.traffic?.[0];
  let y = top + 14;
  const say = (words: string, kind = "") => {
    svg.append(text(left, y, words, kind));
    y += 17;
  };
  const routed = toExperts?.what === "to experts";
  if (toExperts) {
    say(routed ? (narrow ? "one token's experts" : "one token's way to its experts, drawn evenly") : `${toExperts.what} over the domain`, "t2");
    say(`${withPrefix(toExperts.scale_up, "B", 3)} a token${routed ? " and layer" : ", each time"}`, "sb");
    say(`× ${number(toExperts.times)} ${routed ? "layers, there and back" : "in a step"}`, "t2");
    say(`network ${seconds(layout.network_time)} a step`, "c-net sb");
  }
  if (layout.rack?.network_ratio) {
    y += 8;
    say(`leaving the rack: ${number(layout.rack.network_ratio, 3)}× thinner`, "c-net sb");
    svg.append(box(left, y - 8, 18, 8, "f-net"), box(left + 26, y - 8, Math.max(1, 18 / layout.rack.network_ratio), 8, "f-net"));
    y += 20;
  }
  const spans: Json[] = layout.spans ?? [];
  if (spans.length < 2) return;
  y += 6;
  say(narrow ? "all-to-all" : "All-to-all of an expert layer, against one rack", "sb");
  const most = Math.max(...spans.map((one) => one.every_copy));
  const scale = linearScale([0, most], [0, Math.max(40, width - left - 110)]);
  for (const one of spans) {
    svg.append(text(left, y + 8, `${one.racks} rack${one.racks === 1 ? "" : "s"}`, ""));
    svg.append(box(left + 56, y, scale(one.merged), 8, "f-net"), text(left + 60 + scale(one.merged), y + 8, `${number(one.merged, 2)}×`, "sb"));
    if (one.every_copy !== one.merged) svg.append(box(left + 56.5, y + 11.5, scale(one.every_copy), 7, "o-net"), text(left + 60 + scale(one.every_copy), y + 19, `${number(one.every_copy, 3)}×`, "t2"));
    y += 28;
  }
  svg.append(text(left, y + 6, narrow ? "outlined: every copy" : "filled: sent once to a rack, then on; outlined: every copy crosses", "t2 small"));
}

function memoryBar(svg: SVGElement, layout: Json, x: number, y: number, width: number): void {
  const stage = layout.stages?.[0];
  const fit = layout.fit;
  if (!stage || !fit) return;
  const parts: [string, number, string][] = [
    ["experts", stage.experts, "f-hbm"], ["attention", stage.attention, "f-hbm2"],
    ["rest", stage.weights - stage.experts - stage.attention, "f-hbm3"], ["KV cache", Math.max(0, fit.needed - stage.weights), "f-kv"],
  ];
  const scale = linearScale([0, Math.max(fit.capacity, fit.needed)], [0, width]);
  const short = fit.needed > fit.capacity;
  svg.append(text(x, y, short ? `Each GPU would need ${gib(fit.needed)} GiB, and has ${gib(fit.capacity)} GiB` : `Each GPU holds ${gib(fit.needed)} of ${gib(fit.capacity)} GiB`, short ? "c-bad sb" : "sb"));
  let at = x;
  for (const [, bytes, kind] of parts) {
    svg.append(box(at, y + 8, scale(bytes) - 1, 14, kind));
    at += scale(bytes);
  }
  svg.append(box(x + 0.5, y + 8, width - 1, 14, "trough"));
  if (short) svg.append(box(x + scale(fit.capacity), y + 8, width - scale(fit.capacity), 14, "over"), line(x + scale(fit.capacity), y + 4, x + scale(fit.capacity), y + 26, "wall"));
  svg.append(text(x, y + 38, parts.filter(([, bytes]) => bytes > 0).map(([name, bytes]) => `${name} ${gib(bytes)}`).join(" · ") + " GiB", "t2"));
}
