"""For each exercise of each notebook, by its number: an answer that is right and one that is not, as Python."""

ANSWERS: dict[str, dict[int, tuple[str, str]]] = {
    "01_what_is_a_bucket": {
        1: ("32 * 9 + 3", "291 - 3"),
        2: ("True", "False"),
        3: ("plan.buckets[1].collectives[0]", "plan.buckets[0].collectives[-1]"),
    },
    "02_latency_and_bandwidth": {
        1: ("10e-6 * 50e9", "50e9"),
        2: ("99 * 10e-6", "100 * 10e-6 + 100 * 1e6 / 50e9"),
        3: ("True", "False"),
    },
    "03_keys_and_adjacency": {
        1: ("[torch.float32] * 3 + [torch.bfloat16] * 3", "STREAM"),
        2: ("1", "2"),
        3: (
            "lambda wait: wait.inputs[0] in ('all_gather_into_tensor', 'all_gather_into_tensor_1')",
            "lambda wait: True",
        ),
    },
    "04_the_cap": {
        1: ("sum(bucket.size_bytes for bucket in bv.plan(llama).buckets) / 2**20", "1.0"),
        2: ("(0.55, 100)", "(0.55, 1)"),
        3: ("'overlap'", "'latency'"),
    },
    "05_descendants": {
        1: ("6", "1"),
        2: ("2", "3"),
        3: (
            "lambda x, y: [reduce(reduce(reduce(x) * 2) * 2), reduce(reduce(reduce(y) * 2) * 2)]",
            "two_chains",
        ),
    },
    "06_inside_the_merge": {
        1: ("8", "6"),
        2: ("[110, 120, 121, 111, 122, 123, 112, 124, 125]", "[110, 111, 112, 120, 121, 122, 123, 124, 125]"),
        3: ("6", "5"),
    },
    "07_on_real_ranks": {
        1: ("len(result.before.graph.output_node().args[0])", "len(from_job.outputs)"),
        2: ("swapped", "in_order"),
        3: ("Classifier()", "nn.Linear(32, 8)"),
    },
}
