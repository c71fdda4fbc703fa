#include "catalog/trainer/training_reading.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/clean_text.hpp"
#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "catalog/trainer/described_model.hpp"
#include "library/names.hpp"

namespace ridge::catalog {

namespace {

using N = TrainerNumber;

class TrainingReader {
 public:
  TrainingReader(SaidWords said, const Library& library) : said_(std::move(said)), library_(library) {}

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
    if (!said_.errors.empty()) return fail(std::move(said_.errors));
    out_.notes = std::move(said_.notes);
    return std::move(out_);
  }

 private:
  void name_model(const std::string& beside) {
    std::string word = beside;
    const SaidWord* named = said_.said(trainer_.model);
    if (word.empty() && named != nullptr) {
      // torchtitan's "llama3" "70B" are two words
      for (const std::string& flag : trainer_.model) {
        const auto found = said_.words().find(trainer_key(flag));
        if (found == said_.words().end()) continue;
        const std::string& value = found->second.value;
        for (const std::string& candidate : {value, word.empty() ? value : word + "-" + value}) {
          const std::string tail = candidate.substr(candidate.rfind('/') + 1);
          for (const std::string& one : {candidate, tail}) {
            if (const auto match = model_named(library_, one); match && out_.model.empty()) {
              out_.model = match->entry->name;
              said_.note(fmt::format("the model is {}, by {}", match->entry->title, found->second.flag));
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
    if (model_ == nullptr && said_.errors.empty()) take_described();
    if (model_ == nullptr && said_.errors.empty())
      said_.errors.push_back({std::string(said_.where()),
                              fmt::format("no model of the catalog in this {} command", trainer_.title),
                              "name one before it, or its shape: ridge train " + shape_said() + " --from ..."});
  }

  void take_described() {
    out_.shape = described_model(said_);
    if (!out_.shape) return;
    model_ = &*out_.shape;
    out_.model = model_->name;
  }

  /// What the command says of a shape, to be finished; or an example.
  std::string shape_said() {
    const auto layers = said_.count(N::layers), hidden = said_.count(N::hidden), heads = said_.count(N::heads);
    if (!layers || !hidden || !heads) return "llama-3.1-70b";
    return fmt::format("'layers={:g} hidden={:g} heads={:g} vocab=...'", *layers, *hidden, *heads);
  }

  /// The catalog's model with these layers and this hidden size, where there is one.
  void by_shape() {
    const auto layers = said_.count(N::layers), hidden = said_.count(N::hidden);
    if (!layers || !hidden) return;
    const double experts = said_.count(N::experts).value_or(0);
    std::vector<std::string> same;
    for (const Model& model : library_.models) {
      const double own = model.experts() == nullptr ? 0 : model.experts()->count;
      if (model.layers() == *layers && model.hidden == *hidden && own == experts) same.push_back(model.name);
    }
    if (same.size() == 1) {
      out_.model = same.front();
      model_ = library_.models.find(out_.model);
      said_.note(fmt::format("{:g} layers of {:g}: taken for {}; name the model where it is another", *layers, *hidden,
                             model_->title));
    } else if (same.size() > 1) {
      said_.errors.push_back({std::string(said_.where()),
                              fmt::format("{} models have {:g} layers of {:g}", same.size(), *layers, *hidden),
                              "name one before it: " + listed(same)});
    }
  }

  void read_layout(double chips_beside) {
    AskedLayout& layout = out_.layout;
    layout.tensor = said_.count(N::tensor).value_or(1);
    layout.pipeline = said_.count(N::pipeline).value_or(1);
    layout.context = said_.count(N::context).value_or(1);
    layout.expert = said_.count(N::expert).value_or(1);
    layout.expert_tensor =
        said_.count(N::expert_tensor).value_or(trainer_.name.starts_with("megatron") ? *layout.tensor : 1);
    if (said_.said(N::expert_tensor) == nullptr && (model_ == nullptr || model_->experts() == nullptr))
      layout.expert_tensor = 1;
    layout.virtual_stages = said_.count(N::virtual_stages).value_or(1);
    const auto chunk = said_.count(N::chunk_layers);
    if (said_.said(N::virtual_stages) == nullptr && chunk && model_ != nullptr) {
      const double chunks = std::ceil(model_->layers() / *chunk) / *layout.pipeline;
      if (chunks == std::floor(chunks) && chunks >= 1)
        layout.virtual_stages = chunks;
      else
        said_.note(fmt::format("{} {:g} divides {:g} layers into no whole chunks of {:g} stages: left out",
                               said_.said(N::chunk_layers)->flag, *chunk, model_->layers(), *layout.pipeline));
    }
    const double group = *layout.tensor * *layout.pipeline * *layout.context;
    const auto nodes = said_.count(N::nodes), each = said_.count(N::node_chips), shards = said_.count(N::data),
               copies = said_.count(N::replicas);
    if (nodes && each) out_.chips = *nodes * *each;
    if (each && said_.said(N::nodes) == nullptr) out_.chips = *each;
    if (shards && (said_.said(N::replicas) == nullptr || copies)) {
      const double all = group * *shards * copies.value_or(1);
      if (out_.chips && *out_.chips != all)
        said_.note(fmt::format("the degrees make {:g} chips, and {:g} are started", all, *out_.chips));
      if (!out_.chips) out_.chips = all;
    }
    // weights divided over some of the copies, and these groups copied (HSDP)
    if (shards && *shards > 1 && copies && *copies > 1) layout.shard_group = *shards * *layout.context;
    data_ = (chips_beside > 0 ? chips_beside : out_.chips.value_or(group)) / group;
    copies_alone_ = copies && *copies > 1 && shards.value_or(1) == 1 && said_.said(N::data) != nullptr;
  }

  void read_batch() {
    out_.sequence = said_.count(N::sequence);
    out_.batch = said_.count(N::batch);
    const auto micro = said_.count(N::micro_batch), rank = said_.count(N::rank_batch),
               times = said_.count(N::accumulation);
    const bool staged = *out_.layout.pipeline > 1;
    out_.layout.micro_batch = rank && !staged ? *rank : micro.value_or(1);
    if (!out_.batch && rank) out_.batch = *rank * data_ * times.value_or(1);
    if (!out_.batch && times) out_.batch = *out_.layout.micro_batch * *times * data_;
    const auto samples = said_.count(N::samples), steps = said_.count(N::steps), tokens = said_.count(N::tokens);
    if (tokens) out_.tokens = tokens;
    if (samples && out_.sequence) out_.tokens = *samples * *out_.sequence;
    if (steps && !out_.tokens && out_.batch && out_.sequence) out_.tokens = *steps * *out_.batch * *out_.sequence;
  }

  void read_options() {
    const SaidOption recipe = said_.choose(trainer_.recipe);
    out_.recipe = recipe.option != nullptr ? recipe.option->word : trainer_.usual_recipe;
    if (recipe.option == nullptr)
      said_.note(fmt::format("no number format in the command: {}'s usual {}", trainer_.title, out_.recipe));
    const SaidOption zero = said_.choose(trainer_.zero);
    const bool staged = *out_.layout.pipeline > 1;
    double stage = staged ? trainer_.usual_zero_staged : trainer_.usual_zero;
    if (zero.option != nullptr) stage = parse_number(zero.option->word).value_or(stage);
    if (copies_alone_) stage = 0;
    out_.layout.zero = stage;
    const SaidOption sequence = said_.choose(trainer_.sequence_parallel);
    std::string word = sequence.option != nullptr ? sequence.option->word : "off";
    for (const TrainerOption& option : trainer_.sequence_parallel) {
      if (sequence.option == nullptr && option.settings.empty()) word = option.word;  // said by saying nothing
    }
    out_.layout.sequence_parallel = word == "on" && *out_.layout.tensor > 1;
    read_recompute();
  }

  void read_recompute() {
    const SaidOption chosen = said_.choose(trainer_.recompute);
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
      said_.note(fmt::format("selective recomputation by operation: taken for {:g} whole layers of a stage",
                             std::max(1.0, std::floor(layers / 2))));
    } else if (word == "modules") {
      word.clear();
      for (const char c : chosen.blank) word += c == '[' || c == ']' || c == '"' || c == '\'' ? ' ' : c;
      word = std::string(trimmed(word));
    }
    const auto policy = parse_recompute(word, said_.where());
    if (policy)
      out_.layout.recompute = *policy;
    else
      append(said_.errors, policy.error());
  }

  void compare_model() {
    if (model_ == nullptr) return;
    const auto compare = [&](N number, double ours, std::string_view what) {
      const auto theirs = said_.count(number);
      if (theirs && *theirs != ours)
        said_.note(fmt::format("the command has {:g} {}, and {} has {:g}: the catalog's model is taken", *theirs, what,
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
    for (const auto& [key, one] : said_.words()) {
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
    if (!unmodeled.empty()) said_.note("understood, but not modeled: " + listed(unmodeled));
    if (!out_.ignored.empty()) said_.note("not understood, and ignored: " + listed(out_.ignored));
  }

  /// All of a reasonable list, the first of a long one.
  static std::string listed(std::vector<std::string> words) {
    constexpr std::size_t kMost = 24;
    const std::size_t more = words.size() > kMost ? words.size() - kMost : 0;
    words.resize(words.size() - more);
    return joined(words, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
  }

  SaidWords said_;
  const Trainer& trainer_ = said_.trainer();
  const Library& library_;
  const Model* model_ = nullptr;
  double data_ = 1;
  bool copies_alone_ = false;
  TrainingReading out_;
};

}  // namespace

Result<TrainingReading> read_training_command(std::string_view text, const std::vector<Trainer>& trainers,
                                              const Library& library, std::string_view where,
                                              const std::string& model_beside, double chips_beside) {
  const auto pasted = split_pasted(text, where);
  if (!pasted) return fail(pasted.error());
  PastedTraining read = training_words(*pasted, text);
  const Trainer* trainer = trainer_of(read, trainers);
  if (trainer == nullptr) {
    std::vector<std::string> names;
    for (const Trainer& one : trainers) names.push_back(one.title);
    return fail({std::string(where),
                 trimmed(text).empty() ? "an empty command"
                                       : fmt::format("no training framework in \"{}\"", shortened(trimmed(text))),
                 "paste what starts " + joined(names, ", ") + ", or its configuration file as @FILE"});
  }
  return TrainingReader(SaidWords(*trainer, std::move(read.words), where), library).run(model_beside, chips_beside);
}

}  // namespace ridge::catalog
