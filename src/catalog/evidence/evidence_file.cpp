#include "catalog/evidence/evidence_file.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/evidence/kernel_rows.hpp"
#include "catalog/evidence/row_reader.hpp"
#include "catalog/evidence/run_rows.hpp"
#include "catalog/facts/files.hpp"

namespace ridge::catalog {

namespace {

std::vector<Column<EvidenceSet>> set_columns() {
  return {{"set", &EvidenceSet::name},
          {"title", &EvidenceSet::title},
          {"source", &EvidenceSet::source},
          {"licence", &EvidenceSet::licence},
          {"date", &EvidenceSet::date, Holds::any_text},
          {"note", &EvidenceSet::note, Holds::any_text}};
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

std::vector<Column<KnownCause>> cause_columns() {
  return {{"group", &KnownCause::group}, {"name", &KnownCause::name}, {"cause", &KnownCause::cause}};
}

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
    RowReader(file, errors_).read<KernelRow>(columns_of(kind), [&](KernelRow& row) {
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

  void read_serving(const NamedText& file, std::vector<ServingRow> Evidence::*rows) {
    RowReader(file, errors_).read<ServingRow>(serving_run_columns(), [this, rows](const ServingRow& row) {
      if (std::string wrong = wrong_run(row); !wrong.empty()) return wrong;
      if (!ids_.insert(row.id).second) return fmt::format("id '{}' is there twice", shortened(row.id));
      (evidence_.*rows).push_back(row);
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
      "sets.csv", "serving.csv",  "judged.csv",   "steps.csv",      "llamacpp.csv",        "causes.csv",
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
      reader.read_serving(file, &Evidence::serving);
    } else if (file.name == "judged.csv") {
      reader.read_serving(file, &Evidence::judged);
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

Errors unknown_names(const Evidence& evidence, const Library& library) {
  Errors errors;
  std::set<std::string> seen;
  const auto check = [&](const std::string& kind, const std::string& name, const auto& all) {
    if (!seen.insert(kind + name).second || find_named(all, name) != nullptr) return;
    errors.push_back({"evidence", fmt::format("{} '{}' is not in the catalog", kind, shortened(name)),
                      suggestion(name, names_of(all))});
  };
  for (const KernelRow& row : evidence.kernels) check("chip", row.chip, library.chips);
  for (const auto* rows : {&evidence.serving, &evidence.judged}) {
    for (const ServingRow& row : *rows) {
      check("model", row.model, library.models);
      check("machine", row.machine, library.machines);
    }
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
