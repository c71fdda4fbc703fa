#include "train/command/trainer_command.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "train/step/model_shape.hpp"

namespace ridge {

namespace {

using N = TrainerNumber;

std::string whole(double value) { return fmt::format("{:.0f}", value); }

/// What a number is in a setup; nothing where it need not be said.
std::optional<double> value_of(N number, const TrainingSetup& setup, const Trainer& trainer) {
  const TrainingLayout& layout = setup.layout;
  const auto beyond_one = [](double value) { return value > 1 ? std::optional(value) : std::nullopt; };
  const double count = micro_batches(layout, setup.batch);
  const bool pipelined = layout.pipeline > 1;
  switch (number) {
    case N::tensor:
      return layout.tensor;
    case N::pipeline:
      return layout.pipeline;
    case N::context:
      return beyond_one(layout.context);
    case N::expert:
      return setup.experts ? std::optional(layout.expert) : std::nullopt;
    case N::expert_tensor:
      return setup.experts ? std::optional(layout.expert_tensor) : std::nullopt;
    case N::virtual_stages:
      return beyond_one(layout.virtual_stages);
    case N::chunk_layers:
      if (layout.virtual_stages <= 1 || flag_of(trainer, N::virtual_stages) != nullptr) return std::nullopt;
      return std::ceil(setup.layers / (layout.pipeline * layout.virtual_stages));
    case N::micro_batch:
      // beside a rank's batch it is the pipeline's alone
      if (flag_of(trainer, N::rank_batch) != nullptr && !pipelined) return std::nullopt;
      return layout.micro_batch;
    case N::rank_batch:
      return pipelined ? layout.micro_batch * count : layout.micro_batch;
    case N::accumulation:
      return count;
    case N::batch:
      return setup.batch;
    case N::sequence:
      return setup.sequence;
    case N::samples:
      return setup.tokens > 0 ? std::optional(std::ceil(setup.tokens / setup.sequence)) : std::nullopt;
    case N::steps:
      if (setup.tokens <= 0 || flag_of(trainer, N::samples) != nullptr || flag_of(trainer, N::tokens) != nullptr)
        return std::nullopt;
      return std::ceil(setup.tokens / (setup.sequence * setup.batch));
    case N::tokens:
      return setup.tokens > 0 && flag_of(trainer, N::samples) == nullptr ? std::optional(setup.tokens) : std::nullopt;
    case N::data:
      return layout.sharding == Sharding::none ? 1.0 : layout.data;
    case N::replicas:
      return layout.sharding == Sharding::none ? std::optional(layout.data) : std::nullopt;
    default:
      return std::nullopt;
  }
}

const TrainerOption* written_option(const std::vector<TrainerOption>& options, std::string_view word) {
  for (const TrainerOption& option : options) {
    if (option.written && option.word == word) return &option;
  }
  return nullptr;
}

struct Recomputed {
  std::string word;  // of the table
  std::string n, every, modules;
  bool even = true;  // whole layers lie evenly in a stage
};

Recomputed recomputed(const TrainingSetup& setup) {
  const RecomputePolicy& policy = setup.layout.recompute;
  if (policy.none()) return {"none", "", "", "", true};
  if (policy.all()) return {"full", "", "", "", true};
  std::string words = name_of(policy);
  const double stage = std::ceil(setup.layers / setup.layout.pipeline);
  if (policy.full_layers > 0 && words.find('+') == std::string::npos) {
    const double n = std::min(policy.full_layers, stage);
    return {"full:n", whole(n), whole(stage / n), "", std::fmod(stage, n) == 0};
  }
  std::replace(words.begin(), words.end(), '+', ' ');
  return {"modules", "", "", words, true};
}

class CommandText {
 public:
  CommandText(const Trainer& trainer, const TrainingSetup& setup) : trainer_(trainer), setup_(setup) {}

  TrainingCommand run() {
    out_.trainer = trainer_.name;
    out_.framework = trainer_.title;
    const double node = std::min(setup_.node, setup_.layout.chips());
    line_ = filled(filled(trainer_.start, "{nodes}", whole(std::ceil(setup_.layout.chips() / node))), "{node_chips}",
                   whole(node));
    for (std::size_t i = 0; i < kTrainerNumbers; ++i) {
      const auto number = static_cast<TrainerNumber>(i);
      const std::string* flag = flag_of(trainer_, number);
      const auto value = value_of(number, setup_, trainer_);
      if (value && flag != nullptr) say({*flag, whole(*value)});
    }
    if (!setup_.shape.empty()) shape();
    degrees();
    option(trainer_.sequence_parallel, setup_.layout.sequence_parallel ? "on" : "off", "sequence parallelism",
           setup_.layout.tensor > 1);
    zero();
    option(trainer_.recipe, setup_.recipe, "recipe", true);
    recompute();
    out_.text = line_;
    if (!document_.empty()) out_.text = fmt::format("cat > {} <<EOF\n{}\nEOF\n{}", trainer_.document, nested(), line_);
    return std::move(out_);
  }

 private:
  static std::string filled(std::string text, std::string_view blank, const std::string& value) {
    if (const auto at = text.find(blank); at != std::string::npos) text.replace(at, blank.size(), value);
    return text;
  }

  void differs(std::string note) {
    out_.exact = false;
    out_.notes.push_back(std::move(note));
  }

  void say(const TrainerSetting& setting) {
    if (setting.flag.starts_with('/')) {
      document_.push_back(setting);
    } else if (setting.flag.ends_with('=')) {
      line_ += " " + setting.flag + (setting.value.empty() ? "true" : setting.value);
    } else {
      line_ += " " + setting.flag + (setting.value.empty() ? "" : " " + setting.value);
    }
  }

  const std::string* shape_flag(std::string_view word) const {
    constexpr std::array<std::pair<std::string_view, N>, 4> kCounted = {
        {{"layers", N::layers}, {"hidden", N::hidden}, {"heads", N::heads}, {"experts", N::experts}}};
    for (const auto& [own, number] : kCounted)
      if (own == word) return flag_of(trainer_, number);
    for (const auto& [own, flags] : trainer_.shape)
      if (own == word && !flags.empty()) return &flags.front();
    return nullptr;
  }

  /// The model's own flags: every word of its shape, and what a framework has to be told beside.
  void shape() {
    if (shape_flag("layers") == nullptr) {
      differs(fmt::format("{} has no words for the model's shape: it is left out", trainer_.title));
      return;
    }
    std::map<std::string, std::string, std::less<>> words;
    for (const std::string& word : split(setup_.shape, ' ')) {
      const std::size_t equals = word.find('=');
      if (!word.empty()) words[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
    }
    const auto has = [&](std::string_view word) { return words.find(word) != words.end(); };
    const bool tied = has("tied");
    words.erase("tied");
    if (has("experts") && !has("top")) words["top"] = "1";  // frameworks have other defaults
    if (has("kv") && shape_flag("grouped") != nullptr) words["grouped"] = "";
    if (has("kv_rank")) words["latent"] = "";
    if (const auto value = words.find("value"); value != words.end()) words["value_dim"] = value->second;
    words.erase("value");
    if (has("dense_layers"))
      words["dense_layers"] = fmt::format("\"([0]*{}+[1]*{})\"", words["dense_layers"],
                                          whole(setup_.layers - parse_number(words["dense_layers"]).value_or(0)));
    if (shape_flag("tied") != nullptr) words["tied"] = tied ? "true" : "false";
    if (!tied && shape_flag("untied") != nullptr) words["untied"] = "";
    for (const auto& [word, value] : words) {
      if (const std::string* flag = shape_flag(word))
        say({*flag, value});
      else
        differs(fmt::format("{} has no words for {} of the model: left out", trainer_.title, word));
    }
  }

  /// A degree beyond one that the framework has no word for.
  void degrees() {
    const TrainingLayout& layout = setup_.layout;
    const auto need = [&](N number, double value, std::string_view what) {
      if (value > 1 && flag_of(trainer_, number) == nullptr)
        differs(fmt::format("{} has no {}: {:g} is left out", trainer_.title, what, value));
    };
    need(N::tensor, layout.tensor, "tensor parallelism");
    need(N::pipeline, layout.pipeline, "pipeline");
    need(N::context, layout.context, "context parallelism");
    need(N::expert, layout.expert, "expert parallelism");
    need(N::expert_tensor, layout.expert_tensor, "expert tensor parallelism");
    if (layout.offload.any()) differs(fmt::format("offloading {} is left out", name_of(layout.offload)));
    if (layout.schedule != train::ScheduleKind::one_f_one_b)
      differs(fmt::format("the schedule {} is left out", train::name_of(layout.schedule)));
    if (layout.shard_group > 0)
      differs(fmt::format("groups of {:g} chips that share weights are left out", layout.shard_group));
    if (flag_of(trainer_, N::chunk_layers) == nullptr)
      need(N::virtual_stages, layout.virtual_stages, "interleaved schedule");
    else if (flag_of(trainer_, N::virtual_stages) == nullptr &&
             std::fmod(setup_.layers, layout.pipeline * layout.virtual_stages) != 0 && layout.virtual_stages > 1)
      differs(fmt::format("{} divides layers into equal chunks alone: {:g} layers are none of {:g}", trainer_.title,
                          setup_.layers, layout.pipeline * layout.virtual_stages));
  }

  void option(const std::vector<TrainerOption>& options, std::string_view word, std::string_view what, bool matters) {
    if (const TrainerOption* found = written_option(options, word)) {
      for (const TrainerSetting& setting : found->settings) say(setting);
    } else if (matters) {
      differs(fmt::format("{} has no words for {} {}: its default is written", trainer_.title, what, word));
    }
  }

  void zero() {
    const int stage = static_cast<int>(setup_.layout.sharding);
    for (const int near : {0, 1, -1, 2, -2, 3, -3}) {
      const TrainerOption* found = written_option(trainer_.zero, fmt::format("{}", stage + near));
      if (found == nullptr) continue;
      if (near != 0) differs(fmt::format("{} has no ZeRO-{}: ZeRO-{} is written", trainer_.title, stage, stage + near));
      for (const TrainerSetting& setting : found->settings) say(setting);
      return;
    }
    differs(fmt::format("{} has no words for ZeRO-{}", trainer_.title, stage));
  }

  void recompute() {
    const Recomputed how = recomputed(setup_);
    const TrainerOption* found = written_option(trainer_.recompute, how.word);
    if (found == nullptr) {
      differs(fmt::format("{} has no words for recomputing {}: nothing is written of it", trainer_.title,
                          name_of(setup_.layout.recompute)));
      return;
    }
    for (TrainerSetting setting : found->settings) {
      if (setting.value == "{every}" && !how.even)
        differs(fmt::format("every {}th layer is not exactly {} of a stage", how.every, how.n));
      std::string modules = how.modules;
      if (setting.value.starts_with('[')) std::replace(modules.begin(), modules.end(), ' ', ',');
      setting.value = filled(filled(filled(setting.value, "{n}", how.n), "{every}", how.every), "{modules}", modules);
      say(setting);
    }
  }

  /// {"train_batch_size": 1024, "zero_optimization": {"stage": 1}}: settings of one object stand together.
  std::string nested() const {
    std::vector<std::pair<std::string, std::vector<std::string>>> objects;
    std::vector<std::string> flat;
    for (const TrainerSetting& setting : document_) {
      const bool bare = parse_number(setting.value).has_value() || setting.value == "true" || setting.value == "false";
      const std::string value = bare ? setting.value : "\"" + setting.value + "\"";
      const std::string path = setting.flag.substr(1);
      const auto slash = path.find('/');
      if (slash == std::string::npos) {
        flat.push_back(fmt::format("\"{}\": {}", path, value));
        continue;
      }
      const std::string object = path.substr(0, slash);
      auto place = std::find_if(objects.begin(), objects.end(), [&](const auto& one) { return one.first == object; });
      if (place == objects.end()) place = objects.insert(objects.end(), {object, {}});
      place->second.push_back(fmt::format("\"{}\": {}", path.substr(slash + 1), value));
    }
    for (const auto& [name, members] : objects)
      flat.push_back(fmt::format("\"{}\": {{{}}}", name, joined(members, ", ")));
    return "{" + joined(flat, ",\n ") + "}";
  }

  const Trainer& trainer_;
  const TrainingSetup& setup_;
  TrainingCommand out_;
  std::string line_;
  std::vector<TrainerSetting> document_;
};

}  // namespace

TrainingCommand trainer_command(const Trainer& trainer, const TrainingSetup& setup) {
  return CommandText(trainer, setup).run();
}

TrainingSetup setup_of(const TrainingGround& ground, const TrainingLayout& layout) {
  return {.layout = layout,
          .batch = ground.load.batch,
          .sequence = ground.load.sequence,
          .tokens = ground.tokens,
          .layers = ground.model->layers(),
          .experts = ground.model->experts() != nullptr,
          .node = ground.fabric.domain > 8 ? 4 : ground.fabric.domain,
          .recipe = ground.recipe.name,
          .shape = is_shape(ground.model->name) ? ground.model->name : ""};
}

}  // namespace ridge
