// Does every model obey what must be true of any? Over random models made of random kinds, those that no one has built
// included. All sizes are powers of two, so that sums are exact and equality can be asked for.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "catalog/entries/model_entry.hpp"
#include "catalog/facts/read_toml.hpp"
#include "catalog_library.hpp"
#include "model/layer_text.hpp"
#include "model/model.hpp"
#include "roofline/random_case.hpp"

using namespace ridge;
using ridge::testing::Draw;

namespace {

double power(Draw& draw, std::size_t most) { return std::ldexp(1.0, static_cast<int>(draw.below(most + 1))); }

/// Every field of a kind: required numbers from 1, the others also 0; "unlimited" where a window may be.
template <class Kind, class Required>
void fill(Kind& kind, const Required& required, Draw& draw) {
  Kind::visit_fields(kind, [&](const char* name, auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>) {
      value = draw.one_in(2);
    } else {
      const std::string_view key(name);
      const bool needed = std::find(std::begin(required), std::end(required), key) != std::end(required);
      const bool divides = key == "stride" || key == "value_dim" || key == "chosen" || key == "groups";
      if (std::isinf(value) && draw.one_in(3)) return;
      value = !needed && !divides && draw.one_in(3) ? 0 : power(draw, key == "window" || key == "top" ? 12 : 6);
      if (key == "window" && value == 0) value = 1;
    }
  });
}

Mixer random_mixer(Draw& draw) {
  std::size_t wanted = draw.below(std::variant_size_v<Mixer>);
  Mixer mixer;
  visit_mixer_kinds([&](auto kind) {
    if (wanted-- != 0) return;
    fill(kind, kind.kRequired, draw);
    if constexpr (requires { kind.kv_heads; }) kind.kv_heads = std::min(kind.kv_heads, kind.query_heads);
    if constexpr (requires { kind.dense; }) kind.dense.kv_heads = std::min(kind.dense.kv_heads, kind.dense.query_heads);
    mixer = kind;
  });
  return mixer;
}

Weights random_extra(Draw& draw, const std::string& name) {
  Weights extra;
  for (std::size_t i = draw.below(3); i > 0; --i) {
    constexpr Use kUses[] = {Use::matrix, Use::vector, Use::convolution, Use::table};
    constexpr Part kSome[] = {Part::other, Part::norms, Part::attention, Part::embedding};
    const double count = power(draw, 2);
    extra.push_back({kSome[draw.below(4)], name + std::to_string(i), power(draw, 6), power(draw, 6), count,
                     draw.one_in(4) ? 0 : count, kUses[draw.below(4)]});
  }
  return extra;
}

Experts random_experts(Draw& draw) {
  Experts experts;
  fill(experts, std::array<std::string_view, 3>{"count", "per_token", "size"}, draw);
  if (experts.per_token > experts.count) std::swap(experts.per_token, experts.count);
  if (experts.shared_size == 0) experts.shared_size = experts.shared * experts.size;
  return experts;
}

Layer random_layer(Draw& draw, std::string name, const std::optional<Experts>& experts) {
  Layer layer;
  layer.name = std::move(name);
  layer.mixer = random_mixer(draw);
  if (draw.one_in(2)) {
    layer.dense = DenseFeedForward{};
    fill(*layer.dense, std::array<std::string_view, 1>{"size"}, draw);
  }
  if (draw.one_in(2)) layer.experts = experts;
  layer.norms = static_cast<double>(draw.below(5));
  layer.norm_bias = draw.one_in(3);
  layer.extra = random_extra(draw, "own-");
  return layer;
}

/// Orders as models have them (groups that repeat) and as none has.
std::vector<std::size_t> random_order(Draw& draw, std::size_t kinds, std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t parts = 1 + draw.below(4); parts > 0; --parts) {
    std::vector<std::size_t> group;
    for (std::size_t i = 1 + draw.below(9); i > 0; --i) {
      group.insert(group.end(), 1 + draw.below(4), draw.below(kinds));
    }
    for (std::size_t i = 1 + draw.below(6); i > 0; --i) order.insert(order.end(), group.begin(), group.end());
  }
  if (order.size() > most) order.resize(most);
  return order;
}

Model random_model(Draw& draw) {
  Model model;
  model.name = "random";
  model.title = "A random model";
  model.hidden = power(draw, 8);
  model.vocabulary = power(draw, 10);
  model.context_limit = draw.one_in(2) ? 0 : 8192;
  model.tied_embeddings = draw.one_in(2);
  model.final_norm_bias = draw.one_in(2);
  const std::optional<Experts> experts = random_experts(draw);
  const std::size_t kinds = 1 + draw.below(5);
  for (std::size_t i = 0; i < kinds; ++i)
    model.kinds.push_back(random_layer(draw, "kind-" + std::to_string(i), experts));
  model.order = random_order(draw, kinds, 100);
  if (draw.one_in(2)) model.mtp_order = random_order(draw, kinds, 3);
  model.extra = random_extra(draw, "outer-");
  model.mtp_extra = random_extra(draw, "module-");
  for (Weight& weight : model.mtp_extra) weight.part = Part::mtp;
  model.vision = draw.one_in(2) ? 0 : power(draw, 10);
  model.audio = draw.one_in(2) ? 0 : power(draw, 10);
  return model;
}

/// An order as text for the log: the kinds' fields.
std::string shown(const Model& model) {
  std::string text = "order " + order_text(model, model.order) + ", hidden " + std::to_string(model.hidden) + "\n";
  for (const Layer& kind : model.kinds) {
    text += kind.name + ":";
    for (const auto& [key, value] : fields_of(kind)) text += " " + key + "=" + value;
    text += "\n";
  }
  return text;
}

template <class Law>
void for_random_models(const Law& law) {
  auto draw = testing::seeded_draw();
  for (int i = 0; i < 20; ++i) {
    const Model model = random_model(draw);
    RC_LOG() << shown(model);
    law(model, draw);
  }
}

constexpr Held kHeld[] = {Held::kv, Held::index, Held::state};

/// The same in everything one sequence costs.
void must_cost_the_same(const Mixer& a, const Mixer& b, double context) {
  const auto terms = [](const Mixer& mixer) {
    return std::visit([](const auto& kind) { return kind.context(); }, mixer);
  };
  for (const Held held : kHeld) {
    RC_ASSERT(stored_elements(terms(a), held, context) == stored_elements(terms(b), held, context));
    RC_ASSERT(read_elements(terms(a), held, context) == read_elements(terms(b), held, context));
  }
  RC_ASSERT(attention_flops(terms(a), context) == attention_flops(terms(b), context));
}

/// Number formats and their sources: all that a model's entry leans on.
const std::vector<catalog::Fact>& formats() {
  static const std::vector<catalog::Fact> kept = [] {
    std::vector<catalog::Fact> facts = catalog::embedded_facts();
    std::erase_if(facts, [](const auto& fact) { return fact.category != "format" && fact.category != "source"; });
    return facts;
  }();
  return kept;
}

double params_of(const Weights& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0,
                         [](double sum, const Weight& one) { return sum + one.params(); });
}

}  // namespace

TEST_CASE("a longer context never keeps, reads or computes less") {
  CHECK(rc::check("monotone in the context", [] {
    for_random_models([](const Model& model, Draw& draw) {
      const ContextTerms terms = context_terms(model);
      const double context = draw.one_in(5) ? 0 : std::round(draw.log_uniform(1, 1e6));
      const double longer = context + std::round(draw.log_uniform(1, 1e6));
      for (const Held held : kHeld) {
        RC_ASSERT(stored_elements(terms, held, context) >= 0);
        RC_ASSERT(stored_elements(terms, held, context) <= stored_elements(terms, held, longer));
        RC_ASSERT(read_elements(terms, held, context) <= read_elements(terms, held, longer));
      }
      RC_ASSERT(attention_flops(terms, context) <= attention_flops(terms, longer));
    });
  }));
}

TEST_CASE("layers added up one by one cost what the model says") {
  CHECK(rc::check("terms of equal limits are merged without loss", [] {
    for_random_models([](const Model& model, Draw& draw) {
      const double context = power(draw, 20);
      const ContextTerms terms = context_terms(model);
      for (const Held held : kHeld) {
        double stored = 0, read = 0;
        for (const std::size_t kind : model.order) {
          for (const ContextTerm& term :
               std::visit([](const auto& mixer) { return mixer.context(); }, model.kinds[kind].mixer)) {
            if (term.held != held) continue;
            stored += stored_elements(term, context);
            read += read_elements(term, context);
          }
        }
        RC_ASSERT(stored_elements(terms, held, context) == stored);
        // a square root of an odd power of two is rounded: some hundred roundings of 1.1e-16
        RC_ASSERT(std::fabs(read_elements(terms, held, context) - read) <= 1e-12 * read);
      }
    });
  }));
}

TEST_CASE("parts sum to totals, and what is active is a part of what is there") {
  CHECK(rc::check("parameters are conserved", [] {
    for_random_models([](const Model& model, Draw&) {
      const ParameterParts parts = count_parameters(model);
      double language = 0, everything = 0;
      for (const Part part : all_parts()) {
        everything += parts[part];
        if (part != Part::mtp && part != Part::vision && part != Part::audio) language += parts[part];
      }
      RC_ASSERT(parts.total() == language);
      RC_ASSERT(parts.stored() == everything);
      RC_ASSERT(parts[Part::vision] == model.vision);
      RC_ASSERT(parts[Part::audio] == model.audio);

      double by_layer = params_of(outer_weights(model)), modules = params_of(model.mtp_extra);
      for (const std::size_t kind : model.order) by_layer += params_of(weights_of(model.kinds[kind], model.hidden));
      for (const std::size_t kind : model.mtp_order) modules += params_of(weights_of(model.kinds[kind], model.hidden));
      RC_ASSERT(parts.total() == by_layer);
      RC_ASSERT(parts[Part::mtp] == modules);

      const double active = active_parameters(model);
      RC_ASSERT(active >= 0);
      RC_ASSERT(active <= parts.total());
      RC_ASSERT(parts.not_read >= 0);
      RC_ASSERT(parts.always_read() >= 0);
      RC_ASSERT(routed_share(model) > 0);
      RC_ASSERT(routed_share(model) <= 1);
    });
  }));
}

TEST_CASE("a token works with what is active, less the tables it looks up") {
  CHECK(rc::check("weight_flops is twice the active matrices", [] {
    for_random_models([](const Model& model, Draw&) {
      double tables = 0;
      visit_weights(model, [&](const Weight& weight, double times) {
        if (weight.use == Use::table && weight.part != Part::mtp) tables += weight.active() * times;
      });
      RC_ASSERT(weight_flops(model) == 2 * (active_parameters(model) - tables));
    });
  }));
}

TEST_CASE("tying the embedding saves the head and no work") {
  CHECK(rc::check("tied and untied", [] {
    for_random_models([](const Model& model, Draw&) {
      Model tied = model, untied = model;
      tied.tied_embeddings = true;
      untied.tied_embeddings = false;
      RC_ASSERT(count_parameters(untied).total() - count_parameters(tied).total() == model.hidden * model.vocabulary);
      RC_ASSERT(weight_flops(tied) == weight_flops(untied));
    });
  }));
}

TEST_CASE("a window no shorter than the context is no window") {
  CHECK(rc::check("window >= context", [] {
    auto draw = testing::seeded_draw();
    GroupedAttention attention;
    fill(attention, GroupedAttention::kRequired, draw);
    attention.chunked = false;  // a chunk is read to half on average
    const double context = std::round(draw.log_uniform(1, 1e6));
    GroupedAttention all = attention;
    all.window = kUnlimited;
    for (const double window : {context, context + 1, context * 1000}) {
      attention.window = window;
      must_cost_the_same(attention, all, context);
    }
    // and a shorter one costs less, unless nothing is kept
    attention.window = std::floor(context / 2);
    RC_ASSERT(read_elements(attention.context(), Held::kv, context) < read_elements(all.context(), Held::kv, context));
  }));
}

TEST_CASE("an indexer that may choose everything reads everything") {
  CHECK(rc::check("top >= context", [] {
    auto draw = testing::seeded_draw();
    IndexedAttention attention;
    fill(attention, IndexedAttention::kRequired, draw);
    attention.borrows_index = true;
    const double context = std::round(draw.log_uniform(1, 1e6));
    attention.top = context;
    must_cost_the_same(attention, attention.latent, context);
  }));
}

TEST_CASE("borrowing keys and values removes storage, and not reads") {
  CHECK(rc::check("borrows_kv", [] {
    auto draw = testing::seeded_draw();
    GroupedAttention own;
    fill(own, GroupedAttention::kRequired, draw);
    own.borrows_kv = own.chunked = false;
    GroupedAttention borrowing = own;
    borrowing.borrows_kv = true;
    const double context = std::round(draw.log_uniform(1, 1e6)), hidden = power(draw, 10);
    RC_ASSERT(stored_elements(borrowing.context(), Held::kv, context) == 0);
    RC_ASSERT(stored_elements(own.context(), Held::kv, context) == read_elements(own.context(), Held::kv, context));
    RC_ASSERT(read_elements(borrowing.context(), Held::kv, context) == read_elements(own.context(), Held::kv, context));
    RC_ASSERT(attention_flops(borrowing.context(), context) == attention_flops(own.context(), context));
    Weights with, without;
    own.weights(hidden, with);
    borrowing.weights(hidden, without);
    RC_ASSERT(params_of(without) < params_of(with));
  }));
}

TEST_CASE("an order survives its own text") {
  CHECK(rc::check("parse_order undoes order_text", [] {
    auto draw = testing::seeded_draw();
    for (int i = 0; i < 20; ++i) {
      Model model;
      model.kinds.resize(1 + draw.below(6));
      for (std::size_t kind = 0; kind < model.kinds.size(); ++kind)
        model.kinds[kind].name = "kind-" + std::to_string(kind);
      const std::vector<std::size_t> order = random_order(draw, model.kinds.size(), 10'000);
      const std::string text = order_text(model, order);
      RC_LOG() << text << "\n";
      const auto again = parse_order(text, model.kinds, "order");
      RC_ASSERT(again.has_value());
      RC_ASSERT(*again == order);
    }
  }));
}

TEST_CASE("any text is an order or an error, never more than 10,000 layers") {
  CHECK(rc::check("parse_order of noise", [] {
    auto draw = testing::seeded_draw();
    std::vector<Layer> kinds(2);
    kinds[0].name = "a";
    kinds[1].name = "b-2";
    for (int i = 0; i < 50; ++i) {
      std::string text;
      for (std::size_t length = draw.below(20); length > 0; --length) text += "ab-2 ,()0139"[draw.below(12)];
      RC_LOG() << text << "\n";
      const auto order = parse_order(text, kinds, "architecture.order");
      if (order) {
        RC_ASSERT(!order->empty());
        RC_ASSERT(order->size() <= 10'000);
        RC_ASSERT(std::all_of(order->begin(), order->end(), [](std::size_t kind) { return kind < 2; }));
      } else {
        RC_ASSERT(order.error().front().where == "architecture.order");
        RC_ASSERT(!order.error().front().what.empty());
      }
    }
  }));
}

TEST_CASE("layers with equal fields are alike in every tensor and term, and one changed field is seen") {
  CHECK(rc::check("fields_of tells layers apart", [] {
    auto draw = testing::seeded_draw();
    const std::optional<Experts> experts = random_experts(draw);
    const Layer layer = random_layer(draw, "one", experts);
    Layer same = layer;
    same.name = "another";
    RC_ASSERT(fields_of(same) == fields_of(layer));
    RC_ASSERT(alike(same, layer));
    RC_ASSERT(weights_of(same, 64) == weights_of(layer, 64));
    must_cost_the_same(same.mixer, layer.mixer, 1000);

    Layer norms = layer, bias = layer, extra = layer;
    norms.norms += 1;
    bias.norm_bias = !bias.norm_bias;
    extra.extra.push_back(vector(Part::other, "one more", 1));
    for (const Layer& other : {norms, bias, extra}) RC_ASSERT(!alike(other, layer));
    std::visit(
        [&](const auto& kind) {
          using Kind = std::decay_t<decltype(kind)>;
          std::size_t fields = 0;
          Kind::visit_fields(kind, [&](const char*, const auto&) { ++fields; });
          for (std::size_t at = 0; at < fields; ++at) {
            Kind changed = kind;
            std::size_t index = 0;
            Kind::visit_fields(changed, [&](const char*, auto& value) {
              if (index++ != at) return;
              if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>)
                value = !value;
              else
                value = std::isinf(value) ? 7 : value + 1;
            });
            Layer other = layer;
            other.mixer = changed;
            RC_ASSERT(!alike(other, layer));
          }
        },
        layer.mixer);
  }));
}

TEST_CASE("a random model survives its own catalog entry") {
  CHECK(rc::check("model_toml and back", [] {
    for_random_models([](const Model& model, Draw&) {
      Model named = model;
      named.precision.value = {"bf16", "bf16", "bf16", "bf16", "", ""};
      const std::string toml = catalog::model_toml(named, {"a-file", "a file", ""});
      RC_LOG() << toml << "\n";
      const auto facts = catalog::read_entry(toml, "model", "random", "random.toml");
      RC_ASSERT(facts.has_value());
      const auto built = catalog::build_library(catalog::overlaid(formats(), *facts));
      if (!built) RC_LOG() << built.error().front().where << ": " << built.error().front().what << "\n";
      RC_ASSERT(built.has_value());
      const Model* again = find_named(built->models, "random");
      RC_ASSERT(again != nullptr);
      RC_ASSERT(again->order.size() == model.order.size());
      RC_ASSERT(count_parameters(*again).count == count_parameters(model).count);
      RC_ASSERT(count_parameters(*again).not_read == count_parameters(model).not_read);
      RC_ASSERT(active_parameters(*again) == active_parameters(model));
      for (const Held held : kHeld) {
        RC_ASSERT(stored_elements(context_terms(*again), held, 5000) ==
                  stored_elements(context_terms(model), held, 5000));
        RC_ASSERT(read_elements(context_terms(*again), held, 5000) == read_elements(context_terms(model), held, 5000));
      }
      RC_ASSERT(attention_flops(context_terms(*again), 5000) == attention_flops(context_terms(model), 5000));
    });
  }));
}
