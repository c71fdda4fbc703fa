// Runs at build time, in Node: the answers of the state that the page opens with, so that it opens with its charts drawn. They are
// the engine's own, asked once before instead of after.

import { readFileSync, writeFileSync } from "node:fs";
import { makeEngine, type Answer } from "./engine";
import { jsonOf, type Request } from "./engine/door";
import * as questions from "./questions";
import { defaults } from "./state";

const [modulePath = "", out = ""] = process.argv.slice(2);
const engine = await makeEngine(await WebAssembly.compile(readFileSync(modulePath)));
const answers: Record<string, Answer> = {};

function ask(request: Request): Answer {
  const answer = engine.ask(request.command, request.arguments, request.options, request.files ?? {});
  if (!answer.ok) throw new Error(`${JSON.stringify(request)}: ${JSON.stringify(answer.errors)}`);
  answers[JSON.stringify(request)] = answer;
  return answer;
}

const bound = ask(questions.boundOf(defaults));
const ground = questions.groundOf(jsonOf(bound));
ask(questions.batchCurveOf(defaults));
ask(questions.calibratedOf(defaults, ground));
const limit: number = jsonOf(bound).figures.batch_limit.value;
for (const load of questions.calibratedLoads.filter((one) => one <= limit)) ask(questions.calibratedOf(defaults, ground, load));
for (const request of [questions.planOf(defaults), questions.listOf("models"), questions.listOf("machines"), questions.claimsOf()]) ask(request);
writeFileSync(out, JSON.stringify(answers));
