import { describe, expect, test } from "vitest";
import { refOfBucket, refOfNode, related, resolve } from "./refs";
import { samplePayload } from "./testing/samplePayload";

const view = samplePayload().views[0]!;
const bucket = view.buckets[1]!;
const member = bucket.members[0]!;
const wait = view.before.pair[member]!;

describe("a reference", () => {
  test("names every node of both graphs back", () => {
    for (const side of ["before", "after"] as const) {
      view[side].name.forEach((name, node) => {
        const target = resolve(view, refOfNode(view, side, node));
        expect(target).not.toBeNull();
        if (target !== null && "node" in target) expect(view[target.side].name[target.node]).toBe(name);
      });
    }
  });

  test("of a node that both graphs have is its name, and of an added one says after", () => {
    const added = bucket.start;
    expect(refOfNode(view, "after", view.carriedTo[0]!)).toBe("primals_1");
    expect(refOfNode(view, "after", added)).toBe(`after:${view.after.name[added]}`);
  });

  test("of a bucket is its label", () => {
    expect(resolve(view, refOfBucket(view, 1))).toEqual({ bucket: 1 });
  });

  test("to nothing is null, and an index out of range is refused", () => {
    expect(resolve(view, "nowhere")).toBeNull();
    expect(resolve(view, "after:nowhere")).toBeNull();
    expect(() => refOfNode(view, "before", 10 ** 6)).toThrow("There is no node 1000000 in the graph before.");
    expect(() => refOfBucket(view, 99)).toThrow("There is no bucket 99; the view has 10.");
  });
});

describe("what lights up", () => {
  test("with a collective: its wait, its bucket, the merged start, and what carries its result", () => {
    const lit = related(view, [view.before.name[member]!]);
    expect(lit.before).toEqual(new Set([member, wait]));
    expect(lit.buckets).toEqual(new Set([1]));
    expect(lit.after).toEqual(new Set([bucket.start, view.carriedTo[wait]!]));
  });

  test("with a bucket: all members, their waits and the merged start", () => {
    const lit = related(view, [bucket.label]);
    expect(lit.before).toEqual(new Set(bucket.members.flatMap((each) => [each, view.before.pair[each]!])));
    expect(lit.after.has(bucket.start)).toBe(true);
  });

  test("with an added node: the collectives it serves", () => {
    const lit = related(view, [refOfNode(view, "after", bucket.start)]);
    for (const each of bucket.members) expect(lit.before.has(each)).toBe(true);
  });

  test("with nothing, or with an unknown name: nothing", () => {
    expect(related(view, ["nowhere"])).toEqual({ before: new Set(), after: new Set(), buckets: new Set() });
  });
});
