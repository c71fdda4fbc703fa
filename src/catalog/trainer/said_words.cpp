#include "catalog/trainer/said_words.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/clean_text.hpp"
#include "base/text/text.hpp"

namespace ridge::catalog {

bool knows(const Trainer& trainer, const std::string& key) {
  const auto among = [&](const std::vector<std::string>& flags) {
    return std::any_of(flags.begin(), flags.end(), [&](const std::string& flag) { return trainer_key(flag) == key; });
  };
  for (const auto& [number, flags] : trainer.numbers) {
    if (among(flags)) return true;
  }
  for (const auto* options : {&trainer.recipe, &trainer.zero, &trainer.recompute, &trainer.sequence_parallel}) {
    for (const TrainerOption& option : *options) {
      for (const TrainerSetting& setting : option.settings) {
        if (trainer_key(setting.flag) == key) return true;
      }
    }
  }
  for (const auto& [word, flags] : trainer.shape) {
    if (among(flags)) return true;
  }
  return among(trainer.quiet) || among(trainer.unmodeled) || among(trainer.model);
}

const Trainer* trainer_of(const PastedTraining& read, const std::vector<Trainer>& trainers) {
  const Trainer* best = nullptr;
  double most = 0;
  for (const Trainer& trainer : trainers) {
    double score = 0;
    for (const auto& [key, said] : read.words) score += knows(trainer, key) ? 1 : 0;
    for (std::size_t i = 0; i < read.programs.size(); ++i) {
      const auto& own = trainer.programs;
      if (std::find(own.begin(), own.end(), read.programs[i]) != own.end())
        score += 2 + 0.5 / (1 + static_cast<double>(i));
    }
    if (score > most) {
      most = score;
      best = &trainer;
    }
  }
  return best;
}

void SaidWords::note(std::string_view text) { notes.push_back(cleaned(text, Allowed::none)); }

SaidWord* SaidWords::said(const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) {
    const auto found = words_.find(trainer_key(flag));
    if (found != words_.end()) return &found->second;
  }
  return nullptr;
}
SaidWord* SaidWords::said(TrainerNumber number) {
  for (const auto& [which, flags] : trainer_.numbers) {
    if (which == number) return said(flags);
  }
  return nullptr;
}

std::optional<double> SaidWords::count_of(SaidWord* one) {
  if (one == nullptr) return std::nullopt;
  one->used = true;
  std::string digits;
  for (const char c : one->value) {
    if (c != '_' && c != ',') digits += c;
  }
  const auto value = parse_number(digits);
  if (digits == "auto" || digits == "None" || digits == "null" || (value && *value == -1)) return std::nullopt;
  if (!value && one->value.find('$') != std::string::npos) {
    note(
        fmt::format("{} {} is a variable that the text does not set: say it beside", one->flag, shortened(one->value)));
    return std::nullopt;
  }
  if (value && *value >= 1 && *value <= 1e15 && *value == std::floor(*value)) return value;
  errors.push_back({fmt::format("{}: {}", where_, shortened(one->flag)),
                    fmt::format("\"{}\" is no count", shortened(one->value)), "a whole number from 1"});
  return std::nullopt;
}

SaidWord* SaidWords::shape_word(std::string_view word) {
  for (const auto& [own, flags] : trainer_.shape) {
    if (own == word) return said(flags);
  }
  return nullptr;
}

bool SaidWords::shape_switch(std::string_view word) {
  SaidWord* one = shape_word(word);
  if (one == nullptr) return false;
  one->used = true;
  return lower_case(one->value) != "false" && one->value != "0";
}

/// Whether the command says all that an option asks for; what a blank stands for goes into `blank`.
bool SaidWords::holds(const TrainerOption& option, std::string& blank) const {
  for (const TrainerSetting& setting : option.settings) {
    const auto found = words_.find(trainer_key(setting.flag));
    if (found == words_.end()) return false;
    const std::string value = lower_case(found->second.value);
    if (setting.value.find('{') != std::string::npos) {
      blank = found->second.value;
      if (value.empty()) return false;
      if (setting.value == "{every}" && !parse_number(value)) return false;
    } else if (setting.value.empty()) {
      if (value == "false") return false;
    } else if (value != lower_case(setting.value)) {
      return false;
    }
  }
  return true;
}

SaidOption SaidWords::choose(const std::vector<TrainerOption>& options) {
  SaidOption best;
  for (const TrainerOption& option : options) {
    std::string blank;
    if (option.settings.empty() || !holds(option, blank)) continue;
    if (best.option == nullptr || option.settings.size() > best.option->settings.size()) best = {&option, blank};
  }
  for (const TrainerOption& option : options) {
    for (const TrainerSetting& setting : option.settings) {
      const auto found = words_.find(trainer_key(setting.flag));
      if (found == words_.end() || found->second.used) continue;
      bool inside = false;
      if (best.option != nullptr) {
        for (const TrainerSetting& own : best.option->settings)
          inside = inside || trainer_key(own.flag) == trainer_key(setting.flag);
      }
      if (inside) found->second.used = true;
    }
  }
  return best;
}

}  // namespace ridge::catalog
