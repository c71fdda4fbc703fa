// The lecture in ten steps: each a state of the board, a few sentences, one thing to try. Claims are the catalog's, judged by the engine.

import type { State } from "../state";

export interface Try {
  words: string;
  change: Partial<State>;
}

export interface Step {
  panel: string; // where it is shown
  title: string;
  says: string[];
  claims: string[];
  tries: Try[];
  change: Partial<State>; // the state that shows it
}

export const steps: Step[] = [
  {
    panel: "board", title: "The slower of two clocks", claims: ["C01"], change: { batch: 2048 },
    says: ["One token for every request: the rack reads all weights and every KV cache, and it multiplies. Both at once, so the longer bar is the step. Left of the ridge you wait for memory, and a request more costs almost nothing; right of it you wait for arithmetic."],
    tries: [{ words: "One user alone", change: { batch: 1 } }, { words: "Past the ridge", change: { batch: 8192 } }],
  },
  {
    panel: "cost", title: "Alone is expensive", claims: ["C09"], change: { batch: 1 },
    says: ["A step costs the same whether one request rides in it or a hundred: the weights are read anyway. So the price of a token falls with the batch, until each request brings as much arithmetic as it saves."],
    tries: [{ words: "batch 1", change: { batch: 1 } }, { words: "batch 64", change: { batch: 64 } }, { words: "batch 2,048", change: { batch: 2048 } }],
  },
  {
    panel: "board", title: "The floor", claims: ["C10"], change: { batch: 128 },
    says: ["However few the requests, a step that touches every expert reads every weight once. That time is a floor of latency that money does not lower: only more memory bandwidth in one domain does."],
    tries: [{ words: "HGX B200: eight GPUs", change: { machine: "hgx-b200", batch: 128 } }, { words: "GB200 NVL72", change: { machine: "gb200-nvl72", batch: 128 } }],
  },
  {
    panel: "board", title: "The ridge", claims: ["C04", "C05"], change: { batch: 2359 },
    says: ["Where both clocks show the same time, the chip is used in full. Counted by weights alone, the ridge is 300 times the sparsity; the KV cache and attention over it move it."],
    tries: [{ words: "just below", change: { batch: 2300 } }, { words: "just above", change: { batch: 2400 } }, { words: "short contexts", change: { isl: 512, osl: 128 } }],
  },
  {
    panel: "frontier", title: "Speed has a price", claims: ["C15"], change: {},
    says: ["Every point on the line is a deployment: a layout, a load, a split of prefill and decode GPUs. Moving right, fewer requests share each read of the weights, so each token carries more of the rack."],
    tries: [{ words: "TPOT ≤ 20 ms", change: { tpot: 0.02 } }, { words: "≤ 15 ms", change: { tpot: 0.015 } }, { words: "≤ 10 ms", change: { tpot: 0.01 } }],
  },
  {
    panel: "racks", title: "One rack", claims: ["C20", "C21", "C22"], change: {},
    says: ["Experts are spread over the chips; in each expert layer a token visits some of them and comes back. Inside the rack every chip reaches every other at full speed; leave it, and the wire is many times thinner."],
    tries: [{ words: "HGX H200", change: { machine: "hgx-h200" } }, { words: "GB300 NVL72", change: { machine: "gb300-nvl72" } }],
  },
  {
    panel: "context", title: "The 200k price break", claims: ["C39", "C41"], change: {},
    says: ["Reading the KV cache grows with the context, the arithmetic of the weights does not: past some length every token is more expensive. A provider that raises its price at 200,000 tokens tells where that length lies for its model, if its price follows its cost."],
    tries: [{ words: "8k in", change: { isl: 8192 } }, { words: "200k in", change: { isl: 200000, batch: 64 } }],
  },
  {
    panel: "tiers", title: "Where context waits", claims: ["C50", "C45"], change: {},
    says: ["Between two messages of a conversation its KV cache can stay in HBM, move to slower memory, or be computed again. Each tier costs to write and to hold: the longer the wait, the slower the tier that wins."],
    tries: [{ words: "KV cache in bf16", change: { kv: "bf16" } }, { words: "in fp8", change: { kv: "fp8" } }],
  },
  {
    panel: "train", title: "Past the optimum", claims: ["C37", "C30"], change: {},
    says: ["A model that answers trillions of tokens pays for its size every day, so it is made smaller and trained longer than is best for training alone. The pipeline that trains it stands still where stages wait for each other: the hatched bubble."],
    tries: [],
  },
  {
    panel: "chips", title: "Three numbers of a chip", claims: ["C28"], change: {},
    says: ["FLOP for each byte read say where the ridge lies, the time to read its memory once says how slow a full chip answers, and the size of the scale-up domain says how much of both can be joined."],
    tries: [{ words: "HGX H100", change: { machine: "hgx-h100", model: "llama-3.1-70b", batch: 64 } }, { words: "MI355X", change: { machine: "mi355x-8" } }],
  },
];

/** Where claims of a topic are shown. */
export const topicPanels: Record<string, string> = { roofline: "board", batch: "cost", sparsity: "racks", machine: "racks", prices: "context", lifecycle: "train", context: "context", memory: "tiers", training: "train" };
