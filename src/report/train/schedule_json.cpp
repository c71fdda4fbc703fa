#include "report/base/json.hpp"
#include "report/train/schedule_text.hpp"

namespace ridge::report {

namespace {

using train::Nanoseconds;

Json seconds_json(Nanoseconds time) { return json_number(static_cast<double>(time) * 1e-9); }

Json asked_json(const train::PipelineAsked& asked) {
  Json json;
  json["stages"] = asked.ranks;
  json["microbatches"] = asked.microbatches;
  json["stage_times"] = Json::array();
  for (const train::StageTime& time : asked.stages) {
    json["stage_times"].push_back({{"forward", seconds_json(time.forward)},
                                   {"input_gradient", seconds_json(time.input_gradient)},
                                   {"weight_gradient", seconds_json(time.weight_gradient)}});
  }
  json["hop"] = seconds_json(asked.hop);
  json["pair"] = json_number(asked.pair);
  json["jitter"] = json_number(asked.jitter);
  json["seed"] = asked.seed;
  return json;
}

Json schedule_figures_json(const train::ScheduleFigures& figures, const train::ClosedFormAnswer& closed) {
  const train::ClosedFormText text = closed_form_text(figures.shape.kind);
  Json json;
  json["schedule"] = std::string(word_of(figures.shape.kind));
  json["chunks"] = figures.shape.chunks;
  json["makespan"] = seconds_json(figures.makespan);
  json["bubble_of_makespan"] = seconds_json(figures.bubble_of_makespan());
  json["bubble_in_own_span"] = seconds_json(figures.bubble_in_own_span());
  json["idle_share"] = json_number(figures.idle_share());
  json["own_idle_share"] = json_number(figures.own_idle_share());
  json["peak_live_microbatches"] = json_number(figures.peak_live_microbatches());
  json["parameter_copies"] = train::parameter_copies(figures.shape.kind);
  json["closed_form"] = {{"own_span", std::string(text.own_span)},
                         {"of_makespan", std::string(text.of_makespan)},
                         {"domain", std::string(text.domain)},
                         {"exact", closed.outside.empty()},
                         {"outside", closed.outside.empty() ? Json(nullptr) : Json(closed.outside)},
                         {"bubble_in_own_span", json_number(closed.bubble.own_span.value())},
                         {"bubble_of_makespan", json_number(closed.bubble.of_makespan.value())},
                         {"makespan", json_number(closed.makespan.value())}};
  return json;
}

}  // namespace

std::string schedule_json(const train::ScheduleAnswer& answer) {
  const train::ScheduleFigures& figures = answer.schedule.figures;
  Json json;
  json["schema"] = "ridge.schedule/1";
  json["asked"] = asked_json(answer.asked);
  if (figures.shape.kind == train::ScheduleKind::inference) json["asked"]["tokens"] = answer.question.tokens;
  json.update(schedule_figures_json(figures, answer.closed));
  json["ranks"] = Json::array();
  for (std::size_t i = 0; i < figures.ranks.size(); ++i) {
    const train::RankFigures& rank = figures.ranks[i];
    json["ranks"].push_back(
        {{"rank", i},
         {"start", seconds_json(rank.start)},
         {"end", seconds_json(rank.end)},
         {"busy", seconds_json(rank.busy)},
         {"bubble_in_own_span", seconds_json(rank.own_bubble())},
         {"bubble_of_makespan", seconds_json(figures.makespan - rank.busy)},
         {"peak_live_chunks", rank.peak_live},
         {"peak_live_microbatches", json_number(figures.peak_live_microbatches(static_cast<int>(i)))}});
  }
  return dumped(json);
}

std::string schedules_json(const train::PipelineAsked& asked, const std::vector<train::ScheduleRow>& rows) {
  Json json;
  json["schema"] = "ridge.schedules/1";
  json["asked"] = asked_json(asked);
  json["schedules"] = Json::array();
  for (const train::ScheduleRow& row : rows) {
    if (row.figures) {
      json["schedules"].push_back(schedule_figures_json(*row.figures, row.closed));
    } else {
      json["schedules"].push_back({{"schedule", std::string(word_of(row.kind))},
                                   {"refused", row.refused.front().what},
                                   {"hint", row.refused.front().hint}});
    }
  }
  return dumped(json);
}

}  // namespace ridge::report
