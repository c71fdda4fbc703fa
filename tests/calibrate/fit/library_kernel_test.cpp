// Is a library's kernel the shared equation taken apart, and do its rows say how often it takes each part?

#include "calibrate/fit/library_kernel.hpp"

#include <cmath>

#include <doctest/doctest.h>

namespace library_kernel_test {

using namespace ridge;

namespace {

/// Relative: doctest's own adds 1 to the size of a number, and times are far below 1.
doctest::Approx Approx(double value) { return doctest::Approx(value).scale(0); }

/// 1 PFLOP/s, 1 TB/s, and no number that is 0 or 1.
ChipRates<double> some_chip() {
  ChipRates<double> r;
  r.peak.matrix.fill(FlopsPerSecond<double>(1e15));
  r.peak.memory = r.peak.scale_up = r.peak.scale_out = BytesPerSecond<double>(1e12);
  double next = 0;
  const auto fill = [&](std::string_view, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    next += 0.01;
    field = Field(std::is_same_v<Field, Seconds<double>>     ? 1e-6 * (1 + next)
                  : std::is_same_v<Field, PerSecond<double>> ? 1e12
                                                             : 0.5 + next);
  };
  ChipCalibration<double>::visit_fields(r.chip, fill);
  KernelCalibration<double>::visit_fields(r.kernel, fill);
  return r;
}

KernelCase kernel(KernelClass kind) {
  KernelCase c;
  c.row.kind = kind;
  c.row.m = 300;
  c.row.n = 4096;
  c.row.k = 7168;
  c.row.batch = 32;
  c.row.heads = 24;
  c.row.kv_heads = 8;
  c.row.head_dim = 128;
  c.row.tokens = 900;
  c.row.hidden = 4096;
  c.row.size = 1024;
  c.row.top = 8;
  c.row.experts = 128;
  c.row.tp = c.row.ep = 1;
  c.row.chips = 8;
  c.row.bytes = 3e6;
  c.rows = 7200;
  c.touched = 120;
  return c;
}

constexpr KernelClass kAll[] = {KernelClass::product,           KernelClass::decode_attention,
                                KernelClass::prefill_attention, KernelClass::latent_decode,
                                KernelClass::latent_prefill,    KernelClass::experts,
                                KernelClass::all_reduce};

/// Every part once, but those that no shared equation has.
Priors once(double power) {
  Priors priors;
  for (const char* number : {"start",   "floor",    "program", "rate",   "depth",    "quantize", "weights", "inputs",
                             "outputs", "cache",    "join",    "blocks", "variant",  "scores",   "padding", "passes",
                             "token",   "per_chip", "phase",   "link",   "one_shot", "pair"})
    priors.library[number] = {1, 0.5};
  for (const char* own :
       {"root_time", "row_time", "page_time", "slot_time", "span_time", "columns", "columns_read", "tiles"})
    priors.library[own] = {0, 0.5};
  priors.library["power"] = {power, 0.3};
  return priors;
}

}  // namespace

TEST_CASE("every part once, hidden as the equation hides them, is the shared prediction") {
  const Harness harness{.extra = 2e-6, .launch = 40e-6, .slope = 1e-7, .walk = 3e-7};
  for (const KernelClass kind : kAll) {
    for (const Precision precision : {Precision::bits16, Precision::bits8}) {
      KernelCase c = kernel(kind);
      c.precision = precision;
      CAPTURE(name_of(kind));
      const double shared = predict_kernel(c, some_chip(), harness);
      // experts hide by the fourth power, all others by the second
      const Priors priors = once(kind == KernelClass::experts ? 4 : 2);
      CHECK(predict_library_kernel(parts_of(c, some_chip(), harness), {}, priors) == Approx(shared).epsilon(1e-9));
    }
  }
}

TEST_CASE("a part that a library takes twice is longer by itself") {
  // 1 us x (1 + 0.09) to start a product: product_time is the ninth number of a chip
  const KernelParts parts = parts_of(kernel(KernelClass::product), some_chip(), {});
  const double usual = predict_library_kernel(parts, {}, once(2));
  CHECK(predict_library_kernel(parts, {{"start", 2}}, once(2)) - usual == Approx(1.09e-6).epsilon(1e-6));
  // 2 us for each thousand of 300 rows
  CHECK(predict_library_kernel(parts, {{"row_time", 2e-6}}, once(2)) - usual == Approx(0.6e-6).epsilon(1e-6));
}

TEST_CASE("blocks of three query heads a key are those of four, and of other widths are others") {
  KernelCase three = kernel(KernelClass::decode_attention), wide = three;
  wide.row.head_dim = 256;
  const LibraryNumbers numbers = {{"blocks 128x4", 3}};
  const auto longer = [&](const KernelCase& c) {
    const KernelParts parts = parts_of(c, some_chip(), {});
    return predict_library_kernel(parts, numbers, once(2)) / predict_library_kernel(parts, {}, once(2));
  };
  CHECK(longer(three) > 1.1);
  CHECK(longer(wide) == 1);
}

TEST_CASE("a fit finds what a library takes of each part") {
  const LibraryNumbers truth = {{"start", 3}, {"rate", 1.5}, {"weights", 0.8}, {"row_time", 4e-6}};
  Priors priors = once(2);
  for (auto& [name, prior] : priors.library) {
    if (prior.value == 0) prior.value = 2e-6;
    prior.spread = 1;
  }
  std::vector<KernelParts> rows;
  std::vector<double> seconds;
  for (const double m : {1.0, 8.0, 64.0, 512.0, 4096.0, 16384.0}) {
    for (const double n : {1024.0, 4096.0, 16384.0}) {
      for (const double k : {512.0, 2048.0, 8192.0}) {
        KernelCase c = kernel(KernelClass::product);
        c.row.m = m;
        c.row.n = n;
        c.row.k = k;
        rows.push_back(parts_of(c, some_chip(), {}));
        seconds.push_back(predict_library_kernel(rows.back(), truth, priors));
      }
    }
  }
  const auto fit = fit_library(rows, seconds, priors);
  REQUIRE(fit);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(predict_library_kernel(rows[i], *fit, priors) == Approx(seconds[i]).epsilon(0.01));
  }
  CHECK(fit->at("rate") == Approx(1.5).epsilon(0.05));
}

TEST_CASE("a part without a prior is named") {
  Priors priors = once(2);
  priors.library.erase("depth");
  const auto fit = fit_library({parts_of(kernel(KernelClass::product), some_chip(), {})}, {1e-5}, priors);
  REQUIRE(!fit);
  CHECK(fit.error().front().what == "no prior for library.depth");
}

}  // namespace library_kernel_test
