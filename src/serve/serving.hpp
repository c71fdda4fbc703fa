#pragma once
// The operator's question: this model on these chips, laid out so, under this load: how fast for a user, how much for
// the house, at what cost, and how sure.

#include <optional>

#include "library/calibrations.hpp"
#include "roofline/scenario.hpp"
#include "serve/serving_sensitivity.hpp"
#include "serve/steady.hpp"

namespace ridge {

/// What an engine's share of memory is a share of.
enum class MemoryRule {
  everything,         // all that the engine takes (vLLM)
  weights_and_cache,  // those alone, activations and the process come beside (SGLang)
  free,               // the cache's share of what all else leaves (TensorRT-LLM)
};

struct ServingQuestion {
  Scenario scenario;       // model, machine, formats, price
  std::string checkpoint;  // what the model was called where that was another name
  std::optional<double> tensor, pipeline, context, attention_data, expert, replicas;
  double redundant_experts = 0;       // experts held twice; then popular ones are spread evenly
  double isl = 1024, osl = 1024;      // mean tokens of prompts and answers
  double cached = 0;                  // share of prompts in the prefix cache
  std::optional<double> concurrency;  // requests in flight, over all replicas
  std::optional<double> rate;         // requests a second, instead
  std::string engine = "vllm";
  double memory_utilization = kMemoryUtilization;  // of a chip's memory that the engine takes
  MemoryRule memory_rule = MemoryRule::everything;
  double token_budget = 8192;  // tokens of prompts computed at once, for which activations are kept free
  double speculative_tokens = 0, acceptance_rate = 0.8;  // speculative decoding
  Overlap overlap = Overlap::none;
  bool sensitivity = false;              // which numbers the answer hangs on
  bool disaggregated = false;            // prompts on chips of their own
  std::optional<Layout> prefill_layout;  // those chips'; none: as the others
};

/// What one chip holds.
struct ChipMemory {
  Bytes<double> there, usable;  // all of it, and the engine's share
  Bytes<double> weights, activations, process;
  Bytes<double> cache;      // left for the context
  double cache_tokens = 0;  // of the sequences of one attention group, at this length
  double sequences = 0;     // of this length that fit, over one replica
};

struct ServingAnswer {
  ServingQuestion question;
  Layout layout;
  std::string model, kv;  // its name in the library; the format of the cache
  std::string model_title, machine_title, chip_title, engine_from, chip_from;
  bool borrowed = false;  // some calibration is not of this chip or engine
  ChipMemory memory;
  double concurrency = 0;  // of one replica
  double utilization = 0;  // of the requests this layout could finish; 0 where only a concurrency was given
  StepTimes<double> step;  // a decode step with this load
  ServingTimes<double> times;
  double output_rate = 0, total_rate = 0, user_rate = 0;  // tokens/s: all chips out, in and out; one user
  double input_cost = 0, output_cost = 0;                 // dollars a token
  double mfu = 0, mbu = 0;
  std::optional<double> energy;           // joules for an output token, at the machine's or chip's power
  double price = 0;                       // dollars a second and chip
  double chips_in_all = 0;                // those for prompts included
  double tpot_error = 0, ttft_error = 0;  // mean errors on the engine's measured runs; 0: unknown
  std::string error_unknown;              // what has no measured run, where that is why
  // where prompts have chips of their own
  Layout prefill_layout;
  ChipMemory prefill_memory;
  double prefill_replicas = 0;                 // for each that decodes
  Seconds<double> transfer_time{};             // of a prompt's cache from one to the other
  std::vector<ServingElasticity> sensitivity;  // where asked for
  std::vector<std::string> notes;
  bool waits = false;  // more in flight than fit: the rest queue, and no time to the first token is given
};

/// Does not fit: an answer, with what is missing.
struct ServingShortfall {
  Layout layout;
  ChipMemory memory;
  std::vector<std::string> ways_out;
  double most_requests = 0;  // a second, where memory is not what is short
  std::vector<std::string> notes;
};

struct ServingResult {
  std::optional<ServingAnswer> answer;
  std::optional<ServingShortfall> shortfall;
};

/// What a chip takes from the socket, the machine around it included where that is known.
std::optional<Watts<double>> watts_of(const Machine& machine, const Chip& chip);

/// The load of one replica with so many requests in flight and room for so many.
ServingLoad<double> load_of(const ServingQuestion& question, const Model& model, double concurrency, double capacity);

/// What cannot be meant: lengths of nothing, shares above one, an engine nobody knows.
Errors checked_question(const ServingQuestion& question, const Library& library);

Result<ServingResult> answer_serving(const ServingQuestion& question, const Library& library);

/// A question whose layout and load are those answered, to be asked with another load.
ServingQuestion held(const ServingAnswer& answer);

}  // namespace ridge
