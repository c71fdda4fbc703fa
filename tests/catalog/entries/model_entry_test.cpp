// Does a model survive its own catalog entry, and is an entry that makes no model refused where it is wrong?

#include "catalog/entries/model_entry.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "catalog/checkpoint/model_file.hpp"
#include "catalog/facts/read_toml.hpp"
#include "catalog/refusal.hpp"
#include "catalog_library.hpp"
#include "model/layer_text.hpp"
#include "real_files.hpp"

namespace model_entry_test {

using namespace ridge;
namespace fs = std::filesystem;

using ridge::testing::library;

namespace {

/// Formats and sources of the catalog, without its entries.
const std::vector<catalog::Fact>& ground() {
  static const std::vector<catalog::Fact> kept = [] {
    std::vector<catalog::Fact> facts = catalog::embedded_facts();
    std::erase_if(facts, [](const auto& fact) { return fact.category != "format" && fact.category != "source"; });
    return facts;
  }();
  return kept;
}

Result<Model> read_back(std::string_view toml) {
  const auto facts = catalog::read_entry(toml, "model", "read-back", "read-back.toml");
  if (!facts) return fail(facts.error());
  const auto built = catalog::build_library(catalog::overlaid(ground(), *facts));
  if (!built) return fail(built.error());
  REQUIRE(built->models.size() == 1);
  return built->models[0];
}

void check_same(const Model& model, const Model& again) {
  CHECK(again.title == model.title);
  CHECK(again.family == model.family);
  CHECK(again.repository == model.repository);
  CHECK(again.hidden == model.hidden);
  CHECK(again.vocabulary == model.vocabulary);
  CHECK(again.context_limit == model.context_limit);
  CHECK(again.tied_embeddings == model.tied_embeddings);
  CHECK(again.vision == model.vision);
  CHECK(again.audio == model.audio);

  CHECK(count_parameters(again).count == count_parameters(model).count);
  CHECK(count_parameters(again).not_read == count_parameters(model).not_read);
  CHECK(active_parameters(again) == active_parameters(model));
  CHECK(weight_flops(again) == weight_flops(model));
  CHECK(again.released == model.released);

  CHECK(order_text(again, again.order) == order_text(model, model.order));
  CHECK(order_text(again, again.mtp_order) == order_text(model, model.mtp_order));
  const ContextTerms now = context_terms(again), before = context_terms(model);
  REQUIRE(now.size() == before.size());
  for (const Held held : {Held::kv, Held::index, Held::state}) {
    for (const double context : {0.0, 100.0, 5000.0, 1e6}) {
      CHECK(stored_elements(now, held, context) == stored_elements(before, held, context));
      CHECK(read_elements(now, held, context) == read_elements(before, held, context));
      CHECK(attention_flops(now, context) == attention_flops(before, context));
    }
  }
  const Precisions &a = again.precision.value, &b = model.precision.value;
  CHECK(a.weights == b.weights);
  CHECK(a.experts == b.experts);
  CHECK(a.attention == b.attention);
  CHECK(a.kv == b.kv);
  CHECK(a.index == b.index);
  CHECK(a.state == b.state);
  CHECK(again.published_total.has_value() == model.published_total.has_value());
  if (model.published_total) CHECK(again.published_total->value.value() == model.published_total->value.value());
}

void check_round_trip(const Model& model) {
  CAPTURE(model.name);
  const auto written = [](const Model& one) {
    return catalog::model_toml(one, {"its-config", "config.json of \"it\"", "2026-01-01"});
  };
  const std::string toml = written(model);
  CAPTURE(toml);
  const auto again = read_back(toml);
  if (!again) FAIL_CHECK(again.error().front().where, ": ", again.error().front().what);
  if (!again) return;
  check_same(model, *again);
  // tables are read by name, so the second writing may have another order; the third has none
  const auto third = read_back(written(*again));
  REQUIRE(third);
  CHECK(written(*third) == written(*again));
}

constexpr std::string_view kHead = R"(title = "A small model"

[architecture]
source = "here"
hidden_size = 64
vocab_size = 100
tied_embeddings = false
)";

constexpr std::string_view kTail = R"(
[precision]
source = "here"
weights = "bf16"
attention = "bf16"
kv = "bf16"

[sources.here]
title = "made up"
kind = "assumed"
)";

constexpr std::string_view kDense = R"(
[layer.dense.attention]
source = "here"
type = "grouped"
query_heads = 4
kv_heads = 2
head_dim = 16

[layer.dense.feed_forward]
source = "here"
size = 128
)";

std::string entry(std::string_view order, std::string_view layers = kDense, std::string_view more = "") {
  return std::string(kHead) + "order = \"" + std::string(order) + "\"\n" + std::string(layers) + std::string(more) +
         std::string(kTail);
}

/// One error names `where` and says `what`; it has a line of the file.
void check_refused(std::string_view toml, std::string_view where, std::string_view what) {
  CAPTURE(toml);
  const auto result = read_back(toml);
  REQUIRE_FALSE(result);
  testing::check_refusal(result.error(), where, what);
  for (const Error& error : result.error()) CHECK(error.where.find("read-back.toml") != std::string::npos);
}

std::string attention(std::string_view fields) {
  return "[layer.one.attention]\nsource = \"here\"\n" + std::string(fields) + "\n";
}

}  // namespace

TEST_CASE("every model of the catalog survives its own entry") {
  CHECK(library().models.size() >= 70);
  for (const Model& model : library().models) {
    Model bare = model;  // sources of published figures stand in the file they came from
    bare.published_total.reset();
    bare.published_active.reset();
    check_round_trip(bare);
  }
}

TEST_CASE("published figures survive with their source") {
  const Model* llama = find_named(library().models, "llama-2-7b");
  REQUIRE(llama != nullptr);
  REQUIRE(llama->published_total);
  check_round_trip(*llama);
}

TEST_CASE("every published config at hand survives becoming an entry") {
  const testing::RealFiles configs = testing::real_files("models");
  int files = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(configs.path)) {
    if (file.path().extension() != ".json") continue;
    CAPTURE(file.path().string());
    const auto read = catalog::read_model_file(file.path().string(), testing::config_words());
    if (!read) FAIL_CHECK(read.error().front().where, ": ", read.error().front().what);
    if (read) check_round_trip(read->model);
    ++files;
  }
  CHECK(files >= (configs.whole ? 97 : 70));
}

TEST_CASE("titles and notes with quotes, backslashes and line breaks are written so that they are read again") {
  Model model = *find_named(library().models, "llama-2-7b");
  for (const std::string text : {"say \"hello\"", "C:\\models\\new", "two\nlines", "tab\tbed", "Modèle 日本", "42",
                                 "true", "# no comment", "'''", "a = [1]"}) {
    CAPTURE(text);
    model.title = text;
    std::string spaced = text;
    for (char& c : spaced) c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    const auto again = read_back(catalog::model_toml(model, {"x", text, ""}));
    REQUIRE(again);
    CHECK(again->title == spaced);
  }
}

TEST_CASE("a small entry by hand has the parameters it says") {
  const auto model = read_back(entry("3 dense"));
  REQUIRE(model);
  // 2*100*64 + 64 + 3*(64*16*(2*4 + 2*2) + 3*64*128 + 2*64)
  CHECK(count_parameters(*model).total() == 12'800 + 64 + 3 * (12'288 + 24'576 + 128));
  CHECK(std::get<GroupedAttention>(model->kinds.front().mixer).value_dim == 16);
  CHECK(model->precision.value.experts == "bf16");  // as the weights, where nothing is said
  CHECK(std::all_of(model->released.begin(), model->released.end(), [](double bytes) { return bytes == 0; }));
}

TEST_CASE("an attention that nobody knows is refused, with the nearest known") {
  check_refused(entry("one", attention("type = \"grupped\"\nquery_heads = 4\nkv_heads = 2\nhead_dim = 16")),
                "layer.one.attention.type", "unknown attention \"grupped\"");
  check_refused(entry("one", attention("query_heads = 4")), "", "layer.one.attention.type");
}

TEST_CASE("every kind of attention names each field it needs and does not find") {
  visit_mixer_kinds([](auto kind) {
    using Kind = decltype(kind);
    for (const std::string_view missing : Kind::kRequired) {
      std::string fields = "type = \"" + std::string(Kind::kType) + "\"\n";
      for (const std::string_view field : Kind::kRequired) {
        if (field != missing) fields += std::string(field) + " = 16\n";
      }
      CAPTURE(missing);
      check_refused(entry("one", attention(fields)), "", "layer.one.attention." + std::string(missing));
    }
    std::string all = "type = \"" + std::string(Kind::kType) + "\"\n";
    for (const std::string_view field : Kind::kRequired) all += std::string(field) + " = 16\n";
    CAPTURE(all);
    CHECK(read_back(entry("2 one", attention(all))).has_value());
    for (const std::string_view field : Kind::kRequired) {
      const std::string from = std::string(field) + " = 16";
      std::string zero = all;
      zero.replace(zero.find("\n" + from) + 1, from.size(), std::string(field) + " = 0");
      check_refused(entry("one", attention(zero)), "layer.one.attention." + std::string(field), "must be at least 1");
    }
    check_refused(entry("one", attention(all + "no_such_field = 1")), "read-back.toml",
                  "unknown key \"layer.one.attention.no_such_field\"");
  });
}

TEST_CASE("values of the wrong kind are refused") {
  const auto with = [](std::string_view line) {
    return entry("one", attention("type = \"grouped\"\nquery_heads = 4\nhead_dim = 16\n" + std::string(line)));
  };
  check_refused(with("kv_heads = \"two\""), "layer.one.attention.kv_heads", "");
  check_refused(with("kv_heads = 8"), "layer.one.attention.kv_heads", "between 1 and query_heads");
  check_refused(with("kv_heads = 3"), "layer.one.attention.kv_heads", "3 does not divide 4 query heads");
  check_refused(with("kv_heads = -1"), "layer.one.attention.kv_heads", "at least 1");
  check_refused(with("kv_heads = 2\nchunked = \"perhaps\""), "layer.one.attention.chunked", "");
  check_refused(
      entry("dense", kDense, "[layer.dense.experts]\nsource = \"here\"\ncount = 4\nper_token = 5\nsize = 8\n"),
      "layer.dense.experts.per_token", "a token cannot use 5 of 4 experts");
  check_refused(entry("dense", kDense, "[layer.dense.experts]\nsource = \"here\"\nper_token = 5\n"), "",
                "layer.dense.experts.count");
  check_refused(
      entry("dense", kDense, "[extra.table]\nsource = \"here\"\npart = \"wings\"\nuse = \"matrix\"\nout = 4\n"),
      "extra.table.part", "unknown part \"wings\"");
  check_refused(
      entry("dense", kDense, "[extra.table]\nsource = \"here\"\npart = \"other\"\nuse = \"wings\"\nout = 4\n"),
      "extra.table.use", "unknown use \"wings\"");
  check_refused(entry("dense", kDense, "[released]\nsource = \"here\"\nwings = \"4 B\"\n"), "released.wings",
                "unknown part \"wings\"");
}

TEST_CASE("a number format that the catalog does not have is refused") {
  std::string toml = entry("dense");
  toml.replace(toml.find("kv = \"bf16\""), 11, "kv = \"bf17\"");
  check_refused(toml, "precision.kv", "unknown name \"bf17\"");
}

TEST_CASE("an order is refused for unknown names, too many layers and loose ends") {
  const std::string where = "architecture.order";
  check_refused(entry("3 dense, 2 wide"), where, "no layer is called \"wide\"");
  check_refused(entry("dens"), where, "no layer is called \"dens\"");
  check_refused(entry("Dense"), where, "no layer is called \"Dense\"");
  check_refused(entry("3"), where, "no layer is called \"\"");
  check_refused(entry("dense,"), where, "no layer is called \"\"");
  check_refused(entry(", dense"), where, "no layer is called \"\"");
  check_refused(entry("dense dense"), where, "\"d\" is not expected");
  check_refused(entry("2 (dense, dense"), where, "a group is not closed");
  check_refused(entry("2 dense)"), where, "\")\" is not expected");
  check_refused(entry("2 (dense, 2 (dense))"), where, "");
  check_refused(entry("()"), where, "no layer is called \"\"");
  check_refused(entry("0 dense"), where, "between 1 and 10,000");
  check_refused(entry("-1 dense"), where, "no layer is called \"-1\"");
  check_refused(entry("10001 dense"), where, "between 1 and 10,000");
  check_refused(entry("999999999999999999999 dense"), where, "between 1 and 10,000");
  check_refused(entry("10000 dense, dense"), where, "more than 10,000 layers");
  check_refused(entry("5000 (dense, dense, dense)"), where, "more than 10,000 layers");
}

TEST_CASE("an order may be as long as is allowed, with spaces or without") {
  CHECK(read_back(entry("10000 dense"))->layers() == 10'000);
  CHECK(read_back(entry("2(dense,3dense),dense"))->layers() == 9);
  CHECK(read_back(entry("  2  (  dense ,3   dense )  , dense  "))->layers() == 9);
}

TEST_CASE("a layer that no order names is no part of the model") {
  const auto model = read_back(entry("dense", kDense, R"([layer.spare.attention]
source = "here"
type = "none"

[layer.spare.feed_forward]
source = "here"
size = 1000
)"));
  REQUIRE(model);
  CHECK(count_parameters(*model).total() == count_parameters(*read_back(entry("dense"))).total());
}

}  // namespace model_entry_test
