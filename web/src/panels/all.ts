// Every panel below the first screen, in the order of the lecture.

import type { Board } from "../board";
import { chipsChart } from "../charts/chips";
import { contextChart, type PriceStep } from "../charts/context";
import { costChart } from "../charts/cost";
import { Figure } from "../charts/figure";
import { evidenceRuns, frontierChart, type OwnRun } from "../charts/frontier";
import { inferChart, inferHeight } from "../charts/infer";
import { latencyChart, loadChart } from "../charts/latency";
import { lifecycleChart } from "../charts/lifecycle";
import { rackChart, rackHeight } from "../charts/racks";
import { scheduleChart } from "../charts/schedule";
import { tierChart } from "../charts/tiers";
import { trainingMemoryChart } from "../charts/training_memory";
import { h, replace } from "../dom";
import type { Taken } from "../drop";
import type { Client, Lane } from "../engine/client";
import { errorsOf, jsonOf, lineOf, type Answer, type Json, type Request } from "../engine/door";
import { notice } from "../notice";
import * as questions from "../questions";
import { Assumptions, engines } from "./assumptions";
import { choice, numberField, runButton } from "./controls";
import { Panel, type Shown } from "./panel";
import type { State, Store } from "../state";

export interface Context {
  store: Store;
  client: Client;
  board: () => Board;
  story: (id: string) => HTMLElement | undefined;
  onWhy: (figure: string) => void;
  runs: OwnRun[];
  taken: Taken; // what was dropped goes to the panel that shows it
  question: (request: Request) => Request; // with the files that were dropped
  wrong: Map<string, string>; // subjects whose latest question has no answer: why
}

const tall = (wide: number, narrow: number) => (width: number) => (width < 600 ? narrow : wide);

export function allPanels(context: Context): Shown[] {
  return [cost(context), frontier(context), racks(context), contextAndPrice(context), tiers(context), simulate(context), train(context), chips(context), new Assumptions(context.store, context.board)];
}

/** The JSON of an answer, or a line above the board that says why there is none. */
async function told(context: Context, request: Request, subject: string, lane: Lane = "slow"): Promise<{ json: Json | null; answer: Answer | null }> {
  const answer = await context.client.ask(context.question(request), subject, lane);
  const wrong = errorsOf(answer)[0];
  if (wrong) notice(`${request.command}: ${wrong.where} ${wrong.what}`);
  if (answer) wrong ? context.wrong.set(subject, `No answer: ${wrong.where} ${wrong.what}`) : context.wrong.delete(subject);
  return { json: jsonOf(answer), answer };
}

function cost(context: Context): Panel {
  const { store } = context;
  const figure = new Figure({
    id: "cost", height: tall(330, 280), command: () => lineOf(questions.batchCurveOf(store.state)), onWhy: context.onWhy,
    draw: (width, height) => costChart(context.board().answers, store.state, width, height), empty: "no price is known of this machine",
  });
  return new Panel(store, { id: "cost", name: "Cost", figures: [figure], story: context.story("cost")!, ask: async () => {}, key: () => "cost", shows: () => context.board().answers });
}

function frontier(context: Context): Panel {
  const { store } = context;
  let plan: Json | null = null;
  const figure = new Figure({
    id: "frontier", height: tall(440, 380), command: () => lineOf(questions.planOf(store.state)),
    draw: (width, height) => context.wrong.get("plan") ?? frontierChart(plan, context.runs, evidenceRuns(context.board().answers, store.state), store.state, width, height), empty: "planning …",
  });
  const controls = h("div", { class: "controls" },
    choice("TPOT at most", ["10 ms", "15 ms", "20 ms", "30 ms", "50 ms", "100 ms"], () => `${+(store.state.tpot * 1e3).toPrecision(4)} ms`, (value) => store.commit({ tpot: Number.parseFloat(value) / 1e3 })),
    choice("engine", engines, () => store.state.engine, (value) => store.commit({ engine: value })));
  return new Panel(store, {
    id: "frontier", name: "Frontier", controls, figures: [figure], story: context.story("frontier")!,
    ask: async (state) => void ({ json: plan } = await told(context, questions.planOf(state), "plan")),
    key: (state) => JSON.stringify(questions.planOf(state)),
    shows: (state) => {
      const { loads } = context.board().answers;
      return JSON.stringify([loads.map((one) => one.json?.nearest_run?.id), context.runs.length, state.basis]);
    },
  });
}

function racks(context: Context): Panel {
  const { store } = context;
  let layout: Json | null = null;
  const figure = new Figure({ id: "racks", height: () => rackHeight(layout), command: () => lineOf(questions.layoutOf(store.state)), draw: (width, height) => context.wrong.get("layout") ?? rackChart(layout, width, height) });
  return new Panel(store, {
    id: "racks", name: "Racks", figures: [figure], story: context.story("racks")!,
    ask: async (state) => void ({ json: layout } = await told(context, questions.layoutOf(state), "layout", "quick")), key: (state) => JSON.stringify(questions.layoutOf(state)),
  });
}

const sheetNames = ["google/gemini-3-pro-preview", "google/gemini-2.5-pro", "anthropic/claude-sonnet-4-5", "openai/gpt-4o", "openai/gpt-5"];

function contextAndPrice(context: Context): Panel {
  const { store } = context;
  let curve: Json | null = null;
  let inferred: Json | null = null;
  let steps: PriceStep[] = [];
  let sheet = sheetNames[0] as string;
  let prior = "lecture";
  const own = new Set<string>(); // sheets that were dropped
  const impliedBy = () => questions.inferOf(sheet, own.has(sheet), prior);
  const along = new Figure({ id: "context", height: tall(330, 300), command: () => lineOf(questions.contextCurveOf(store.state)), draw: (width, height) => context.wrong.get("context") ?? contextChart(curve, steps, sheet, width, height) });
  const implied = new Figure({ id: "infer", height: (width) => inferHeight(inferred, width), command: () => lineOf(impliedBy()), draw: (width, height) => context.wrong.get("infer") ?? inferChart(inferred, width, height) });
  const open = h("details", { class: "open-list" }, h("summary", {}, "What the sheet cannot tell"), h("ul", {}));
  implied.element.append(open);
  const chosen = (value: string) => {
    sheet = value;
    panel.refresh(true);
  };
  const choices = () => [
    choice("price sheet", [...own, ...sheetNames], () => sheet, chosen),
    choice("prior", ["lecture", "provider"], () => prior, (value) => {
      prior = value;
      panel.refresh(true);
    }),
  ];
  const controls = h("div", { class: "controls" }, choices());
  context.taken.sheet = (name) => {
    own.add(name);
    sheet = name;
    replace(controls, choices());
    panel.element.scrollIntoView();
    panel.refresh(true);
  };
  const panel: Panel = new Panel(store, {
    id: "context", name: "Context & price", controls, figures: [along, implied], story: context.story("context")!, key: (state) => JSON.stringify(questions.contextCurveOf(state)),
    ask: async (state) => {
      const [a, b] = await Promise.all([told(context, questions.contextCurveOf(state), "context", "quick"), told(context, impliedBy(), "infer")]);
      curve = a.json;
      inferred = b.json;
      steps = stepsOf(inferred);
      open.querySelector("ul")?.replaceChildren(...(inferred?.not_identifiable ?? []).map((words: string) => h("li", {}, words)));
    },
  });
  return panel;
}

/** What a sheet asks for output: its price, and that above each of its price breaks, as the engine read it. */
function stepsOf(inferred: Json | null): PriceStep[] {
  const sold = inferred?.sheet;
  if (!(sold?.output > 0)) return [];
  const breaks: PriceStep[] = sold.price_breaks.map((one: Json) => ({ from: one.above, output: one.output }));
  const steps = [{ from: 1000, output: sold.output as number }, ...breaks];
  const longest: number = sold.max_input ?? 1e6;
  return steps.map((one, i) => ({ ...one, to: steps[i + 1]?.from ?? Math.max(longest, 2 * one.from) }));
}

function tiers(context: Context): Panel {
  const { store } = context;
  let answer: Json | null = null;
  const figure = new Figure({ id: "tiers", height: tall(360, 330), command: () => lineOf(questions.tierOf(store.state)), draw: (width, height) => context.wrong.get("tier") ?? tierChart(answer, width, height) });
  return new Panel(store, {
    id: "tiers", name: "Tiers", figures: [figure], story: context.story("tiers")!,
    ask: async (state) => void ({ json: answer } = await told(context, questions.tierOf(state), "tier", "quick")), key: (state) => JSON.stringify(questions.tierOf(state)),
  });
}

function simulate(context: Context): Panel {
  const { store, client } = context;
  let answer: Json | null = null;
  const asked = { requests: 4000, seed: 1, trace: "" };
  let rows: string | undefined;
  const request = (state: State) => {
    const { bound } = context.board().answers;
    if (!bound) return null;
    const ground = questions.groundOf(bound);
    return asked.trace ? questions.replayOf(state, ground, asked.trace, asked.requests, asked.seed) : questions.simulationOf(state, ground, asked.requests, asked.seed);
  };
  const line = () => lineOf(request(store.state) ?? questions.boundOf(store.state));
  const latency = new Figure({ id: "latency", height: tall(300, 280), command: line, draw: (width, height) => context.wrong.get("simulate") ?? latencyChart(answer, rows, width, height), empty: "simulating …" });
  const load = new Figure({ id: "load", height: tall(240, 220), command: line, draw: (width, height) => (context.wrong.has("simulate") ? "" : null) ?? loadChart(answer, width, height), empty: "" });
  const run = runButton("Cancel", () => {
    client.cancel("slow");
    notice("stopped", true);
  });
  const controls = h("div", { class: "controls" }, numberField("requests", asked.requests, 1, 100_000, (value) => {
    asked.requests = value;
    panel.refresh(true);
  }), numberField("seed", asked.seed, 1, 1_000_000, (value) => {
    asked.seed = value;
    panel.refresh(true);
  }), run);
  const replayed = h("span", { class: "own", hidden: true });
  controls.append(replayed);
  context.taken.trace = (name) => {
    asked.trace = name;
    replayed.hidden = name === "";
    replace(replayed, `replaying ${name} `, h("button", { type: "button", class: "run", onclick: () => context.taken.trace("") }, "Stop replaying"));
    if (name !== "") panel.element.scrollIntoView();
    panel.refresh(true);
  };
  const panel: Panel = new Panel(store, {
    id: "simulate", name: "Simulate", controls, figures: [latency, load], story: context.story("simulate")!, key: (state) => JSON.stringify(request(state)),
    ask: async (state) => {
      const question = request(state);
      if (!question) return;
      run.hidden = false;
      const one = await told(context, question, "simulate");
      answer = one.json;
      rows = one.answer?.ok ? one.answer.files?.["requests.csv"] : undefined;
      run.hidden = true;
    },
  });
  return panel;
}

const schedules = ["1f1b", "gpipe", "interleaved", "zb-h1", "zb-h2", "zb-v", "dualpipe", "dualpipev"];

function train(context: Context): Panel {
  const { store } = context;
  const asked = { schedule: "1f1b", stages: 8, microbatches: 32 };
  let schedule: Json | null = null;
  let trace: string | undefined;
  let memory: Json | null = null;
  let life: Json | null = null;
  const pipeline = new Figure({ id: "schedule", height: tall(260, 240), command: () => lineOf(scheduleRequest()), draw: (width, height) => context.wrong.get("schedule") ?? scheduleChart(schedule, trace, width, height) });
  const scheduleRequest = () => questions.scheduleOf(asked.schedule, asked.stages, asked.microbatches);
  const training = questions.trainingOf("llama-3.1-405b", "hgx-h100", 16384, "15.6T");
  const stages = new Figure({ id: "training-memory", height: () => 64 + 12 * Math.max(8, memory?.memory?.stages?.length ?? 32), command: () => lineOf(training), draw: (width, height) => trainingMemoryChart(memory, width, height) });
  const bill = new Figure({ id: "lifecycle", height: tall(224, 244), command: () => lineOf(questions.lifecycleOf()), draw: (width, height) => lifecycleChart(life, width, height) });
  const again = () => panel.refresh(true);
  const controls = h("div", { class: "controls" },
    choice("schedule", schedules, () => asked.schedule, (value) => { asked.schedule = value; again(); }),
    numberField("stages", asked.stages, 2, 64, (value) => { asked.stages = value; again(); }),
    numberField("micro-batches", asked.microbatches, 1, 256, (value) => { asked.microbatches = value; again(); }));
  const panel: Panel = new Panel(store, {
    id: "train", name: "Train", controls, figures: [pipeline, stages, bill], story: context.story("train")!, key: () => "train",
    ask: async () => {
      const one = await told(context, scheduleRequest(), "schedule", "quick");
      schedule = one.json;
      trace = one.answer?.ok ? Object.values(one.answer.files ?? {})[0] : undefined;
      pipeline.draw();
      const [m, l] = await Promise.all([told(context, training, "train"), told(context, questions.lifecycleOf(), "lifecycle")]);
      memory = m.json;
      life = l.json;
    },
  });
  return panel;
}

function chips(context: Context): Panel {
  const { store } = context;
  let answer: Json | null = null;
  const figure = new Figure({ id: "chips", height: tall(420, 360), command: () => lineOf(questions.chipsOf()), draw: (width, height) => chipsChart(answer, store.state.machine, width, height) });
  return new Panel(store, { id: "chips", name: "Chips", figures: [figure], story: context.story("chips")!, ask: async () => void ({ json: answer } = await told(context, questions.chipsOf(), "chips")), key: (state) => state.machine });
}
