// Claims about experts: how sparse a model is, what sparsity wins, where the experts go.

#include <array>

#include "claims/computations.hpp"

namespace ridge {

namespace {

DecodeCase<double> with_more_experts(DecodeCase<double> c, double factor) {
  c.params_routed = factor * c.params_routed;
  c.experts = factor * c.experts;
  return c;
}

}  // namespace

std::vector<Figure> c05(Inputs& in) {
  const Model model = in.model(kModel);
  const auto ratio = in.given<Ratio<double>>("ratio");
  const DecodeCase<double> c = in.decode({kModel, kBlackwell});
  const Ratio<double> by_experts = experts_of(model).count / experts_of(model).per_token;
  const Ratio<double> by_params = count_parameters(model).total() / active_parameters(model);
  const auto said = estimate_decode(with_ratio(c, ratio));
  const auto here = estimate_decode(with_load(c, 1.0, in.given<Tokens<double>>("context")));
  return {figure("sparsity_experts", "routed experts over those a token uses", by_experts),
          figure("sparsity_params", "total over active parameters", by_params),
          figure("batch_experts", "the speaker's ratio x the first",
                 estimate_decode(with_ratio(with_sparsity(c, by_experts), ratio)).ridge_weights),
          figure("batch_params", "the speaker's ratio x the second",
                 estimate_decode(with_ratio(with_table_read(c), ratio)).ridge_weights),
          figure("batch_read", "the second without the embedding table, which is only looked up", said.ridge_weights),
          figure("ridge", "ridge on GB200 with context and attention counted", here.ridge)};
}

std::vector<Figure> c19(Inputs& in) {
  constexpr std::array kShares = {1.0, 1.0 / 2, 1.0 / 4, 1.0 / 8};  // of the experts a token uses, total unchanged
  constexpr double kMoreExperts = 8.0;                              // at the same active parameters
  const DecodeCase<double> c = in.decode({kModel, kBlackwell});
  std::vector<DecodeEstimate<double>> sweep;
  for (const double share : kShares) {
    DecodeCase<double> sparser = c;
    sparser.experts_per_token = share * c.experts_per_token;
    sweep.push_back(estimate_decode(sparser));
  }
  double cheaper = 0.0, hungrier = 0.0;
  for (std::size_t i = 1; i < sweep.size(); ++i) {
    cheaper += sweep[i].cost_floor < sweep[i - 1].cost_floor ? 1.0 : 0.0;
    hungrier += sweep[i].ridge_weights > sweep[i - 1].ridge_weights ? 1.0 : 0.0;
  }
  const double steps = static_cast<double>(sweep.size() - 1);
  const Ratio<double> users = sweep.front().ridge_weights;
  const auto now = estimate_decode(with_load(c, users, {}));
  const auto same_users = estimate_decode(with_load(with_more_experts(c, kMoreExperts), users, {}));
  const auto more_users = estimate_decode(with_load(with_more_experts(c, kMoreExperts), same_users.ridge_weights, {}));
  return {figure("cheaper", "share of halvings of the active experts that lower the cost floor",
                 Ratio<double>(cheaper / steps)),
          figure("hungrier", "share of them that raise the batch needed", Ratio<double>(hungrier / steps)),
          figure("enough_users", "cost with eight times the experts and the batch they need, over now",
                 more_users.cost / now.cost),
          figure("same_users", "cost with eight times the experts and no more sequences, over now",
                 same_users.cost / now.cost),
          figure("batch_growth", "growth of the batch needed for eight times the experts",
                 same_users.ridge_weights / users),
          figure("rack_share", "share of the rack's memory eight times the experts take",
                 same_users.weights_stored / same_users.memory_there)};
}

std::vector<Figure> c20(Inputs& in) {
  const Ratio<double> experts = experts_of(in.model(kModel)).count;
  const Ratio<double> there = in.machine(kBlackwell).chips.value;
  const auto used = in.given<Ratio<double>>("chips");
  return {figure("experts_per_chip", "routed experts of a layer on each chip used", experts / used),
          figure("chips_used", "share of the rack's chips in use", used / there),
          figure("experts_per_chip_all", "experts on each chip if all were used: not a whole number", experts / there)};
}

}  // namespace ridge
