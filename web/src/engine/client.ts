// Asks the engine from the page. Three lanes, each a worker: `quick` follows the hand, `beside` answers what is calibrated at the
// same time, `slow` plans and simulates. Of the questions on one subject only the latest waits; an answer that was superseded is dropped.

import EngineWorker from "./worker?worker&inline";
import { engineModule } from "./embedded";

import { errorAnswer, type Answer, type Request } from "./door";

export type Lane = "quick" | "beside" | "slow";

interface Waiting {
  id: number;
  key: string;
  subject: string;
  request: Request;
  resolve: (answer: Answer | null) => void;
}

const kept = 600;
const atOnce = 2;

export class Client {
  #answers = new Map<string, Answer>();
  #lanes: Record<Lane, LaneWorker>;
  /** Milliseconds that answers took in the worker, for the timing tests. */
  readonly took: number[] = [];

  constructor() {
    const module = engineModule();
    this.#lanes = { quick: new LaneWorker(module, this.took), beside: new LaneWorker(module, this.took), slow: new LaneWorker(module, this.took) };
  }

  /** What is known already, from the page itself or from an earlier question. */
  seed(answers: Record<string, Answer>): void {
    for (const [key, answer] of Object.entries(answers)) this.#answers.set(key, answer);
  }

  known(request: Request): Answer | undefined {
    return this.#answers.get(keyOf(request));
  }

  /** The answer; null where a later question on the same subject took its place. */
  async ask(request: Request, subject: string, lane: Lane = "quick"): Promise<Answer | null> {
    const key = keyOf(request);
    const known = this.#answers.get(key);
    if (known) {
      this.#lanes[lane].forget(subject);
      return known;
    }
    const answer = await this.#lanes[lane].ask(key, request, subject);
    if (answer) {
      this.#answers.set(key, answer);
      if (this.#answers.size > kept) this.#answers.delete(this.#answers.keys().next().value as string);
    }
    return answer;
  }

  /** Stops what the lane computes now, and forgets what waits in it. */
  cancel(lane: Lane): void {
    this.#lanes[lane].cancel();
  }

  /** `quick` is what the first screen waits for, in both of its lanes. */
  busy(lane: "quick" | "slow"): boolean {
    return this.#lanes[lane].busy() || (lane === "quick" && this.#lanes.beside.busy());
  }
}

export function keyOf(request: Request): string {
  return JSON.stringify(request);
}

class LaneWorker {
  #module: Promise<WebAssembly.Module | null>;
  #worker: Worker | null = null;
  #ready: Promise<void> = Promise.resolve();
  #queue: Waiting[] = [];
  #running: Waiting[] = []; // in the worker: the one that it computes, and the next, so that it need not wait for the page
  #next = 1;
  #took: number[];

  constructor(module: Promise<WebAssembly.Module | null>, took: number[]) {
    this.#module = module;
    this.#took = took;
  }

  ask(key: string, request: Request, subject: string): Promise<Answer | null> {
    this.forget(subject);
    return new Promise((resolve) => {
      this.#queue.push({ id: this.#next++, key, subject, request, resolve });
      void this.#work();
    });
  }

  /** Questions that wait on this subject are superseded. */
  forget(subject: string): void {
    const stale = this.#queue.filter((one) => one.subject === subject);
    this.#queue = this.#queue.filter((one) => one.subject !== subject);
    for (const one of stale) one.resolve(null);
  }

  busy(): boolean {
    return this.#running.length > 0 || this.#queue.length > 0;
  }

  cancel(): void {
    this.#stop();
    const dropped = [...this.#running, ...this.#queue];
    this.#running = [];
    this.#queue = [];
    for (const one of dropped) one.resolve(null);
  }

  #stop(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }

  #start(): void {
    const worker = new EngineWorker();
    this.#worker = worker;
    this.#ready = new Promise((ready) => {
      worker.onmessage = (event: MessageEvent) => {
        const message = event.data as { kind: string; id: number; answer: Answer; took: number };
        if (message.kind === "ready") ready();
        else this.#finish(message.id, message.answer, message.took);
      };
    });
    worker.onerror = (event) => {
      event.preventDefault();
      this.#stop(); // another worker answers the next question
      for (const one of [...this.#running]) this.#finish(one.id, errorAnswer("engine", event.message || "stopped"), 0);
    };
    void this.#module.then((module) => worker.postMessage({ kind: "engine", module }));
  }

  async #work(): Promise<void> {
    if (this.#running.length >= atOnce || this.#queue.length === 0) return;
    const one = this.#queue.shift() as Waiting;
    this.#running.push(one);
    if (!this.#worker) this.#start();
    const worker = this.#worker;
    await this.#ready;
    if (this.#running.includes(one) && worker) worker.postMessage({ kind: "ask", id: one.id, request: one.request });
  }

  #finish(id: number, answer: Answer, took: number): void {
    const one = this.#running.find((waiting) => waiting.id === id);
    if (!one) return;
    this.#running = this.#running.filter((waiting) => waiting !== one);
    if (took > 0) this.#took.push(took);
    one.resolve(answer);
    void this.#work();
  }
}
