#include "catalog/evidence/run_rows.hpp"

#include "layout/layout.hpp"

namespace ridge::catalog {

std::vector<Column<ServingRow>> serving_run_columns() {
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
          {"pools_rate", &Row::pools_rate, Holds::measured, 1, true},
          {"captured_tokens", &Row::captured_tokens, Holds::measured, 1, true}};
}

std::string wrong_run(const ServingRow& row) {
  if (row.tpot + row.ttft + row.output_rate + row.total_rate + row.latency == 0) return "measures nothing";
  const bool loaded = row.mode == "aggregated" || row.mode == "disaggregated";
  if (loaded && row.concurrency < 1) return fmt::format("{:g} requests in flight", row.concurrency);
  if (loaded && row.tpot > 0 && row.osl * row.length_mean < 2)
    return fmt::format("time between tokens of {:g}", row.osl * row.length_mean);
  return {};
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

}  // namespace ridge::catalog
