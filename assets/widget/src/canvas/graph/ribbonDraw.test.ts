import { describe, expect, test } from "vitest";
import { samplePayload } from "../../testing/samplePayload";
import type { Level } from "../emphasis";
import type { BucketShape, GraphLayout } from "./layout";
import { GraphModel } from "./model";
import { shapesDrawn } from "./ribbonDraw";

const { views } = samplePayload();
const SHARES = Array.from({ length: 9 }, (_, index) => index / 8);

function emphasisOf(lit: readonly number[]): { levelOfBucket: (bucket: number) => Level; litBuckets: ReadonlySet<number> } {
  return { levelOfBucket: (bucket) => (lit.includes(bucket) ? "lit" : "plain"), litBuckets: new Set(lit) };
}

// The same, by looking at every bucket.
function drawnOneByOne({ buckets, before, after }: GraphLayout, lit: readonly number[], first: number, end: number): BucketShape[] {
  const isInView = (line: number): boolean => line >= first && line <= end;
  const shown = buckets.filter(({ top, bottom, row }) => row >= 0 && top < end && bottom > first);
  const isLit = ({ bucket }: BucketShape): boolean => lit.includes(bucket);
  const passing = shown.filter((shape) => !isLit(shape) && !isInView(after[shape.row]!.line) && shape.members.every(({ row }) => !isInView(before[row]!.line)));
  const drawn = passing.length > 60 ? shown.filter((shape) => !passing.includes(shape)) : shown;
  return [...drawn.filter((shape) => !isLit(shape)), ...drawn.filter(isLit)];
}

// A layout in which far more buckets pass than can be told apart: each reaches over nearly all lines.
function crowded(layout: GraphLayout): GraphLayout {
  const [low, high] = [layout.buckets.find(({ row }) => row >= 0)!, layout.numLines];
  const many = Array.from({ length: 70 }, (): BucketShape => ({ ...low, bucket: 0, members: [{ row: 0, first: 0, end: 1 }], top: 0, bottom: high }));
  return { ...layout, buckets: [...layout.buckets, ...many].map((shape, bucket) => ({ ...shape, bucket })) };
}

describe.each(views.flatMap((view) => [false, true].map((isUnfolded) => ({ view, isUnfolded, name: view.name }))))(
  "$name, unfolded: $isUnfolded", ({ view, isUnfolded }) => {
    const model = new GraphModel(view, "split");
    if (isUnfolded) model.unfoldAll();
    const layouts = [model.layout, crowded(model.layout)];

    test.each(SHARES)("at %d of its lines, the buckets that reach into view are drawn, what is lit on top", (share) => {
      for (const layout of layouts) {
        for (const [first, height] of [[Math.floor(share * layout.numLines), 12], [Math.floor(share * layout.numLines), 1]] as const) {
          for (const lit of [[], [0], [1, 0], layout.buckets.map(({ bucket }) => bucket)]) {
            const end = Math.min(layout.numLines, first + height);
            expect(shapesDrawn(layout, emphasisOf(lit), first, end).map(({ bucket }) => bucket))
              .toEqual(drawnOneByOne(layout, lit, first, end).map(({ bucket }) => bucket));
          }
        }
      }
    });
  });
