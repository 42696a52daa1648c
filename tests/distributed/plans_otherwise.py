"""Imported by rank 1, it gives that rank another plan than the job holds: nothing merged, or packed the other way."""

import os
import sys
from dataclasses import replace


def otherwise(job):
    plan = job.plan
    if os.environ["HOW"] == "unmerged":
        return replace(job, plan=replace(plan, buckets=()))
    flipped = [replace(bucket, collectives=bucket.collectives[::-1]) for bucket in plan.buckets]
    return replace(job, plan=replace(plan, buckets=tuple(flipped)))


if os.environ.get("RANK") == "1":
    worker = sys.modules["__main__"]
    read_job = worker.read_job
    worker.read_job = lambda folder, device: otherwise(read_job(folder, device))
