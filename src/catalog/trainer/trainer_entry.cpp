#include "catalog/trainer/trainer_entry.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/facts/grouped.hpp"

namespace ridge::catalog {

namespace {

std::vector<std::string> trainer_words(const std::string& list, char separator = ',') {
  std::vector<std::string> words;
  for (const std::string& word : split(list, separator)) {
    if (const std::string_view plain = trimmed(word); !plain.empty()) words.emplace_back(plain);
  }
  return words;
}

std::vector<std::string> trainer_list(Entry& entry, const std::string& key) {
  return entry.has(key) ? trainer_words(entry.sourced_text(key).value) : std::vector<std::string>();
}

/// Options that are written, then those that are only read: several ways to say one, with '|' between.
std::vector<TrainerOption> trainer_options(Entry& entry, const std::string& table) {
  std::vector<TrainerOption> out;
  for (const std::string& word : entry.keys_below(table)) {
    if (word.starts_with("usual")) continue;
    out.push_back({word, trainer_settings(entry.sourced_text(table + "." + word).value), true});
  }
  for (const std::string& word : entry.keys_below(table + "_read")) {
    for (const std::string& way : trainer_words(entry.sourced_text(table + "_read." + word).value, '|'))
      out.push_back({word, trainer_settings(way), false});
  }
  return out;
}

void trainer_numbers(Entry& entry, Trainer& trainer) {
  for (const std::string& word : entry.keys_below("number")) {
    const std::string key = "number." + word;
    const std::vector<std::string> flags = trainer_list(entry, key);
    bool known = false;
    for (std::size_t i = 0; i < kTrainerNumbers; ++i) {
      const auto number = static_cast<TrainerNumber>(i);
      if (name_of(number) != word) continue;
      trainer.numbers.emplace_back(number, flags);
      known = true;
    }
    if (!known) entry.complain(key, "is no count of a training command", "see src/train/command/trainer.hpp");
  }
}

double usual_stage(Entry& entry, const std::string& key, double otherwise) {
  if (!entry.has(key)) return otherwise;
  const auto stage = parse_number(entry.sourced_text(key).value);
  if (!stage || !(*stage >= 0 && *stage <= 3)) entry.complain(key, "is no stage of ZeRO", "0 to 3");
  return stage.value_or(0);
}

}  // namespace

Trainer read_trainer(Entry& entry) {
  Trainer out;
  out.name = entry.name();
  out.title = entry.text("title");
  out.note = entry.text("note", false);
  out.order = entry.number("order");
  out.programs = trainer_list(entry, "start.programs");
  out.start = entry.sourced_text("start.command").value;
  if (entry.has("start.document")) out.document = entry.sourced_text("start.document").value;
  out.framework = entry.sourced_text("start.framework").value;
  trainer_numbers(entry, out);
  out.sequence_parallel = trainer_options(entry, "sequence_parallel");
  out.zero = trainer_options(entry, "zero");
  out.usual_zero = usual_stage(entry, "zero.usual", 0);
  out.usual_zero_staged = usual_stage(entry, "zero.usual_pipelined", out.usual_zero);
  out.recipe = trainer_options(entry, "recipe");
  out.usual_recipe = entry.sourced_text("recipe.usual").value;
  out.recompute = trainer_options(entry, "recompute");
  out.unmodeled = trainer_list(entry, "unmodeled.flags");
  out.quiet = trainer_list(entry, "quiet.flags");
  out.model = trainer_list(entry, "model.flags");
  for (const std::string& word : entry.keys_below("shape")) {
    const std::string key = "shape." + word;
    if (word == "usual_gated_ffn")
      out.usual_gated_ffn = parse_number(entry.sourced_text(key).value).value_or(0);
    else if (word == "usual_vocabulary")
      out.usual_vocabulary = parse_number(entry.sourced_text(key).value).value_or(0);
    else
      out.shape.emplace_back(word, trainer_list(entry, key));
  }
  return out;
}

Result<std::vector<Trainer>> trainers(const std::vector<Fact>& facts) {
  Errors errors;
  const Sources sources = read_sources(facts, errors);
  auto all = read_all<Trainer>(facts, "trainer", sources, errors, read_trainer);
  if (!errors.empty()) return fail(std::move(errors));
  std::sort(all.begin(), all.end(), [](const Trainer& a, const Trainer& b) { return a.order < b.order; });
  return all;
}

}  // namespace ridge::catalog
