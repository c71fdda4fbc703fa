#pragma once
// The words of a training command as its framework means them: asked for by what they mean, each remembers that it was.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/trainer/training_words.hpp"
#include "train/command/trainer.hpp"

namespace ridge::catalog {

/// Whether a framework has a flag of this key.
bool knows(const Trainer& trainer, const std::string& key);

/// The framework that knows most of the words; of two the one whose program stands first.
const Trainer* trainer_of(const PastedTraining& read, const std::vector<Trainer>& trainers);

/// An option that a command says, and what its blank stands for.
struct SaidOption {
  const TrainerOption* option = nullptr;
  std::string blank;
};

class SaidWords {
 public:
  SaidWords(const Trainer& trainer, TrainingWords words, std::string_view where)
      : trainer_(trainer), words_(std::move(words)), where_(where) {}

  SaidWord* said(const std::vector<std::string>& flags);
  SaidWord* said(TrainerNumber number);

  /// A count; nothing where it is not said, or left to the framework (-1, "auto", a variable that the paste does not set).
  std::optional<double> count(TrainerNumber number) { return count_of(said(number)); }
  std::optional<double> count(const std::vector<std::string>& flags) { return count_of(said(flags)); }

  SaidWord* shape_word(std::string_view word);
  /// A switch that stands for itself, or says "true".
  bool shape_switch(std::string_view word);

  /// The option of which the command says most; what it says beside, of flags of these options, is not understood.
  SaidOption choose(const std::vector<TrainerOption>& options);

  void note(std::string_view text);

  const Trainer& trainer() const { return trainer_; }
  const TrainingWords& words() const { return words_; }
  std::string_view where() const { return where_; }

  std::vector<std::string> notes;
  Errors errors;

 private:
  std::optional<double> count_of(SaidWord* one);
  bool holds(const TrainerOption& option, std::string& blank) const;

  const Trainer& trainer_;
  TrainingWords words_;
  std::string_view where_;
};

}  // namespace ridge::catalog
