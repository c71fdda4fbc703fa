#include "cli/probe/openblas.hpp"

#include <cstdint>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/text/text.hpp"
#include "cli/probe/child_process.hpp"
#include "cli/probe/timed_passes.hpp"

namespace ridge::cli {

namespace {

constexpr int kRowMajor = 101, kNoTranspose = 111;  // of cblas.h
using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
using Sbgemm = void (*)(int, int, int, int, int, int, float, const std::uint16_t*, int, const std::uint16_t*, int,
                        float, float*, int);

struct OpenBlas {
  Sgemm sgemm = nullptr;
  Sbgemm sbgemm = nullptr;
  void (*set_threads)(int) = nullptr;
  std::string version;
};

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

OpenBlas load_openblas() {
  OpenBlas out;
  void* library = nullptr;
  for (const char* name : {"libopenblas.so.0", "libopenblas.so", "libopenblasp.so.0", "libopenblaso.so.0"}) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) return out;
  out.sgemm = symbol<Sgemm>(library, "cblas_sgemm");
  out.sbgemm = symbol<Sbgemm>(library, "cblas_sbgemm");
  out.set_threads = symbol<void (*)(int)>(library, "openblas_set_num_threads");
  const auto config = symbol<char* (*)()>(library, "openblas_get_config");
  out.version = config != nullptr ? std::string(config()) : std::string("OpenBLAS");
  const auto words = split(out.version, ' ');
  out.version = words.size() > 1 ? words[0] + " " + words[1] : out.version;
  return out;
}

/// Large enough that a pass takes tens of milliseconds, small enough for a few of them in a second.
int matrix_size(int threads) { return threads > 8 ? 4096 : 1536; }

/// Products of square matrices for so many seconds each; OpenBLAS has threads of its own.
template <class Number, class Product>
std::vector<ProbeSeries> product_series(const OpenBlas& blas, const std::vector<int>& threads, double seconds,
                                        Number one, const Product& product) {
  std::vector<ProbeSeries> out;
  for (const int count : threads) {
    const int size = matrix_size(count);
    const auto elements = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
    const std::vector<Number> a(elements, one), b(elements, one);
    std::vector<float> c(elements);
    blas.set_threads(count);
    ProbeSeries series = timed_passes(1, seconds, [&](int) {
      product(kRowMajor, kNoTranspose, kNoTranspose, size, size, size, 1.0F, a.data(), size, b.data(), size, 0.0F,
              c.data(), size);
      return 2.0 * size * size * size;
    });
    series.threads = count;
    out.push_back(std::move(series));
  }
  return out;
}

/// A line a pass: "fp32 2 1.5e11".
std::string series_lines(std::string_view word, const std::vector<ProbeSeries>& series) {
  std::string out;
  for (const ProbeSeries& one : series) {
    for (const double rate : one.rates) out += fmt::format("{} {} {:.6g}\n", word, one.threads, rate);
  }
  return out;
}

std::string measured_apart(const std::vector<int>& threads, double seconds, bool cpu_has_bf16) {
  const OpenBlas blas = load_openblas();
  if (blas.sgemm == nullptr || blas.set_threads == nullptr) return "none\n";
  const bool narrow = cpu_has_bf16 && blas.sbgemm != nullptr;
  const double each = seconds / static_cast<double>(threads.size()) / (narrow ? 2 : 1);
  std::string out = fmt::format("version {}\n", blas.version);
  if (blas.sbgemm == nullptr) out += "without_bf16\n";
  out += series_lines("fp32", product_series(blas, threads, each, 0.5F, blas.sgemm));
  if (narrow) out += series_lines("bf16", product_series(blas, threads, each, std::uint16_t{0x3f00}, blas.sbgemm));
  return out;
}

void add_rate(std::vector<ProbeSeries>& to, int threads, double rate) {
  if (to.empty() || to.back().threads != threads) to.push_back({threads, {}});
  to.back().rates.push_back(rate);
}

}  // namespace

OpenBlasRates openblas_rates(const std::vector<int>& threads, double seconds, bool cpu_has_bf16) {
  const ChildOutput child = run_apart([&] { return measured_apart(threads, seconds, cpu_has_bf16); }, 3 * seconds + 20);
  OpenBlasRates out;
  bool without = false;
  for (const std::string& line : split(child.text, '\n')) {
    const auto words = split(line, ' ');
    if (words[0] == "version") out.version = line.substr(8);
    without = without || words[0] == "without_bf16";
    if (words.size() != 3 || (words[0] != "fp32" && words[0] != "bf16")) continue;
    const auto count = parse_number(words[1]), rate = parse_number(words[2]);
    if (count && rate) add_rate(words[0] == "fp32" ? out.fp32 : out.bf16, static_cast<int>(*count), *rate);
  }
  if (!child.wrong.empty()) {
    out.missing.push_back("products by OpenBLAS (it " + child.wrong + ")");
  } else if (out.version.empty()) {
    out.missing.push_back("products by OpenBLAS (libopenblas is not there)");
  } else if (out.bf16.empty()) {
    out.missing.push_back(cpu_has_bf16 && without ? "bf16 products (this OpenBLAS has no cblas_sbgemm)"
                                                  : "bf16 products (the CPU has no instructions for them)");
  }
  return out;
}

}  // namespace ridge::cli
