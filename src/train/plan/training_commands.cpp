#include <cmath>

#include <fmt/format.h>

#include "train/plan/training_answer.hpp"

namespace ridge {

namespace {

/// Chips that one server starts.
double node_chips(const TrainingGround& ground) { return ground.fabric.domain > 8 ? 4 : ground.fabric.domain; }

std::string recompute_flags(const RecomputePolicy& policy, double layers) {
  if (policy.none()) return "";
  if (policy.all()) return " --recompute-granularity full --recompute-method uniform --recompute-num-layers 1";
  if (policy.full_layers > 0)
    return fmt::format(" --recompute-granularity full --recompute-method block --recompute-num-layers {:g}",
                       std::min(policy.full_layers, layers));
  std::string modules = name_of(policy);
  for (char& c : modules) c = c == '+' ? ' ' : c;
  return " --recompute-granularity selective --recompute-modules " + modules;
}

std::string megatron_command(const TrainingGround& ground, const TrainingEstimate& estimate) {
  const TrainingLayout& layout = estimate.layout;
  const double node = std::min(node_chips(ground), layout.chips());
  std::string out = fmt::format("torchrun --nnodes {:g} --nproc-per-node {:g} pretrain_gpt.py",
                                std::ceil(layout.chips() / node), node);
  out += fmt::format(" --tensor-model-parallel-size {:g} --pipeline-model-parallel-size {:g}", layout.tensor,
                     layout.pipeline);
  if (layout.context > 1) out += fmt::format(" --context-parallel-size {:g}", layout.context);
  if (layout.virtual_stages > 1)
    out += fmt::format(" --num-virtual-stages-per-pipeline-rank {:g}", layout.virtual_stages);
  if (ground.model->experts() != nullptr) {
    out += fmt::format(" --expert-model-parallel-size {:g} --expert-tensor-parallel-size {:g}", layout.expert,
                       layout.expert_tensor);
  }
  if (layout.sequence_parallel && layout.tensor > 1) out += " --sequence-parallel";
  if (layout.sharding == Sharding::weights) {
    out += " --use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params";
  } else if (layout.sharding != Sharding::none) {
    out += " --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather";
  }
  out += fmt::format(" --micro-batch-size {:g} --global-batch-size {:g} --seq-length {:g}", layout.micro_batch,
                     ground.load.batch, ground.load.sequence);
  if (ground.tokens > 0) out += fmt::format(" --train-samples {:.0f}", std::ceil(ground.tokens / ground.load.sequence));
  out += " --bf16";
  if (ground.recipe.products == Precision::bits8)
    out += ground.recipe.name == "mxfp8" ? " --fp8-format e4m3 --fp8-recipe mxfp8"
           : ground.recipe.block_scaled  ? " --fp8-format e4m3 --fp8-recipe blockwise"
                                         : " --fp8-format hybrid --fp8-recipe tensorwise";
  if (ground.recipe.products == Precision::bits4) out += " --fp4-format e2m1 --fp4-recipe nvfp4";
  return out + recompute_flags(layout.recompute, ground.model->layers());
}

std::string torchtitan_command(const TrainingGround& ground, const TrainingEstimate& estimate) {
  const TrainingLayout& layout = estimate.layout;
  const double node = std::min(node_chips(ground), layout.chips());
  std::string out = fmt::format("torchrun --nnodes {:g} --nproc-per-node {:g} -m torchtitan.train",
                                std::ceil(layout.chips() / node), node);
  out += fmt::format(" --parallelism.tensor_parallel_degree {:g} --parallelism.pipeline_parallel_degree {:g}",
                     layout.tensor, layout.pipeline);
  out += fmt::format(" --parallelism.data_parallel_shard_degree {:g}", layout.data);
  if (layout.context > 1) out += fmt::format(" --parallelism.context_parallel_degree {:g}", layout.context);
  if (layout.expert > 1) out += fmt::format(" --parallelism.expert_parallel_degree {:g}", layout.expert);
  if (layout.pipeline > 1)
    out += fmt::format(" --parallelism.pipeline_parallel_schedule {}",
                       layout.virtual_stages > 1 ? "Interleaved1F1B" : "1F1B");
  out += fmt::format(" --training.local_batch_size {:g} --training.global_batch_size {:g} --training.seq_len {:g}",
                     layout.micro_batch * (layout.pipeline > 1 ? micro_batches(layout, ground.load.batch) : 1),
                     ground.load.batch, ground.load.sequence);
  out += layout.recompute.none()  ? " --activation_checkpoint.mode none"
         : layout.recompute.all() ? " --activation_checkpoint.mode full"
                                  : " --activation_checkpoint.mode selective";
  return out + " --compile.enable";
}

}  // namespace

std::vector<TrainingCommand> training_commands(const TrainingGround& ground, const TrainingEstimate& estimate) {
  return {{"Megatron-LM", megatron_command(ground, estimate)}, {"torchtitan", torchtitan_command(ground, estimate)}};
}

}  // namespace ridge
