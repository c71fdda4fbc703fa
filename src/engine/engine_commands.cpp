#include "engine/engine_commands.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "engine/engine_layout.hpp"

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

std::string count_text(double count) { return fmt::format("{:.0f}", count); }

using Blanks = std::vector<std::pair<std::string_view, std::string>>;

/// A text of the facts with its {blanks} filled in.
std::string filled(std::string text, const Blanks& blanks) {
  for (const auto& [blank, value] : blanks) {
    for (std::size_t at = text.find(blank); at != std::string::npos; at = text.find(blank, at + value.size()))
      text.replace(at, blank.size(), value);
  }
  return text;
}

Blanks number_of(double n) { return {{"{n}", count_text(n)}, {"{n+1}", count_text(n + 1)}}; }

/// A command as it grows: words for the shell, lines of an options file, and remarks.
struct Draft {
  const Engine& engine;
  std::vector<std::string> words;
  std::string file;
  EngineCommand out;

  void word(std::string text) { words.push_back(std::move(text)); }
  void flag(M meaning, const std::string& value) {
    const std::string name = flag_for(engine, meaning);
    if (name.empty()) return note(no_flag(meaning));
    word(name + " " + quoted(value));
  }
  void degree(M meaning, double value) {
    if (value > 1 && flag_for(engine, meaning).empty()) return differs(no_flag(meaning));
    if (value > 1) flag(meaning, count_text(value));
  }
  std::string no_flag(M meaning) const {
    std::string what;
    for (const auto& [name, known] : kFlagMeanings) {
      if (known == meaning) what = name;
    }
    std::replace(what.begin(), what.end(), '_', ' ');
    return fmt::format("{} has no flag for {}", engine.title, what);
  }
  void note(std::string text) { out.notes.push_back(std::move(text)); }
  void differs(std::string text) {
    out.exact = false;
    note(std::move(text));
  }
  /// What the engine's facts write under this name; false where they write nothing.
  bool write(std::string_view name, const Blanks& blanks = {}) {
    const std::string* command = find_text(engine.writing.command, name);
    const std::string* lines = find_text(engine.writing.file, name);
    if (command != nullptr) {
      for (const std::string_view line : split(*command, '\n')) word(filled(std::string(line), blanks));
    }
    if (lines != nullptr) file += filled(*lines, blanks) + "\n";
    if (const std::string* remark = find_text(engine.writing.notes, name)) note(*remark);
    return command != nullptr || lines != nullptr;
  }
};

std::string model_name(const EngineSetup& setup) {
  if (!setup.checkpoint.empty()) return quoted(setup.checkpoint);
  return quoted(setup.model->repository.empty() ? setup.model->name : setup.model->repository);
}

/// As people name such files: "Llama-3.1-8B-Instruct-Q4_K_M.gguf".
std::string gguf_file(const EngineSetup& setup) {
  std::string name = !setup.checkpoint.empty()         ? setup.checkpoint
                     : setup.model->repository.empty() ? setup.model->name
                                                       : setup.model->repository;
  name = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  if (name.ends_with(".gguf")) return name;
  if (!setup.weights) return name + ".gguf";
  std::string format = *setup.weights;
  for (char& c : format) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name + "-" + format + ".gguf";
}

/// Groups of attention that share the experts, and copies that share nothing.
void write_groups(const Layout& layout, bool has_experts, Draft& draft) {
  const AttentionGroups how = draft.engine.layouts.attention_data;
  const double groups = layout.attention_data;
  const bool beside = groups > 1 || (how == AttentionGroups::size && has_experts);
  const bool copies_by_flag = how != AttentionGroups::all_or_none && !flag_for(draft.engine, M::data).empty();
  if (groups > 1) {
    if (how != AttentionGroups::all_or_none) draft.degree(M::data, groups);
    if (!draft.write("attention_data") && how == AttentionGroups::switch_and_size)
      draft.word(flag_for(draft.engine, M::attention_data));
    if (layout.tensor == 1 && layout.context == 1) draft.write("one_chip_groups");
  }
  if (beside || !copies_by_flag) {
    draft.out.copies = layout.replicas;
  } else {
    draft.degree(M::data, layout.replicas);
  }
}

void write_degrees(const Layout& layout, bool has_experts, Draft& draft) {
  const EngineLayouts& can = draft.engine.layouts;
  const double chips = layout.chips_per_stage();
  const bool inside = can.context == ContextChips::inside_tensor;
  const double group = layout.tensor * (inside ? layout.context : 1);
  draft.degree(M::tensor, group * (can.tensor == TensorCount::stage ? layout.attention_data : 1));
  draft.degree(inside ? M::context_inside : M::context_beside, layout.context);
  write_groups(layout, has_experts, draft);
  if (can.expert == ExpertDegrees::any) draft.degree(M::expert, layout.expert);
  if (can.expert == ExpertDegrees::all_or_none && layout.expert > 1)
    draft.word(flag_for(draft.engine, M::expert_everywhere));
  if (layout.expert > 1 && layout.expert == chips && layout.attention_data > 1) draft.write("dispatch");
  if (layout.context > 1) draft.write("context");
  draft.degree(M::pipeline, layout.pipeline);
}

void write_redundant_experts(const Layout& layout, double experts, Draft& draft) {
  Blanks blanks = number_of(layout.redundant_experts);
  blanks.emplace_back("{slots}", count_text(experts + layout.redundant_experts));
  if (!draft.write("redundant_experts", blanks)) draft.degree(M::redundant_experts, layout.redundant_experts);
}

/// The engine's memory utilization at which it takes this much.
double utilization_of(const ChipMemory& memory, MemoryRule rule) {
  const double there = memory.there.value(), cache = memory.cache.value();
  if (rule == MemoryRule::everything) return memory.usable.value() / there;
  if (rule == MemoryRule::weights_and_cache) return (memory.weights.value() + cache) / there;
  return cache / (cache + there - memory.usable.value());
}

/// Room for every slot at its longest, in blocks.
void write_slots(const EngineSetup& setup, Draft& draft) {
  constexpr double kBlock = 256;
  if (setup.sequences > 0 && setup.longest > 0) {
    const double each = std::ceil(setup.longest / kBlock) * kBlock;
    draft.flag(M::total_length, count_text(each * std::ceil(setup.sequences)));
  }
}

void write_load(const EngineSetup& setup, const Layout& layout, Draft& draft) {
  const double groups = layout.attention_data;
  const double counted = draft.engine.layouts.limits == LimitCount::replica ? groups : 1;
  if (setup.sequences > 0) draft.flag(M::sequences, count_text(std::ceil(setup.sequences / groups) * counted));
  draft.flag(M::token_budget, count_text(setup.token_budget * counted));
  if (!flag_for(draft.engine, M::ubatch).empty()) draft.flag(M::ubatch, count_text(setup.ubatch));
  if (draft.engine.memory_rule.value == MemoryRule::up_front) return write_slots(setup, draft);
  if (!setup.memory) return;
  draft.flag(M::memory, share_text(utilization_of(*setup.memory, draft.engine.memory_rule.value)));
  constexpr double kBlock = 1024;
  const double fits = std::max(setup.longest, std::floor(setup.memory->cache_tokens.value() / kBlock) * kBlock);
  if (fits >= kBlock && setup.model->context_limit > fits) draft.flag(M::length, count_text(fits));
}

/// A checkpoint of narrow weights is not quantized anew: an engine refuses the flag, or takes it for what is there.
bool is_quantized(const Precisions& released) {
  const auto is_narrow = [](const std::string& format) {
    return !format.empty() && format != "bf16" && format != "fp16" && format != "fp32";
  };
  return is_narrow(released.weights) || is_narrow(released.experts);
}

void write_formats(const EngineSetup& setup, Draft& draft) {
  const Precisions& released = setup.model->precision.value;
  const bool ggml = draft.engine.kernels == KernelFamily::ggml;
  if (setup.weights && *setup.weights != released.weights) {
    if (ggml) {
      // its name says so
    } else if (const std::string* word = find_text(draft.engine.writing.weights, *setup.weights);
               word != nullptr && !is_quantized(released)) {
      draft.flag(M::weights, *word);
    } else {
      draft.note(fmt::format("needs a checkpoint with weights in {}: put its name in place of {}", *setup.weights,
                             model_name(setup)));
    }
  }
  if (setup.kv.empty() || setup.kv == (ggml ? draft.engine.kv_cache.otherwise.value : released.kv)) return;
  const std::string* word = find_text(draft.engine.writing.kv, setup.kv);
  if (word == nullptr) {
    draft.note(fmt::format("{} has no flag for a cache in {}", draft.engine.title, setup.kv));
  } else if (!draft.write("kv", {{"{format}", *word}})) {
    draft.flag(M::kv, *word);
  }
}

void write_speculation(const EngineSetup& setup, Draft& draft) {
  const bool own = !setup.model->mtp_order.empty();
  if (!own) draft.note("put a model that guesses for this one in place of DRAFT_MODEL");
  if (!draft.write(own ? "mtp" : "draft_model", number_of(setup.speculative_tokens)))
    draft.flag(M::speculative_tokens, count_text(setup.speculative_tokens));
}

void write_modes(const EngineSetup& setup, Draft& draft) {
  if (setup.speculative_tokens > 0) write_speculation(setup, draft);
  const std::string overlap = flag_for(draft.engine, M::overlap);
  if (setup.overlap == Overlap::two && !overlap.empty()) draft.word(overlap);
  if (setup.overlap == Overlap::full || (setup.overlap == Overlap::two && overlap.empty()))
    draft.note(fmt::format("{} has no flag for this overlap of network and kernels", draft.engine.title));
  if (!setup.disaggregated) return;
  draft.out.role = setup.prompts ? "prefill" : "decode";
  draft.write("disaggregation", {{"{role}", draft.out.role}});
}

void add_remarks(const Layout& layout, Draft& draft) {
  constexpr double kOfAHost = 8;
  if (layout.context > 1 && draft.engine.layouts.context == ContextChips::inside_tensor)
    draft.note("attention's matrices are divided over the chips that share a cache, too; here each of them has a copy");
  if (layout.chips_per_stage() * layout.pipeline > kOfAHost)
    draft.note("more chips than most hosts have: add the engine's flags for several hosts");
  if (draft.out.copies > 1) draft.note(fmt::format("start it {:g} times behind a router", draft.out.copies));
}

/// The options file, where there is one, before the command that reads it.
std::string whole_text(Draft& draft) {
  std::string text;
  if (!draft.file.empty()) {
    const std::string name = draft.out.role.empty() ? "options.yaml" : draft.out.role + "-options.yaml";
    text = "cat > " + name + " <<'EOF'\n" + draft.file + "EOF\n";
    draft.flag(M::settings, name);
  }
  for (std::size_t i = 0; i < draft.words.size(); ++i) text += (i > 0 ? " \\\n  " : "") + draft.words[i];
  return text;
}

}  // namespace

EngineCommand engine_command(const Engine& engine, const EngineSetup& setup) {
  Draft draft{engine, {}, {}, {}};
  draft.out.engine = engine.name;
  draft.out.title = engine.title;
  const Experts* experts = setup.model->experts();
  draft.write("start", {{"{model}", model_name(setup)}, {"{file}", quoted(gguf_file(setup))}});
  if (setup.model->repository.empty())
    draft.note("the catalog knows no repository of this model: put its name or path in");
  RunLayout run = run_layout(engine, setup.layout, experts != nullptr);
  Layout& layout = run.layout;
  for (std::string& difference : run.differences) draft.differs(std::move(difference));
  write_degrees(layout, experts != nullptr, draft);
  if (layout.redundant_experts > 0 && experts != nullptr) {
    // an engine that spreads experts over other chips needs as many copies as those take
    const double held = experts->count + layout.redundant_experts;
    if (std::fmod(held, layout.expert) != 0) {
      layout.redundant_experts = copies_to_balance(*setup.model, layout.expert);
      draft.differs(fmt::format("{:g} experts do not lie evenly on {:g} chips: with {:g} redundant ones they do", held,
                                layout.expert, layout.redundant_experts));
    }
    write_redundant_experts(layout, experts->count, draft);
  }
  write_load(setup, layout, draft);
  write_formats(setup, draft);
  write_modes(setup, draft);
  add_remarks(layout, draft);
  draft.out.text = whole_text(draft);
  return std::move(draft.out);
}

}  // namespace ridge
