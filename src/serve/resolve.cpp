#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "serve/notes.hpp"
#include "serve/owned.hpp"
#include "serve/readings.hpp"
#include "serve/scenario.hpp"

namespace ridge {

namespace {

constexpr double kDefaultBatch = 2048;
constexpr double kDefaultContext = 8192;

/// Names in any case, and for a model also its repository ("deepseek-ai/DeepSeek-V3").
template <class T>
bool is_called(const T& one, const std::string& lower_name) {
  return lower_case(one.name) == lower_name;
}
bool is_called(const Model& model, const std::string& lower_name) {
  return lower_case(model.name) == lower_name || lower_case(model.repository) == lower_name;
}

/// Fills a ResolvedCase input by input, collecting what is wrong.
class Resolver {
 public:
  Resolver(const Scenario& scenario, const Library& library) : scenario_(scenario), library_(library) {}

  Result<ResolvedCase> run() {
    find_entries();
    if (!errors_.empty()) return fail(errors_);
    if (machine_ != nullptr) fill_machine();
    if (model_ != nullptr) fill_model();
    set("utilisation", 1.0, {"default", Kind::fallback, "every paid second is used"});
    apply_given();
    fill_load();
    check();
    if (!errors_.empty()) return fail(errors_);
    for (std::string& note : notes_on(out_, scenario_, machine_)) out_.notes.push_back(std::move(note));
    return std::move(out_);
  }

 private:
  template <class T>
  const T* look_up(const std::vector<T>& all, const std::string& name, std::string_view what, std::string_view list) {
    if (const T* found = find_named(all, name)) return found;
    for (const T& one : all) {
      if (is_called(one, lower_case(name))) return &one;
    }
    errors_.push_back({std::string(what), fmt::format("unknown {} \"{}\"", what, shortened(name)),
                       suggestion(name, names_of(all)) + fmt::format(" (ridge list {} shows all)", list)});
    return nullptr;
  }

  void find_entries() {
    // a saved scenario carries every number; then the catalog need not know the names
    const bool complete = given_keys() == kDecodeInputs;
    out_.model = scenario_.model;
    out_.machine = scenario_.machine;
    out_.model_title = scenario_.model;
    out_.machine_title = scenario_.machine;
    out_.precision = {scenario_.weights.value_or(""), scenario_.experts.value_or(""), scenario_.attention.value_or(""),
                      scenario_.kv.value_or("")};
    if (complete && find_named(library_.models, scenario_.model) == nullptr) return;
    if (complete && find_named(library_.machines, scenario_.machine) == nullptr) return;
    model_ = look_up(library_.models, scenario_.model, "model", "models");
    machine_ = look_up(library_.machines, scenario_.machine, "machine", "machines");
    if (machine_ != nullptr) {
      out_.machine = machine_->name;
      chip_ = look_up(library_.chips, machine_->chip, "chip", "chips");
      out_.machine_title = machine_->title;
    }
    if (chip_ != nullptr) {
      out_.chip_title = chip_->title;
      if (chip_->memory_type.value.starts_with("HBM")) out_.memory_name = "HBM";
    }
    if (model_ != nullptr) {
      out_.model = model_->name;
      out_.model_title = model_->title;
      out_.context_limit = model_->context_limit;
    }
  }

  std::size_t given_keys() const {
    std::array<bool, kDecodeInputs> seen{};
    for (const GivenInput& given : scenario_.given) {
      if (const int index = find_input(given.key); index >= 0) seen[static_cast<std::size_t>(index)] = true;
    }
    return static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true));
  }

  void set(std::string_view key, double value, const Provenance& from) {
    const auto index = input_index(key);
    values_[index] = value;
    out_.from[index] = from;
    known_[index] = true;
  }

  void fill_machine() {
    set("chips", machine_->chips.value, machine_->chips.from);
    set("hbm.bandwidth", chip_->bandwidth.value.value(), chip_->bandwidth.from);
    set("hbm.capacity", chip_->usable_capacity().value.value(), chip_->usable_capacity().from);
    fill_price();
  }

  void fill_price() {
    const std::string basis = scenario_.price_basis.value_or(machine_->rental ? "rental" : "owned");
    if (basis == "rental" && machine_->rental) {
      Provenance from = machine_->rental->from;
      from.note = "rental" + (from.note.empty() ? "" : ", " + from.note);
      set("price", machine_->rental->value.value(), from);
    } else if (basis == "owned" && machine_->owned) {
      const auto price = owned_price(
          owned_as<double>(*machine_->owned, [](std::size_t, const OwnedInput& input) { return input.value; }));
      const Provenance& capex = machine_->owned->capex.from;
      set("price", price.total().value(),
          {capex.source, capex.kind, "owned: capex over its life, interest, energy", capex.place});
      const auto given = std::find_if(scenario_.given.rbegin(), scenario_.given.rend(),
                                      [](const GivenInput& one) { return one.key == "price"; });
      // a saved scenario gives the price it was saved with
      const bool same = given == scenario_.given.rend() || given->value == price.total().value();
      if (same) out_.owned = machine_->owned;
    } else {
      const bool known_word = basis == "rental" || basis == "owned";
      errors_.push_back({"price",
                         fmt::format("{} has no {} price", machine_->name, known_word ? basis : "\"" + basis + "\""),
                         "give one, e.g. --price '$2.10/h', or --price rental or owned where the catalog has it"});
    }
  }

  void fill_model() {
    const ParameterParts parts = count_parameters(*model_);
    const Provenance& shape = model_->architecture;
    const auto derived = [&](std::string note) {
      return Provenance{shape.source, Kind::derived, std::move(note), shape.place};
    };
    set("params.dense", parts.always_read(model_->tied_embeddings), derived("counted from the architecture"));
    set("params.routed", parts.routed_experts, derived("counted from the architecture"));
    set("params.lookup", parts.looked_up(model_->tied_embeddings), derived("the embedding table"));
    const Provenance& experts = model_->experts ? model_->experts_from : shape;
    set("experts.count", model_->experts ? model_->experts->count : 1.0, experts);
    set("experts.per_token", model_->experts ? model_->experts->per_token : 1.0, experts);
    set("attention.flops", model_->layers * flops_per_context_token(model_->attention),
        derived("all layers, scores and values"));
    fill_precision();
  }

  void fill_precision() {
    const Precisions& released = model_->precision.value;
    out_.precision = {scenario_.weights.value_or(released.weights),
                      scenario_.experts.value_or(scenario_.weights.value_or(released.experts)),
                      scenario_.attention.value_or(released.attention), scenario_.kv.value_or(released.kv)};
    if (const Format* format = width("width.weights", out_.precision.weights, scenario_.weights.has_value())) {
      peak("matmul.weights", *format, 0);
    }
    const bool experts_chosen = scenario_.experts || scenario_.weights;
    if (const Format* format = width("width.experts", out_.precision.experts, experts_chosen)) {
      peak("matmul.experts", *format, 1);
    }
    if (const Format* format = look_up(library_.formats, out_.precision.attention, "format", "formats"))
      peak("matmul.attention", *format, 2);
    if (const Format* format = look_up(library_.formats, out_.precision.kv, "format", "formats")) {
      const double per_token = model_->layers * kv_elements_per_token(model_->attention) * format->bytes.value.value();
      const Provenance kv{
          model_->architecture.source, Kind::derived,
          fmt::format("{:g} layers x {:g} elements in {}{}", model_->layers, kv_elements_per_token(model_->attention),
                      format->name, scenario_.kv ? ", as chosen" : ""),
          model_->architecture.place};
      set("kv.stored", per_token, kv);
      set("kv.read", per_token, kv);
    }
  }

  const Format* width(std::string_view key, const std::string& name, bool chosen) {
    const Format* format = look_up(library_.formats, name, "format", "formats");
    if (format == nullptr) return nullptr;
    Provenance from = format->bytes.from;
    from.note = name + (chosen ? ", as chosen" : ", as released");
    set(key, format->bytes.value.value(), from);
    return format;
  }

  // The chip's peak for a format; a chip without such units computes in the next wider format it has.
  void peak(std::string_view key, const Format& format, std::size_t role) {
    std::string wanted = format.computes_as;
    std::vector<std::string> tried;
    while (!wanted.empty() && tried.size() < 8) {
      if (chip_ == nullptr) return;
      if (const auto* rate = find_rate(chip_->matmul, wanted)) {
        set(key, rate->value.value(), rate->from);
        out_.from[input_index(key)].note = wanted + " peak" + (rate->from.note.empty() ? "" : "; " + rate->from.note);
        out_.matmul_format[role] = wanted;
        const bool said =
            role == 1 && out_.matmul_format[0] == wanted && out_.precision.weights == out_.precision.experts;
        if (!tried.empty() && !said) {
          out_.notes.push_back(
              fmt::format("{} has no {} matrix units: {} at its {} peak ({}), while the values stay {} wide",
                          chip_->name, tried.front(),
                          role == 0   ? "the weights compute"
                          : role == 1 ? "the experts compute"
                                      : "attention computes",
                          wanted, show(rate->value), format.name));
        }
        return;
      }
      tried.push_back(wanted);
      std::string next;
      for (const Format& other : library_.formats) {
        if (other.computes_as == wanted) next = other.falls_back;
      }
      wanted = next;
    }
    if (is_given(key)) return;
    errors_.push_back(
        {"matmul",
         fmt::format("{} has no matrix peak for {} (tried {})", chip_->name, format.name, joined(tried, ", ")),
         fmt::format("choose another format, or give {} yourself with --set '{}=... TFLOP/s'", key, key)});
  }

  void apply_given() {
    for (const GivenInput& given : scenario_.given) {
      const auto indices =
          input_indices(given.key, out_, given.from.place.empty() ? given.from.source : given.from.place);
      if (!indices) {
        append(errors_, indices.error());
        continue;
      }
      const std::string& where = given.from.place.empty() ? given.from.source : given.from.place;
      for (const std::size_t index : *indices) {
        const auto checked = checked_input(index, given.value, where);
        if (!checked) append(errors_, checked.error());
        set(input_info(index).key, given.value, given.from);
      }
    }
  }

  bool is_given(std::string_view key) const {
    return std::any_of(scenario_.given.begin(), scenario_.given.end(),
                       [&](const GivenInput& given) { return given.key == key; });
  }

  // What was not said of the load: a context most models take, and a batch that fits.
  void fill_load() {
    if (!known("context")) {
      const double limit = out_.context_limit > 0 ? out_.context_limit : kDefaultContext;
      set("context", std::min(kDefaultContext, limit), {"default", Kind::fallback, "8,192, or the model's limit"});
    }
    if (known("batch") || !errors_.empty()) return;
    set("batch", 1.0, {});
    store();
    const double fits = std::floor(estimate_decode(out_.numbers).batch_limit.value());
    set("batch", std::clamp(fits, 1.0, kDefaultBatch), {"default", Kind::fallback, "2,048, or the largest that fits"});
  }

  bool known(std::string_view key) const { return known_[input_index(key)]; }

  void store() {
    out_.numbers = read_as<double>(
        out_.numbers, [&](std::size_t index, const InputInfo&, Dimension, double) { return values_[index]; });
  }

  void check() {
    if (!errors_.empty()) return;
    for (std::size_t i = 0; i < kDecodeInputs; ++i) {
      const auto checked = checked_input(i, values_[i], input_info(i).key);
      if (!checked) append(errors_, checked.error());
    }
    const double experts = values_[input_index("experts.count")];
    const double per_token = values_[input_index("experts.per_token")];
    if (per_token > experts) {
      errors_.push_back({"experts.per_token",
                         fmt::format("a token cannot use {:g} of {:g} experts", per_token, experts),
                         "experts.per_token is at most experts.count"});
    }
    store();
  }

  const Scenario& scenario_;
  const Library& library_;
  const Model* model_ = nullptr;
  const Machine* machine_ = nullptr;
  const Chip* chip_ = nullptr;
  std::array<double, kDecodeInputs> values_{};
  std::array<bool, kDecodeInputs> known_{};
  ResolvedCase out_;
  Errors errors_;
};

}  // namespace

Result<ResolvedCase> resolve(const Scenario& scenario, const Library& library) {
  return Resolver(scenario, library).run();
}

}  // namespace ridge
