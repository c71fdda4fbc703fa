"""The decode step's bound (docs/theory/decode.md)."""

from dataclasses import dataclass

from . import facts, model as models


@dataclass
class Step:
    model: models.Model
    machine: str
    chips: float
    batch: float
    context: float
    peak: str = "bf16"  # of weights and experts
    kv_width: float = 2.0
    width: float = 0.0  # bytes of every weight, where a format was chosen; 0: as released


def bandwidth(s):
    return facts.bandwidth(s.machine)


def touched(s):
    count, used = models.experts_of(s.model)
    return 1 - (1 - used / count) ** s.batch


def dense_bytes(s):
    """N_dense·b_w: released bytes of all that every token reads (models.md, "Bytes"), or the format's width."""
    tables = () if s.model.tied else ("head",)
    names = ("attention", "dense_ffn", "shared_experts", "router", "norms") + (tables or ("embedding",))
    return models.dense(s.model) * s.width if s.width else models.released(s.model, *names)


def routed_bytes(s):
    return models.part(s.model, "routed_experts") * s.width if s.width else models.released(s.model, "routed_experts")


def weights_all(s):
    return dense_bytes(s) + routed_bytes(s)


def weights_one(s):
    count, used = models.experts_of(s.model)
    return dense_bytes(s) + routed_bytes(s) * used / count


def weights_read(s):
    return dense_bytes(s) + routed_bytes(s) * touched(s)


def weights_stored(s):
    return weights_all(s) + (0 if s.model.tied else models.released(s.model, "embedding"))


def weights_time(s):
    return weights_read(s) / (s.chips * bandwidth(s))


def context_bytes(s):
    """r·S of one sequence: read as kept, for attention without states."""
    return models.kept_elements(s.model, s.context) * s.kv_width


def kv_time(s):
    return s.batch / s.chips * context_bytes(s) / bandwidth(s)


def memory_time(s):
    return weights_time(s) + kv_time(s)


def dense_seconds(s):
    """c_dense: chip-seconds of one sequence."""
    return 2 * models.dense(s.model) / facts.peak(s.machine, s.peak)


def experts_seconds(s):
    count, used = models.experts_of(s.model)
    return 2 * models.part(s.model, "routed_experts") * used / count / facts.peak(s.machine, s.peak)


def attention_seconds(s):
    return models.attention_flops(s.model, s.context) / facts.peak(s.machine, "bf16")


def compute_seconds(s):
    return dense_seconds(s) + experts_seconds(s) + attention_seconds(s)


def compute_time(s):
    return s.batch / s.chips * compute_seconds(s)


def step_time(s):
    return max(compute_time(s), memory_time(s))


def step_kv_serial(s):
    return kv_time(s) + max(compute_time(s), weights_time(s))


def step_no_overlap(s):
    return compute_time(s) + memory_time(s)


def step_best_routing(s):
    """The whole batch agrees on the same k experts."""
    return max(compute_time(s), weights_one(s) / (s.chips * bandwidth(s)) + kv_time(s))


def floor_all(s):
    return weights_all(s) / (s.chips * bandwidth(s))


def sweep_time(s):
    return facts.capacity(s.machine) / bandwidth(s)


def ridge_weights(s):
    return weights_all(s) / ((dense_seconds(s) + experts_seconds(s)) * bandwidth(s))


def ridge(s):
    return weights_all(s) / (compute_seconds(s) * bandwidth(s) - context_bytes(s))


def balance_context(s):
    """The context at which reading it takes as long as the weights' compute."""
    return (dense_seconds(s) + experts_seconds(s)) * bandwidth(s) / (models.kv_per_token(s.model) * s.kv_width)


def memory_needed(s):
    return weights_stored(s) + s.batch * context_bytes(s)


def batch_limit(s):
    return (s.chips * facts.capacity(s.machine) - weights_stored(s)) / context_bytes(s)


def context_limit(s):
    room = (s.chips * facts.capacity(s.machine) - weights_stored(s)) / s.batch
    return room / (models.kv_per_token(s.model) * s.kv_width)


def token_seconds(s):
    """c_token = max(c, m_weights + m_context): the chip time that one token takes."""
    return max(compute_seconds(s), (weights_read(s) / s.batch + context_bytes(s)) / bandwidth(s))


def cost(s, price, utilization=1.0):
    return price * token_seconds(s) / utilization


def cost_floor(s, price):
    return price * max(compute_seconds(s), context_bytes(s) / bandwidth(s))


def cost_alone(s, price):
    return price * max(compute_seconds(s), (weights_one(s) + context_bytes(s)) / bandwidth(s))


def prefill_seconds(s, isl):
    """Chip-seconds of a prompt: the weights' FLOP without the LM head, at their peak (planning.md)."""
    head = models.part(s.model, "embedding" if s.model.tied else "head")
    return isl * ((dense_seconds(s) + experts_seconds(s)) - 2 * head / facts.peak(s.machine, s.peak))


def frontier_rate(s, isl, osl):
    """What a chip gives at most of a frontier's output tokens, at the speed of this batch (planning.md, "The bound of a frontier")."""
    decoded = (osl - 1) * s.chips / s.batch
    return osl / max(prefill_seconds(s, isl) + decoded * compute_time(s), decoded * memory_time(s))


def mfu(s):
    return compute_time(s) / step_time(s)
