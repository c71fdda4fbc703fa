#include "engine/engine.hpp"

#include <algorithm>

namespace ridge {

namespace {

/// Engines take '-' and '_' between words alike.
bool same_word(std::string_view a, std::string_view b) {
  const auto dashed = [](char c) { return c == '_' ? '-' : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return dashed(x) == dashed(y); });
}

}  // namespace

double DefaultByMemory::at(Bytes<double> memory) const {
  double found = value.value;
  for (const auto& [least, there] : from) {
    if (memory >= least) found = there;
  }
  return found;
}

bool Engine::is_written() const { return find_text(writing.command, "start") != nullptr; }

std::string_view name_of(MemoryRule rule) {
  constexpr std::string_view kNames[] = {"everything", "weights and cache", "free", "up front"};
  return kNames[static_cast<std::size_t>(rule)];
}

std::string_view name_of(TensorCount count) { return count == TensorCount::group ? "group" : "stage"; }

std::string_view name_of(AttentionGroups groups) {
  constexpr std::string_view kNames[] = {"none", "size", "switch and size", "all or none"};
  return kNames[static_cast<std::size_t>(groups)];
}

std::string_view name_of(ExpertDegrees degrees) {
  constexpr std::string_view kNames[] = {"none", "all or none", "any"};
  return kNames[static_cast<std::size_t>(degrees)];
}

std::string_view name_of(ContextChips chips) {
  constexpr std::string_view kNames[] = {"none", "inside tensor", "beside tensor"};
  return kNames[static_cast<std::size_t>(chips)];
}

std::string_view name_of(LimitCount count) { return count == LimitCount::group ? "group" : "replica"; }

std::string_view name_of(KernelFamily family) { return family == KernelFamily::usual ? "usual" : "ggml"; }

std::string_view name_of(Batching batching) {
  constexpr std::string_view kNames[] = {"mixed", "prefill-first", "slots"};
  return kNames[static_cast<std::size_t>(batching)];
}

std::string_view name_of(Admission admission) {
  constexpr std::string_view kNames[] = {"prompt", "whole", "estimated output"};
  return kNames[static_cast<std::size_t>(admission)];
}

std::string_view meaning_of(MemoryRule rule) {
  constexpr std::string_view kMeanings[] = {"all memory", "all memory, for weights and KV cache alone",
                                            "what weights, activations and process leave",
                                            "all memory, every sequence's KV cache at its longest"};
  return kMeanings[static_cast<std::size_t>(rule)];
}

const EngineFlag* find_flag(const Engine& engine, std::string_view name) {
  for (const EngineFlag& flag : engine.flags) {
    if (same_word(flag.name, name)) return &flag;
  }
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  const EngineFlag* around = find_flag(engine, name.substr(0, dot));
  return around != nullptr && around->meaning == Meaning::settings ? around : nullptr;
}

std::string flag_for(const Engine& engine, Meaning meaning) {
  for (const EngineFlag& flag : engine.flags) {
    if (flag.meaning == meaning) return "--" + flag.name;
  }
  return "";
}

std::optional<std::string> format_named(const Engine& engine, std::string_view word) {
  for (const auto& [theirs, ours] : engine.formats) {
    if (same_word(theirs, word)) return ours;
  }
  return std::nullopt;
}

std::string kv_format(const Engine& engine, const Chip& chip, bool quantized) {
  for (const auto& [multiplied, format] : engine.kv_cache.where) {
    if (quantized && find_rate(chip.matmul, multiplied) != nullptr) return format;
  }
  return engine.kv_cache.otherwise.value;
}

const std::string* find_text(const EngineTexts& texts, std::string_view name) {
  for (const auto& [known, text] : texts) {
    if (known == name) return &text;
  }
  return nullptr;
}

}  // namespace ridge
