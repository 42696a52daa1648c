import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Planner, type Question } from "./planner";

type Sent = Question & { id: string };
let sent: Sent[];
let planner: Planner;
const last = (): Sent => sent[sent.length - 1]!;
const withoutId = ({ id: _, ...question }: Sent): Question => question;

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  planner = new Planner((question) => sent.push(question));
});
afterEach(() => {
  planner.close();
  vi.useRealTimers();
});

test("one question is on its way at a time, and what is asked meanwhile is asked together", () => {
  planner.ask({ policy: { cap_mib: 1 } });
  planner.ask({ policy: { cap_mib: 2 } });
  planner.ask({ policy: { mode: "custom_ops" } });
  planner.ask({ policy: { cap_mib: 3 } });
  expect(sent.map(withoutId)).toEqual([{ policy: { cap_mib: 1 } }]);
  expect(planner.progress).toBe("planning");
  planner.answered(last().id, "");
  expect(withoutId(last())).toEqual({ policy: { cap_mib: 3, mode: "custom_ops" } });
  planner.answered(last().id, "");
  expect(sent).toHaveLength(2);
  expect(planner.progress).toBe("idle");
});

test("what takes long is asked for when nothing else is, once", () => {
  planner.ask({ policy: { cap_mib: 1 } });
  planner.needRest({});
  planner.answered(last().id, "");
  vi.advanceTimersByTime(100);
  planner.ask({ policy: { cap_mib: 2 } });
  planner.answered(last().id, "");
  vi.advanceTimersByTime(300);
  expect(sent.map(withoutId)).toEqual([{ policy: { cap_mib: 1 } }, { policy: { cap_mib: 2 } }, { complete: true }]);
  expect(planner.progress).toBe("completing");
  planner.needRest(null);
  planner.answered(last().id, "");
  vi.advanceTimersByTime(1000);
  expect(sent).toHaveLength(3);
});

test("what is asked while the rest of a plan is made is asked at once, and the rest of the next plan after it", () => {
  planner.needRest({});
  vi.advanceTimersByTime(300);
  const rest = last();
  planner.ask({ policy: { cap_mib: 1 } });
  expect(withoutId(last())).toEqual({ policy: { cap_mib: 1 } });
  expect(planner.progress).toBe("planning");
  planner.ask({ policy: { cap_mib: 2 } });
  expect(sent).toHaveLength(2);
  planner.answered(rest.id, "RewriteError: of a plan that nobody looks at");
  expect([planner.problem, planner.progress]).toEqual(["", "planning"]);
  planner.answered(last().id, "");
  expect(withoutId(last())).toEqual({ policy: { cap_mib: 2 } });
  planner.answered(last().id, "");
  planner.needRest({});
  vi.advanceTimersByTime(300);
  expect(withoutId(last())).toEqual({ complete: true });
});

test("a plan that came from Python alone is completed too", () => {
  planner.needRest({});
  vi.advanceTimersByTime(300);
  expect(withoutId(last())).toEqual({ complete: true });
});

test("what Python refused is told until something else is asked", () => {
  planner.ask({ policy: { cap_mib: -1 } });
  planner.answered(last().id, "PolicyError: cap_mib must be positive");
  expect(planner.problem).toContain("positive");
  planner.ask({ policy: { cap_mib: 1 } });
  expect(planner.problem).toBe("");
});

test("an answer to somebody else's question is not ours", () => {
  planner.ask({ pin: true });
  planner.answered("other", "no");
  planner.answered("", "");
  expect([planner.problem, planner.progress]).toEqual(["", "planning"]);
});

test("silence is told, and the answer is taken when it comes", () => {
  planner.ask({ policy: { cap_mib: 1 } });
  vi.advanceTimersByTime(7000);
  expect(planner.progress).toBe("silent");
  planner.answered(last().id, "");
  expect(planner.progress).toBe("idle");
});

test("a closed one tells nobody", () => {
  const listener = vi.fn();
  planner.subscribe(listener);
  planner.close();
  vi.advanceTimersByTime(10_000);
  expect(listener).not.toHaveBeenCalled();
});
