// Asks the engine what the board shows of a scenario, and keeps it: the bound first, since it follows the hand.

import { none, type Answers, type LoadPoint } from "./answers";
import type { Client, Lane } from "./engine/client";
import { errorsOf, jsonOf, type Answer, type Json, type Request } from "./engine/door";
import { batchCurveOf, batchEnd, boundOf, calibratedLoads, calibratedOf, groundOf, type Ground } from "./questions";
import type { Scenario } from "./state";

export class Board {
  answers: Answers = none;
  #client: Client;
  #changed: () => void;
  #turn = 0;
  #curveKey = "";
  #ground: { key: string; ground: Ground } | null = null;
  /** Adds the files that a question names. */
  withFiles: (request: Request) => Request = (request) => request;

  constructor(client: Client, changed: () => void) {
    this.#client = client;
    this.#changed = changed;
  }

  /** Follows a scenario: what is old and still true stays until the new is there. */
  async follow(one: Scenario): Promise<void> {
    const turn = ++this.#turn;
    // while a hand moves, the ground stays: the calibrated answer need not wait for the bound
    const groundKey = JSON.stringify(boundOf({ ...one, batch: 0, isl: 0, osl: 0, price: null }));
    const guess = this.#ground?.key === groundKey ? this.#ground.ground : null;
    const ahead = guess ? this.#calibrated(one, guess) : null;
    const bound = await this.#ask(boundOf(one), "bound");
    if (!bound || turn !== this.#turn) return;
    const json = jsonOf(bound);
    if (!json) {
      this.answers = { ...none, errors: errorsOf(bound) };
      return this.#changed();
    }
    const curve = await this.#ask(batchCurveOf(one), "curve");
    if (!curve || turn !== this.#turn) return;
    this.#ground = { key: groundKey, ground: groundOf(json) };
    const key = JSON.stringify(calibratedOf(one, groundOf(json), 0));
    const same = key === this.#curveKey;
    const question = this.withFiles(calibratedOf(one, groundOf(json)));
    const known = this.#client.known(question);
    this.answers = {
      bound: json, curve: jsonOf(curve), errors: [],
      calibrated: known ? jsonOf(known) : same ? this.answers.calibrated : null,
      calibratedErrors: known ? errorsOf(known) : [],
      loads: same ? this.answers.loads : [],
    };
    if (known || !same) this.#changed();
    if (!known) {
      const answer = await (ahead && JSON.stringify(guess) === JSON.stringify(groundOf(json)) ? ahead : this.#calibrated(one, groundOf(json)));
      if (!answer || turn !== this.#turn) return;
      this.answers = { ...this.answers, calibrated: jsonOf(answer), calibratedErrors: errorsOf(answer) };
      this.#changed();
    }
    if (!same || this.answers.loads.length === 0) await this.#followLoads(one, json, turn, key);
  }

  #calibrated(one: Scenario, ground: Ground): Promise<Answer | null> {
    return this.#client.ask(this.withFiles(calibratedOf(one, ground)), "calibrated", "beside");
  }

  async #ask(request: Request, subject: string, lane: Lane = "quick"): Promise<Answer | null> {
    const asked = this.withFiles(request);
    return this.#client.known(asked) ?? this.#client.ask(asked, subject, lane);
  }

  async #followLoads(one: Scenario, bound: Json, turn: number, key: string): Promise<void> {
    const most = Math.min(batchEnd(one), bound.figures.batch_limit.value ?? Infinity);
    const loads = calibratedLoads.filter((load) => load <= most);
    const points: LoadPoint[] = [];
    for (const load of loads) {
      const request: Request = calibratedOf(one, groundOf(bound), load);
      const answer = await this.#ask(request, "loads", "beside");
      if (!answer || turn !== this.#turn) return;
      const json = jsonOf(answer);
      if (json) points.push({ load, json });
    }
    if (turn !== this.#turn) return;
    this.#curveKey = key;
    this.answers = { ...this.answers, loads: points };
    this.#changed();
  }
}
