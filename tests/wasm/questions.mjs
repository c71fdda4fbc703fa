// Questions of every kind of user, as `ridge` lines: what a page asks, too. Words in quotes stay together.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const questions = `
why
why deepseek-v3 --on gb200-nvl72 --kv fp8 --batch 2048 --context 8704
why deepseek-v3 --on gb200-nvl72 --sensitivity
why deepseek-v3 --on gb200-nvl72 --derive cost --depth 0
why deepseek-v3 --on gb200-nvl72 --range 'hbm=6.5..8 TB/s' --range 'price=$2..4/h'
why llama-3-70b --on hgx-h100 --batch 64 --context 4k --price '$2.10/h'
why llama-3.1-405b --on hgx-h100
why qwen3-235b-a22b --on mi355x-8 --weights fp8 --price owned
why mixtral-8x7b --on tpu-v5e-pod --batch 1 --context 1
why kimi-k2 --on rubin-nvl144 --weights nvfp4 --set 'hbm.bandwidth=20 TB/s'
why llama-3-8b --on xeon-6980p-1 --context 1
why lama-3-8b --on xeon-6980p-1
why llama-3-8b --on hgx-h100 --batch 0
why llama-3.1-70b --on hgx-h100 --tp 4 --isl 1k --osl 1k --concurrency 64 --engine vllm
why llama-3.1-70b --on hgx-h100 --tp 4 --isl 1k --osl 1k --concurrency 64 --engine vllm --derive tpot --sensitivity
why deepseek-v3 --on hgx-b200 --dp 8 --ep 8 --isl 8k --osl 1k --rate 4 --engine trtllm
why deepseek-v3 --on hgx-b200 --dp 8 --concurrency 512 --commands
why --from 'vllm serve deepseek-ai/DeepSeek-V3 -tp 8' --on hgx-h200 --isl 2k --osl 500
why gpt-oss-120b --on hgx-h100 --tp 2 --concurrency 32 --isl 2k --osl 500 --range 'hbm.bandwidth=3..3.5 TB/s'
why deepseek-v3 --on gb200-nvl72 --tp 8 --rate 4 --isl 8k --osl 1k
why llama-3.1-8b --on hgx-h100 --tp 3 --isl 1k
fit deepseek-v3 --on gb200-nvl72 --batch 512
fit llama-3.1-405b --on hgx-h100
fit llama-3.1-70b --on hgx-h100 --tp 2 --concurrency 64
plan llama-3.1-70b --on hgx-h100 --isl 1k --osl 1k
plan deepseek-v3 --on gb200-nvl72 --isl 8k --osl 1k --tpot 30ms
plan deepseek-v3 --on hgx-b200 --isl 4k --osl 1k --disaggregated
plan llama-3.1-8b --on hgx-h100 --tpot 1us
host llama-3.1-70b --on hgx-h100 --tokens-per-day 1B
simulate llama-3.1-8b --on hgx-h100 --tp 1 --isl 512 --osl 64 --rate 5 --requests 200
simulate llama-3.1-8b --on hgx-h100 --tp 1 --isl 512 --osl 64 --rate 60 --requests 200 --seed 7
simulate llama-3.1-8b --on hgx-h100 --tp 1 --isl 512 --osl 64 --concurrency 16 --requests 100 --seeds 3
simulate llama-3.1-70b --on hgx-h100 --tp 4 --rate 2 --requests 100 --replicas 2
layout deepseek-v3 --on gb200-nvl72 --ep 64
layout llama-3.1-70b --on hgx-h100 --tp 4
context deepseek-v3 --on gb200-nvl72
context llama-3.1-70b --on hgx-h100 --min 1k --max 100k
cost gb200-nvl72
cost hgx-b200 --memory-cost-share 30%
curve batch deepseek-v3 --on gb200-nvl72
curve context llama-3.1-70b --on hgx-h100 --points 12
tier deepseek-v3 --on gb200-nvl72
tier llama-3.1-70b --on hgx-h100
lifecycle
lifecycle --params 70B --tokens 15T
schedule --stages 8 --microbatches 16
schedule zb-v --stages 4 --microbatches 12
train llama-3.1-8b --on hgx-h100
train deepseek-v3 --on hgx-h800 --chips 2048
activations llama-3.1-70b
activations deepseek-v3
goodput --chips 16384
goodput
chips
chips --vendor nvidia
chips --sparsity 8 --sort params
price deepseek-v3 --on gb200-nvl72
price llama-3.1-70b --on hgx-h100
price history claude-opus
price history deepseek
infer google/gemini-2.5-pro --samples 100k
infer anthropic/claude-opus-4-6 --samples 100k
demand llama-3.1-70b --on hgx-h100
demand deepseek-v3 --on gb200-nvl72
claims
claims C12
list
list models
list machines
list engines
list figures
show deepseek-v3
show gb200-nvl72
show models
diff llama-3-70b llama-3.1-70b
diff deepseek-v3 kimi-k2
day
compare examples/09-your-results/sweep.jsonl --on mi300x --tp 1
results examples/09-your-results/sweep.jsonl
why examples/06-your-model/config.json --on hgx-h100
fit examples/06-your-model/config.json --on hgx-h100 --tp 4 --concurrency 16
`.trim().split('\n');

/** The words of a line, as a shell would cut them. */
export const wordsOf = (line) => [...line.matchAll(/'([^']*)'|(\S+)/g)].map((found) => found[1] ?? found[2]);

/** The request that a line stands for, with the files it names. A flag is a switch where no value follows it. */
export function requestOf(line, root = '.') {
  const [first, ...rest] = wordsOf(line);
  const request = { command: first, arguments: [], options: {}, files: {} };
  if (`${first} ${rest[0]}` === 'price history') { request.command = 'price history'; rest.shift(); }
  for (let i = 0; i < rest.length; ++i) {
    if (!rest[i].startsWith('--')) {
      request.arguments.push(rest[i]);
      if (existsSync(join(root, rest[i]))) request.files[rest[i]] = readFileSync(join(root, rest[i]), 'utf8');
      continue;
    }
    const name = rest[i].slice(2);
    const isSwitch = i + 1 === rest.length || rest[i + 1].startsWith('--');
    const value = isSwitch ? true : rest[++i];
    const before = request.options[name];
    request.options[name] = before === undefined ? value : [before, value].flat();
  }
  return request;
}
