#include "catalog/checkpoint/model_file.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/checkpoint/safetensors.hpp"
#include "catalog/checkpoint/tensor_check.hpp"
#include "catalog/entries/sound_model.hpp"
#include "catalog/facts/files.hpp"
#include "catalog/gguf/config.hpp"
#include "catalog/gguf/gguf.hpp"
#include "catalog/hf/unread.hpp"

namespace ridge::catalog {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kIndexName = "model.safetensors.index.json";

Result<JsonValue> read_json(const std::string& path) {
  const auto text = path == "-" ? read_standard_input() : read_file(path);
  if (!text) return fail(text.error());
  return parse_json(*text, path == "-" ? "standard input" : path);
}

Result<TensorTable> read_shard(const std::string& path) {
  const auto source = file_source(path);
  if (!source) return fail(source.error());
  std::string first(std::min<std::uint64_t>(kSafetensorsLengthBytes, source->size), '\0');
  if (!source->read(0, first)) return fail({path, "could not be read", "check the disk"});
  const auto length = safetensors_header_bytes(first, source->size, path);
  if (!length) return fail(length.error());
  std::string json(*length, '\0');
  if (!source->read(kSafetensorsLengthBytes, json)) return fail({path, "could not be read", "check the disk"});
  return read_safetensors_header(json, source->size, path);
}

Result<TensorTable> read_shards(const std::vector<std::string>& paths) {
  TensorTable all{.format = "safetensors", .tensors = {}};
  std::unordered_map<std::string, std::string> file_of;
  for (const std::string& path : paths) {
    auto table = read_shard(path);
    if (!table) return fail(table.error());
    for (TensorInfo& tensor : table->tensors) {
      const auto [known, is_new] = file_of.emplace(tensor.name, path);
      if (!is_new) {
        return fail({path, fmt::format("tensor \"{}\" is in {}, too", shortened(tensor.name), known->second),
                     "two copies of one model lie in this folder: keep one"});
      }
      all.tensors.push_back(std::move(tensor));
    }
  }
  return all;
}

/// The parts of a split file: name-00001-of-00009.gguf, model-00001-of-00003.safetensors.
std::vector<std::string> split_parts(const std::string& path) {
  const std::size_t of = path.rfind("-of-");
  if (of == std::string::npos || of < 6 || path[of - 6] != '-') return {path};
  const std::string stem = path.substr(0, of - 5), tail = path.substr(of);
  const std::size_t dot = tail.find('.');
  const auto count = parse_number(tail.substr(4, dot - 4));
  if (!count || *count < 1 || *count > 10'000) return {path};
  std::vector<std::string> parts;
  for (int i = 1; i <= static_cast<int>(*count); ++i) parts.push_back(fmt::format("{}{:05}{}", stem, i, tail));
  return parts;
}

/// The tensors beside a config: by the index where there is one. Nothing where no tensors are there.
Result<std::optional<TensorTable>> tensors_beside(const fs::path& folder, std::vector<std::string>& remarks) {
  std::vector<std::string> paths;
  if (is_there((folder / kIndexName).string())) {
    const std::string place = (folder / kIndexName).string();
    const auto text = read_file(place);
    if (!text) return fail(text.error());
    const auto index = read_safetensors_index(*text, place);
    if (!index) return fail(index.error());
    std::size_t missing = 0;
    for (const std::string& name : index->files) {
      if (is_there((folder / name).string()))
        paths.push_back((folder / name).string());
      else
        ++missing;
    }
    if (missing > 0) {
      std::string size = index->has_total_size
                             ? fmt::format("; it says {} bytes of tensors in all", with_commas(index->total_size))
                             : "";
      remarks.push_back(
          fmt::format("the index names {} tensors in {} files, of which {} are not here: counted from the config{}",
                      with_commas(static_cast<double>(index->weight_map.size())), index->files.size(), missing, size));
      return std::optional<TensorTable>();
    }
  } else {
    paths = files_ending(folder.string(), ".safetensors");
    std::erase_if(paths, [](const std::string& path) {  // Mistral's own layout beside the usual one; adapters
      const std::string name = fs::path(path).filename().string();
      return name.starts_with("consolidated") || name.starts_with("adapter_model");
    });
    for (const std::string& path : paths) {
      const auto parts = split_parts(path);
      const auto missing =
          std::count_if(parts.begin(), parts.end(), [](const std::string& part) { return !is_there(part); });
      if (missing == 0) continue;
      remarks.push_back(
          fmt::format("{} of {} files of tensors are not here: counted from the config", missing, parts.size()));
      return std::optional<TensorTable>();
    }
  }
  if (paths.empty()) return std::optional<TensorTable>();
  auto table = read_shards(paths);
  if (!table) return fail(table.error());
  return std::optional(std::move(*table));
}

/// "deepseek-ai--DeepSeek-V3.json" and ".../DeepSeek-V3/config.json" both have a name in them.
std::string title_of(const std::string& path) {
  if (path == "-") return "standard input";
  const bool relative = path == "." || path == ".." || path.ends_with("/.") || path.ends_with("/..");
  fs::path file = relative ? fs::path(without_links(path)) : fs::path(path).lexically_normal();
  if (!file.has_filename()) file = file.parent_path();
  const std::string name = file.filename().string();
  const bool generic =
      name == "config.json" || name == kIndexName || name.starts_with("model.safetensors") || name == "model.gguf";
  if (generic && file.has_parent_path() && file.parent_path().has_filename())
    return file.parent_path().filename().string();
  std::string title = is_folder(path) ? name : fs::path(name).stem().string();
  if (const std::size_t dashes = title.find("--"); dashes != std::string::npos) title.replace(dashes, 2, "/");
  return title;
}

/// modelopt keeps its choice in a file of its own in some releases.
Result<bool> add_quantization(JsonValue& config, const fs::path& folder) {
  const fs::path beside = folder / "hf_quant_config.json";
  if (config.find("quantization_config") != nullptr || config.object() == nullptr || !is_there(beside.string()))
    return false;
  const auto said = read_json(beside.string());
  if (!said) return fail(said.error());
  const JsonValue* quantization = said->find("quantization");
  if (quantization == nullptr || quantization->object() == nullptr) {
    return fail({beside.string(), "has no object called quantization",
                 "it says how the weights are stored: check or remove it"});
  }
  JsonMembers members = *quantization->object();
  JsonValue method;
  method.value = std::string("modelopt");
  members.emplace_back("quant_method", std::move(method));
  JsonValue copy;
  copy.value = std::move(members);
  std::get<JsonMembers>(config.value).emplace_back("quantization_config", std::move(copy));
  return true;
}

void put_name(ReadModel& read, const std::string& path) {
  Model& model = read.model;
  model.name = path;
  model.title = title_of(path);
  const Provenance from{path == "-" ? "standard input" : path, Kind::datasheet, "read from the file"};
  model.architecture = model.experts_from = model.released_from = model.precision.from = from;
}

void warn_of_name(const JsonValue& config, ReadModel& read) {
  const std::string title = lower_case(read.model.title);
  const bool has_slo = title.find("fp8") != std::string::npos || title.find("fp4") != std::string::npos ||
                       title.find("awq") != std::string::npos || title.find("gptq") != std::string::npos;
  const JsonValue* text = config.find("text_config");
  const bool said = config.find("quantization_config") != nullptr || config.find("compression_config") != nullptr ||
                    (text != nullptr && text->find("quantization_config") != nullptr);
  if (!has_slo || said) return;
  read.model.remarks.push_back(
      fmt::format("the name says quantized, the config does not (its hf_quant_config.json may): bytes are those of {}",
                  read.model.precision.value.weights));
}

/// What is known of the words in a file.
struct FileWords {
  const ConfigWords& words;
  const Assumptions& assumptions;
};

/// Counted from the tensors; an error where they are of another model than the config.
Result<ReadModel> with_tensors(ReadModel read, const TensorTable& tensors, const std::string& place) {
  if (const Errors other = believe_tensors(read.model, tensors, place); !other.empty()) return fail(other);
  if (const Errors wrong = wrong_sums(read.model, place); !wrong.empty()) return fail(wrong);
  return read;
}

Result<ReadModel> read_config(const std::string& path, const FileWords& known, const fs::path& folder,
                              bool look_beside) {
  auto config = read_json(path);
  if (!config) return fail(config.error());
  if (config->find("weight_map") != nullptr) {
    return fail({path, "is an index of tensors without the model's config.json beside it",
                 "copy config.json into the same folder"});
  }
  if (look_beside) {
    if (const auto added = add_quantization(*config, folder); !added) return fail(added.error());
  }
  auto read = read_hf_config(*config, path == "-" ? "standard input" : path, known.words, known.assumptions);
  if (!read) return fail(read.error());
  put_name(*read, path);
  if (look_beside) {
    std::vector<std::string> remarks;
    const auto tensors = tensors_beside(folder, remarks);
    if (!tensors) return fail(tensors.error());
    for (std::string& remark : remarks) read->model.remarks.push_back(std::move(remark));
    if (*tensors) return with_tensors(std::move(*read), **tensors, folder.string());
  }
  warn_of_name(*config, *read);
  return read;
}

std::string architecture_of(const GgufHeader& header) {
  const JsonValue* named = header.find("general.architecture");
  return named == nullptr || named->text() == nullptr ? "" : *named->text();
}

/// The keys of the model's own architecture, without its name before them.
JsonValue own_keys(const GgufHeader& header) {
  const std::string prefix = architecture_of(header) + ".";
  JsonMembers own;
  for (const auto& [key, value] : header.metadata) {
    if (key.starts_with(prefix)) own.emplace_back(key.substr(prefix.size()), value);
  }
  return {std::move(own)};
}

Result<ReadModel> read_gguf_model(const std::string& path, const FileWords& known) {
  std::vector<GgufHeader> headers;
  for (const std::string& part : split_parts(path)) {
    const auto source = file_source(part);
    if (!source) return fail(source.error());
    auto header = read_gguf(*source, part);
    if (!header) return fail(header.error());
    headers.push_back(std::move(*header));
  }
  const bool several = headers.size() > 1;
  auto header = several ? join_gguf(std::move(headers), path) : Result<GgufHeader>(std::move(headers.front()));
  if (!header) return fail(header.error());
  std::set<std::string> asked;
  const auto config = config_from_gguf(*header, path, &asked);
  if (!config) return fail(config.error());
  std::vector<std::string> ignored;
  const auto judged =
      unread_structure(own_keys(*header), architecture_of(*header), {known.words, asked, {}, "structure"});
  if (const Errors unread = refuse_unread(judged, path, known.assumptions, ignored); !unread.empty())
    return fail(unread);
  auto read = read_hf_config(*config, path, known.words, known.assumptions, Keys::translated);
  if (!read) return fail(read.error());
  for (const std::string& key : ignored) {
    read->unneeded.erase(key);
    read->model.assumptions.push_back(fmt::format("assumed, as you said: {} is {}", key, kIgnored));
  }
  read->unread.clear();  // the keys are a translation, not the file's
  put_name(*read, path);
  return with_tensors(std::move(*read), header->tensors, path);
}

}  // namespace

bool names_model_file(std::string_view word) {
  if (word == "-") return true;
  for (const std::string_view ending : {".json", ".safetensors", ".gguf"}) {
    if (word.ends_with(ending)) return true;
  }
  if (word.ends_with(".toml")) return false;
  // a name of the Hub ("deepseek-ai/DeepSeek-V3") has one slash too: a path starts like one, or is there
  const bool looks = word.starts_with("/") || word.starts_with("./") || word.starts_with("../") || word.ends_with("/");
  return looks || (word.find('/') != std::string_view::npos && is_there(std::string(word))) ||
         is_folder(std::string(word));
}

Result<ReadModel> read_model_file(const std::string& path, const ConfigWords& words, const Assumptions& assumptions) {
  const FileWords known{words, assumptions};
  if (path == "-") return read_config(path, known, {}, false);
  if (path.ends_with(".gguf")) return read_gguf_model(path, known);
  if (is_folder(path)) {
    const fs::path folder(path);
    if (is_there((folder / "config.json").string())) {
      auto read = read_config((folder / "config.json").string(), known, folder, true);
      if (read) put_name(*read, path);
      return read;
    }
    const std::vector<std::string> quantized = files_ending(path, ".gguf");
    if (!quantized.empty()) {
      auto read = read_gguf_model(quantized.front(), known);
      if (read) put_name(*read, path);
      return read;
    }
    return fail(
        {path, "holds neither config.json nor a .gguf file", "point at the folder that was downloaded with the model"});
  }
  const fs::path file(path), folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const bool tensors = path.ends_with(".safetensors") || file.filename() == kIndexName;
  if (tensors) {
    if (!is_there(path)) return fail({path, "there is no such file", "check the path"});
    if (!is_there((folder / "config.json").string())) {
      return fail({path, "has no config.json beside it",
                   "tensors alone do not say how a token attends; put the model's config.json into the same folder"});
    }
    auto read = read_config((folder / "config.json").string(), known, folder, true);
    if (read) put_name(*read, path);
    return read;
  }
  return read_config(path, known, folder, file.filename() == "config.json");
}

}  // namespace ridge::catalog
