#include "catalog/results/llama_bench.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/results/result_checks.hpp"

namespace ridge::catalog {

namespace {

constexpr double kNs = 1e-9;

/// "models/Qwen2.5-7B-Instruct-Q4_K_M.gguf" -> Qwen2.5-7B-Instruct-Q4_K_M
std::string file_stem(std::string name) {
  if (const std::size_t slash = name.find_last_of("/\\"); slash != std::string::npos) name.erase(0, slash + 1);
  if (name.ends_with(".gguf")) name.resize(name.size() - 5);
  return name;
}

/// "qwen2 7B Q4_K - Medium" -> Q4_K
std::string quantization_word(const std::string& type) {
  for (const std::string& word : split(type, ' ')) {
    const std::string low = lower_case(word);
    const bool quantized = low.size() >= 2 && (low[0] == 'q' || low.starts_with("iq")) &&
                           low.find_first_of("0123456789") <= 2 && low.find_first_of("0123456789") >= 1;
    if ((quantized && low.find('_') != std::string::npos) || low == "f16" || low == "bf16" || low == "f32" ||
        low == "mxfp4")
      return low;
  }
  return "";
}

}  // namespace

BenchmarkResult read_llama_bench(const ResultFields& row) {
  BenchmarkResult r;
  r.tool = "llama-bench";
  r.engine = "llama.cpp";
  r.version = r.engine_version = row.text("build_number");
  if (const auto build = row.number("build_number"); build && r.version.empty())
    r.version = r.engine_version = fmt::format("b{:.0f}", *build);
  r.model = file_stem(row.text("model_filename"));
  if (r.model.empty()) r.model = row.text("model_type");
  r.format = quantization_word(row.text("model_type"));
  r.hardware = row.text_of({"gpu_info", "cpu_info"});
  r.chips = r.hardware.empty() ? std::nullopt : std::optional<double>(1);
  r.concurrency = 1;
  const double prompt = row.number("n_prompt").value_or(0), made = row.number("n_gen").value_or(0);
  if (const auto depth = row.number("n_depth"); depth && *depth > 0) r.depth = depth;
  const auto rate = row.number("avg_ts"), time = row.number("avg_ns");
  if (rate && *rate <= 0) {
    row.complain("avg_ts", "is 0 tokens a second", "nothing was measured");
    return r;
  }
  if (prompt > 0 && made > 0) {
    r.kind = ResultKind::batch;
    r.isl = prompt;
    r.osl = made;
    if (time) r.e2e.mean = *time * kNs;
    r.total_rate = rate;
    r.faults.push_back("prefill and decode in one time: no TPOT of its own");
  } else if (prompt > 0) {
    r.kind = ResultKind::prefill;
    r.isl = prompt;
    r.ttft.mean = time   ? std::optional<double>(*time * kNs)
                  : rate ? std::optional<double>(prompt / *rate)
                         : std::nullopt;
    r.input_rate = rate;
  } else if (made > 0) {
    r.kind = ResultKind::batch;
    r.osl = made;
    if (rate) r.tpot.mean = 1 / *rate;
    r.output_rate = rate;
  } else {
    row.complain("n_prompt", "neither a prompt nor an output was measured", "n_prompt or n_gen is above 0");
  }
  const double tokens = prompt + made;
  if (rate && time && *time > 0 && !adds_up(*rate * *time * kNs, tokens))
    r.faults.push_back(fmt::format("{:.4g} tok/s do not follow from {:g} tokens in {:.4g} s: another unit?", *rate,
                                   tokens, *time * kNs));
  return r;
}

BenchmarkResult read_llama_batched(const ResultFields& row) {
  BenchmarkResult r;
  r.kind = ResultKind::batch;
  r.tool = "llama-batched-bench";
  r.engine = "llama.cpp";
  r.isl = row.number("pp");
  r.osl = row.number("tg");
  r.concurrency = row.number("pl");
  r.ttft.mean = row.number("t_pp");
  const auto time = row.number("t_tg");
  if (time && r.osl && *r.osl > 0) r.tpot.mean = *time / *r.osl;
  r.e2e.mean = row.number("t");
  r.output_rate = row.number("speed_tg");
  r.input_rate = row.number("speed_pp");
  if (time && *time <= 0) r.faults.push_back("decoding took 0 s");
  if (row.flag("is_pp_shared")) r.faults.push_back("the prompt is shared by all sequences: it was computed once");
  if (time && *time > 0 && r.output_rate && r.osl && r.concurrency) {
    const double counted = *r.concurrency * *r.osl / *time;
    if (counted > 0 && !adds_up(*r.output_rate, counted))
      r.faults.push_back(
          fmt::format("{:.4g} tok/s do not follow from its tokens and time ({:.4g})", *r.output_rate, counted));
  }
  return r;
}

Result<std::vector<JsonValue>> objects_of_csv(const std::vector<CsvRow>& rows, std::string_view place) {
  std::vector<JsonValue> out;
  for (const CsvRow& row : rows) {
    if (row.cells.empty() || &row == &rows.front()) continue;
    const auto& heading = rows.front().cells;
    if (row.cells.size() != heading.size())
      return fail({fmt::format("{}:{}", place, row.line), "has another number of cells than the heading",
                   "is the file whole?"});
    JsonMembers members;
    for (std::size_t c = 0; c < heading.size(); ++c) members.emplace_back(heading[c], JsonValue{row.cells[c]});
    out.push_back(JsonValue{std::move(members)});
  }
  return out;
}

namespace {

/// The cells between the bars of "| a | b |"; none where the line is no row.
std::vector<std::string> bar_cells(std::string_view line) {
  line = trimmed(line);
  if (line.size() < 2 || line.front() != '|' || line.back() != '|') return {};
  std::vector<std::string> cells = split(line.substr(1, line.size() - 2), '|');
  for (std::string& cell : cells) cell = std::string(trimmed(cell));
  return cells;
}

/// "pp2048 @ d4096" -> n_prompt, n_depth; "tg32" -> n_gen; "pp512+tg128" -> both.
void put_test(JsonMembers& object, std::string_view test) {
  const auto number_after = [&](std::string_view mark) -> double {
    const std::size_t at = test.find(mark);
    if (at == std::string_view::npos) return 0;
    std::size_t end = at + mark.size();
    while (end < test.size() && test[end] >= '0' && test[end] <= '9') ++end;
    return parse_number(test.substr(at + mark.size(), end - at - mark.size())).value_or(0);
  };
  object.emplace_back("n_prompt", JsonValue{number_after("pp")});
  object.emplace_back("n_gen", JsonValue{number_after("tg")});
  object.emplace_back("n_depth", JsonValue{number_after("@ d")});
}

JsonValue bench_row(const std::vector<std::string>& heading, const std::vector<std::string>& cells) {
  JsonMembers object;
  for (std::size_t c = 0; c < heading.size(); ++c) {
    if (heading[c] == "model") object.emplace_back("model_type", JsonValue{cells[c]});
    if (heading[c] == "test") put_test(object, cells[c]);
    if (heading[c] == "t/s") {
      const std::size_t spread = cells[c].find("\xc2\xb1");  // "4505.82 ± 12.90"
      object.emplace_back("avg_ts", JsonValue{std::string(trimmed(std::string_view(cells[c]).substr(0, spread)))});
    }
  }
  return JsonValue{std::move(object)};
}

JsonValue batched_row(const std::vector<std::string>& heading, const std::vector<std::string>& cells) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"PP", "pp"},       {"TG", "tg"},
                                                                      {"B", "pl"},        {"N_KV", "n_kv"},
                                                                      {"T_PP s", "t_pp"}, {"S_PP t/s", "speed_pp"},
                                                                      {"T_TG s", "t_tg"}, {"S_TG t/s", "speed_tg"},
                                                                      {"T s", "t"}};
  JsonMembers object;
  for (std::size_t c = 0; c < heading.size(); ++c) {
    for (const auto& [shown, key] : kNames) {
      if (heading[c] == shown) object.emplace_back(std::string(key), JsonValue{cells[c]});
    }
  }
  return JsonValue{std::move(object)};
}

bool is_rule(const std::vector<std::string>& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const std::string& cell) {
    return !cell.empty() && cell.find_first_not_of("-: ") == std::string::npos;
  });
}

}  // namespace

std::vector<MarkdownRow> llama_tables(std::string_view text) {
  constexpr std::size_t kMostRows = 100'000;
  std::vector<MarkdownRow> out;
  std::vector<std::string> heading;
  enum class Table { none, bench, batched } table = Table::none;
  std::size_t number = 0;
  const auto has = [&](const char* name) { return std::find(heading.begin(), heading.end(), name) != heading.end(); };
  while (!text.empty() && out.size() < kMostRows) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string> cells = bar_cells(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (cells.empty()) {
      heading.clear();
      table = Table::none;
    } else if (heading.empty()) {
      heading = cells;
      std::vector<std::string> sorted = heading;
      std::sort(sorted.begin(), sorted.end());
      const bool twice = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
      table = twice                                       ? Table::none
              : has("test") && has("t/s")                 ? Table::bench
              : has("PP") && has("TG") && has("S_TG t/s") ? Table::batched
                                                          : Table::none;
    } else if (table != Table::none && cells.size() == heading.size() && !is_rule(cells)) {
      out.push_back({number, table == Table::bench ? bench_row(heading, cells) : batched_row(heading, cells)});
    }
  }
  return out;
}

}  // namespace ridge::catalog
