#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "library/model_names.hpp"
#include "library/owned.hpp"
#include "roofline/notes.hpp"
#include "roofline/readings.hpp"
#include "roofline/scenario.hpp"

namespace ridge {

namespace {

constexpr double kDefaultBatch = 2048;
constexpr double kDefaultContext = 8192;

/// Names in any case, and for a model also its repository ("deepseek-ai/DeepSeek-V3").
template <class T>
bool has_name(const T& one, const std::string& name) {
  if constexpr (std::is_same_v<T, Model>) return is_called(one, name);
  return lower_case(one.name) == lower_case(name);
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
    set("utilization", 1.0, {"default", Kind::fallback, "every paid second is used"});
    apply_given();
    fill_load();
    check();
    if (!errors_.empty()) return fail(errors_);
    for (std::string& note : notes_on(out_, scenario_, machine_)) out_.notes.push_back(std::move(note));
    if (model_ != nullptr) note_model();
    if (!out_.model_note.empty()) out_.notes.push_back(out_.model_note);
    return std::move(out_);
  }

 private:
  template <class T>
  const T* look_up(const std::vector<T>& all, const std::string& name, std::string_view what, std::string_view list) {
    if (const T* found = find_named(all, name)) return found;
    for (const T& one : all) {
      if (has_name(one, name)) return &one;
    }
    if constexpr (std::is_same_v<T, Model>) {
      const auto variant = find_model(library_, name);
      if (variant && !variant->weights) {
        out_.model_note = variant->note;
        return variant->model;
      }
    }
    errors_.push_back({std::string(what), fmt::format("unknown {} \"{}\"", what, shortened(name)),
                       suggestion(name, names_of(all)) + fmt::format(" (ridge list {} shows all)", list)});
    return nullptr;
  }

  void find_entries() {
    // a saved scenario carries every number; then the catalog need not know the names
    const bool complete = is_complete(scenario_);
    out_.model = scenario_.model;
    out_.machine = scenario_.machine;
    out_.model_title = scenario_.model;
    out_.machine_title = scenario_.machine;
    out_.precision = {scenario_.weights.value_or(""),
                      scenario_.experts.value_or(""),
                      scenario_.attention.value_or(""),
                      scenario_.kv.value_or(""),
                      "",
                      ""};
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
                         "give one, e.g. " + field("price", "$2.10/h") + ", or on-demand or owned where the catalog has it"});
    }
  }

  void fill_model() {
    const ParameterParts parts = count_parameters(*model_);
    const Provenance& shape = model_->architecture;
    set("params.dense", parts.always_read(), derived("counted from the architecture"));
    set("params.routed", parts[Part::routed_experts], derived("counted from the architecture"));
    set("params.lookup", parts.not_read, derived("the embedding table, where it is no head"));
    const Experts* experts = model_->experts();
    const Provenance& experts_from = experts != nullptr ? model_->experts_from : shape;
    set("experts.count", experts != nullptr ? experts->count : 1.0, experts_from);
    set("experts.per_token", experts != nullptr ? experts->per_token : 1.0, experts_from);
    check_experts();
    fill_precision(parts);
    fill_context();
  }

  void note_model() {
    out_.notes.insert(out_.notes.end(), model_->assumptions.begin(), model_->assumptions.end());
    const auto bytes = [&](Part part) { return model_->released[static_cast<std::size_t>(part)]; };
    const double towers = bytes(Part::vision) + bytes(Part::audio);
    if (towers > 0)
      out_.notes.push_back(fmt::format("the language model alone: its towers take {} more", show_gib(towers)));
  }

  Provenance derived(std::string note) const {
    return {model_->architecture.source, Kind::derived, std::move(note), model_->architecture.place};
  }

  /// The step knows one number of experts and one choice of them.
  void check_experts() {
    const Experts* first = model_->experts();
    for (const std::size_t kind : model_->order) {
      const auto& experts = model_->kinds[kind].experts;
      if (!experts || (experts->count == first->count && experts->per_token == first->per_token)) continue;
      errors_.push_back({"model",
                         fmt::format("{} has {:g} experts in some layers and {:g} in others", model_->name,
                                     first->count, experts->count),
                         "the decode step knows one kind of expert layer"});
      return;
    }
  }

  void fill_precision(const ParameterParts& parts) {
    const Precisions& released = model_->precision.value;
    out_.precision = {scenario_.weights.value_or(released.weights),
                      scenario_.experts.value_or(scenario_.weights.value_or(released.experts)),
                      scenario_.attention.value_or(released.attention),
                      scenario_.kv.value_or(released.kv),
                      released.index,
                      released.state};
    const auto bytes_of = [&](Part part) { return model_->released[static_cast<std::size_t>(part)]; };
    const Format* weights = width("width.weights", out_.precision.weights, scenario_.weights.has_value());
    if (weights != nullptr) peak("matmul.weights", *weights, 0);
    const bool experts_chosen = scenario_.experts || scenario_.weights;
    const Format* experts = width("width.experts", out_.precision.experts, experts_chosen);
    if (experts != nullptr) peak("matmul.experts", *experts, 1);
    if (const Format* format = look_up(library_.formats, out_.precision.attention, "format", "formats"))
      peak("matmul.attention", *format, 2);
    if (weights == nullptr || experts == nullptr) return;

    // as released: the bytes that were counted tensor by tensor, scales and wider tensors included
    double lookup = weights->bytes.value.value(), dense = 0;
    if (const double embedding = bytes_of(Part::embedding); embedding > 0) {
      lookup = embedding / parts[Part::embedding];
      for (const Part part : {Part::embedding, Part::attention, Part::dense_ffn, Part::shared_experts, Part::router,
                              Part::norms, Part::other, Part::head}) {
        dense += bytes_of(part);
      }
      dense -= parts.not_read * lookup;
    }
    const auto counted = [&](std::string_view format) {
      return Provenance{model_->released_from.source, Kind::derived,
                        fmt::format("mostly {}, counted tensor by tensor", format), model_->released_from.place};
    };
    set("width.lookup", lookup, dense > 0 ? counted(out_.precision.attention) : derived("as the weights"));
    if (dense > 0 && !scenario_.weights) set("width.weights", dense / parts.always_read(), counted(weights->name));
    if (dense > 0 && !experts_chosen && parts[Part::routed_experts] > 0) {
      set("width.experts", bytes_of(Part::routed_experts) / parts[Part::routed_experts], counted(experts->name));
    }
  }

  /// What a token of context costs to keep, to read and to compute, by the limits it grows to.
  void fill_context() {
    std::array<double, 3> bytes{};  // of an element, by Held
    const std::string& kv = out_.precision.kv;
    for (const Held held : {Held::kv, Held::index, Held::state}) {
      const std::string& own = held == Held::kv      ? kv
                               : held == Held::index ? out_.precision.index
                                                     : out_.precision.state;
      const Format* format = look_up(library_.formats, own.empty() ? kv : own, "format", "formats");
      if (format == nullptr) return;
      bytes[static_cast<std::size_t>(held)] = format->bytes.value.value();
    }
    double kv_elements = 0;
    DecodeCase<double> c;
    for (const ContextTerm& term : context_terms(*model_)) {
      const double width = bytes[static_cast<std::size_t>(term.held)];
      add(c.state_stored, width * term.fixed_stored);
      add(c.state_read, width * term.fixed_read);
      add(c.state_flops, term.fixed_flops);
      add(c.root_read, width * term.root_read);
      add(c.root_flops, term.root_flops);
      if (term.limit == kUnlimited) {
        add(c.kv_stored, width * term.stored);
        add(c.kv_read, width * term.read);
        add(c.attention_flops, term.flops);
        if (term.held == Held::kv) kv_elements += term.stored;
      } else if (term.stored > 0) {
        merge_limit(c.window, term.limit, "windows");
        add(c.window_stored, width * term.stored);
        add(c.window_read, width * term.read);
        add(c.window_flops, term.flops);
      } else if (term.read > 0 || term.flops > 0) {
        merge_limit(c.selected, term.limit, "selections");
        add(c.selected_read, width * term.read);
        add(c.selected_flops, term.flops);
      }
    }
    const std::string chosen = scenario_.kv ? ", as chosen" : "";
    const std::string index = out_.precision.index.empty() ? "" : ", index keys in " + out_.precision.index;
    const bool plain = index.empty() && c.window_stored.value() == 0 && kv_elements == c.kv_stored.value() / bytes[0];
    const auto note = derived(
        plain ? fmt::format("{:g} layers, {} elements in {}{}", model_->layers(), with_commas(kv_elements), kv, chosen)
              : fmt::format("over all layers; keys and values in {}{}{}", kv, chosen, index));
    const auto from = derived("all layers, scores and values");
    visit_inputs(c, [&](const InputInfo& info, const auto& field) {
      const std::string_view table = info.key.substr(0, info.key.find('.'));
      if (table == "kv") set(info.key, field.value(), note);
      if (info.key == "attention.flops") set(info.key, field.value(), from);
      if (table == "window" || table == "selected" || table == "root" || table == "state") {
        set(info.key, field.value(), derived(field.value() == 0 ? "none in this model" : "counted over all layers"));
      }
    });
  }

  template <Dimension D>
  static void add(Quantity<D, double>& to, double more) {
    to = to + Quantity<D, double>(more);
  }

  void merge_limit(Tokens<double>& known, double limit, std::string_view what) {
    if (known.value() != 0 && known.value() != limit) {
      errors_.push_back({"model",
                         fmt::format("{} has {} of {:g} and of {:g} tokens", model_->name, what, known.value(), limit),
                         "the decode step knows one of each; ridge show tells what the layers need"});
    }
    known = Tokens<double>(limit);
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
         fmt::format("choose another format, or give {} yourself: {}", key,
                     field("set", fmt::format("{}=... TFLOP/s", key)))});
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
    out_.numbers.has = parts_of(values_);
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

bool is_complete(const Scenario& scenario) {
  std::array<bool, kDecodeInputs> seen{};
  for (const GivenInput& given : scenario.given) {
    if (const int index = find_input(given.key); index >= 0) seen[static_cast<std::size_t>(index)] = true;
  }
  return std::count(seen.begin(), seen.end(), true) == std::ssize(seen);
}

Result<ResolvedCase> resolve(const Scenario& scenario, const Library& library) {
  return Resolver(scenario, library).run();
}

}  // namespace ridge
