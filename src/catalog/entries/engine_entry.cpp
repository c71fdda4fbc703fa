#include "catalog/entries/engine_entry.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

/// A text under a table, with a source like every fact; empty where the file has none.
std::string optional_fact(Entry& entry, const std::string& key) {
  return entry.has(key) ? entry.sourced_text(key).value : std::string();
}

std::vector<std::string> words_in(const std::string& list) {
  std::vector<std::string> words;
  for (const std::string& word : split(list, ',')) {
    if (const std::string_view plain = trimmed(word); !plain.empty()) words.emplace_back(plain);
  }
  return words;
}

/// "enable-dbo (from 0.11)": the word, and the versions that have it.
EngineFlag flag_named(const std::string& word, Meaning meaning, bool takes_value) {
  const std::size_t open = word.find(" (");
  if (open == std::string::npos || !word.ends_with(')')) return {word, meaning, takes_value};
  return {word.substr(0, open), meaning, takes_value, word.substr(open + 2, word.size() - open - 3)};
}

void add_flags(Entry& entry, const std::string& key, Meaning meaning, bool takes_value, Engine& engine) {
  for (const std::string& word : words_in(optional_fact(entry, key))) {
    const EngineFlag flag = flag_named(word, meaning, takes_value);
    if (flag.name.find_first_of(" '\"\\$`") != std::string::npos)
      entry.complain(key, fmt::format("\"{}\" is no flag", shortened(flag.name)), "write names with commas between");
    const EngineFlag* known = find_flag(engine, flag.name);
    if (known != nullptr && known->name == flag.name)
      entry.complain(key, fmt::format("{} stands twice", flag.name), "a flag has one meaning");
    engine.flags.push_back(flag);
  }
}

void read_flags(Entry& entry, Engine& engine) {
  for (const auto& [name, meaning] : kFlagMeanings)
    add_flags(entry, "flag." + std::string(name), meaning, !is_switch(meaning), engine);
  add_flags(entry, "unmodeled.values", Meaning::unmodeled, true, engine);
  add_flags(entry, "unmodeled.switches", Meaning::unmodeled, false, engine);
  add_flags(entry, "quiet.values", Meaning::quiet, true, engine);
  add_flags(entry, "quiet.switches", Meaning::quiet, false, engine);
  add_flags(entry, "quiet.objects", Meaning::settings, true, engine);
}

/// A number, and under NAME_from what it is from some size of memory on.
DefaultByMemory read_default(Entry& entry, const std::string& key) {
  DefaultByMemory out{entry.sourced_number(key)};
  const std::string table = key + "_from";
  for (const std::string& size : entry.keys_below(table)) {
    const std::string below = table + "." + size;
    const auto memory = parse<Bytes<double>>(size, below);
    if (!memory) entry.complain(below, memory.error().front().what, memory.error().front().hint);
    out.from.emplace_back(memory.value_or(Bytes<double>{}), entry.sourced_number(below).value);
  }
  std::sort(out.from.begin(), out.from.end());
  return out;
}

/// One of an enumeration's values, by its name.
template <class E, std::size_t N>
E read_choice(Entry& entry, const std::string& key, const std::array<E, N>& all) {
  const std::string word = entry.sourced_text(key).value;
  std::vector<std::string> known;
  for (const E one : all) {
    if (word == name_of(one)) return one;
    known.emplace_back(name_of(one));
  }
  if (entry.has(key))
    entry.complain(key, fmt::format("\"{}\" is none of them", shortened(word)), "one of: " + joined(known, ", "));
  return all.front();
}

EngineLayouts read_layouts(Entry& entry) {
  EngineLayouts out;
  out.tensor = read_choice(entry, "layout.tensor", std::array{TensorCount::group, TensorCount::stage});
  out.attention_data = read_choice(entry, "layout.attention_data",
                                   std::array{AttentionGroups::none, AttentionGroups::size,
                                              AttentionGroups::switch_and_size, AttentionGroups::all_or_none});
  out.expert = read_choice(entry, "layout.expert",
                           std::array{ExpertDegrees::none, ExpertDegrees::all_or_none, ExpertDegrees::any});
  out.context = read_choice(entry, "layout.context",
                            std::array{ContextChips::none, ContextChips::inside_tensor, ContextChips::beside_tensor});
  out.limits = read_choice(entry, "layout.limits", std::array{LimitCount::group, LimitCount::replica});
  return out;
}

/// A fact that is true or false.
bool read_switch(Entry& entry, const std::string& key) {
  entry.sourced_text(key);  // its source
  return entry.flag(key);
}

EngineScheduler read_scheduler(Entry& entry) {
  EngineScheduler out;
  out.batching =
      read_choice(entry, "scheduler.family", std::array{Batching::mixed, Batching::prefill_first, Batching::slots});
  if (entry.has("scheduler.admission")) {
    out.admission = read_choice(entry, "scheduler.admission",
                                std::array{Admission::prompt, Admission::whole, Admission::estimated_output});
  }
  if (out.admission == Admission::estimated_output) {
    out.output_estimate = {entry.sourced_number("scheduler.output_share").value,
                           entry.sourced_number("scheduler.least_output_share").value,
                           entry.sourced_number("scheduler.output_share_steps").value,
                           entry.sourced_number("scheduler.output_clip").value};
    if (entry.has("scheduler.output_steps_ahead"))
      out.output_estimate.ahead = entry.sourced_number("scheduler.output_steps_ahead").value;
  }
  if (entry.has("scheduler.composed_early")) out.composed_early = read_switch(entry, "scheduler.composed_early");
  if (entry.has("scheduler.prefill_composed_early"))
    out.prefill_composed_early = read_switch(entry, "scheduler.prefill_composed_early");
  if (entry.has("scheduler.prefix_cache")) out.prefix_cache = read_switch(entry, "scheduler.prefix_cache");
  if (entry.has("scheduler.block_tokens")) out.block_tokens = entry.sourced_number("scheduler.block_tokens").value;
  if (entry.has("scheduler.captured_tokens"))
    out.captured_tokens = entry.sourced_number("scheduler.captured_tokens").value;
  if (entry.has("scheduler.prefill_budget"))
    out.prefill_budget = entry.sourced_number("scheduler.prefill_budget").value;
  if (entry.has("scheduler.chunked_prefill")) out.chunked_prefill = read_switch(entry, "scheduler.chunked_prefill");
  out.token_budget = read_default(entry, "scheduler.token_budget");
  if (entry.has("scheduler.max_sequences")) out.max_sequences = read_default(entry, "scheduler.max_sequences");
  if (entry.has("scheduler.ubatch")) out.ubatch = entry.sourced_number("scheduler.ubatch");
  if (const auto startup = entry.optional_quantity<Seconds<double>>("scheduler.startup"))
    out.startup = startup->value.value();
  return out;
}

/// Texts of these names where the file has them; any other name is then an unknown key.
EngineTexts read_texts(Entry& entry, const std::string& table) {
  constexpr const char* kNames[] = {
      "start", "attention_data", "one_chip_groups", "dispatch", "context", "redundant_experts", "kv",
      "mtp",   "draft_model",    "disaggregation"};
  EngineTexts texts;
  for (const char* name : kNames) {
    const std::string key = table + "." + name;
    if (entry.has(key)) texts.emplace_back(name, entry.sourced_text(key).value);
  }
  return texts;
}

EngineTexts read_table(Entry& entry, const std::string& table) {
  EngineTexts texts;
  for (const std::string& name : entry.keys_below(table))
    texts.emplace_back(name, entry.sourced_text(table + "." + name).value);
  return texts;
}

void check_share(Entry& entry, const std::string& key, double share) {
  if (entry.has(key) && !(share > 0 && share <= 1))
    entry.complain(key, "must be above zero and at most 1", "write a share, e.g. 0.9");
}

}  // namespace

Engine read_engine(Entry& entry) {
  constexpr double kLast = 1000;
  Engine engine;
  engine.name = entry.name();
  engine.title = entry.text("title");
  engine.note = entry.text("note", false);
  engine.order = entry.number("order", kLast);
  engine.programs = words_in(optional_fact(entry, "start.programs"));
  engine.images = words_in(optional_fact(entry, "start.images"));
  engine.model_first = entry.flag("start.model_first", false);
  read_flags(entry, engine);
  engine.as_modeled = words_in(optional_fact(entry, "unmodeled.but_for"));
  for (const auto& [ours, theirs] : read_table(entry, "format")) {
    for (const std::string& word : words_in(theirs)) engine.formats.emplace_back(word, ours);
  }
  engine.memory_rule.value = read_choice(
      entry, "memory.rule",
      std::array{MemoryRule::everything, MemoryRule::weights_and_cache, MemoryRule::free, MemoryRule::up_front});
  if (entry.has("memory.rule")) engine.memory_rule.from = entry.provenance("memory.rule");
  engine.memory_utilization = read_default(entry, "memory.utilization");
  check_share(entry, "memory.utilization", engine.memory_utilization.value.value);
  for (const auto& [size, share] : engine.memory_utilization.from) check_share(entry, "memory.utilization", share);
  if (entry.has("memory.older_utilization")) {
    engine.older_utilization = entry.sourced_number("memory.older_utilization");
    check_share(entry, "memory.older_utilization", engine.older_utilization->value);
  }
  engine.kv_cache.otherwise = entry.sourced_text("kv_cache.otherwise");
  engine.kv_cache.where = read_table(entry, "kv_cache.where");
  engine.activations = read_table(entry, "activations");
  if (entry.has("look_up.launches")) {
    engine.look_ups.launches = entry.sourced_number("look_up.launches").value;
    if (entry.has("look_up.products")) engine.look_ups.products = entry.sourced_text("look_up.products").value;
    if (entry.has("look_up.experts")) engine.look_ups.experts = entry.sourced_text("look_up.experts").value;
  }
  engine.scheduler = read_scheduler(entry);
  engine.layouts = read_layouts(entry);
  if (entry.has("kernels.family"))
    engine.kernels = read_choice(entry, "kernels.family", std::array{KernelFamily::usual, KernelFamily::ggml});
  engine.writing = {read_texts(entry, "write.command"), read_texts(entry, "write.file"),
                    read_texts(entry, "write.note"), read_table(entry, "write.kv"), read_table(entry, "write.weights")};
  return engine;
}

}  // namespace ridge::catalog
