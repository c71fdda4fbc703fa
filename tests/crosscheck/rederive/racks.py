"""Experts over racks (docs/theory/racks.md)."""


def reached(places, k):
    """Of so many places k uniform choices reach this many."""
    return places * (1 - (1 - 1 / places) ** k)


def every_copy(ratio, racks):
    """A layer over several racks against one: copies that cross one by one."""
    return max(1 / racks, ratio * (racks - 1) / racks)


def merged(ratio, racks, k, ep):
    """A token crosses once to each rack; inside one rack it goes to the chips reached, but its own."""
    return max(1 / racks, ratio * reached(racks, k) * (racks - 1) / racks / (reached(ep, k) * (ep - 1) / ep))


def dispatch_bytes(hidden, k, ep, width):
    """Of one token and layer."""
    return hidden * width * reached(ep, k) * (ep - 1) / ep


def by_latency(chips, bandwidth, time, layers):
    """The largest layer that a rack reads in its share of a step."""
    return chips * bandwidth * time / layers
