#include "cli/sweep/sweep_job.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/fingerprint.hpp"
#include "base/text/text.hpp"
#include "catalog/checkpoint/model_file.hpp"
#include "catalog/entries/client_entry.hpp"
#include "catalog/entries/model_entry.hpp"
#include "catalog/facts/files.hpp"
#include "cli/output/early_end.hpp"
#include "cli/sweep/shard.hpp"

namespace ridge::cli {

namespace {

constexpr std::size_t kTable = 16384;  // rows at once

/// Fills a job from the options, one question after the other.
class JobReader {
 public:
  JobReader(const Arguments& arguments, Program& program)
      : arguments_(arguments),
        program_(program),
        source_(arguments.text("file")),
        out_(arguments.text("out")),
        best_(arguments.text("best")),
        pareto_(arguments.text("pareto")),
        wheres_(arguments.all("where")) {}

  Result<SweepJob> read() {
    const auto text = source_ == "-" ? catalog::read_standard_input() : catalog::read_file(source_);
    if (!text) return fail(text.error());
    auto file = catalog::read_sweep(*text, source_ == "-" ? "standard input" : source_);
    if (!file) return fail(file.error());
    job_.file = std::move(*file);
    read_models();
    read_columns();
    read_format();
    read_part();
    if (!errors_.empty()) return fail(std::move(errors_));
    read_sweep(job_.computed, job_.sweep);
    if (errors_.empty() && job_.summary.kind != Summary::Kind::rows) read_sweep(job_.shown, job_.shown_sweep);
    if (!errors_.empty()) return fail(std::move(errors_));
    sign(*text);
    return std::move(job_);
  }

 private:
  template <class T>
  std::optional<T> good(Result<T> result) {
    if (result) return std::move(*result);
    append(errors_, result.error());
    return {};
  }

  /// Models may be files.
  void read_models() {
    std::vector<std::string> models;
    if (!job_.file.base.model.empty() && !is_complete(job_.file.base)) models.push_back(job_.file.base.model);
    for (const SweepAxis& axis : job_.file.space.axes()) {
      if (axis.key != "model") continue;
      models.insert(models.end(), axis.texts.begin(), axis.texts.end());
    }
    good(models_named(program_, models, arguments_));
  }

  std::size_t column_named(const std::string& word, std::string_view flag, bool& more) {
    std::string name(trimmed(word));
    std::optional<bool> given;
    if (name.starts_with("max:")) given = true;
    if (name.starts_with("min:")) given = false;
    if (given) name = name.substr(4);
    const auto column = good(find_column(name, known_, flag));
    if (!column) return 0;
    if (column->holds == SweepColumn::Holds::text)
      errors_.push_back({std::string(flag), fmt::format("{} is a word", column->name), "name a column of numbers"});
    more = given.value_or(column->more_is_better);
    auto& columns = job_.computed;
    const auto there =
        std::find_if(columns.begin(), columns.end(), [&](const SweepColumn& one) { return one.name == column->name; });
    const auto index = static_cast<std::size_t>(there - columns.begin());
    if (there == columns.end()) columns.push_back(*column);
    return index;
  }

  void read_columns() {
    known_ = catalog::known_columns(job_.file);
    for (const std::string& name : job_.file.columns) {
      if (const auto column = good(find_column(name, known_, "columns"))) job_.shown.push_back(*column);
    }
    const bool rows = best_.empty() && pareto_.empty();
    if (rows) job_.computed = job_.shown;
    for (const std::string& all : wheres_) {
      for (const std::string& one : split(all, ',')) {
        if (auto condition = good(catalog::read_condition(one, known_, job_.computed)))
          job_.conditions.push_back(std::move(*condition));
      }
    }
    read_summary();
  }

  void read_summary() {
    Summary& summary = job_.summary;
    if (!best_.empty() && !pareto_.empty())
      errors_.push_back({"best", "stands beside --pareto", "ask for one of them"});
    if (!best_.empty()) {
      const int top = arguments_.whole("top", 1);
      summary.kind = Summary::Kind::best;
      summary.keep = static_cast<std::size_t>(top);
      summary.x = column_named(best_, "best", summary.more_x);
      summary.text = fmt::format("best {} {}", top, best_);
    }
    if (!pareto_.empty()) {
      const auto words = split(pareto_, ',');
      if (words.size() != 2)
        return errors_.push_back({"pareto", "names two columns", "e.g. --pareto tok_s_per_user,output_tok_s_per_chip"});
      summary.kind = Summary::Kind::pareto;
      summary.x = column_named(words[0], "pareto", summary.more_x);
      summary.y = column_named(words[1], "pareto", summary.more_y);
      summary.text = "pareto " + pareto_;
    }
    if (summary.kind == Summary::Kind::rows) return;
    if (arguments_.has("resume"))
      errors_.push_back({"resume", "goes with rows, not with --best or --pareto", "leave it out: start again"});
    // what does not fit is no answer, unless somebody asks about it
    const bool asked = std::any_of(wheres_.begin(), wheres_.end(),
                                   [](const std::string& one) { return one.find("fits") != std::string::npos; });
    if (asked) return;
    if (auto fits = good(catalog::read_condition("fits=true", known_, job_.computed)))
      job_.conditions.push_back(std::move(*fits));
  }

  void read_format() {
    std::string word = arguments_.text("format", arguments_.json() ? "jsonl" : "");
    if (word.empty() && !out_.empty()) {
      const std::string name = out_.substr(out_.find_last_of('/') + 1);
      const std::size_t dot = name.find_last_of('.');
      const std::string ending = dot == std::string::npos ? "" : lower_case(name.substr(dot + 1));
      if (const auto format = report::parse_row_format(ending, "out")) word = report::name_of(*format);
    }
    if (word.empty()) word = "csv";
    if (const auto format = good(report::parse_row_format(word, "format"))) job_.format = *format;
    if (job_.format == report::RowFormat::sqlite && out_.empty())
      errors_.push_back({"format", "a database needs a file", "add --out cases.sqlite"});
    if (std::error_code error; std::filesystem::equivalent(source_, out_, error))
      errors_.push_back({"out", "is the sweep's own file", "name another"});
    if (arguments_.has("resume") && out_.empty())
      errors_.push_back({"resume", "needs the file to go on with", "add --out FILE"});
  }

  void read_part() {
    job_.range = {0, job_.file.space.cases()};
    if (!arguments_.has("shard")) return;
    const auto shard = good(parse_shard(arguments_.text("shard")));
    if (!shard) return;
    if (out_.empty()) errors_.push_back({"shard", "needs a file, for ridge merge", "add --out part-1.csv"});
    if (job_.format == report::RowFormat::sqlite && job_.summary.kind != Summary::Kind::rows)
      errors_.push_back({"shard", "a summary in parts is CSV or JSON Lines", "add --format csv"});
    job_.part = shard->part;
    job_.parts = shard->parts;
    job_.range = part_of(job_.file.space.cases(), job_.part - 1, job_.parts);
  }

  void read_sweep(const std::vector<SweepColumn>& columns, SweepJob::Sweep& to) {
    if (job_.file.simulates) {
      const auto clients = good(catalog::benchmark_clients(*program_.facts));
      if (!clients) return;
      if (auto sweep = good(catalog::simulation_sweep(job_.file, program_.library, *clients, columns)))
        to.emplace<SimulationSweep>(std::move(*sweep));
    } else if (job_.file.serves) {
      if (auto sweep = good(catalog::serving_sweep(job_.file, program_.library, columns)))
        to.emplace<ServingSweep>(std::move(*sweep));
    } else if (auto sweep = good(catalog::roofline_sweep(job_.file, program_.library, columns))) {
      to.emplace<RooflineSweep>(std::move(*sweep));
    }
  }

  /// Everything the rows depend on.
  void sign(std::string_view text) {
    Fingerprint print;
    print.add(RIDGE_VERSION);
    print.add(text);
    print.add(report::name_of(job_.format));
    print.add(job_.summary.text);
    for (const std::string& where : wheres_) print.add(where);
    for (const catalog::Fact& fact : *program_.facts) {
      for (const std::string* part : {&fact.category, &fact.entry, &fact.key, &fact.text}) print.add(*part);
    }
    for (const std::string& said : arguments_.all("assume")) print.add(said);
    for (const std::string& name : names_of(program_.library.models)) {  // one from a file is not among the facts
      if (catalog::names_model_file(name))
        print.add(catalog::model_toml(*find_named(program_.library.models, name), {}));
    }
    job_.fingerprint = print.text();
  }

  const Arguments& arguments_;
  Program& program_;
  const std::string source_, out_, best_, pareto_;
  const std::vector<std::string> wheres_;
  SweepJob job_;
  std::vector<SweepColumn> known_;
  Errors errors_;
};

void evaluate(const SweepJob::Sweep& sweep, const CaseRange& cases, SweepTable& table) {
  const auto count = static_cast<std::size_t>(cases.size());
  if (const auto* roofline = std::get_if<RooflineSweep>(&sweep)) roofline->evaluate(cases.first, count, table);
  if (const auto* serving = std::get_if<ServingSweep>(&sweep)) serving->evaluate(cases.first, count, table);
  if (const auto* simulation = std::get_if<SimulationSweep>(&sweep))
    simulation->evaluate(cases.first, count, table, [] { return asked_to_stop() == 0; });
}

}  // namespace

Kept::Kept(const Summary& summary) : kept_(BestCases(summary.keep)) {
  if (summary.kind == Summary::Kind::pareto) kept_.emplace<Frontier>();
}
void Kept::add(const Candidate& candidate) {
  std::visit([&](auto& kept) { kept.add(candidate); }, kept_);
}
double Kept::limit() const {
  return std::visit([](const auto& kept) { return kept.limit(); }, kept_);
}
const std::vector<Candidate>& Kept::candidates() const {
  return std::visit([](const auto& kept) -> const std::vector<Candidate>& { return kept.candidates(); }, kept_);
}

std::uint64_t SweepJob::task_size() const {
  if (file.simulates) return 1;
  if (file.serves) return 32;
  return summary.kind == Summary::Kind::rows ? kTable / 2 : std::uint64_t{1} << 20;
}

std::string SweepJob::make(const world::Stretch& cases) const {
  SweepTable table;
  if (summary.kind == Summary::Kind::rows) {
    evaluate(sweep, {cases.first, cases.first + cases.count}, table);
    return report::rows_text(table, shown, conditions, format);
  }
  Kept kept(summary);
  std::vector<char> good;
  const bool flat = summary.kind == Summary::Kind::best;
  const double sign_x = summary.more_x ? -1.0 : 1.0, sign_y = flat ? 0.0 : summary.more_y ? -1.0 : 1.0;
  for (std::uint64_t done = 0; done < cases.count; done += kTable) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kTable, cases.count - done));
    evaluate(sweep, {cases.first + done, cases.first + done + count}, table);
    const std::vector<double>& x = table.columns[summary.x].numbers;
    const std::vector<double>& y = table.columns[summary.y].numbers;
    find_kept(conditions, table, good);
    double limit = kept.limit();
    for (std::size_t row = 0; row < count; ++row) {
      if (good[row] == 0 || !(sign_x * x[row] <= limit)) continue;
      const Candidate one{sign_x * x[row], flat ? 0.0 : sign_y * y[row], cases.first + done + row};
      if (!std::isfinite(one.x) || !std::isfinite(one.y)) continue;
      kept.add(one);
      limit = kept.limit();
    }
  }
  return packed(kept.candidates());
}

std::string SweepJob::rows_of(const std::vector<Candidate>& candidates) const {
  std::string out;
  SweepTable table;
  for (const Candidate& one : candidates) {
    evaluate(shown_sweep, {one.index, one.index + 1}, table);
    out += report::rows_text(table, shown, {}, format);
  }
  return out;
}

SweepState SweepJob::state() const {
  SweepState state;
  state.sweep = fingerprint;
  state.format = report::name_of(format);
  state.summary = summary.text;
  state.cases = file.space.cases();
  state.part = part;
  state.parts = parts;
  return state;
}

Result<SweepJob> sweep_job(const Arguments& arguments, Program& program) {
  return JobReader(arguments, program).read();
}

}  // namespace ridge::cli
