#include "catalog/evidence/training_rows.hpp"

#include "catalog/evidence/row_reader.hpp"

namespace ridge::catalog {

namespace {

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

}  // namespace

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

}  // namespace ridge::catalog
