"""For each exercise of each notebook, by its number: an answer that is right and one that is not, as Python."""

ANSWERS: dict[str, dict[int, tuple[str, str]]] = {
    "01_what_is_a_bucket": {
        1: ("32 * 9 + 3", "291 - 3"),
        2: ("True", "False"),
        3: ("plan.buckets[1].collectives[0]", "plan.buckets[0].collectives[-1]"),
    },
}
