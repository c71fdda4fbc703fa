#include "catalog/results/inferencex.hpp"

#include <map>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/results/serve_bench.hpp"

namespace ridge::catalog {

namespace {

/// "vllm/vllm-openai:v0.11.2" -> 0.11.2
std::string version_of_image(const std::string& image) {
  const std::size_t colon = image.rfind(':');
  if (colon == std::string::npos) return "";
  std::string version = image.substr(colon + 1);
  if (version.starts_with('v')) version.erase(0, 1);
  return version;
}

}  // namespace

BenchmarkResult read_inferencex(const ResultFields& row) {
  BenchmarkResult r;
  r.tool = "inferencex";
  const std::string framework = row.text("framework");
  r.engine = engine_word(framework);
  r.engine_version = version_of_image(row.text("image"));
  r.model = row.text("model");
  r.format = row.text("precision");
  r.hardware = row.text("hw");
  if (r.hardware.ends_with("-trt")) r.hardware.resize(r.hardware.size() - 4);
  r.concurrency = row.number("conc");
  r.disaggregated = row.flag("disagg");
  const std::string drafts = row.text("spec_decoding");
  r.speculative = !drafts.empty() && drafts != "none" && drafts != "false";
  const auto chips = row.number("tp"), experts = row.number("ep");
  if (!r.disaggregated && chips && *chips >= 1) {
    r.chips = chips;
    const bool data = row.flag("dp_attention");
    r.tensor = data ? 1 : *chips;
    if (data) r.attention_data = *chips;
    if (experts && *experts > 1) r.expert = experts;
  }
  // lengths are drawn from 0.8 to 1.0 of the nominal ones
  constexpr double kMeanLength = 0.9;
  const auto isl = row.number("isl"), osl = row.number("osl");
  if (isl) r.isl = *isl * kMeanLength;
  if (osl) r.osl = *osl * kMeanLength;
  r.notes.push_back("lengths are drawn from 0.8 to 1.0 of the nominal ones: 0.9 is taken");
  r.ttft = row.time("ttft", 1);
  r.tpot = row.time("tpot", 1);
  r.itl = row.time("itl", 1);
  r.e2e = row.time("e2el", 1);
  const auto prefill = row.number("num_prefill_gpu"), decode = row.number("num_decode_gpu");
  const bool pools = r.disaggregated && prefill && decode && *prefill >= 1 && *decode >= 1;
  if (pools) r.chips = *prefill + *decode;
  if (r.chips) {
    const auto all = [&](const char* key, double counted) -> std::optional<double> {
      const auto each = row.number(key);
      return each ? std::optional<double>(*each * counted) : std::nullopt;
    };
    // of two pools input is over the GPUs that prefill, output over those that decode, and the sum of both over all
    r.output_rate = all("output_tput_per_gpu", pools ? *decode : *r.chips);
    r.input_rate = all("input_tput_per_gpu", pools ? *prefill : *r.chips);
    r.total_rate = all("tput_per_gpu", *r.chips);
  } else {
    r.notes.push_back("rates are of a GPU, of each pool by itself: no rate in all");
  }
  return r;
}

Result<std::vector<JsonValue>> inferencex_of_csv(const std::vector<CsvRow>& rows, std::string_view place) {
  struct Known {
    std::string_view key;
    double unit = 1;
  };
  static const std::map<std::string, Known> kColumns = {
      {"model", {"model"}},
      {"isl", {"isl"}},
      {"osl", {"osl"}},
      {"hardware key", {"hw"}},
      {"framework", {"framework"}},
      {"precision", {"precision"}},
      {"tp", {"tp"}},
      {"ep", {"ep"}},
      {"concurrency", {"conc"}},
      {"throughput/gpu (tok/s)", {"tput_per_gpu"}},
      {"output throughput/gpu (tok/s)", {"output_tput_per_gpu"}},
      {"input throughput/gpu (tok/s)", {"input_tput_per_gpu"}},
      {"mean ttft (ms)", {"mean_ttft", 1e-3}},
      {"median ttft (ms)", {"median_ttft", 1e-3}},
      {"p99 ttft (ms)", {"p99_ttft", 1e-3}},
      {"mean tpot (ms)", {"mean_tpot", 1e-3}},
      {"median tpot (ms)", {"median_tpot", 1e-3}},
      {"p99 tpot (ms)", {"p99_tpot", 1e-3}},
      {"mean itl (ms)", {"mean_itl", 1e-3}},
      {"median itl (ms)", {"median_itl", 1e-3}},
      {"p99 itl (ms)", {"p99_itl", 1e-3}},
      {"mean e2e latency (ms)", {"mean_e2el", 1e-3}},
      {"median e2e latency (ms)", {"median_e2el", 1e-3}},
      {"p99 e2e latency (ms)", {"p99_e2el", 1e-3}},
      {"disaggregated", {"disagg"}},
      {"num prefill gpus", {"num_prefill_gpu"}},
      {"num decode gpus", {"num_decode_gpu"}},
      {"spec decoding", {"spec_decoding"}},
      {"dp attention", {"dp_attention"}},
  };
  std::vector<JsonValue> out;
  const CsvRow* heading = nullptr;
  for (const CsvRow& row : rows) {
    if (row.cells.empty() || row.cells[0].starts_with('#')) continue;
    if (heading == nullptr) {
      heading = &row;
      continue;
    }
    if (row.cells.size() != heading->cells.size())
      return fail({fmt::format("{}:{}", place, row.line), "has another number of cells than the heading",
                   "is the file whole?"});
    JsonMembers members;
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const auto known = kColumns.find(lower_case(trimmed(heading->cells[c])));
      if (known == kColumns.end() || row.cells[c].empty()) continue;
      const auto& [key, unit] = known->second;
      const auto number = parse_number(row.cells[c]);
      members.emplace_back(std::string(key), number ? JsonValue{*number * unit} : JsonValue{row.cells[c]});
    }
    out.push_back(JsonValue{std::move(members)});
  }
  return out;
}

}  // namespace ridge::catalog
