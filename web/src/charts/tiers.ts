// Where to keep a context between two uses: cost of holding and fetching each tier, against how long it waits.

import type { Json } from "../engine/door";
import { s } from "../dom";
import { dollars, roundDollars, seconds } from "../format";
import type { Drawing, Stop } from "./figure";
import { decades, line, logScale, polyline, spread, text, xAxis, yAxis, type Area, type Point } from "./kit";

const ticks = [1, 60, 3600, 86400, 2592000];
const names: Record<number, string> = { 1: "1 s", 60: "1 min", 3600: "1 h", 86400: "1 day", 2592000: "1 month" };
const said: Record<string, string> = { hbm: "HBM", cxl: "CXL", dram: "DRAM", lpddr: "LPDDR", flash: "flash", "flash-dense": "dense flash", disk: "disk", object: "object store", recompute: "recompute" };
const looks: Record<string, string> = { hbm: "ln hbm", cxl: "ln hbm dots", dram: "ln hbm dash", lpddr: "ln hbm kv", flash: "ln", disk: "ln dash", object: "ln dots", recompute: "ln cmp" };

const placed = (tier: string): string => (tier === "recompute" ? "is cheapest computed again" : `is cheapest ${/flash|disk/.test(tier) ? "on" : "in"} ${said[tier] ?? tier}`);
const waits = (time: number): string => names[time] ?? seconds(time, 2);

export function tierChart(answer: Json | null, width: number, height: number): Drawing | null {
  const tiers: Json[] = answer?.tiers ?? [];
  if (tiers.length === 0) return null;
  const narrow = width < 600;
  const area: Area = { left: narrow ? 70 : 72, top: 26, right: width - (narrow ? 84 : 110), bottom: height - 44 };
  const x = logScale([1, 2592000], [area.left, area.right]);
  const times = Array.from({ length: 61 }, (_, i) => 10 ** ((i / 60) * Math.log10(2592000)));
  // what the engine says of a tier: to write it once, to hold it a second, to fetch it once
  const cost = (tier: Json, time: number) => (tier.write + tier.hold * time + tier.fetch) * 1e6;
  const y = logScale(decades(tiers.flatMap((tier) => [cost(tier, 1), cost(tier, 2592000)]).filter((one) => one > 0)), [area.bottom, area.top]);
  const svg = s("svg", {});
  svg.append(yAxis(y, area, { label: roundDollars, name: "" }), xAxis(x, area, { ticks, label: (tick) => names[tick] ?? "", name: "until it is used again" }));
  svg.append(text(0, 10, "$ a million tokens kept once and used again", "t2"));
  const cheapest = times.map((time) => tiers.reduce((best, tier) => (cost(tier, time) < cost(best, time) ? tier : best)));
  const ends = tiers.map((tier) => y(cost(tier, 2592000)));
  const at = spread(ends, 15, area.top + 4, area.bottom);
  tiers.forEach((tier, i) => {
    svg.append(polyline(times.map((time): Point => [x(time), y(cost(tier, time))]), looks[tier.name] ?? "ln soft"));
    const end = ends[i] ?? 0;
    svg.append(line(area.right + 1, end, area.right + 10, at[i] ?? end, "lead"), text(area.right + 13, (at[i] ?? end) + 4, said[tier.name] ?? tier.name, "sb small"));
  });
  svg.append(polyline(times.map((time, i): Point => [x(time), y(cost(cheapest[i] as Json, time))]), "stepline ghost"));
  const map: Json[] = answer.map.filter((one: Json) => one.reuse_probability === 1);
  const stops = times.filter((_, i) => i % 3 === 0).map((time): Stop => {
    const order = [...tiers].sort((a, b) => cost(a, time) - cost(b, time));
    return { x: x(time), value: time, lines: [`kept ${seconds(time, 2)}: ${said[order[0]?.name] ?? order[0]?.name} is cheapest`, ...order.slice(0, 4).map((tier) => `${said[tier.name] ?? tier.name} ${dollars(cost(tier, time))} a million tokens`)] };
  });
  const first = map[0];
  const last = map.at(-1);
  return {
    title: first && last ? `A context that waits ${waits(first.time)} ${placed(first.tier)}; one that waits ${waits(last.time)}, ${placed(last.tier).replace("is cheapest ", "")}.` : "Where a context waits.",
    label: "Cost of keeping a million tokens of KV cache against the time until they are used again, by tier.", svg, stops, axis: "time", top: area.top, bottom: area.bottom,
    badges: [{ kind: "bound", words: "prices and rates of each tier; assumed where so marked" }],
    table: {
      columns: [{ name: "tier", unit: "" }, { name: "hold", unit: "$/(token s)" }, { name: "write", unit: "$/token" }, { name: "fetch", unit: "$/token" }, { name: "fetch time", unit: "s" }],
      rows: tiers.map((tier) => [tier.title, tier.hold, tier.write, tier.fetch, tier.fetch_time]),
    },
  };
}
