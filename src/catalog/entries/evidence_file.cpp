#include "catalog/entries/evidence_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <variant>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/entries/training_rows.hpp"
#include "catalog/facts/files.hpp"
#include "layout/layout.hpp"

namespace ridge::catalog {

namespace {

constexpr std::size_t kMostWrongLines = 50;  // a file of another kind is wrong in every line

/// What a column may hold.
enum class Holds {
  text,
  any_text,
  few,           // chips, experts: a whole number up to a million
  count,         // sizes and tokens of a kernel: a whole number up to a billion
  positive,      // and less than 1e15, so that products of a few stay numbers
  zero_or_more,  // the same, or zero
  share,
  measured,  // positive, or empty
  flag
};

struct Limits {
  double least, most;
  bool whole;
  const char* words;
};
Limits limits_of(Holds holds) {
  constexpr double kMost = 1e15, kSmall = 1e-300;
  switch (holds) {
    case Holds::few:
      return {1, 1e6, true, "a whole number from 1 to a million"};
    case Holds::count:
      return {1, 1e9, true, "a whole number from 1 to a billion"};
    case Holds::zero_or_more:
      return {0, kMost, false, "zero or more, and below 1e15"};
    case Holds::share:
      return {0, 1 - 1e-12, false, "a share from 0 to below 1"};
    default:
      return {kSmall, kMost, false, "positive, and below 1e15"};
  }
}

template <class Row>
struct Column {
  std::string_view name;
  std::variant<std::string Row::*, double Row::*, bool Row::*> field;
  Holds holds = Holds::text;
  double unit = 1;        // of the number in the file
  bool may_lack = false;  // a file without this column says nothing of it
};

using Sets = Column<EvidenceSet>;
using Kernel = Column<KernelRow>;
using Serving = Column<ServingRow>;
constexpr double kMicro = 1e-6, kMilli = 1e-3;

std::vector<Sets> set_columns() {
  return {{"set", &EvidenceSet::name},
          {"title", &EvidenceSet::title},
          {"source", &EvidenceSet::source},
          {"licence", &EvidenceSet::licence},
          {"date", &EvidenceSet::date, Holds::any_text},
          {"note", &EvidenceSet::note, Holds::any_text}};
}

Kernel word(std::string_view name, std::string KernelRow::*field) { return {name, field}; }
Kernel count(std::string_view name, double KernelRow::*field) { return {name, field, Holds::count}; }
Kernel few(std::string_view name, double KernelRow::*field) { return {name, field, Holds::few}; }

/// One kind of kernel file: its columns between those that all have (set, chip, kernel; us), and what its rows are about,
/// by their phase or operation.
struct KernelFile {
  std::string_view name;
  std::vector<Kernel> columns;
  std::vector<std::pair<std::string_view, KernelClass>> kinds;
};

std::vector<KernelFile> kernel_files() {
  using Row = KernelRow;
  const Kernel format = word("format", &Row::format), kv_format = word("kv_format", &Row::kv_format);
  const Kernel phase = word("phase", &Row::op), op = word("op", &Row::op);
  const Kernel tokens = count("tokens", &Row::tokens), chips = few("chips", &Row::chips);
  const Kernel batch = count("batch", &Row::batch), heads = count("heads", &Row::heads);
  const Kernel hidden = count("hidden", &Row::hidden), top = few("top", &Row::top);
  const Kernel experts = few("experts", &Row::experts);
  return {
      {"gemm.csv",
       {format, count("m", &Row::m), count("n", &Row::n), count("k", &Row::k)},
       {{"", KernelClass::product}}},
      {"attention.csv",
       {phase, format, kv_format, batch, heads, count("kv_heads", &Row::kv_heads), count("head_dim", &Row::head_dim),
        Kernel{"window", &Row::window, Holds::zero_or_more}, tokens},
       {{"decode", KernelClass::decode_attention}, {"prefill", KernelClass::prefill_attention}}},
      {"mla.csv",
       {phase, format, kv_format, heads, batch, tokens},
       {{"decode", KernelClass::latent_decode}, {"prefill", KernelClass::latent_prefill}}},
      {"moe.csv",
       {format, tokens, hidden, count("size", &Row::size), top, experts, few("slots", &Row::slots), few("tp", &Row::tp),
        few("ep", &Row::ep), word("distribution", &Row::distribution)},
       {{"", KernelClass::experts}}},
      {"collective.csv",
       {op, word("mode", &Row::mode), chips, Kernel{"bytes", &Row::bytes, Holds::positive}},
       {{"all_reduce", KernelClass::all_reduce},
        {"all_gather", KernelClass::collective},
        {"reduce_scatter", KernelClass::collective},
        {"all_to_all", KernelClass::collective}}},
      {"dispatch.csv",
       {op, format, chips, few("nodes", &Row::nodes), tokens, hidden, top, experts},
       {{"dispatch", KernelClass::dispatch}, {"combine", KernelClass::combine}}},
  };
}

std::vector<Kernel> all_columns(const KernelFile& file) {
  std::vector<Kernel> columns = {word("set", &KernelRow::set), word("chip", &KernelRow::chip),
                                 word("kernel", &KernelRow::kernel)};
  columns.insert(columns.end(), file.columns.begin(), file.columns.end());
  columns.push_back({"us", &KernelRow::seconds, Holds::positive, kMicro});
  return columns;
}

std::vector<Serving> serving_fields() {
  using Row = ServingRow;
  return {{"set", &Row::set},
          {"id", &Row::id},
          {"model", &Row::model},
          {"machine", &Row::machine},
          {"format", &Row::format},
          {"engine", &Row::engine},
          {"version", &Row::version, Holds::any_text},
          {"mode", &Row::mode},
          {"chips", &Row::chips, Holds::few},
          {"tensor", &Row::tensor, Holds::few},
          {"pipeline", &Row::pipeline, Holds::few},
          {"attention_data", &Row::attention_data, Holds::few},
          {"moe_tensor", &Row::moe_tensor, Holds::few},
          {"expert", &Row::expert, Holds::few},
          {"isl", &Row::isl, Holds::positive},
          {"osl", &Row::osl, Holds::zero_or_more},
          {"length_mean", &Row::length_mean, Holds::positive},
          {"concurrency", &Row::concurrency, Holds::zero_or_more},
          {"cached", &Row::cached, Holds::share},
          {"speculative", &Row::speculative, Holds::flag},
          {"tpot_ms", &Row::tpot, Holds::measured, kMilli},
          {"ttft_ms", &Row::ttft, Holds::measured, kMilli},
          {"output_rate", &Row::output_rate, Holds::measured},
          {"total_rate", &Row::total_rate, Holds::measured},
          {"latency_ms", &Row::latency, Holds::measured, kMilli},
          {"wrong", &Row::wrong, Holds::any_text},
          {"date", &Row::date, Holds::any_text, 1, true},
          {"kv_format", &Row::kv_format, Holds::any_text, 1, true},
          {"poll_steps", &Row::poll_steps, Holds::measured, 1, true},
          {"itl_p50_ms", &Row::itl_p50, Holds::measured, kMilli, true},
          {"itl_p99_ms", &Row::itl_p99, Holds::measured, kMilli, true},
          {"ttft_p50_ms", &Row::ttft_p50, Holds::measured, kMilli, true},
          {"ttft_p99_ms", &Row::ttft_p99, Holds::measured, kMilli, true},
          {"tpot_p99_ms", &Row::tpot_p99, Holds::measured, kMilli, true},
          {"e2e_p99_ms", &Row::e2e_p99, Holds::measured, kMilli, true},
          {"cold", &Row::cold, Holds::flag, 1, true},
          {"token_budget", &Row::token_budget, Holds::measured, 1, true},
          {"max_sequences", &Row::max_sequences, Holds::measured, 1, true},
          {"whole_prompts", &Row::whole_prompts, Holds::flag, 1, true},
          {"requests_per_user", &Row::requests_per_user, Holds::measured, 1, true},
          {"balance_wait", &Row::balance_wait, Holds::measured, 1, true},
          {"balance_timeout", &Row::balance_timeout, Holds::measured, 1, true},
          {"pools_rate", &Row::pools_rate, Holds::measured, 1, true}};
}

std::vector<Column<StepRow>> step_columns() {
  using Row = StepRow;
  return {{"set", &Row::set},
          {"chip", &Row::chip},
          {"model", &Row::model},
          {"layers", &Row::layers, Holds::few},
          {"phase", &Row::phase},
          {"batch", &Row::batch, Holds::positive},
          {"tokens", &Row::tokens, Holds::positive},
          {"us", &Row::seconds, Holds::positive, kMicro}};
}

std::vector<Column<GgmlRow>> ggml_columns() {
  using Row = GgmlRow;
  return {{"set", &Row::set},
          {"chip", &Row::chip},
          {"model", &Row::model},
          {"format", &Row::format, Holds::any_text},
          {"phase", &Row::phase},
          {"batch", &Row::batch, Holds::few},
          {"tokens", &Row::tokens, Holds::count},
          {"context", &Row::context, Holds::zero_or_more},
          {"ubatch", &Row::ubatch, Holds::few},
          {"threads", &Row::threads, Holds::zero_or_more},
          {"half", &Row::half},
          {"ms", &Row::seconds, Holds::positive, kMilli}};
}

std::vector<Column<TrainingRow>> training_columns() {
  using Row = TrainingRow;
  return {{"set", &Row::set},
          {"id", &Row::id},
          {"model", &Row::model},
          {"machine", &Row::machine},
          {"kind", &Row::kind},
          {"recipe", &Row::recipe},
          {"framework", &Row::framework},
          {"recompute", &Row::recompute},
          {"half", &Row::half},
          {"chips", &Row::chips, Holds::few},
          {"global_batch", &Row::global_batch, Holds::few},
          {"micro_batch", &Row::micro_batch, Holds::few},
          {"sequence", &Row::sequence, Holds::count},
          {"tensor", &Row::tensor, Holds::few},
          {"pipeline", &Row::pipeline, Holds::few},
          {"context", &Row::context, Holds::few},
          {"expert", &Row::expert, Holds::few},
          {"expert_tensor", &Row::expert_tensor, Holds::few},
          {"virtual_stages", &Row::virtual_stages, Holds::few},
          {"zero", &Row::zero, Holds::zero_or_more},
          {"sequence_parallel", &Row::sequence_parallel, Holds::flag},
          {"step_s", &Row::step, Holds::measured},
          {"forward_s", &Row::forward, Holds::measured, 1, true},
          {"backward_s", &Row::backward, Holds::measured, 1, true},
          {"optimizer_s", &Row::optimizer, Holds::measured, 1, true},
          {"kept_bytes", &Row::kept, Holds::measured, 1, true},
          {"state_bytes", &Row::state, Holds::measured, 1, true},
          {"peak_bytes", &Row::peak, Holds::measured, 1, true},
          {"failed", &Row::failed, Holds::flag, 1, true},
          {"shard_group", &Row::shard_group, Holds::measured, 1, true},
          {"workspace_bytes", &Row::workspace, Holds::measured, 1, true},
          {"scale_out_gb_s", &Row::scale_out, Holds::measured, 1e9, true},
          {"memory_gb_s", &Row::memory_rate, Holds::measured, 1e9, true},
          {"captured", &Row::captured, Holds::flag, 1, true},
          {"gathers_tokens", &Row::gathers_tokens, Holds::flag, 1, true},
          {"last_stage", &Row::last_stage, Holds::flag, 1, true},
          {"reserved", &Row::reserved, Holds::flag, 1, true},
          {"first_stage", &Row::first_stage, Holds::flag, 1, true}};
}

std::vector<Column<SentRow>> sent_columns() {
  using Row = SentRow;
  return {{"set", &Row::set},
          {"id", &Row::id},
          {"model", &Row::model},
          {"machine", &Row::machine},
          {"engine", &Row::engine},
          {"format", &Row::format, Holds::any_text},
          {"kv_format", &Row::kv_format, Holds::any_text},
          {"tensor", &Row::tensor, Holds::few},
          {"layout", &Row::layout, Holds::any_text},
          {"replicas", &Row::replicas, Holds::measured},
          {"prefill_layout", &Row::prefill_layout, Holds::any_text},
          {"prefill_replicas", &Row::prefill_replicas, Holds::measured},
          {"token_budget", &Row::token_budget, Holds::measured},
          {"max_sequences", &Row::max_sequences, Holds::measured},
          {"memory_utilization", &Row::memory_utilization, Holds::measured},
          {"prefix_cache", &Row::prefix_cache},
          {"arrivals", &Row::arrivals},
          {"users", &Row::users, Holds::measured},
          {"rate", &Row::rate, Holds::measured},
          {"requests", &Row::requests, Holds::measured},
          {"isl", &Row::isl, Holds::measured},
          {"isl_most", &Row::isl_most, Holds::measured},
          {"osl", &Row::osl, Holds::measured},
          {"osl_most", &Row::osl_most, Holds::measured},
          {"system_prompts", &Row::system_prompts, Holds::measured},
          {"system_tokens", &Row::system_tokens, Holds::measured},
          {"ttft_ms", &Row::ttft, Holds::measured, kMilli},
          {"ttft_p50_ms", &Row::ttft_p50, Holds::measured, kMilli},
          {"ttft_p99_ms", &Row::ttft_p99, Holds::measured, kMilli},
          {"tpot_ms", &Row::tpot, Holds::measured, kMilli},
          {"itl_p50_ms", &Row::itl_p50, Holds::measured, kMilli},
          {"itl_p99_ms", &Row::itl_p99, Holds::measured, kMilli},
          {"e2e_ms", &Row::e2e, Holds::measured, kMilli},
          {"e2e_p99_ms", &Row::e2e_p99, Holds::measured, kMilli},
          {"requests_per_s", &Row::requests_per_s, Holds::measured},
          {"prefill_token_budget", &Row::prefill_token_budget, Holds::measured, 1, true},
          {"prefill_sequences", &Row::prefill_sequences, Holds::measured, 1, true},
          {"warmups", &Row::warmups, Holds::measured, 1, true},
          {"fresh", &Row::fresh, Holds::flag, 1, true},
          {"cold", &Row::cold, Holds::flag, 1, true}};
}

std::vector<Column<SentRequest>> request_columns() {
  using Row = SentRequest;
  return {{"id", &Row::id},
          {"sent_s", &Row::sent, Holds::zero_or_more},
          {"prompt", &Row::prompt, Holds::count},
          {"output", &Row::output, Holds::count}};
}

/// What no run can be that is to be simulated.
std::string wrong_sending(const SentRow& row) {
  const bool closed = row.arrivals == "closed", poisson = row.arrivals == "poisson";
  if (!closed && !poisson && row.arrivals != "replay")
    return fmt::format("arrivals '{}' are neither closed, poisson nor replay", shortened(row.arrivals));
  if (row.requests < 1 || row.requests > 1e6) return fmt::format("{:g} requests", row.requests);
  if (row.warmups > 1e6) return fmt::format("{:g} warm-ups", row.warmups);
  if (closed && !(row.users >= 1 && row.users <= 1e6)) return fmt::format("{:g} users", row.users);
  if (poisson && !(row.rate > 0 && row.rate <= 1e6)) return fmt::format("{:g} requests a second", row.rate);
  const auto wrong_range = [](double least, double most) { return !(least >= 1 && least <= most && most <= 1e7); };
  if (row.arrivals != "replay" && (wrong_range(row.isl, row.isl_most) || wrong_range(row.osl, row.osl_most)))
    return "lengths are not from a least to a most";
  for (const std::string* layout : {&row.layout, &row.prefill_layout}) {
    if (!layout->empty() && !parse_layout(*layout, "layout"))
      return fmt::format("no layout is written '{}'", shortened(*layout));
  }
  return {};
}

std::vector<Column<KnownCause>> cause_columns() {
  return {{"group", &KnownCause::group}, {"name", &KnownCause::name}, {"cause", &KnownCause::cause}};
}

/// The fields of a line; a field in quotes may hold commas, and "" for a quote. Nothing where a quote stays open.
std::optional<std::vector<std::string>> fields_of(std::string_view line) {
  if (!contains(line, "\"")) return split(line, ',');
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (quoted) return {};
  return fields;
}

/// Puts a text into a row's field; says what is wrong with it, or nothing.
template <class Row>
std::string put(Row& row, const Column<Row>& column, const std::string& text) {
  if (const auto* words = std::get_if<std::string Row::*>(&column.field)) {
    if (text.empty() && column.holds != Holds::any_text) return "is empty";
    row.*(*words) = text;
    return {};
  }
  if (const auto* flag = std::get_if<bool Row::*>(&column.field)) {
    if (text.empty() && column.may_lack) return {};
    if (text != "0" && text != "1") return fmt::format("'{}' is neither 0 nor 1", shortened(text));
    row.*(*flag) = text == "1";
    return {};
  }
  if (text.empty() && column.holds == Holds::measured) return {};
  const auto number = parse_number(text);
  if (!number) return fmt::format("'{}' is not a number", shortened(text));
  const Limits limits = limits_of(column.holds);
  if (!(*number >= limits.least && *number <= limits.most) || (limits.whole && *number != std::floor(*number)))
    return fmt::format("{} is not {}", shortened(text), limits.words);
  row.*std::get<double Row::*>(column.field) = *number * column.unit;
  return {};
}

/// What no layer of experts can be.
std::string wrong_experts(const KernelRow& row) {
  if (row.kind != KernelClass::experts) return {};
  if (row.top > row.experts) return fmt::format("{:g} experts of {:g} for each token", row.top, row.experts);
  if (row.slots < row.experts) return fmt::format("{:g} places for {:g} experts", row.slots, row.experts);
  if (row.ep > row.slots) return fmt::format("{:g} experts over {:g} chips", row.slots, row.ep);
  return {};
}

/// What no run of a service can be.
std::string wrong_run(const ServingRow& row) {
  if (row.tpot + row.ttft + row.output_rate + row.total_rate + row.latency == 0) return "measures nothing";
  const bool loaded = row.mode == "aggregated" || row.mode == "disaggregated";
  if (loaded && row.concurrency < 1) return fmt::format("{:g} requests in flight", row.concurrency);
  if (loaded && row.tpot > 0 && row.osl * row.length_mean < 2)
    return fmt::format("time between tokens of {:g}", row.osl * row.length_mean);
  return {};
}

/// Reads one file line by line, and collects what is wrong with it.
class RowReader {
 public:
  RowReader(const NamedText& file, Errors& errors) : name_(file.name), rest_(file.text), errors_(errors) {}

  /// Every right row goes to `keep`, which answers with what is wrong with it as a whole, or nothing.
  template <class Row, class Keep>
  void read(const std::vector<Column<Row>>& columns, const Keep& keep) {
    const auto order = read_header(columns);
    if (!order) return;
    while (!rest_.empty() && found_ < kMostWrongLines) {
      const std::string_view line = next_line();
      if (line.empty()) continue;
      Row row;
      if (!read_line(line, columns, *order, row)) continue;
      if (const std::string wrong = keep(row); !wrong.empty()) complain("", wrong);
    }
    if (found_ >= kMostWrongLines) complain("", "and perhaps more: reading stopped here", "is this the right file?");
  }

 private:
  std::string_view next_line() {
    ++line_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void complain(std::string_view column, std::string what, std::string hint = {}) {
    ++found_;
    errors_.push_back({fmt::format("{}:{}{}{}", name_, line_, column.empty() ? "" : ": ", column), std::move(what),
                       hint.empty() ? "catalog/evidence/README.md tells the columns" : std::move(hint)});
  }

  /// For each field of a line the column it belongs to; nothing where the header is wrong.
  template <class Row>
  std::optional<std::vector<std::size_t>> read_header(const std::vector<Column<Row>>& columns) {
    const auto header = fields_of(next_line());
    std::vector<std::string> known;
    for (const auto& column : columns) known.emplace_back(column.name);
    std::vector<std::size_t> order;
    for (const std::string& word : header.value_or(std::vector<std::string>{})) {
      const auto at = static_cast<std::size_t>(std::find(known.begin(), known.end(), word) - known.begin());
      if (at == known.size()) {
        complain("", fmt::format("unknown column '{}'", shortened(word)), suggestion(word, known));
      } else if (std::find(order.begin(), order.end(), at) != order.end()) {
        complain(word, "is there twice");
      }
      order.push_back(at);
    }
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (!columns[i].may_lack && std::find(order.begin(), order.end(), i) == order.end())
        complain(known[i], "column is missing");
    }
    if (found_ > 0) return {};
    return order;
  }

  template <class Row>
  bool read_line(std::string_view line, const std::vector<Column<Row>>& columns, const std::vector<std::size_t>& order,
                 Row& row) {
    const auto fields = fields_of(line);
    if (!fields) return complain("", "a quote is not closed"), false;
    if (fields->size() != order.size()) {
      complain("", fmt::format("has {} fields, the header {}", fields->size(), order.size()));
      return false;
    }
    bool right = true;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Column<Row>& column = columns[order[i]];
      if (std::string wrong = put(row, column, (*fields)[i]); !wrong.empty()) {
        complain(column.name, std::move(wrong));
        right = false;
      }
    }
    return right;
  }

  std::string name_;
  std::string_view rest_;
  Errors& errors_;
  int line_ = 0;
  std::size_t found_ = 0;
};

/// All files into one evidence. sets.csv comes first, so that the others can be held against it.
class EvidenceReader {
 public:
  void read_sets(const NamedText& file) {
    have_sets_ = true;
    RowReader(file, errors_).read<EvidenceSet>(set_columns(), [this](const EvidenceSet& set) {
      const bool fresh = evidence_.sets.emplace(set.name, set).second;
      return fresh ? std::string() : fmt::format("set '{}' is there twice", set.name);
    });
  }

  void read_kernels(const NamedText& file, const KernelFile& kind) {
    RowReader(file, errors_).read<KernelRow>(all_columns(kind), [&](KernelRow& row) {
      const auto found =
          std::find_if(kind.kinds.begin(), kind.kinds.end(), [&](const auto& one) { return one.first == row.op; });
      if (found == kind.kinds.end())
        return fmt::format("'{}' is no phase or operation of {}", shortened(row.op), kind.name);
      if (!row.mode.empty() && row.mode != "graph" && row.mode != "eager") {
        return fmt::format("mode '{}' is neither graph nor eager", shortened(row.mode));
      }
      row.kind = found->second;
      if (std::string wrong = wrong_experts(row); !wrong.empty()) return wrong;
      evidence_.kernels.push_back(row);
      return set_error(row.set);
    });
  }

  void read_serving(const NamedText& file) {
    RowReader(file, errors_).read<ServingRow>(serving_fields(), [this](const ServingRow& row) {
      if (std::string wrong = wrong_run(row); !wrong.empty()) return wrong;
      if (!ids_.insert(row.id).second) return fmt::format("id '{}' is there twice", shortened(row.id));
      evidence_.serving.push_back(row);
      return set_error(row.set);
    });
  }

  void read_sent(const NamedText& file) {
    RowReader(file, errors_).read<SentRow>(sent_columns(), [this](const SentRow& row) {
      if (std::string wrong = wrong_sending(row); !wrong.empty()) return wrong;
      if (!ids_.insert(row.id).second) return fmt::format("id '{}' is there twice", shortened(row.id));
      evidence_.sent.push_back(row);
      return set_error(row.set);
    });
  }

  void read_requests(const NamedText& file) {
    RowReader(file, errors_).read<SentRequest>(request_columns(), [this](const SentRequest& row) {
      if (row.sent > 1e7 || row.prompt > 1e7 || row.output > 1e7) return std::string("more than ten million");
      evidence_.requests.push_back(row);
      return std::string();
    });
  }

  void read_steps(const NamedText& file) {
    RowReader(file, errors_).read<StepRow>(step_columns(), [this](const StepRow& row) {
      if (row.phase != "decode" && row.phase != "prefill") {
        return fmt::format("phase '{}' is neither decode nor prefill", shortened(row.phase));
      }
      evidence_.steps.push_back(row);
      return set_error(row.set);
    });
  }

  void read_ggml(const NamedText& file) {
    RowReader(file, errors_).read<GgmlRow>(ggml_columns(), [this](const GgmlRow& row) {
      if (row.phase != "decode" && row.phase != "prefill" && row.phase != "sample")
        return fmt::format("phase '{}' is neither decode nor prefill nor sample", shortened(row.phase));
      if (row.half != "fit" && row.half != "judge")
        return fmt::format("half '{}' is neither fit nor judge", shortened(row.half));
      evidence_.ggml.push_back(row);
      return set_error(row.set);
    });
  }

  void read_causes(const NamedText& file) {
    RowReader(file, errors_).read<KnownCause>(cause_columns(), [this](const KnownCause& row) {
      evidence_.causes.push_back(row);
      return std::string();
    });
  }

  void refuse(const std::string& name, const std::vector<std::string>& known) {
    errors_.push_back({name, "is not an evidence file", suggestion(name, known)});
  }

  Result<Evidence> result() {
    if (!have_sets_) errors_.insert(errors_.begin(), {"sets.csv", "is missing", "it says where each set comes from"});
    if (!errors_.empty()) return fail(std::move(errors_));
    return std::move(evidence_);
  }

 private:
  std::string set_error(const std::string& name) const {
    if (!have_sets_ || evidence_.sets.contains(name)) return {};
    return fmt::format("set '{}' is not in sets.csv", shortened(name));
  }

  Evidence evidence_;
  std::set<std::string> ids_;
  bool have_sets_ = false;
  Errors errors_;
};

}  // namespace

Result<Evidence> read_evidence(const std::vector<NamedText>& files) {
  EvidenceReader reader;
  const std::vector<KernelFile> kinds = kernel_files();
  std::vector<std::string> known = {
      "sets.csv", "serving.csv",  "steps.csv",    "llamacpp.csv",   "causes.csv",
      "sent.csv", "requests.csv", "training.csv", "reversible.csv", "training_kernels.csv"};
  for (const KernelFile& kind : kinds) known.emplace_back(kind.name);
  for (const NamedText& file : files) {
    if (file.name == "sets.csv") reader.read_sets(file);
  }
  for (const NamedText& file : files) {
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.name == file.name; });
    if (kind != kinds.end()) {
      reader.read_kernels(file, *kind);
    } else if (file.name == "serving.csv") {
      reader.read_serving(file);
    } else if (file.name == "llamacpp.csv") {
      reader.read_ggml(file);
    } else if (file.name == "steps.csv") {
      reader.read_steps(file);
    } else if (file.name == "sent.csv") {
      reader.read_sent(file);
    } else if (file.name == "requests.csv") {
      reader.read_requests(file);
    } else if (file.name == "causes.csv") {
      reader.read_causes(file);
    } else if (file.name != "sets.csv" && file.name != "training.csv" && file.name != "reversible.csv" &&
               file.name != "training_kernels.csv") {
      reader.refuse(file.name, known);
    }
  }
  return reader.result();
}

Result<std::vector<TrainingRow>> read_training(const std::vector<NamedText>& files) {
  std::vector<TrainingRow> rows;
  Errors errors;
  for (const NamedText& file : files) {
    if (file.name != "training.csv") continue;
    RowReader(file, errors).read<TrainingRow>(training_columns(), [&](const TrainingRow& row) {
      if (row.half != "fit" && row.half != "judge") return fmt::format("half '{}' is neither fit nor judge", row.half);
      if (row.zero > 3) return fmt::format("{:g} is no stage of ZeRO", row.zero);
      rows.push_back(row);
      return std::string();
    });
  }
  if (!errors.empty()) return fail(std::move(errors));
  return rows;
}

Errors unknown_names(const Evidence& evidence, const Library& library) {
  Errors errors;
  std::set<std::string> seen;
  const auto check = [&](const std::string& kind, const std::string& name, const auto& all) {
    if (!seen.insert(kind + name).second || find_named(all, name) != nullptr) return;
    errors.push_back({"evidence", fmt::format("{} '{}' is not in the catalog", kind, shortened(name)),
                      suggestion(name, names_of(all))});
  };
  for (const KernelRow& row : evidence.kernels) check("chip", row.chip, library.chips);
  for (const ServingRow& row : evidence.serving) {
    check("model", row.model, library.models);
    check("machine", row.machine, library.machines);
  }
  for (const SentRow& row : evidence.sent) {
    check("model", row.model, library.models);
    check("machine", row.machine, library.machines);
  }
  for (const GgmlRow& row : evidence.ggml) {
    check("chip", row.chip, library.chips);
    check("model", row.model, library.models);
  }
  for (const StepRow& row : evidence.steps) {
    check("chip", row.chip, library.chips);
    check("model", row.model, library.models);
  }
  return errors;
}

Result<std::vector<NamedText>> evidence_texts(const std::string& folder) {
  if (!is_folder(folder)) return fail({folder, "is not a folder", "it needs sets.csv and files of rows"});
  std::vector<NamedText> files;
  Errors errors;
  for (const std::string& path : files_ending(folder, ".csv")) {
    auto text = read_file(path);
    if (text) {
      files.push_back({path.substr(path.rfind('/') + 1), std::move(*text)});
    } else {
      append(errors, text.error());
    }
  }
  if (!errors.empty()) return fail(std::move(errors));
  return files;
}

Result<Evidence> read_evidence_folder(const std::string& folder) {
  const auto files = evidence_texts(folder);
  if (!files) return fail(files.error());
  return read_evidence(*files);
}

}  // namespace ridge::catalog
