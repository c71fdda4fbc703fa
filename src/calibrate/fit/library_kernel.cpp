#include "calibrate/fit/library_kernel.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "calibrate/fit/kernel_inputs.hpp"

namespace ridge {

namespace {

constexpr std::string_view kVariant = "variant";  // its prior: how far variants of a part are from each other

/// The time of some inputs by the equation, above that of having nothing to do.
template <class Inputs>
double above(const ChipPaces<double>& r, const Inputs& inputs, const Inputs& nothing) {
  return std::max(0.0, time_of(r, inputs) - time_of(r, nothing));
}

/// One input alone.
template <class Inputs>
KernelPart part_of(const ChipPaces<double>& r, std::string_view number, const Inputs& all, const Inputs& nothing,
                   double Inputs::*input) {
  Inputs one = nothing;
  one.*input = all.*input;
  return {number, above(r, one, nothing), {}};
}

KernelWay product_parts(const KernelCase& c, const ChipPaces<double>& r) {
  const ProductInputs all = product_inputs(c), nothing{.precision = all.precision};
  const auto part = [&](std::string_view number, double ProductInputs::*input) {
    return part_of(r, number, all, nothing, input);
  };
  return {{{"start", time_of(r, nothing), {}},
           part("depth", &ProductInputs::depth),
           part("quantize", &ProductInputs::made_narrow),
           {"root_time", std::sqrt(c.row.k / 1000), {}},
           {"row_time", c.row.m / 1000, {}}},
          {part("rate", &ProductInputs::work)},
          {part("weights", &ProductInputs::weights), part("inputs", &ProductInputs::inputs),
           part("outputs", &ProductInputs::outputs)}};
}

/// A library compiles a kernel for a width of head and a number of query heads that share a key, up to a power of two.
std::string block_variant(const KernelRow& row) {
  const bool latent = row.kind == KernelClass::latent_decode;
  const double group = latent ? row.heads : row.heads / row.kv_heads;
  return fmt::format("{:g}x{:g}", latent ? 0 : row.head_dim, std::exp2(std::ceil(std::log2(group) - 1e-9)));
}

KernelWay decode_parts(const KernelCase& c, const ChipPaces<double>& r) {
  using Inputs = DecodeAttention<double>;
  const Inputs all = decode_inputs(c);
  Inputs nothing = all;
  nothing.work = {};
  nothing.read = {};
  nothing.blocks = {};
  nothing.context = {};
  Inputs joined = nothing, cache = nothing, blocks = nothing;
  joined.context = all.context;
  cache.work = all.work;
  cache.read = all.read;
  blocks.blocks = all.blocks;
  return {{{"start", time_of(r, nothing), {}},
           {"join", above(r, joined, nothing), {}},
           {"page_time", std::sqrt(c.row.tokens / 1000), {}}},
          {{"cache", above(r, cache, nothing), {}}},
          {{"blocks", above(r, blocks, nothing), block_variant(c.row)}}};
}

KernelWay prefill_parts(const KernelCase& c, const ChipPaces<double>& r) {
  const PrefillInputs all = prefill_inputs(c), nothing{.width = all.width};
  const auto part = [&](std::string_view number, double PrefillInputs::*input) {
    return part_of(r, number, all, nothing, input);
  };
  return {{{"start", time_of(r, nothing), {}},
           part("blocks", &PrefillInputs::blocks),
           part("passes", &PrefillInputs::moved)},
          {part("scores", &PrefillInputs::scores), part("padding", &PrefillInputs::rows)},
          {}};
}

KernelWay expert_parts(const KernelCase& c, const ChipPaces<double>& r) {
  const ExpertInputs all = expert_inputs(c), nothing{.kernel = all.kernel};
  const auto time = [&](auto... inputs) {
    ExpertInputs some = nothing;
    ((some.*inputs = all.*inputs), ...);
    return above(r, some, nothing);
  };
  const double size = c.row.size / c.row.tp, slots = (c.row.slots > 0 ? c.row.slots : c.row.experts) / c.row.ep;
  const double rows = time(&ExpertInputs::rows, &ExpertInputs::row_flops);
  const double padding = time(&ExpertInputs::touched, &ExpertInputs::row_flops), reading = time(&ExpertInputs::weights);
  return {{{"start", time_of(r, nothing), {}},
           {"token", time(&ExpertInputs::tokens), {}},
           {"passes", time(&ExpertInputs::activations), {}},
           {"span_time", (c.row.hidden + size) / 1000, {}},
           {"slot_time", slots, {}}},
          {{"rate", rows, {}}, {"padding", padding, {}}, {"columns", (rows + padding) / size, {}}},
          {{"weights", reading, {}}, {"columns_read", reading / size, {}}, {"tiles", std::sqrt(rows * reading), {}}}};
}

std::vector<KernelWay> all_reduce_ways(const KernelCase& c, const ChipPaces<double>& r) {
  const Bytes<double> none(0), volume(c.row.bytes);
  const double chips = c.row.chips, start = one_shot_time(r, none, 2).value();
  const double once = one_shot_time(r, none, chips).value(), twice = two_shot_time(r, none, chips).value();
  const std::vector<KernelPart> common = {{"start", start, {}}, {"per_chip", once - start, {}}};
  std::vector<KernelPart> phases = common;
  phases.push_back({"phase", twice - once, {}});
  const bool two = chips <= 2;
  return {{common, {}, {{two ? "pair" : "one_shot", one_shot_time(r, volume, chips).value() - once, {}}}},
          {phases, {}, {{two ? "pair" : "link", two_shot_time(r, volume, chips).value() - twice, {}}}}};
}

std::vector<KernelWay> ways_of(const KernelCase& c, const ChipPaces<double>& r) {
  switch (c.row.kind) {
    case KernelClass::product:
      return {product_parts(c, r)};
    case KernelClass::decode_attention:
    case KernelClass::latent_decode:
      return {decode_parts(c, r)};
    case KernelClass::prefill_attention:
    case KernelClass::latent_prefill:
      return {prefill_parts(c, r)};
    case KernelClass::experts:
      return {expert_parts(c, r)};
    case KernelClass::all_reduce:
      return all_reduce_ways(c, r);
    default:
      return {};
  }
}

std::string variant_name(const KernelPart& part) { return fmt::format("{} {}", part.number, part.variant); }

/// Two times that hide behind each other by a power.
double hidden(double a, double b, double power) {
  const double most = std::max(a, b), least = std::min(a, b);
  return least <= 0 ? most : most * std::pow(1 + std::pow(least / most, power), 1 / power);
}

/// The numbers that are no part's.
struct Hiding {
  double power = 2, launch = 0;
};

template <class Part, class NumberOf>
double quickest(const std::vector<KernelWayOf<Part>>& ways, const Hiding& hiding, const NumberOf& number_of) {
  const auto sum = [&](const std::vector<Part>& parts) {
    double total = 0;
    for (const Part& part : parts) total += part.amount * number_of(part);
    return total;
  };
  double least = std::numeric_limits<double>::infinity();
  for (const auto& way : ways) {
    least = std::min(least, sum(way.beside) + hidden(sum(way.computing), sum(way.reading), hiding.power));
  }
  return hiding.launch > 0 ? overlapped(Seconds<double>(least), Seconds<double>(hiding.launch)).value() : least;
}

/// A part whose numbers are known by their places among those that are fitted.
struct PlacedPart {
  std::size_t place = 0;
  std::optional<std::size_t> variant;
  double amount = 0;
};

/// The numbers of a library's rows in the order that they come up, with their priors.
class Numbering {
 public:
  explicit Numbering(const Priors& priors) : priors_(priors) {}

  std::size_t place_of(const std::string& name, std::string_view number) {
    const auto [at, fresh] = places_.emplace(name, parameters_.size());
    if (!fresh) return at->second;
    const auto prior = priors_.library.find(number);
    if (prior == priors_.library.end()) {
      unknown_.push_back({"calibration", fmt::format("no prior for library.{}", number), "see prior.toml"});
      parameters_.push_back({name, 1, 1});
    } else {
      parameters_.push_back({name, prior->second.value, prior->second.spread});
    }
    return at->second;
  }

  std::vector<KernelWayOf<PlacedPart>> placed(const std::vector<KernelWay>& ways) {
    const auto each = [&](const std::vector<KernelPart>& parts) {
      std::vector<PlacedPart> out;
      for (const KernelPart& part : parts) {
        PlacedPart& placed = out.emplace_back();
        placed.place = place_of(std::string(part.number), part.number);
        if (!part.variant.empty()) placed.variant = place_of(variant_name(part), kVariant);
        placed.amount = part.amount;
      }
      return out;
    };
    std::vector<KernelWayOf<PlacedPart>> out;
    for (const KernelWay& way : ways) out.push_back({each(way.beside), each(way.computing), each(way.reading)});
    return out;
  }

  const std::vector<FitParameter>& parameters() const { return parameters_; }
  const Errors& unknown() const { return unknown_; }

 private:
  const Priors& priors_;
  std::map<std::string, std::size_t> places_;
  std::vector<FitParameter> parameters_;
  Errors unknown_;
};

}  // namespace

KernelParts parts_of(const KernelCase& kernel, const ChipRates<double>& rates, const Harness& harness) {
  KernelParts out{ways_of(kernel, rates), harness.launch};
  for (KernelWay& way : out.ways) {
    way.beside.front().amount += harness.extra;  // a program's own start cannot be told from the kernel's
    way.beside.push_back({"program", program_time(kernel, harness), {}});
  }
  return out;
}

Result<LibraryNumbers> fit_library(const std::vector<KernelParts>& rows, const std::vector<double>& seconds,
                                   const Priors& priors) {
  Numbering numbering(priors);
  const std::size_t power = numbering.place_of("power", "power"), launch = numbering.place_of("floor", "floor");
  std::vector<std::vector<KernelWayOf<PlacedPart>>> ways;
  for (const KernelParts& row : rows) ways.push_back(numbering.placed(row.ways));
  if (!numbering.unknown().empty()) return fail(numbering.unknown());
  const auto predict = [&](const std::vector<double>& values, std::vector<double>& out) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out[i] = quickest(ways[i], {values[power], rows[i].launch * values[launch]}, [&](const PlacedPart& part) {
        return values[part.place] * (part.variant ? values[*part.variant] : 1);
      });
    }
  };
  const auto fit = fit_parameters(numbering.parameters(), seconds, std::vector<double>(seconds.size(), 1), predict);
  if (!fit) return fail(fit.error());
  LibraryNumbers numbers;
  for (const FittedParameter& one : fit->parameters) numbers[one.name] = one.value;
  return numbers;
}

double predict_library_kernel(const KernelParts& kernel, const LibraryNumbers& numbers, const Priors& priors) {
  const auto named = [&](std::string_view name, std::string_view number) {
    if (const auto own = numbers.find(name); own != numbers.end()) return own->second;
    const auto prior = priors.library.find(number);
    assert(prior != priors.library.end() && "every part has a prior: fit_library asks for them");
    return prior->second.value;
  };
  return quickest(kernel.ways, {named("power", "power"), kernel.launch * named("floor", "floor")},
                  [&](const KernelPart& part) {
                    const double number = named(part.number, part.number);
                    return part.variant.empty() ? number : number * named(variant_name(part), kVariant);
                  });
}

}  // namespace ridge
