#include "engine/engine_flags.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "library/model_names.hpp"

namespace ridge {

namespace {

using M = Meaning;

/// For a shell: as it is, or between quotes.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:-+=,@";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// A share as flags have it, rounded down: a little less always fits.
std::string share_text(double share) {
  constexpr double kSteps = 1000, kRounding = 1e-6;
  return fmt::format("{:g}", std::floor(std::clamp(share, 0.001, 1.0) * kSteps + kRounding) / kSteps);
}

class Writer {
 public:
  Writer(Engine engine, const EngineSetup& setup) : engine_(engine), setup_(setup), layout_(setup.layout) {
    out_.engine = engine;
    has_experts_ = setup.model->experts() != nullptr;
    if (has_experts_) return;
    layout_.replicas *= layout_.attention_data;  // groups that share nothing are copies
    layout_.attention_data = 1;
  }

  EngineCommand run() {
    start();
    degrees();
    load();
    formats();
    extras();
    remarks();
    finish();
    return std::move(out_);
  }

 private:
  void word(const std::string& text) { words_.push_back(text); }
  void flag(Meaning meaning, const std::string& value) { word(flag_for(engine_, meaning) + " " + quoted(value)); }
  void flag(Meaning meaning, double value) { flag(meaning, fmt::format("{:.0f}", value)); }
  void turn_on(Meaning meaning) { word(flag_for(engine_, meaning)); }
  void degree(Meaning meaning, double value) {
    if (value > 1) flag(meaning, value);
  }
  void note(std::string text) { out_.notes.push_back(std::move(text)); }
  void differs(std::string text) {
    out_.exact = false;
    note(std::move(text));
  }

  std::string model_name() const {
    const Model& model = *setup_.model;
    if (!setup_.checkpoint.empty()) return quoted(setup_.checkpoint);
    return quoted(model.repository.empty() ? model.name : model.repository);
  }

  void start() {
    if (engine_ == Engine::vllm) word("vllm serve " + model_name());
    if (engine_ == Engine::sglang)
      word("python3 -m sglang.launch_server " + flag_for(engine_, M::model) + " " + model_name());
    if (engine_ == Engine::trtllm) word("trtllm-serve " + model_name());
    if (setup_.model->repository.empty())
      note("the catalog knows no repository of this model: put its name or path in");
  }

  void degrees() {
    if (engine_ == Engine::vllm) vllm_degrees();
    if (engine_ == Engine::sglang) sglang_degrees();
    if (engine_ == Engine::trtllm) trtllm_degrees();
    degree(M::pipeline, layout_.pipeline);
    if (layout_.redundant_experts > 0) redundant_experts();
  }

  void vllm_degrees() {
    degree(M::tensor, layout_.tensor * layout_.context);
    degree(M::context_inside, layout_.context);
    if (has_experts_) {
      degree(M::data, layout_.attention_data);
      out_.copies = layout_.replicas;
    } else {
      degree(M::data, layout_.replicas);
    }
    if (layout_.expert > 1) turn_on(M::expert_everywhere);
    if (layout_.expert > 1 && layout_.expert < layout_.chips_per_stage()) {
      differs(fmt::format("vLLM spreads experts over all {:g} chips of a stage or none, not over {:g}",
                          layout_.chips_per_stage(), layout_.expert));
    }
  }

  void sglang_degrees() {
    const double chips = layout_.chips_per_stage();
    degree(M::tensor, chips);
    degree(M::context_inside, layout_.context);
    if (layout_.attention_data > 1) {
      flag(M::data, layout_.attention_data);
      turn_on(M::attention_data);
      if (layout_.tensor == 1 && layout_.context == 1) word("--moe-dense-tp-size 1");
      out_.copies = layout_.replicas;
    } else {
      degree(M::data, layout_.replicas);
    }
    degree(M::expert, layout_.expert);
    const bool sends = layout_.expert > 1 && layout_.expert == chips && layout_.attention_data > 1;
    if (sends) flag(M::dispatch, std::string("deepep"));
  }

  void trtllm_degrees() {
    out_.copies = layout_.replicas;
    const bool groups = layout_.attention_data > 1;
    if (groups && (layout_.tensor > 1 || layout_.context > 1)) {
      differs(fmt::format("TensorRT-LLM gives every chip sequences of its own or none: this runs as dp{:g}",
                          layout_.chips_per_stage()));
      layout_.attention_data = layout_.chips_per_stage();
      layout_.tensor = layout_.context = 1;
    }
    degree(M::tensor, groups ? layout_.attention_data : layout_.tensor);
    degree(M::context_beside, layout_.context);
    degree(M::expert, layout_.expert);
    if (groups) line("enable_attention_dp: true");
    if (layout_.context > 1) line("cp_config:\n  cp_type: HELIX");
  }

  void redundant_experts() {
    if (engine_ == Engine::trtllm) {
      const double slots = setup_.model->experts()->count + layout_.redundant_experts;
      line(fmt::format("moe_config:\n  load_balancer:\n    num_slots: {:.0f}\n    layer_updates_per_iter: 1", slots));
    } else if (engine_ == Engine::vllm) {
      word(fmt::format(R"(--enable-eplb --eplb-config '{{"num_redundant_experts": {:.0f}}}')",
                       layout_.redundant_experts));
    } else {
      word("--enable-eplb");
      flag(M::redundant_experts, layout_.redundant_experts);
    }
  }

  void load() {
    const double groups = layout_.attention_data;
    // SGLang counts over all groups, the others in each
    const double counted = engine_ == Engine::sglang ? groups : 1;
    if (setup_.sequences > 0) flag(M::sequences, std::ceil(setup_.sequences / groups) * counted);
    flag(M::token_budget, setup_.token_budget * counted);
    if (!setup_.memory) return;
    const ChipMemory& memory = *setup_.memory;
    const double there = memory.there.value(), cache = memory.cache.value();
    const double share = engine_ == Engine::vllm     ? memory.usable.value() / there
                         : engine_ == Engine::sglang ? (memory.weights.value() + cache) / there
                                                     : cache / (cache + there - memory.usable.value());
    flag(M::memory, share_text(share));
    constexpr double kBlock = 1024;
    const double fits = std::floor(memory.cache_tokens / kBlock) * kBlock;
    if (fits >= kBlock && setup_.model->context_limit > fits) flag(M::length, fits);
  }

  void formats() {
    const Precisions& released = setup_.model->precision.value;
    if (setup_.weights && *setup_.weights != released.weights) {
      if (*setup_.weights == "fp8" && engine_ != Engine::trtllm) {
        flag(M::weights, std::string("fp8"));
      } else {
        note(fmt::format("needs a checkpoint with weights in {}: put its name in place of {}", *setup_.weights,
                         model_name()));
      }
    }
    if (setup_.kv == released.kv || setup_.kv.empty()) return;
    const bool eight = setup_.kv == "fp8", wide = setup_.kv == "bf16";
    if (engine_ == Engine::trtllm && eight) {
      line("kv_cache_config:\n  dtype: fp8");
    } else if (engine_ != Engine::trtllm && (eight || wide)) {
      const bool sglang = engine_ == Engine::sglang;
      flag(M::kv, std::string(eight ? (sglang ? "fp8_e4m3" : "fp8") : (sglang ? "bf16" : "bfloat16")));
    } else {
      note(fmt::format("{} has no flag for a KV cache in {}", title_of(engine_), setup_.kv));
    }
  }

  void extras() {
    if (setup_.speculative_tokens > 0) speculative_tokens();
    if (setup_.overlap == Overlap::two && engine_ != Engine::trtllm) turn_on(M::overlap);
    if (setup_.overlap == Overlap::full || (setup_.overlap == Overlap::two && engine_ == Engine::trtllm))
      note(fmt::format("{} has no flag for this overlap of network and kernels", title_of(engine_)));
    if (!setup_.disaggregated) return;
    out_.role = setup_.prompts ? "prefill" : "decode";
    if (engine_ == Engine::vllm)
      word(R"(--kv-transfer-config '{"kv_connector": "NixlConnector", "kv_role": "kv_both"}')");
    if (engine_ == Engine::sglang) flag(M::disaggregation, out_.role);
    note(engine_ == Engine::trtllm ? "both pools stand behind trtllm-serve disaggregated"
                                   : "a proxy in front sends requests to prefill, then to decode");
  }

  void speculative_tokens() {
    const bool own = !setup_.model->mtp_order.empty();
    if (!own) note("put a draft model in place of DRAFT_MODEL");
    const double n = setup_.speculative_tokens;
    if (engine_ == Engine::vllm) {
      word(fmt::format(R"(--speculative-config '{{{}, "num_speculative_tokens": {:.0f}}}')",
                       own ? R"("method": "mtp")" : R"("method": "eagle3", "model": "DRAFT_MODEL")", n));
    } else if (engine_ == Engine::sglang) {
      flag(M::speculation, std::string("EAGLE"));
      if (!own) word("--speculative-draft-model-path DRAFT_MODEL");
      flag(M::speculative_tokens, n);
      word(fmt::format("--speculative-eagle-topk 1 --speculative-num-draft-tokens {:.0f}", n + 1));
    } else {
      line(own ? fmt::format("speculative_config:\n  decoding_type: MTP\n  num_nextn_predict_layers: {:.0f}", n)
               : fmt::format("speculative_config:\n  decoding_type: Eagle\n  max_draft_len: {:.0f}\n  "
                             "speculative_model: DRAFT_MODEL",
                             n));
    }
  }

  void remarks() {
    constexpr double kOfAHost = 8;
    if (layout_.context > 1 && engine_ != Engine::trtllm)
      note("QKV and output projections are sharded over context-parallel chips, too; here each has a copy");
    if (layout_.chips_per_stage() * layout_.pipeline > kOfAHost)
      note("more chips than most hosts have: add the engine's flags for several hosts");
    if (out_.copies > 1) note(fmt::format("start it {:g} times behind a router", out_.copies));
  }

  void line(const std::string& text) { file_ += text + "\n"; }

  void finish() {
    if (!file_.empty()) {
      const std::string name = out_.role.empty() ? "options.yaml" : out_.role + "-options.yaml";
      out_.text = "cat > " + name + " <<'EOF'\n" + file_ + "EOF\n";
      flag(M::settings, name);
    }
    for (std::size_t i = 0; i < words_.size(); ++i) out_.text += (i > 0 ? " \\\n  " : "") + words_[i];
  }

  Engine engine_;
  const EngineSetup& setup_;
  Layout layout_;
  bool has_experts_ = false;
  std::vector<std::string> words_;
  std::string file_;
  EngineCommand out_;
};

}  // namespace

EngineCommand engine_command(Engine engine, const EngineSetup& setup) { return Writer(engine, setup).run(); }

EngineSetup engine_setup(const ServingAnswer& answer, const Library& library) {
  const ServingQuestion& question = answer.question;
  EngineSetup setup;
  setup.model = find_named(library.models, answer.model);
  setup.layout = answer.layout;
  setup.weights = question.scenario.weights;
  setup.checkpoint = question.checkpoint;
  if (const std::string& word = question.scenario.model;
      setup.checkpoint.empty() && word.find('/') != std::string::npos)
    setup.checkpoint = word;
  const auto match = find_model(library, setup.checkpoint);
  if (match && match->weights == setup.weights) setup.weights.reset();  // the checkpoint has them so
  setup.kv = answer.kv;
  setup.sequences = answer.concurrency;
  setup.token_budget = question.token_budget;
  setup.speculative_tokens = question.speculative_tokens;
  setup.overlap = question.overlap;
  setup.disaggregated = question.disaggregated;
  setup.memory = answer.memory;
  return setup;
}

std::vector<EngineCommand> engine_commands(const ServingAnswer& answer, const Library& library) {
  const EngineSetup setup = engine_setup(answer, library);
  std::vector<EngineCommand> commands;
  if (setup.model == nullptr) return commands;
  EngineSetup prompts = setup;
  prompts.prompts = true;
  prompts.layout = answer.prefill_layout;
  prompts.layout.replicas = std::max(1.0, std::ceil(answer.prefill_replicas * setup.layout.replicas));
  prompts.sequences = 0;  // as many prompts wait there as come
  prompts.speculative_tokens = 0;
  prompts.memory = answer.prefill_memory;
  for (const Engine engine : kEngines) {
    commands.push_back(engine_command(engine, setup));
    if (setup.disaggregated) commands.push_back(engine_command(engine, prompts));
  }
  return commands;
}

}  // namespace ridge
