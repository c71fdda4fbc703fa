#include "catalog/engine/engine_command.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "catalog/engine/engine_words.hpp"
#include "library/engines.hpp"
#include "library/names.hpp"

namespace ridge::catalog {

namespace {

using M = Meaning;

class CommandReader {
 public:
  CommandReader(EngineWords words, const Library& library, std::string_view where)
      : words_(std::move(words)), engine_(*words_.engine), library_(library), where_(where) {}

  Result<EngineReading> run(const std::string& model_beside) {
    out_.engine = engine_.name;
    out_.model = words_.model;
    question_.engine = engine_.name;
    name_model(model_beside);
    read_layout();
    read_experts();
    read_limits();
    read_memory();
    read_speculation();
    read_formats();
    read_modes();
    read_scheduler_flags();
    list_the_rest();
    if (!errors_.empty()) return fail(std::move(errors_));
    return std::move(out_);
  }

 private:
  const EngineSetting* find(Meaning meaning) const {
    const auto found = words_.settings.find(meaning);
    return found == words_.settings.end() ? nullptr : &found->second;
  }
  bool is_on(Meaning meaning) const {
    const EngineSetting* setting = find(meaning);
    return setting != nullptr && lower_case(setting->value) != "false";
  }
  void note(std::string text) { out_.notes.push_back(std::move(text)); }
  void refuse(const EngineSetting& setting, std::string what, std::string hint) {
    errors_.push_back({fmt::format("{}: {}", where_, shortened(setting.flag)), std::move(what), std::move(hint)});
  }

  /// 8, 130k (thousands) and 128K (of 1,024), as vLLM reads them; nothing where it was not given, or as "auto".
  std::optional<double> number(Meaning meaning) {
    const EngineSetting* setting = find(meaning);
    if (setting == nullptr || setting->value == "auto" || setting->value == "None" || setting->value == "-1")
      return std::nullopt;
    constexpr std::string_view kLetters = "kmgKMG";
    constexpr double kScales[] = {1e3, 1e6, 1e9, 1024.0, 1024.0 * 1024, 1024.0 * 1024 * 1024};
    std::string_view digits = setting->value;
    double scale = 1;
    if (const auto letter = kLetters.find(digits.empty() ? ' ' : digits.back()); letter != std::string_view::npos) {
      scale = kScales[letter];
      digits.remove_suffix(1);
    }
    const auto value = parse_number(digits);
    if (value) return *value * scale;
    refuse(*setting, fmt::format("\"{}\" is not a number", shortened(setting->value)),
           fmt::format("put the number in, e.g. {} 8", setting->flag));
    return std::nullopt;
  }

  /// A count of chips or requests: whole, from 1.
  std::optional<double> count(Meaning meaning) {
    constexpr double kMost = 1e6;
    const auto value = number(meaning);
    if (!value || (*value >= 1 && *value <= kMost && *value == std::floor(*value))) return value;
    refuse(*find(meaning), fmt::format("{:g} is no count", *value), "a whole number from 1");
    return std::nullopt;
  }
  double degree(Meaning meaning) { return count(meaning).value_or(1); }

  /// A part of the tensor group, which it must divide.
  double part_of(double whole, double part, Meaning meaning) {
    if (std::fmod(whole, part) == 0) return whole / part;
    refuse(*find(meaning), fmt::format("{:g} does not divide the {:g} chips of the tensor group", part, whole),
           "the group is divided evenly");
    return whole;
  }

  void name_model(const std::string& beside) {
    const std::string& name = beside.empty() ? words_.model : beside;
    if (name.empty()) {
      errors_.push_back({std::string(where_), fmt::format("no model in this {} command", engine_.title),
                         "name one beside it, e.g. ridge why deepseek-v3 --from ..."});
      return;
    }
    question_.scenario.model = name;
    const auto match = model_named(library_, name);
    if (match) {
      model_ = match->entry;
      question_.scenario.model = model_->name;
      if (beside.empty()) question_.checkpoint = name;
      question_.scenario.weights = match->weights;
      if (!match->note.empty()) note(match->note);
    } else if (beside.empty()) {
      const Error& error = match.error().front();
      errors_.push_back({std::string(where_), error.what,
                         error.hint + "; name it beside the command, or its config.json: ridge why MODEL --from ..."});
    }
  }

  const Experts* experts() const { return model_ == nullptr ? nullptr : model_->experts(); }

  /// Attention groups that share the experts; one where there are none.
  double attention_groups(double tensor, double data) {
    switch (engine_.layouts.attention_data) {
      case AttentionGroups::size:
        return experts() != nullptr ? data : 1;
      case AttentionGroups::switch_and_size:
        return is_on(M::attention_data) ? data : 1;
      case AttentionGroups::all_or_none:
        return is_on(M::attention_data) ? tensor : 1;
      case AttentionGroups::none:
        break;
    }
    return 1;
  }

  void read_layout() {
    const double size = degree(M::tensor), inside = degree(M::context_inside), beside = degree(M::context_beside);
    const double data = degree(M::data), groups = attention_groups(size, data);
    const bool by_size = engine_.layouts.attention_data == AttentionGroups::size && experts() != nullptr;
    const bool grouped = groups > 1 || by_size;
    const bool of_stage = engine_.layouts.tensor == TensorCount::stage;
    const bool all = engine_.layouts.attention_data == AttentionGroups::all_or_none;
    const double tensor = of_stage ? part_of(size, groups, all ? M::tensor : M::data) : size;
    question_.tensor = part_of(tensor, inside, M::context_inside);
    question_.context = inside * beside;
    question_.pipeline = degree(M::pipeline);
    if (grouped) question_.attention_data = groups;
    if (!grouped && !all) question_.replicas = data;
    const EngineSetting* dispatch = find(M::dispatch);
    const bool sends = dispatch != nullptr && lower_case(dispatch->value) != "none";
    const double stage = (of_stage ? size : size * groups) * beside;
    expert_ = sends || is_on(M::expert_everywhere) ? stage : degree(M::expert);
    note_groups(groups, data);
  }

  void note_groups(double groups, double data) {
    const AttentionGroups how = engine_.layouts.attention_data;
    if (how == AttentionGroups::size && data > 1 && experts() == nullptr)
      note(fmt::format("{} of a model without experts: {:g} copies", find(M::data)->flag, data));
    if (how != AttentionGroups::switch_and_size) return;
    if (is_on(M::attention_data) && data == 1)
      note(fmt::format("{} does nothing without {}", find(M::attention_data)->flag, flag_for(engine_, M::data)));
    if (groups > 1 && experts() == nullptr)
      note(fmt::format("{} divides a dense network over all chips of such a layout; here each group has it whole",
                       engine_.title));
  }

  void read_experts() {
    const EngineSetting* copies = find(M::redundant_experts) != nullptr ? find(M::redundant_experts) : find(M::slots);
    if (experts() == nullptr) {
      if (model_ != nullptr && (expert_ > 1 || copies != nullptr))
        note(fmt::format("{} has no experts: flags about them do nothing", model_->title));
      return;
    }
    question_.expert = expert_;
    const auto slots = number(M::slots);
    question_.redundant_experts = slots ? *slots - experts()->count : number(M::redundant_experts).value_or(0);
    if (*question_.redundant_experts < 0)
      refuse(*copies, fmt::format("fewer than the {:g} experts", experts()->count),
             "a count of all of them and the copies");
  }

  void read_limits() {
    const double groups = question_.attention_data.value_or(1), copies = question_.replicas.value_or(1);
    const bool over_groups = engine_.layouts.limits == LimitCount::replica;
    if (const auto each = count(M::sequences)) {
      question_.most_running = *each * (over_groups ? 1 : groups);
      out_.most_running = question_.concurrency = *question_.most_running * copies;
      out_.load_note = fmt::format("concurrency as {} {:g} allows ({} or {} says otherwise)", find(M::sequences)->flag,
                                   *each, field("concurrency"), field("rate"));
    }
    out_.most_tokens = number(M::length);
    if (const auto all = count(M::total_length)) out_.most_tokens = std::floor(*all / out_.most_running.value_or(1));
    if (engine_.scheduler.ubatch) question_.ubatch = count(M::ubatch).value_or(engine_.scheduler.ubatch->value);
    if (out_.most_tokens && *out_.most_tokens >= 2 && question_.isl + question_.osl > *out_.most_tokens) {
      question_.isl = std::ceil(*out_.most_tokens / 2);
      question_.osl = std::floor(*out_.most_tokens / 2);
    }
    const auto token_budget = number(M::token_budget);
    question_.token_budget = token_budget.value_or(engine_.scheduler.token_budget.value.value);
    if (!token_budget) default_used(M::token_budget, fmt::format("{:g}", question_.token_budget));
    if (over_groups && groups > 1) question_.token_budget = std::max(1.0, std::floor(question_.token_budget / groups));
  }

  void read_memory() {
    const auto share = number(M::memory);
    // a command does not say its version: where versions differ, the older takes no more than there is
    const Sourced<double>& usual =
        engine_.older_utilization ? *engine_.older_utilization : engine_.memory_utilization.value;
    question_.memory_utilization = share.value_or(usual.value);
    if (share || flag_for(engine_, M::memory).empty()) return;
    const std::string& remark = usual.from.note;
    default_used(M::memory, fmt::format("{:g}{}", usual.value, remark.empty() ? "" : " (" + remark + ")"));
  }

  void read_speculation() {
    question_.speculative_tokens = number(M::speculative_tokens).value_or(0);
    const EngineSetting* algorithm = find(M::speculation);
    if (find(M::speculative_tokens) != nullptr || algorithm == nullptr || lower_case(algorithm->value) == "none")
      return;
    constexpr double kUsual = 3;
    question_.speculative_tokens = kUsual;
    note(fmt::format("{} {}: {:g} speculative tokens are assumed ({})", algorithm->flag, shortened(algorithm->value),
                     kUsual, field("speculative_tokens")));
  }

  /// A number format of a flag; nothing where the checkpoint decides, with a note where the word is unknown.
  std::optional<std::string> format(Meaning meaning) {
    const EngineSetting* setting = find(meaning);
    if (setting == nullptr) return std::nullopt;
    std::string word = lower_case(setting->value);
    std::replace(word.begin(), word.end(), '_', '-');
    const auto ours = format_named(engine_, word);
    const bool checkpoint = word.empty() || word == "auto" || word == "none" || word == "compressed-tensors";
    if (!ours && !checkpoint) out_.ignored.push_back(setting->flag + " " + shortened(setting->value));
    return ours;
  }

  void read_formats() {
    if (model_ == nullptr) return;
    const Precisions& released = model_->precision.value;
    const bool wide = released.weights == "bf16" || released.weights == "fp16" || released.weights == "fp32";
    auto weights = format(M::weights);
    const auto dtype = format(M::dtype);
    if (!weights && dtype == "fp32") weights = dtype;
    // of a checkpoint that is quantized already the flag says only how
    if (weights && wide && !question_.scenario.weights && *weights != released.weights) {
      question_.scenario.weights = weights;
    }
    const bool own = engine_.kernels == KernelFamily::ggml;  // the file says nothing of the cache
    const std::string& usual = own ? engine_.kv_cache.otherwise.value : released.kv;
    question_.scenario.kv = format(M::kv).value_or(usual);
    if (find(M::kv) == nullptr) default_used(M::kv, own ? usual : "auto (" + released.kv + ", as the checkpoint)");
  }

  void read_modes() {
    if (is_on(M::overlap)) question_.overlap = Overlap::two;
    const EngineSetting* apart = find(M::disaggregation);
    if (apart == nullptr) return;
    const std::string how = lower_case(apart->value);
    const auto has = [&](std::string_view word) { return how.find(word) != std::string::npos; };
    question_.disaggregated = has("prefill") || has("decode") || has("nixl") || has("p2pnccl") || has("mooncake");
    if (!question_.disaggregated && how != "null")
      words_.unmodeled.push_back(apart->flag + " " + shortened(apart->value));
    if (question_.disaggregated) note("disaggregated: prefill has the same layout");
  }

  /// Nothing where the command does not say.
  std::optional<bool> switched(Meaning on, std::optional<Meaning> off = {}) const {
    if (find(on) != nullptr) return is_on(on);
    if (off && find(*off) != nullptr) return !is_on(*off);
    return std::nullopt;
  }

  void read_scheduler_flags() {
    simulate::SchedulerFlags& flags = out_.scheduler;
    flags.prefix_cache = switched(M::prefix_cache, M::no_prefix_cache);
    flags.chunked_prefill = switched(M::chunked_prefill);
    flags.composed_early = switched(M::early, M::no_early);
    flags.poll_steps = count(M::poll_steps);
    const double ranks = question_.replicas.value_or(1) * question_.attention_data.value_or(1);
    if (out_.most_running) flags.max_sequences = std::max(1.0, std::floor(*out_.most_running / ranks));
    // --chunked-prefill-size -1
    if (const EngineSetting* budget = find(M::token_budget); budget != nullptr && budget->value == "-1")
      flags.chunked_prefill = false;
  }

  void default_used(Meaning meaning, const std::string& value) {
    std::string flag = flag_for(engine_, meaning);
    if (flag.find('.') != std::string::npos) flag = flag.substr(2);  // a key of an options file
    defaults_.push_back(flag + " " + value);
  }

  void list_the_rest() {
    if (!defaults_.empty()) note(fmt::format("{}'s defaults: {}", engine_.title, joined(defaults_, ", ")));
    if (out_.most_tokens) {
      note(fmt::format(
          "{} {:g} is a limit; the load is {:g} tokens in and {:g} out unless --isl and --osl say otherwise",
          find(find(M::length) != nullptr ? M::length : M::total_length)->flag, *out_.most_tokens, question_.isl,
          question_.osl));
    }
    for (const std::string& file : words_.unread)
      note(fmt::format("{} was not read: paste it before the command (cat > FILE <<EOF ... EOF)", shortened(file)));
    if (!words_.unmodeled.empty()) note("understood, but not modeled: " + listed(words_.unmodeled));
    out_.ignored.insert(out_.ignored.end(), words_.unknown.begin(), words_.unknown.end());
    if (!out_.ignored.empty()) note("not understood, and ignored: " + listed(out_.ignored));
  }

  /// All of a reasonable list, the first of a long one.
  static std::string listed(std::vector<std::string> words) {
    constexpr std::size_t kMost = 12;
    const std::size_t more = words.size() > kMost ? words.size() - kMost : 0;
    words.resize(words.size() - more);
    return joined(words, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
  }

  EngineWords words_;
  const Engine& engine_;
  const Library& library_;
  std::string_view where_;
  const Model* model_ = nullptr;
  double expert_ = 1;
  std::vector<std::string> defaults_;
  EngineReading out_;
  ServingQuestion& question_ = out_.question;
  Errors errors_;
};

}  // namespace

Result<EngineReading> read_engine_command(std::string_view text, const Library& library, std::string_view where,
                                          const std::string& model_beside) {
  auto words = read_engine_words(text, ordered_engines(library), where);
  if (!words) return fail(words.error());
  return CommandReader(std::move(*words), library, where).run(model_beside);
}

}  // namespace ridge::catalog
