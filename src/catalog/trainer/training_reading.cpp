#include "catalog/trainer/training_reading.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/text/clean_text.hpp"
#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "catalog/engine/pasted.hpp"
#include "catalog/json/json_value.hpp"
#include "library/names.hpp"
#include "train/step/model_shape.hpp"

namespace ridge::catalog {

namespace {

using N = TrainerNumber;

struct Said {
  std::string flag, value;
  bool used = false;
};
/// By key; the last of several counts.
using Words = std::map<std::string, Said>;

using Variables = std::map<std::string, std::string>;

/// $NAME, ${NAME} and ${NAME:-otherwise}, where the paste sets NAME; anything else stays.
std::string with_variables(const std::string& word, const Variables& variables) {
  std::string out;
  for (std::size_t at = 0; at < word.size();) {
    if (word[at] != '$') {
      out += word[at++];
      continue;
    }
    const bool braces = at + 1 < word.size() && word[at + 1] == '{';
    const std::size_t from = at + (braces ? 2 : 1);
    std::size_t end = from;
    while (end < word.size() && (std::isalnum(static_cast<unsigned char>(word[end])) || word[end] == '_')) ++end;
    const std::string name = word.substr(from, end - from);
    std::string otherwise;
    std::size_t after = end;
    if (braces) {
      const std::size_t close = std::min(word.find('}', end), word.size());
      if (word.compare(end, 2, ":-") == 0) otherwise = word.substr(end + 2, close - end - 2);
      after = std::min(close + 1, word.size());
    }
    const auto found = variables.find(name);
    if (found != variables.end()) {
      out += found->second;
    } else if (!otherwise.empty()) {
      out += otherwise;
    } else {
      out += word.substr(at, after - at);
    }
    at = after > at ? after : at + 1;
  }
  return out;
}

/// NAME=value alone: an assignment of the shell. A dotted name is an override of a configuration.
bool is_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  for (const char c : word.substr(0, equals)) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  }
  return true;
}

bool is_override(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || word.starts_with('-')) return false;
  for (const char c : word.substr(0, equals)) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && c != '+' && c != '/') return false;
  }
  return true;
}

bool is_training_flag(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
}

/// [section] and key = value, as TOML has them.
void toml_lines(std::string_view text, Words& words) {
  std::string section;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view plain = trimmed(line);
    if (plain.empty() || plain.front() == '#') continue;
    if (plain.front() == '[') {
      section = std::string(plain.substr(1, std::min(plain.find(']'), plain.size()) - 1));
      continue;
    }
    const std::size_t equals = plain.find('=');
    if (equals == std::string_view::npos) continue;
    std::string_view value = trimmed(plain.substr(equals + 1));
    if (const auto comment = value.find(" #"); comment != std::string_view::npos)
      value = trimmed(value.substr(0, comment));
    std::string bare;
    for (const char c : value) {
      if (c != '"' && c != '\'') bare += c;
    }
    const std::string name = (section.empty() ? "" : section + ".") + std::string(trimmed(plain.substr(0, equals)));
    words[trainer_key(name)] = {name, bare};
  }
}

void json_words(const std::string& name, const JsonValue& value, Words& words, int depth) {
  constexpr int kDeepest = 6;
  if (const JsonMembers* object = value.object()) {
    if (depth == kDeepest) return;
    for (const JsonMember& member : *object)
      json_words(name.empty() ? member.first : name + "/" + member.first, member.second, words, depth + 1);
    return;
  }
  std::string text;
  if (value.text() != nullptr) text = *value.text();
  if (value.number() != nullptr) text = fmt::format("{}", *value.number());
  if (value.boolean() != nullptr) text = *value.boolean() ? "true" : "false";
  words[trainer_key(name)] = {name, text};
}

/// A configuration: JSON, TOML or YAML.
void document_words(const std::string& document, Words& words) {
  const std::string_view plain = trimmed(document);
  if (plain.starts_with('{')) {
    if (const auto json = parse_json(plain, "from")) json_words("", *json, words, 0);
  } else if (plain.find('=') != std::string_view::npos && plain.find('=') < plain.find(':')) {
    toml_lines(plain, words);
  } else {
    for (const auto& [key, value] : option_lines(document)) words[trainer_key(key)] = {key, value};
  }
}

struct ReadWords {
  Words words;
  std::vector<std::string> programs;  // words that are no flags, in their order
};

void argument_words(const std::vector<std::string>& arguments, ReadWords& out) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const std::size_t equals = word.find('=');
    if (is_training_flag(word) && equals == std::string::npos) {
      std::string value;
      while (i + 1 < arguments.size() && !is_training_flag(arguments[i + 1]) && !is_override(arguments[i + 1]) &&
             !arguments[i + 1].ends_with(".py") && !arguments[i + 1].ends_with(".sh")) {
        value += (value.empty() ? "" : " ") + arguments[++i];
      }
      if (word == "-m") out.programs.push_back(value.substr(0, value.find(' ')));
      out.words[trainer_key(word)] = {word, value};
    } else if (is_training_flag(word) || is_override(word)) {
      out.words[trainer_key(word.substr(0, equals))] = {word.substr(0, equals), word.substr(equals + 1)};
    } else {
      out.programs.push_back(word.substr(word.rfind('/') + 1));
    }
  }
}

ReadWords words_of(const Pasted& pasted, std::string_view whole) {
  ReadWords out;
  for (const std::string& document : pasted.documents) document_words(document, out.words);
  Variables variables;
  for (const auto& statement : pasted.statements) {
    std::vector<std::string> words;
    for (const std::string& word : statement) {
      const bool leading = words.empty();
      if (word == "export" || word == "(" || word == ")") continue;
      if (leading && is_assignment(word) && !word.ends_with("=(")) {
        const std::size_t equals = word.find('=');
        variables[word.substr(0, equals)] = with_variables(word.substr(equals + 1), variables);
      } else if (!word.ends_with("=(") && word.find("[@]}") == std::string::npos) {
        // a variable may hold several words, and arrays of arguments are read where they are written
        for (const std::string& one : split(with_variables(word, variables), ' ')) {
          if (!one.empty()) words.push_back(one);
        }
      }
    }
    const bool listed = !words.empty() && is_training_flag(words.front());  // a line of an array of arguments
    const bool starts = std::any_of(words.begin(), words.end(),
                                    [](const std::string& w) { return is_training_flag(w) || is_override(w); });
    if (listed || (starts && words.front() != "cat" && words.front() != "#SBATCH")) argument_words(words, out);
  }
  if (out.words.empty()) document_words(std::string(whole), out.words);  // a configuration alone
  return out;
}

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

/// The framework that knows most of the words; of two the one whose program stands first.
const Trainer* trainer_of(const ReadWords& read, const std::vector<Trainer>& trainers) {
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

class TrainingReader {
 public:
  TrainingReader(const Trainer& trainer, Words words, const Library& library, std::string_view where)
      : trainer_(trainer), words_(std::move(words)), library_(library), where_(where) {}

  Result<TrainingReading> run(const std::string& model_beside, double chips_beside) {
    out_.trainer = trainer_.name;
    out_.title = trainer_.title;
    out_.framework = trainer_.framework;
    name_model(model_beside);
    read_layout(chips_beside);
    read_batch();
    read_options();
    compare_model();
    list_the_rest();
    if (!errors_.empty()) return fail(std::move(errors_));
    return std::move(out_);
  }

 private:
  void note(std::string_view text) { out_.notes.push_back(cleaned(text, Allowed::none)); }

  Said* said(const std::vector<std::string>& flags) {
    for (const std::string& flag : flags) {
      const auto found = words_.find(trainer_key(flag));
      if (found != words_.end()) return &found->second;
    }
    return nullptr;
  }
  Said* said(N number) {
    for (const auto& [which, flags] : trainer_.numbers) {
      if (which == number) return said(flags);
    }
    return nullptr;
  }

  /// A count; nothing where it is not said, or left to the framework (-1, "auto", a variable that the paste does not set).
  std::optional<double> count(N number) { return count_of(said(number)); }
  std::optional<double> count(const std::vector<std::string>& flags) { return count_of(said(flags)); }
  std::optional<double> count_of(Said* one) {
    if (one == nullptr) return std::nullopt;
    one->used = true;
    std::string digits;
    for (const char c : one->value) {
      if (c != '_' && c != ',') digits += c;
    }
    const auto value = parse_number(digits);
    if (digits == "auto" || digits == "None" || digits == "null" || (value && *value == -1)) return std::nullopt;
    if (!value && one->value.find('$') != std::string::npos) {
      note(fmt::format("{} {} is a variable that the text does not set: say it beside", one->flag,
                       shortened(one->value)));
      return std::nullopt;
    }
    if (value && *value >= 1 && *value <= 1e15 && *value == std::floor(*value)) return value;
    errors_.push_back({fmt::format("{}: {}", where_, shortened(one->flag)),
                       fmt::format("\"{}\" is no count", shortened(one->value)), "a whole number from 1"});
    return std::nullopt;
  }

  void name_model(const std::string& beside) {
    std::string word = beside;
    Said* named = said(trainer_.model);
    if (word.empty() && named != nullptr) {
      // torchtitan's "llama3" "70B" are two words
      for (const std::string& flag : trainer_.model) {
        const auto found = words_.find(trainer_key(flag));
        if (found == words_.end()) continue;
        const std::string& value = found->second.value;
        for (const std::string& candidate : {value, word.empty() ? value : word + "-" + value}) {
          const std::string tail = candidate.substr(candidate.rfind('/') + 1);
          for (const std::string& one : {candidate, tail}) {
            if (const auto match = model_named(library_, one); match && out_.model.empty()) {
              out_.model = match->entry->name;
              note(fmt::format("the model is {}, by {}", match->entry->title, found->second.flag));
            }
          }
        }
        if (word.empty()) word = value;
      }
    } else if (const auto match = model_named(library_, word); !word.empty() && match) {
      out_.model = match->entry->name;
    }
    model_ = out_.model.empty() ? nullptr : library_.models.find(out_.model);
    if (!beside.empty() || model_ != nullptr) return;
    by_shape();
    if (model_ == nullptr && errors_.empty()) build_shape();
    if (model_ == nullptr && errors_.empty())
      errors_.push_back({std::string(where_), fmt::format("no model of the catalog in this {} command", trainer_.title),
                         "name one before it, or its shape: ridge train " + shape_said() + " --from ..."});
  }

  /// What the command says of a shape, to be finished; or an example.
  std::string shape_said() {
    const auto layers = count(N::layers), hidden = count(N::hidden), heads = count(N::heads);
    if (!layers || !hidden || !heads) return "llama-3.1-70b";
    return fmt::format("'layers={:g} hidden={:g} heads={:g} vocab=...'", *layers, *hidden, *heads);
  }

  /// The catalog's model with these layers and this hidden size, where there is one.
  void by_shape() {
    const auto layers = count(N::layers), hidden = count(N::hidden);
    if (!layers || !hidden) return;
    const double experts = count(N::experts).value_or(0);
    std::vector<std::string> same;
    for (const Model& model : library_.models) {
      const double own = model.experts() == nullptr ? 0 : model.experts()->count;
      if (model.layers() == *layers && model.hidden == *hidden && own == experts) same.push_back(model.name);
    }
    if (same.size() == 1) {
      out_.model = same.front();
      model_ = library_.models.find(out_.model);
      note(fmt::format("{:g} layers of {:g}: taken for {}; name the model where it is another", *layers, *hidden,
                       model_->title));
    } else if (same.size() > 1) {
      errors_.push_back({std::string(where_),
                         fmt::format("{} models have {:g} layers of {:g}", same.size(), *layers, *hidden),
                         "name one before it: " + listed(same)});
    }
  }

  Said* shape_word(std::string_view word) {
    for (const auto& [own, flags] : trainer_.shape) {
      if (own == word) return said(flags);
    }
    return nullptr;
  }

  /// A switch that stands for itself, or says "true".
  bool shape_switch(std::string_view word) {
    Said* one = shape_word(word);
    if (one == nullptr) return false;
    one->used = true;
    return lower_case(one->value) != "false" && one->value != "0";
  }

  /// Layers in front that have no experts, of "([0]*3+[1]*58)"; nothing where they are mixed otherwise.
  static std::optional<double> dense_layers(const std::string& pattern) {
    std::string plain;
    for (const char c : pattern) {
      if (c != '(' && c != ')' && c != ' ' && c != '"' && c != '\'') plain += c;
    }
    if (plain == "1" || plain.starts_with("[1]*")) return 0;
    const std::size_t plus = plain.find('+');
    if (!plain.starts_with("[0]*") || plus == std::string::npos || !plain.substr(plus + 1).starts_with("[1]*"))
      return std::nullopt;
    return parse_number(plain.substr(4, plus - 4));
  }

  /// The model that the command itself describes, where no catalog has it.
  void build_shape() {
    const auto layers = count(N::layers), hidden = count(N::hidden), heads = count(N::heads);
    if (!layers || !hidden || !heads) return;
    std::string words = fmt::format("layers={:g} hidden={:g} heads={:g}", *layers, *hidden, *heads);
    const bool gated = shape_switch("gated"), latent = shape_switch("latent"), experts = said(N::experts) != nullptr;
    const auto add = [&](std::string_view word, double number) { words += fmt::format(" {}={:g}", word, number); };
    std::optional<double> ffn, vocabulary;
    for (const auto& [word, flags] : trainer_.shape) {
      Said* one = said(flags);
      if (one == nullptr || word == "gated" || word == "latent" || word == "grouped" || word == "tied" ||
          word == "untied")
        continue;
      if (word == "dense_layers") {
        one->used = true;
        const auto dense = dense_layers(one->value);
        if (dense && *dense > 0 && experts) add(word, *dense);
        if (!dense)
          note(fmt::format("{} {}: experts are taken to be in every layer", one->flag, shortened(one->value)));
        continue;
      }
      if (one->value == "0" && (word == "mtp" || word == "shared_ffn")) {  // none
        one->used = true;
        continue;
      }
      const bool of_latent =
          word == "q_rank" || word == "kv_rank" || word == "nope" || word == "rope" || word == "value_dim";
      const bool of_experts = word == "top" || word == "expert_ffn" || word == "shared_ffn";
      const auto number = count(flags);
      if (!number || (of_latent && !latent) || (of_experts && !experts)) continue;
      if (word == "ffn") ffn = number;
      if (word == "vocab") vocabulary = number;
      add(word == "value_dim" ? "value" : word, *number);  // "value" is a fact's own word in TOML
    }
    if (experts) add("experts", count(N::experts).value_or(1));
    if (!ffn && gated && trainer_.usual_gated_ffn > 0)
      add("ffn", std::floor(*hidden * trainer_.usual_gated_ffn / 64) * 64);
    if (gated) words += " gated";
    Said* tied = shape_word("tied");
    if (tied != nullptr ? shape_switch("tied") : !shape_switch("untied")) words += " tied";
    if (!vocabulary) {
      add("vocab", trainer_.usual_vocabulary);
      note(fmt::format("no vocabulary in it: one of {:g} tokens is taken", trainer_.usual_vocabulary));
    }
    if (!errors_.empty()) return;
    auto built = model_of_shape(words, where_);
    if (!built) {
      append(errors_, built.error());
      return;
    }
    out_.shape = std::move(*built);
    model_ = &*out_.shape;
    out_.model = words;
    note(fmt::format("no model of the catalog has {:g} layers of {:g}: taken as it is described, {}", *layers, *hidden,
                     words));
  }

  void read_layout(double chips_beside) {
    AskedLayout& layout = out_.layout;
    layout.tensor = count(N::tensor).value_or(1);
    layout.pipeline = count(N::pipeline).value_or(1);
    layout.context = count(N::context).value_or(1);
    layout.expert = count(N::expert).value_or(1);
    layout.expert_tensor = count(N::expert_tensor).value_or(trainer_.name.starts_with("megatron") ? *layout.tensor : 1);
    if (said(N::expert_tensor) == nullptr && (model_ == nullptr || model_->experts() == nullptr))
      layout.expert_tensor = 1;
    layout.virtual_stages = count(N::virtual_stages).value_or(1);
    const auto chunk = count(N::chunk_layers);
    if (said(N::virtual_stages) == nullptr && chunk && model_ != nullptr) {
      const double chunks = std::ceil(model_->layers() / *chunk) / *layout.pipeline;
      if (chunks == std::floor(chunks) && chunks >= 1)
        layout.virtual_stages = chunks;
      else
        note(fmt::format("{} {:g} divides {:g} layers into no whole chunks of {:g} stages: left out",
                         said(N::chunk_layers)->flag, *chunk, model_->layers(), *layout.pipeline));
    }
    const double group = *layout.tensor * *layout.pipeline * *layout.context;
    const auto nodes = count(N::nodes), each = count(N::node_chips), shards = count(N::data),
               copies = count(N::replicas);
    if (nodes && each) out_.chips = *nodes * *each;
    if (each && said(N::nodes) == nullptr) out_.chips = *each;
    if (shards && (said(N::replicas) == nullptr || copies)) {
      const double all = group * *shards * copies.value_or(1);
      if (out_.chips && *out_.chips != all)
        note(fmt::format("the degrees make {:g} chips, and {:g} are started", all, *out_.chips));
      if (!out_.chips) out_.chips = all;
    }
    if (shards && *shards > 1 && copies && *copies > 1)
      note(fmt::format("weights are divided over {:g} chips and copied {:g} times (HSDP): modeled as divided over all",
                       *shards, *copies));
    data_ = (chips_beside > 0 ? chips_beside : out_.chips.value_or(group)) / group;
    copies_alone_ = copies && *copies > 1 && shards.value_or(1) == 1 && said(N::data) != nullptr;
  }

  void read_batch() {
    out_.sequence = count(N::sequence);
    out_.batch = count(N::batch);
    const auto micro = count(N::micro_batch), rank = count(N::rank_batch), times = count(N::accumulation);
    const bool staged = *out_.layout.pipeline > 1;
    out_.layout.micro_batch = rank && !staged ? *rank : micro.value_or(1);
    if (!out_.batch && rank) out_.batch = *rank * data_ * times.value_or(1);
    if (!out_.batch && times) out_.batch = *out_.layout.micro_batch * *times * data_;
    const auto samples = count(N::samples), steps = count(N::steps), tokens = count(N::tokens);
    if (tokens) out_.tokens = tokens;
    if (samples && out_.sequence) out_.tokens = *samples * *out_.sequence;
    if (steps && !out_.tokens && out_.batch && out_.sequence) out_.tokens = *steps * *out_.batch * *out_.sequence;
  }

  /// Whether the command says all that an option asks for; what a blank stands for goes into `blank`.
  bool holds(const TrainerOption& option, std::string& blank) {
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

  struct Chosen {
    const TrainerOption* option = nullptr;
    std::string blank;
  };

  /// The option of which the command says most; what it says beside, of flags of these options, is not understood.
  Chosen choose(const std::vector<TrainerOption>& options) {
    Chosen best;
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

  void read_options() {
    const Chosen recipe = choose(trainer_.recipe);
    out_.recipe = recipe.option != nullptr ? recipe.option->word : trainer_.usual_recipe;
    if (recipe.option == nullptr)
      note(fmt::format("no number format in the command: {}'s usual {}", trainer_.title, out_.recipe));
    const Chosen zero = choose(trainer_.zero);
    const bool staged = *out_.layout.pipeline > 1;
    double stage = staged ? trainer_.usual_zero_staged : trainer_.usual_zero;
    if (zero.option != nullptr) stage = parse_number(zero.option->word).value_or(stage);
    if (copies_alone_) stage = 0;
    out_.layout.zero = stage;
    const Chosen sequence = choose(trainer_.sequence_parallel);
    std::string word = sequence.option != nullptr ? sequence.option->word : "off";
    for (const TrainerOption& option : trainer_.sequence_parallel) {
      if (sequence.option == nullptr && option.settings.empty()) word = option.word;  // said by saying nothing
    }
    out_.layout.sequence_parallel = word == "on" && *out_.layout.tensor > 1;
    read_recompute();
  }

  void read_recompute() {
    const Chosen chosen = choose(trainer_.recompute);
    out_.layout.recompute = RecomputePolicy{};
    if (chosen.option == nullptr || chosen.option->word == "none") return;
    const double layers = model_ == nullptr ? 0 : std::ceil(model_->layers() / *out_.layout.pipeline);
    std::string word = chosen.option->word;
    if (word == "full:n") {
      const bool every = chosen.option->settings.back().value == "{every}";
      const double n = parse_number(chosen.blank).value_or(1);
      word = fmt::format("full:{:g}", every ? std::max(1.0, std::floor(layers / n)) : n);
    } else if (word == "half") {
      word = fmt::format("full:{:g}", std::max(1.0, std::floor(layers / 2)));
      note(fmt::format("selective recomputation by operation: taken for {:g} whole layers of a stage",
                       std::max(1.0, std::floor(layers / 2))));
    } else if (word == "modules") {
      word.clear();
      for (const char c : chosen.blank) word += c == '[' || c == ']' || c == '"' || c == '\'' ? ' ' : c;
      word = std::string(trimmed(word));
    }
    const auto policy = parse_recompute(word, where_);
    if (policy)
      out_.layout.recompute = *policy;
    else
      append(errors_, policy.error());
  }

  void compare_model() {
    if (model_ == nullptr) return;
    const auto compare = [&](N number, double ours, std::string_view what) {
      const auto theirs = count(number);
      if (theirs && *theirs != ours)
        note(fmt::format("the command has {:g} {}, and {} has {:g}: the catalog's model is taken", *theirs, what,
                         model_->title, ours));
    };
    compare(N::layers, model_->layers(), "layers");
    compare(N::hidden, model_->hidden, "hidden");
    compare(N::experts, model_->experts() == nullptr ? 0 : model_->experts()->count, "experts");
  }

  void list_the_rest() {
    std::vector<std::string> unmodeled;
    const auto among = [](const std::vector<std::string>& flags, const std::string& key) {
      return std::any_of(flags.begin(), flags.end(), [&](const std::string& one) { return trainer_key(one) == key; });
    };
    for (const auto& [key, one] : words_) {
      const bool counted = std::any_of(trainer_.numbers.begin(), trainer_.numbers.end(),
                                       [&](const auto& number) { return among(number.second, key); });
      const bool shaped = std::any_of(trainer_.shape.begin(), trainer_.shape.end(),
                                      [&](const auto& word) { return among(word.second, key); });
      if (one.used || counted || (shaped && !among(trainer_.unmodeled, key))) continue;
      const std::string text = shortened(one.flag) + (one.value.empty() ? "" : " " + shortened(one.value));
      const bool off = lower_case(one.value) == "false" || lower_case(one.value) == "none";
      if (among(trainer_.unmodeled, key)) {
        if (!off) unmodeled.push_back(text);
      } else if (!among(trainer_.quiet, key) && !among(trainer_.model, key) && !(off && knows(trainer_, key))) {
        out_.ignored.push_back(cleaned(text, Allowed::none));
      }
    }
    if (!unmodeled.empty()) note("understood, but not modeled: " + listed(unmodeled));
    if (!out_.ignored.empty()) note("not understood, and ignored: " + listed(out_.ignored));
  }

  /// All of a reasonable list, the first of a long one.
  static std::string listed(std::vector<std::string> words) {
    constexpr std::size_t kMost = 24;
    const std::size_t more = words.size() > kMost ? words.size() - kMost : 0;
    words.resize(words.size() - more);
    return joined(words, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
  }

  const Trainer& trainer_;
  Words words_;
  const Library& library_;
  std::string_view where_;
  const Model* model_ = nullptr;
  double data_ = 1;
  bool copies_alone_ = false;
  TrainingReading out_;
  Errors errors_;
};

}  // namespace

Result<TrainingReading> read_training_command(std::string_view text, const std::vector<Trainer>& trainers,
                                              const Library& library, std::string_view where,
                                              const std::string& model_beside, double chips_beside) {
  const auto pasted = split_pasted(text, where);
  if (!pasted) return fail(pasted.error());
  ReadWords read = words_of(*pasted, text);
  const Trainer* trainer = trainer_of(read, trainers);
  if (trainer == nullptr) {
    std::vector<std::string> names;
    for (const Trainer& one : trainers) names.push_back(one.title);
    return fail({std::string(where),
                 trimmed(text).empty() ? "an empty command"
                                       : fmt::format("no training framework in \"{}\"", shortened(trimmed(text))),
                 "paste what starts " + joined(names, ", ") + ", or its configuration file as @FILE"});
  }
  return TrainingReader(*trainer, std::move(read.words), library, where).run(model_beside, chips_beside);
}

}  // namespace ridge::catalog
