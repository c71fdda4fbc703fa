// ridge probe: measures the machine it runs on, and writes entries of it.

#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/entries/library.hpp"
#include "catalog/entries/probed_entry.hpp"
#include "catalog/facts/read_toml.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/probe/probe_cpu.hpp"
#include "cli/probe/probe_gpu.hpp"
#include "cli/program.hpp"
#include "report/calibrate/probe_text.hpp"

namespace ridge::cli {

namespace {

constexpr double kUsualSeconds = 60;

std::string today() {
  // not by fmt/chrono.h: it brings std::locale, which the static program's {fmt} is compiled without
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

/// Names of entries are names of files and keys of TOML.
bool is_entry_name(std::string_view name) {
  return !name.empty() && name.size() <= 60 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos &&
         !name.starts_with('-');
}

/// What was made is read again before anybody relies on it.
Errors unreadable_probe(const std::vector<catalog::ProbedFile>& files, const Program& program) {
  std::vector<catalog::Fact> facts;
  for (const catalog::ProbedFile& one : files) {
    const auto entry = catalog::read_entry(one.toml, one.category, one.name, one.path());
    if (!entry) return entry.error();
    facts.insert(facts.end(), entry->begin(), entry->end());
  }
  const auto library = catalog::build_library(catalog::overlaid(*program.facts, facts));
  return library ? Errors{} : library.error();
}

struct ProbeAnswer {
  report::ProbeReport report;
  std::vector<catalog::ProbedFile> files;
};

struct ProbeQuestion {
  double seconds = kUsualSeconds;
  bool with_gpu = true;
  std::string name;
  std::optional<ProbedPrice> price;  // of this machine; of its CPU alone where it has no GPU
};

/// The best read, for a price that goes by it.
double best_of(const std::vector<ProbedRate>& rates) { return rates.empty() ? 0 : fastest(rates)->best; }

/// The CPU is this machine where there is no GPU, and an entry of its own where there is one.
Result<ProbeAnswer> probed(const ProbeQuestion& question, const Library& library, const ProbeNews& news) {
  const auto& [seconds, with_gpu, name, price] = question;
  ProbeAnswer out;
  if (with_gpu) {
    news("GPU, by PyTorch");
    const auto gpu = probe_gpu(seconds / 3);
    if (!gpu) return fail(gpu.error());
    out.report.no_gpu = gpu->none;
    if (gpu->none.empty()) out.report.gpu = gpu->gpu;
  } else {
    out.report.no_gpu = "as asked";
  }
  const bool has_gpu = out.report.gpu.has_value();
  out.report.cpu = probe_cpu(has_gpu ? seconds * 2 / 3 : seconds, news);
  const std::string date = today();
  const auto cpu_price =
      price && !has_gpu ? price : price_like({true, static_cast<double>(out.report.cpu.threads)}, library);
  const auto cpu =
      catalog::probed_files(out.report.cpu, {has_gpu ? name + "-cpu" : name, name + "-cpu", date, cpu_price});
  if (!cpu) return fail(cpu.error());
  out.files = *cpu;
  if (has_gpu) {
    const auto gpu_price = price ? price : price_like({false, 0, best_of(out.report.gpu->read)}, library);
    const auto gpu = catalog::probed_files(*out.report.gpu, {name, name + "-gpu", date, gpu_price});
    if (!gpu) return fail(gpu.error());
    out.files.insert(out.files.end(), gpu->begin(), gpu->end());
  }
  for (const catalog::ProbedFile& one : out.files) out.report.entries.push_back({one.path(), one.toml});
  return out;
}

/// How to ask about it, in two lines.
std::string how_to_use(const std::string& name, const std::string& folder) {
  return fmt::format(
      "use it: ridge why llama-3.1-8b --on {} --catalog {} \\\n          --engine llama.cpp --weights Q4_K_M\n", name,
      folder);
}

Result<int> run_probe(const Arguments& arguments, Program& program) {
  OptionReader reader(arguments);
  const double seconds = reader.number("seconds", kUsualSeconds, {.least = 2, .most = 110});
  const std::string name = arguments.text("name", "this-machine");
  if (!is_entry_name(name))
    reader.refuse("name", fmt::format("\"{}\" is no name of an entry", shortened(name)), "small letters, digits and -");
  std::optional<ProbedPrice> price;
  if (const auto given = reader.read<DollarsPerSecond<double>>("price"))
    price = ProbedPrice{given->value() * 3600, "", "as given"};
  if (!reader.errors().empty()) return fail(reader.errors());
  const bool quiet = arguments.has("quiet");
  const auto news = [&](const std::string& what) {
    if (!quiet) say(fmt::format("ridge: {}\n", what));
  };
  const auto answer = probed({seconds, !arguments.has("cpu_only"), name, price}, program.library, news);
  if (!answer) return fail(answer.error());
  if (const Errors wrong = unreadable_probe(answer->files, program); !wrong.empty()) {
    say("ridge: the entries could not be read back; this is a bug\n");
    report_errors(wrong, arguments);
    return kOurBug;
  }
  std::string shown = report::probe_text(answer->report, program.style) + "\n";
  if (arguments.has("out")) {
    const std::filesystem::path folder(arguments.text("out"));
    for (const catalog::ProbedFile& one : answer->files) {
      std::error_code error;
      std::filesystem::create_directories(folder / one.category, error);
      if (const auto wrote = write((folder / one.path()).string(), one.toml); !wrote) return wrote;
    }
    shown += how_to_use(name, arguments.text("out"));
  } else {
    for (const catalog::ProbedFile& one : answer->files) shown += fmt::format("would write {}\n", one.path());
    shown += "to a folder that you name: --out DIR\n" + how_to_use(name, "DIR");
  }
  return print(arguments.json() ? report::probe_json(answer->report) : shown);
}

}  // namespace

Command probe_command() {
  Option out = kOut.saying("folder to write the entries to, for --catalog");
  out.type = "DIR";
  out.fallback = "says what it would write";
  return {
      .name = "probe",
      .purpose = Purpose::data,
      .place = 5,
      .summary = "measure this machine: memory, matrix products, GPU",
      .groups = {{kUsual,
                  {out,
                   {"--seconds", "seconds", "X", "how long to measure, 2 to 110", "60"},
                   {"--name", "name", "NAME", "what the machine is called", "this-machine"},
                   {"--price", "price", "PRICE", "of a chip, such as '$2.10/h'",
                    "as the nearest machine of the catalog"},
                   {"--cpu-only", "cpu_only", "", "leave out the GPU"},
                   kQuiet}},
                 output_options(),
                 rare_options()},
      .examples = {"ridge probe --out mine", "ridge probe --seconds 10 --cpu-only", "ridge probe --json"},
      .notes =
          "CPU: reads of a buffer larger than the caches by 1, 2, 4, ... threads; multiply-adds in registers; dot "
          "products of 8-bit blocks as in GGUF's Q8_0; matrix products by OpenBLAS, where it is installed. GPU: "
          "by PyTorch, where python3 has it (probes/cuda/chip.py). The best pass of each is written; the median "
          "and the spread say how much else was running. Links between chips are not measured, and a price is assumed. "
          "--json has every rate and the entries (docs/probe.md).",
      .run = run_probe};
}

}  // namespace ridge::cli
