// Pre-training, RL and serving on one bill: as the lecture splits it, and where the bill is least.

import type { Json } from "../engine/door";
import { s } from "../dom";
import { dollars, number, params, percent } from "../format";
import type { Drawing, Stop } from "./figure";
import { box, linearScale, text } from "./kit";

export function lifecycleChart(answer: Json | null, width: number, height: number): Drawing | null {
  if (!answer) return null;
  const of = (name: string): number => answer.figures[name].value;
  const rows: [string, string, number[]][] = [
    ["as asked", `${params(answer.case.inputs.params.value)} parameters, ${params(of("tokens"))} tokens`, [of("cost_pretraining"), of("cost_rl"), of("cost_serving")]],
    ["least bill", `${params(of("best_params"))} parameters, ${params(of("best_tokens"))} tokens`, [of("best_cost_pretraining"), of("best_cost_rl"), of("best_cost_serving")]],
  ];
  const names = ["pre-training", "RL", "serving"];
  const looks = ["f-cmp", "f-net", "f-hbm"];
  const most = Math.max(...rows.map(([, , costs]) => costs.reduce((a, b) => a + b, 0)));
  const narrow = width < 600;
  const x = linearScale([0, most], [0, width - (narrow ? 60 : 90)]);
  const svg = s("svg", {});
  const stops: Stop[] = [];
  rows.forEach(([name, what, costs], i) => {
    const y = 14 + i * 84;
    svg.append(text(0, y + 4, name, "sb"), text(narrow ? 0 : 84, y + (narrow ? 20 : 4), what, "t2"));
    let at = 0;
    costs.forEach((cost, part) => {
      svg.append(box(x(at), y + 28, x(cost) - 1, 26, looks[part] ?? ""));
      const words = [`${names[part]} ${dollars(cost)}`, names[part] ?? "", dollars(cost)].find((one) => 7 * one.length + 14 < x(cost)); // as much as has room
      if (words) svg.append(text(x(at) + 8, y + 46, words, "onbar sb"));
      stops.push({ x: x(at) + x(cost) / 2, y: y + 40, value: i + 1, lines: [`${name}: ${names[part]} ${dollars(cost)}`] });
      at += cost;
    });
    svg.append(text(x(at) + 6, y + 46, dollars(at), "sb"));
  });
  const y = 14 + 2 * 84 + 10;
  const said = [
    `trained ${number(of("over_law"), 3)}× past the compute-optimal tokens;`, `the least bill is at ${number(of("best_over_law"), 3)}× and saves ${percent(of("saving"))}.`,
    `${number(of("over_rule"), 3)}× the rule of ${number(answer.case.inputs.tokens_per_param.value)} tokens a parameter.`,
  ];
  const lines = narrow ? said : [said.slice(0, 2).join(" "), said[2] ?? ""];
  lines.forEach((words, i) => svg.append(text(0, y + 18 * i, words, i === lines.length - 1 ? "t2" : "")));
  void height;
  return {
    title: `A model that is served much is trained far past the optimum: ${number(of("over_law"), 3)} times here.`,
    label: "Cost of pre-training, reinforcement learning and serving, as asked and at the least bill.", svg, stops, axis: "", top: 0, bottom: 180,
    badges: [{ kind: "note", words: `law ${answer.case.law}; loads and efficiencies as the lecture assumes` }],
    table: { columns: [{ name: "case", unit: "" }, ...names.map((name) => ({ name, unit: "$" }))], rows: rows.map(([name, , costs]) => [name, ...costs]) },
  };
}
