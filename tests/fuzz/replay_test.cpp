// Do the readers of text answer or refuse whatever they are fed? A fixed corpus of nasty strings, then seeded mutations
// of it: the same strings in every run. So do the readers of checkpoints and configs, over the corpora of their fuzzers
// (that of GGUF is replayed in tests/catalog/gguf/gguf_test.cpp).

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "fuzz/config_fuzz.hpp"
#include "fuzz/safetensors_fuzz.hpp"
#include "fuzz/text_fuzz.hpp"
#include "repeats.hpp"

namespace {

constexpr unsigned kSeed = 20260429;
constexpr int kMutations = ridge::repeats(20000);

std::string repeated(std::string_view part, int times) {
  if (ridge::kBrief && times >= 5000) times /= 10;
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

std::vector<std::string> measures() {
  return {"",
          " ",
          "\t\r\n",
          "0",
          "-0",
          "80 GB",
          "80GB",
          "80 GiB",
          "4.8 TB/s",
          "$2.10/h",
          "-$2.10/h",
          "$-2.10/h",
          "$",
          "$ ",
          "$$1",
          "20 ms",
          "32k tokens",
          "32ktokens",
          "2E",
          "2e",
          "3e5",
          "3e+",
          "3e-",
          "1e308",
          "1e309",
          "1e-400",
          "1e308 PB",
          "1e300 EB/n",
          "nan",
          "inf",
          "-inf",
          "NaN GB",
          "0x10",
          "1_000",
          "1,000",
          "1.2.3",
          "--1",
          "+-1",
          "+1",
          ".5",
          "5.",
          ".",
          "e",
          "e5",
          "1 / 0",
          "1/",
          "1//",
          "1/s/s/s/s",
          "/s",
          "5 /s",
          "GB",
          "5 GB/",
          "5 B/B/B/B",
          "5 Gb",
          "5 GB GB",
          "5 %",
          "5%/%",
          "5 µs",
          "5 \xb5s",
          "5 \xff",
          "\xff\xfe",
          std::string("5\0GB", 4),
          std::string(1, '\0'),
          repeated("9", 399),
          repeated("9", 400),
          repeated("9", 401),
          "1" + repeated("/s", 5000),
          repeated("1", 100000),
          "5 " + repeated("G", 5000) + "B",
          repeated("$", 1000),
          "5 k",
          "5k k",
          "5 Ki",
          "5KiB"};
}

std::vector<std::string> formulas() {
  return {"1 + 2",
          "1 - 2",
          "x·x",
          "x*x",
          "1 / 0",
          "0 / 0",
          "0^0",
          "x^x^x",
          "(1 - 1 / 1)^74",
          "max(1, 2)",
          "max(1,2)",
          "max(1",
          "min(x, max(x, 2 GB / 8 TB/s))",
          "sqrt(-1)",
          "sqrt(4)",
          "unbounded",
          "1 +",
          "+",
          "·",
          "·1",
          "1·",
          "\xc2",
          "1\xc2",
          "()",
          "(",
          ")",
          "1)",
          "$3.3/h / (1·1 tokens)",
          "2 FLOP/param·69.503 Gparam / 989 TFLOP/s",
          repeated("(", 199) + "1" + repeated(")", 199),
          repeated("(", 100000),
          repeated("max(", 100000),
          repeated("sqrt(", 100000),
          repeated("1 + ", 50000) + "1",
          repeated("1^", 50000) + "1",
          repeated("-", 100000),
          "1e5e5",
          "1e+5-e",
          "-x",
          "--x",
          "y",
          "1 GB GB",
          "1 %",
          "1 /s"};
}

const char* kScenario =
    "scenario = 1\nmodel = \"deepseek-v3\"\nmachine = \"gb200-nvl72\"\nbatch = 64\ncontext = \"4k\"\nkv = "
    "\"fp8\"\nprice = \"owned\"\n"
    "[inputs]\n\"hbm.bandwidth\" = { value = \"7 TB/s\", source = \"mine\", kind = \"measured\", note = \"n\" }\nbatch "
    "= 3\n";
const char* kChip =
    "title = \"c\"\nvendor = \"v\"\nyear = 2022\n[matmul]\nsource = \"s\"\nbf16 = \"989 TFLOP/s\"\n[hbm]\nsource = "
    "\"s\"\ntype = \"HBM3\"\ncapacity = \"80 GB\"\n"
    "bandwidth = { value = \"3.35 TB/s\", source = \"s\" }\n[power]\nsource = \"s\"\ntdp = \"700 W\"\n";
const char* kModel =
    "title = \"m\"\n[architecture]\nsource = \"s\"\norder = \"3 dense, 2 (28 expert, dense)\"\nhidden_size = "
    "7168\nvocab_size = 129280\ntied_embeddings = false\ncontext_limit = 163840\n[layer]\nsource = \"s\"\n"
    "[layer.dense.attention]\ntype = \"grouped\"\nquery_heads = 8\nkv_heads = 2\nhead_dim = 128\n"
    "[layer.dense.feed_forward]\nsize = 18432\n[layer.expert.attention]\ntype = \"delta\"\nkey_heads = 4\n"
    "value_heads = 8\nkey_dim = 128\nvalue_dim = 128\nkernel = 4\n"
    "[layer.expert.experts]\ncount = 256\nper_token = 8\nshared = 1\nsize = 2048\nrouting_bias = true\n"
    "[layer.expert.extra.mixing]\npart = \"other\"\nuse = \"matrix\"\nin = 4\nout = 8\n"
    "[precision]\nsource = \"s\"\nweights = \"fp8\"\nattention = \"bf16\"\nkv = \"bf16\"\n"
    "[released]\nsource = \"s\"\nattention = \"12 GB\"\n[sources.own]\ntitle = \"t\"\nkind = \"datasheet\"\n";
const char* kMachine =
    "title = \"m\"\nchip = \"x\"\n[scale_up]\nchips = { value = 8, source = \"s\" }\n[price]\nrental = { value = "
    "\"$1.30/h\", source = \"s\" }\n[owned]\nsource = \"s\"\ncapex = \"$31000\"\nlife = \"4 year\"\npower = \"1.73 "
    "kW\"\npue = 1.0\nelectricity = \"$0.08/kWh\"\ncost_of_capital = \"8 %\"\n";

std::vector<std::string> files() {
  const std::string head = "model = \"m\"\nmachine = \"n\"\n";
  return {
      kScenario,
      kChip,
      kModel,
      kMachine,
      std::string("\xef\xbb\xbf") + kScenario,
      head +
          "[inputs]\nmodel = { value = \"x\", source = \"y\" }\n",  // a word where a number is expected, with a source
      head + "[inputs]\nprice = { value = \"owned\", source = \"y\" }\n",
      head + "[inputs]\nkv = { value = \"fp8\", source = \"y\" }\n",
      head + "batch = 99999999999999999999999\n",
      head + "batch = nan\n",
      head + "batch = -inf\n",
      head + "batch = [1]\n",
      head + "batch = 2020-01-01\n",
      head + "batch = { value = { value = 1 } }\n",
      head + "batch = { value = [] }\n",
      head + "batch = { value = 1, source = 2 }\n",
      head + "batch = { value = 1, surce = \"x\" }\n",
      head + "model = \"twice\"\n",
      head + "\"\" = 1\n",
      head + "value = 1\n",
      "[inputs]\nvalue = 1\n",
      "source = \"a\"\nkind = \"b\"\n[t]\nsource = 1\nkind = 2\n",
      "x = " + repeated("[", 1000),
      "x = " + repeated("{a=", 1000),
      "[a" + repeated(".a", 1000) + "]\nx = 1\n",
      "a" + repeated(".a", 1000) + " = 1\n",
      "a = \"" + repeated("x", 100000) + "\"\n",
      "a = '''\n\n",
      "a = \"\\uD800\"",
      "a = \"\\U00110000\"",
      "\xd0\xb0",  // a letter between U+00A1 and U+0499 outside quotes: unreachable code in toml++ 3.3
      "\xc3\xa9 = 1\n",
      "[\v",  // an assertion in toml++ 3.3
      "[\v]\n",
      "[[a]]\n[[a]]\n",
      "= 1",
      "[",
      "]",
      "#",
      std::string("a = \"\0\"", 8)};
}

std::vector<std::string> commands() {
  const std::string serve = "vllm serve m ";
  return {serve + "--tensor-parallel-size 8 --max-model-len=130k -dp 4 --enable-expert-parallel",
          serve + "--speculative-config '{\"method\": \"mtp\", \"num_speculative_tokens\": 1}'",
          "python -m sglang.launch_server --model m --tp 16 --dp 4 --enable-dp-attention --moe-a2a-backend deepep",
          "cat > x <<EOF\nkv_cache_config:\n  dtype: fp8\nEOF\ntrtllm-serve m --tp_size 8 --extra_llm_api_options x",
          "docker run --gpus all vllm/vllm-openai --model m \\\n --quantization awq 2>&1 | tee log &",
          "bash -c \"bash -c 'bash -c \\\"vllm serve m\\\"'\"",
          serve + "'",
          serve + "\"",
          serve + "\\",
          serve + "--tp",
          serve + "-",
          serve + "--",
          serve + "--=",
          serve + "-tp nan -dp inf",
          serve + "-tp 1e308k",
          serve + "--eplb-config {}",
          serve + "--speculative-config " + repeated("{\"a\":", 1000),
          serve + repeated("--x ", 50000),
          serve + repeated("<", 100000),
          serve + repeated("<<EOF\n", 20000),
          serve + repeated("x", 1 << 20),
          std::string("vllm serve \0 \x1b[2J", 17),
          "vllm serve \xff\xfe",
          repeated("'vllm serve m' ", 10000)};
}

constexpr const char* kSheet =
    "input = \"$2/Mtok\"\noutput = \"$10/Mtok\"\ncached = \"$0.2/Mtok\"\n[write]\n5min = \"$2.5/Mtok\"\n[tier.200k]\n"
    "input = \"$4/Mtok\"\noutput = \"$15/Mtok\"\n[mode.fast]\ninput = \"$9/Mtok\"\noutput = \"$30/Mtok\"\nspeed = 2\n";
constexpr const char* kPriceMap =
    "{\"m\": {\"input_cost_per_token\": 2e-06, \"output_cost_per_token\": 1e-05, \"tiered_pricing\": [{\"range\": [9, "
    "1], "
    "\"input_cost_per_token\": 3e-06}], \"cache_creation_input_token_cost_above_1hr_above_200k_tokens\": 4e-06, "
    "\"provider_specific_entry\": {\"fast\": 6}, \"max_input_tokens\": 200000}}";

std::vector<std::string> corpus() {
  std::vector<std::string> all = measures();
  for (auto& more : {formulas(), files(), commands()}) all.insert(all.end(), more.begin(), more.end());
  all.insert(all.end(), {kSheet, kPriceMap});
  return all;
}

/// One to four small changes of a string, or a splice of two. Bare mt19937 output, so that every library gives the same.
class Mutator {
 public:
  explicit Mutator(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {}

  std::string next() {
    std::string text = shortened(seeds_[pick(seeds_.size())]);
    for (std::size_t left = 1 + pick(4); left > 0; --left) change(text);
    return text;
  }

 private:
  std::size_t pick(std::size_t below) { return below == 0 ? 0 : static_cast<std::size_t>(random_()) % below; }

  // the long ones are for the fixed run; here many short ones find more
  std::string shortened(const std::string& text) {
    return text.size() <= 1200 ? text : text.substr(pick(text.size() - 200), 200);
  }

  void change(std::string& text) {
    static const std::vector<std::string> words = {"nan",
                                                   "inf",
                                                   "1e308",
                                                   "-",
                                                   "0",
                                                   "$",
                                                   "/",
                                                   "/s",
                                                   " GB",
                                                   "\"",
                                                   "=",
                                                   "[",
                                                   "]",
                                                   "{",
                                                   "}",
                                                   ".",
                                                   "\n",
                                                   "value",
                                                   "source",
                                                   "kind",
                                                   "inputs",
                                                   "·",
                                                   "^",
                                                   "(",
                                                   ")",
                                                   "max(",
                                                   "\xff",
                                                   "\xc2",
                                                   "9999999999999999999",
                                                   "true",
                                                   " = { value = ",
                                                   "#",
                                                   "'''"};
    const std::size_t at = pick(text.size() + 1);
    switch (pick(6)) {
      case 0:
        text.insert(at, words[pick(words.size())]);
        break;
      case 1:
        text.erase(at, 1 + pick(8));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(pick(256));
        break;
      case 3:
        text.insert(at, text.substr(pick(text.size() + 1), pick(40)));
        break;
      case 4:
        text = text.substr(0, at) + shortened(seeds_[pick(seeds_.size())]);
        break;
      default:
        if (at < text.size()) text.replace(at, 1 + pick(6), words[pick(words.size())]);
        break;
    }
  }

  std::vector<std::string> seeds_;
  std::mt19937 random_{kSeed};
};

struct CorpusFile {
  std::string name, bytes;
};

/// The files of tests/fuzz/corpus/`folder`, by name.
std::vector<CorpusFile> corpus_files(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<CorpusFile> files;
  for (const auto& file : fs::directory_iterator(fs::path(RIDGE_CATALOG) / "../tests/fuzz/corpus" / folder)) {
    std::ifstream stream(file.path(), std::ios::binary);
    files.push_back({file.path().filename().string(), std::string(std::istreambuf_iterator<char>(stream), {})});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

}  // namespace

TEST_CASE("a nasty string is answered or refused with a reason, never worse") {
  for (const std::string& text : corpus()) {
    const std::string start = text.substr(0, 80);
    CAPTURE(start);
    CHECK(ridge::fuzz::complaint(text) == "");
  }
}

TEST_CASE("a mutated string is answered or refused with a reason, never worse") {
  CAPTURE(kSeed);
  Mutator mutator(corpus());
  for (int i = 0; i < kMutations; ++i) {
    const std::string text = mutator.next();
    const std::string wrong = ridge::fuzz::complaint(text);
    if (wrong.empty()) continue;
    CAPTURE(i);
    CAPTURE(text);
    FAIL_CHECK(wrong);
  }
}

TEST_CASE("a mutated price sheet is read or refused with a reason, never worse") {
  Mutator mutator({kSheet, kPriceMap});
  for (int i = 0; i < kMutations / 4; ++i) {
    const std::string text = mutator.next();
    CAPTURE(text);
    CHECK(ridge::fuzz::wrong_sheet(text).empty());
  }
}

TEST_CASE("the corpus reaches acceptance, not only refusal") {
  CHECK(ridge::catalog::read_sheets(kSheet, "s.toml").has_value());
  CHECK(ridge::catalog::read_sheets(kPriceMap, "s.json").has_value());
  CHECK(ridge::catalog::read_scenario(kScenario, "s.toml").has_value());
  REQUIRE(ridge::fuzz::base_facts() != nullptr);
  for (const auto& [category, text] : {std::pair{"chip", kChip}, {"machine", kMachine}, {"model", kModel}}) {
    CAPTURE(category);
    auto facts = *ridge::fuzz::base_facts();
    const auto entry = ridge::catalog::read_entry(text, category, "y", "y.toml");
    REQUIRE(entry.has_value());
    facts.insert(facts.end(), entry->begin(), entry->end());
    const auto library = ridge::catalog::build_library(facts);
    CAPTURE(library.has_value() ? std::string() : library.error().front().where + ": " + library.error().front().what);
    CHECK(library.has_value());
  }
}

TEST_CASE("a file of a fuzzer's corpus is read or refused with a reason, never worse") {
  for (const char* folder : {"safetensors", "json"}) {
    const auto files = corpus_files(folder);
    CHECK(files.size() > 15);
    for (const CorpusFile& file : files) {
      CAPTURE(file.name);
      CHECK(ridge::fuzz::wrong_checkpoint(file.bytes) == "");
    }
  }
  for (const CorpusFile& file : corpus_files("sweep")) {  // what led the TOML parser astray
    CAPTURE(file.name);
    const auto refused = ridge::catalog::read_sweep(file.bytes, "fuzz.toml");
    REQUIRE(!refused);
    CHECK(refused.error().front().where.find("fuzz.toml:2") == 0);
    CHECK(ridge::fuzz::wrong_sweep(file.bytes) == "");
  }
  for (const CorpusFile& file : corpus_files("toml")) {
    CAPTURE(file.name);
    CHECK(ridge::fuzz::wrong_toml(file.bytes) == "");
    CHECK(ridge::fuzz::wrong_scenario(file.bytes) == "");
  }
  for (const CorpusFile& file : corpus_files("training")) {
    CAPTURE(file.name);
    CHECK(ridge::fuzz::wrong_training(file.bytes) == "");
  }
  const auto configs = corpus_files("config");
  CHECK(configs.size() > 80);
  for (const CorpusFile& file : configs) {
    CAPTURE(file.name);
    CHECK(ridge::fuzz::config_complaint(file.bytes) == "");
  }
}

TEST_CASE("a mutated result of a benchmark is read or refused with a reason, never worse") {
  std::vector<std::string> seeds;
  std::size_t accepted = 0;
  for (const CorpusFile& file : corpus_files("results")) {
    CAPTURE(file.name);
    CHECK(ridge::fuzz::wrong_results(file.bytes) == "");
    accepted += ridge::catalog::read_results(file.bytes, file.name) ? 1 : 0;
    seeds.push_back(file.bytes);
  }
  CHECK(seeds.size() > 15);
  CHECK(accepted > 12);
  CAPTURE(kSeed);
  Mutator mutator(seeds);
  for (int i = 0; i < kMutations / 4; ++i) {
    const std::string text = mutator.next();
    CAPTURE(text);
    CHECK(ridge::fuzz::wrong_results(text) == "");
  }
}

TEST_CASE("a mutated trace of requests is read or refused with a reason, and stays the same when it is written") {
  std::vector<std::string> seeds;
  std::size_t accepted = 0;
  for (const CorpusFile& file : corpus_files("traces")) {
    CAPTURE(file.name);
    CHECK(ridge::fuzz::wrong_trace(file.bytes) == "");
    accepted += ridge::catalog::read_trace(file.bytes, file.name) ? 1 : 0;
    seeds.push_back(file.bytes);
  }
  CHECK(seeds.size() >= 10);
  CHECK(accepted == 6);
  CAPTURE(kSeed);
  Mutator mutator(seeds);
  for (int i = 0; i < kMutations / 2; ++i) {
    const std::string text = mutator.next();
    CAPTURE(text);
    CHECK(ridge::fuzz::wrong_trace(text) == "");
  }
}

TEST_CASE("a mutated checkpoint or config is read or refused with a reason, never worse") {
  constexpr int kOfEach = 400;
  CAPTURE(kSeed);
  std::mt19937 random(kSeed);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  const auto checkpoints = corpus_files("safetensors"), configs = corpus_files("config");
  for (int i = 0; i < kOfEach; ++i) {
    std::string bytes = checkpoints[below(checkpoints.size())].bytes;
    for (std::size_t left = 1 + below(3); left > 0 && !bytes.empty(); --left)
      bytes[below(bytes.size())] = static_cast<char>(below(256));
    CAPTURE(i);
    CHECK(ridge::fuzz::wrong_checkpoint(bytes) == "");
  }
  for (int i = 0; i < kOfEach; ++i) {
    std::string text = configs[below(configs.size())].bytes;
    for (std::size_t left = 1 + below(3); left > 0; --left) text = ridge::fuzz::with_another_word(text, below);
    CAPTURE(text);
    CHECK(ridge::fuzz::config_complaint(text) == "");
  }
}

TEST_CASE("the corpus of configs reaches acceptance, not only refusal") {
  std::size_t acceptance_rate = 0;
  for (const CorpusFile& file : corpus_files("config")) {
    const auto tree = ridge::catalog::parse_json(file.bytes, file.name);
    acceptance_rate += tree && ridge::catalog::read_hf_config(*tree, file.name, ridge::fuzz::config_words()) ? 1 : 0;
  }
  CHECK(acceptance_rate > 65);
}
