#include "calibrate/fit/kernels.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <vector>

#include "calibrate/fit/kernel_inputs.hpp"
#include "model/activation.hpp"
#include "serve/step/step_formats.hpp"

namespace ridge {

namespace {

using Q = Ratio<double>;

// Latent attention was timed in DeepSeek-V3's shape: latent and rotary widths, and those of expanded heads.
constexpr double kLatent = 512, kRotary = 64, kKey = 192, kValue = 128;

double seen_by(const KernelRow& row) { return row.window > 0 ? std::min(row.window, row.tokens) : row.tokens; }

/// Loads of all experts under a power law, in the order of a fixed shuffle: quantiles of the law instead of draws.
std::vector<double> power_law_loads(const KernelRow& row, double exponent) {
  const double total = row.tokens * row.top;
  const bool many = total > row.experts;
  const double low = many ? 1 : 0.01, high = many ? std::max(2.0, 0.8 * row.tokens) : 2;
  const auto count = static_cast<std::size_t>(row.experts);
  std::vector<double> loads(count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double quantile = (static_cast<double>(i) + 0.5) / row.experts, power = 1 - exponent;
    loads[i] = std::pow((std::pow(high, power) - std::pow(low, power)) * quantile + std::pow(low, power), 1 / power);
    sum += loads[i];
  }
  for (double& load : loads) load = std::min(load / sum * total, row.tokens);
  std::uint64_t state = 0x9e3779b97f4a7c15u;  // any fixed shuffle will do
  for (std::size_t i = count; i > 1; --i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::swap(loads[i - 1], loads[(state >> 33) % i]);
  }
  return loads;
}

double of_class(const KernelCase& c, const ChipRates<double>& r) {
  switch (c.row.kind) {
    case KernelClass::product:
      return time_of(r, product_inputs(c));
    case KernelClass::decode_attention:
    case KernelClass::latent_decode:
      return time_of(r, decode_inputs(c));
    case KernelClass::prefill_attention:
    case KernelClass::latent_prefill:
      return time_of(r, prefill_inputs(c));
    case KernelClass::experts:
      return time_of(r, expert_inputs(c));
    case KernelClass::all_reduce:
      return all_reduce_time(r, Bytes<double>(c.row.bytes), c.row.chips).value();
    default:
      return 0;
  }
}

/// What a program's own slope counts: thousands of inner dimensions or query rows, millions
/// of inputs to quantize, tens of decode blocks.
double slope_measure(const KernelCase& kernel) {
  const KernelRow& row = kernel.row;
  constexpr double kRow = 2048;  // values: what starting a row of a quantizer costs, in values of it
  if (row.kind == KernelClass::product) {
    return kernel.precision == Precision::bits16 ? row.k / 1000 : row.m * (row.k + kRow) / 1e6;
  }
  if (row.kind == KernelClass::decode_attention) return row.batch * row.kv_heads / 10;
  if (row.kind == KernelClass::prefill_attention || row.kind == KernelClass::latent_prefill) {
    return row.batch * row.heads * row.tokens / 1000;
  }
  return row.kind == KernelClass::experts ? row.tokens / 1000 : 0;
}

}  // namespace

ProductInputs product_inputs(const KernelCase& c) {
  const KernelRow& row = c.row;
  return {.precision = c.precision,
          .work = 2 * row.m * row.n * row.k,
          .weights = row.n * row.k * c.width,
          .inputs = row.m * row.k * c.input_width,
          .outputs = row.m * row.n * kActivationBytes,
          .made_narrow = row.m * row.k * (kActivationBytes + c.input_width),
          .depth = row.k / 1000};
}

DecodeAttention<double> decode_inputs(const KernelCase& c) {
  const KernelRow& row = c.row;
  const auto inputs = [&](double work, double read, double blocks, double group, double seen, double width) {
    return DecodeAttention<double>{
        Flops<double>(work), Bytes<double>(read), Q(blocks), Q(group), Tokens<double>(seen), width};
  };
  if (row.kind == KernelClass::latent_decode) {
    constexpr double kScore = 2 * (2 * kLatent + kRotary);
    const double seen = row.batch * row.tokens;
    return inputs(seen * row.heads * kScore, seen * (kLatent + kRotary) * c.kv_width, row.batch, row.heads, row.tokens,
                  kScore);
  }
  const double seen = seen_by(row);
  return inputs(4 * row.batch * row.heads * row.head_dim * seen,
                2 * row.batch * row.kv_heads * row.head_dim * seen * c.kv_width, row.batch * row.kv_heads,
                row.heads / row.kv_heads, seen, 4 * row.head_dim);
}

PrefillInputs prefill_inputs(const KernelCase& c) {
  const KernelRow& row = c.row;
  const double s = row.tokens, rows = row.batch * row.heads * s, blocks = row.batch * row.heads;
  if (row.kind == KernelClass::latent_prefill) {
    return {.scores = rows * s / 2,
            .rows = rows,
            .width = 2 * (kKey + kValue),
            .moved = rows * 2 * (kKey + kValue) * kActivationBytes,
            .blocks = blocks};
  }
  const double w = row.window > 0 && row.window < s ? row.window : s;
  return {.scores = blocks * (w * w / 2 + (s - w) * w),
          .rows = rows,
          .width = 4 * row.head_dim,
          .moved = row.batch * s * row.head_dim *
                   (2 * row.heads * kActivationBytes + 2 * row.kv_heads * (kActivationBytes + c.kv_width)),
          .blocks = blocks};
}

ExpertInputs expert_inputs(const KernelCase& c) {
  const KernelRow& row = c.row;
  const double matrices = row.kernel.find("nongated") == std::string::npos ? 3 : 2;
  const double size = row.size / row.tp, width = row.hidden;
  return {.kernel = grouped_kernel(c.precision, c.block_scaled, c.width),
          .tokens = row.tokens,
          .rows = c.rows,
          .touched = c.touched,
          .row_flops = 2 * matrices * width * size,
          .weights = matrices * width * size * c.width * c.touched,
          .activations = (2 * width + matrices * size) * kActivationBytes * c.rows};
}

double time_of(const ChipPaces<double>& r, const ProductInputs& in) {
  return product_time(r, in.precision, Flops<double>(in.work), Bytes<double>(in.weights + (in.inputs + in.outputs)),
                      Bytes<double>(in.made_narrow), in.depth)
      .value();
}

double time_of(const ChipPaces<double>& r, const DecodeAttention<double>& in) {
  return decode_attention_time<double>(r, in).value();
}

double time_of(const ChipPaces<double>& r, const PrefillInputs& in) {
  return prefill_attention_time(r, Q(in.scores), Q(in.rows), in.width, Bytes<double>(in.moved), Q(in.blocks)).value();
}

double time_of(const ChipPaces<double>& r, const ExpertInputs& in) {
  return experts_time(r, in.kernel, Q(in.tokens), Q(in.rows), Q(in.touched), Flops<double>(in.row_flops),
                      Bytes<double>(in.weights), Bytes<double>(in.activations))
      .value();
}

double program_time(const KernelCase& kernel, const Harness& harness) {
  return harness.slope * slope_measure(kernel) + (may_quantize(kernel) ? harness.walk * kernel.row.k / 1000 : 0);
}

std::string harness_name(const KernelRow& row) {
  std::string name = row.kernel + (row.format.empty() ? "" : "-" + row.format) +
                     (row.kind == KernelClass::decode_attention ? "-kv-" + row.kv_format : "");
  for (char& c : name) {  // so that it may be a key in a file
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') c = '-';
  }
  std::string kind(name_of(row.kind));
  std::replace(kind.begin(), kind.end(), ' ', '_');
  return kind + "." + name;
}

void route_tokens(KernelCase& kernel) {
  const KernelRow& row = kernel.row;
  const double slots = row.slots > 0 ? row.slots : row.experts, local = slots / row.ep;
  kernel.rows = row.tokens * row.top / row.ep;
  kernel.touched = std::min(local, kernel.rows);
  constexpr std::string_view kLaw = "power_law_";
  if (!row.distribution.starts_with(kLaw) || row.distribution.ends_with("_eplb")) return;
  const std::vector<double> loads = power_law_loads(row, std::stod(row.distribution.substr(kLaw.size())));
  const auto chips = static_cast<std::size_t>(row.ep), each = std::max<std::size_t>(1, loads.size() / chips);
  kernel.rows = 0;
  for (std::size_t chip = 0; chip < chips; ++chip) {  // the busiest
    double rows = 0, touched = 0;
    for (std::size_t i = chip * each; i < std::min(loads.size(), (chip + 1) * each); ++i) {
      rows += loads[i];
      touched += std::min(1.0, loads[i]);
    }
    if (rows > kernel.rows) {
      kernel.rows = rows;
      kernel.touched = touched;
    }
  }
}

bool may_quantize(const KernelCase& kernel) {
  return kernel.row.kind == KernelClass::product && kernel.precision != Precision::bits16;
}

double predict_kernel(const KernelCase& kernel, const ChipRates<double>& rates, const Harness& harness) {
  const Seconds<double> whole(of_class(kernel, rates) + harness.extra + program_time(kernel, harness));
  return harness.launch > 0 ? overlapped(whole, Seconds<double>(harness.launch)).value() : whole.value();
}

}  // namespace ridge
