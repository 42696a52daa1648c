// Asks Python to plan anew, one question at a time: what is asked meanwhile is put together and asked next. Nobody waits
// for the rest of a plan: Python makes that piece by piece, listens in between, and leaves it where another plan comes.

import type { Kind } from "../types";

// The fields of bucketviz.Policy, as Python names them.
export interface PolicyChange {
  cap_mib?: number | null;
  mode?: string;
  strategy?: string;
  fidelity?: string;
  order?: string;
  kinds?: Kind[];
  max_span_nodes?: number | null;
}

export interface Question {
  policy?: PolicyChange;
  pin?: boolean; // pin the plan that is shown, or compare no longer
  restore?: true; // back to the policy of the pinned plan
  machine?: string; // to estimate on
  complete?: true; // the sentences, the report, the rewrite and the estimate of the plan that is shown
}

export type Progress = "idle" | "planning" | "completing" | "silent";

const REST_DELAY_MS = 250; // a plan that stands so long is rewritten
const SILENCE_MS = 6000;

export class Planner {
  progress: Progress = "idle";
  problem = ""; // what Python said to the last question
  private pending = ""; // id of the question that is on its way
  private asksRest = false; // that one is for the rest of a plan
  private waiting: Question | null = null;
  private lacking: object | null = null;
  private asked: object | null = null; // what was lacking when the rest was last asked for
  private numAsked = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners = new Set<() => void>();
  private readonly name = `${Date.now()}.${Math.random()}`;

  constructor(private readonly send: (question: Question & { id: string }) => void) {}

  ask(question: Question): void {
    this.waiting = { ...this.waiting, ...question, ...(question.policy && { policy: { ...this.waiting?.policy, ...question.policy } }) };
    this.problem = "";
    if (this.pending === "" || this.asksRest) this.sendNext();
  }

  answered(id: string, problem: string): void {
    if (id !== this.pending || id === "") return;
    this.pending = "";
    this.problem = problem;
    if (problem !== "") this.lacking = null;
    this.sendNext();
  }

  // What is shown lacks what takes long, or (null) nothing; it is asked for once, and once nothing else is.
  needRest(lacking: object | null): void {
    this.lacking = lacking;
    if (this.pending === "" && this.waiting === null) this.sendNext();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  close(): void {
    clearTimeout(this.timer);
    this.listeners.clear();
  }

  private sendNext(): void {
    clearTimeout(this.timer);
    const question = this.waiting;
    this.waiting = null;
    if (question !== null) return this.sendNow(question, "planning");
    if (this.lacking !== null && this.lacking !== this.asked) this.timer = setTimeout(() => this.askForRest(), REST_DELAY_MS);
    this.progressTo("idle");
  }

  private askForRest(): void {
    this.asked = this.lacking;
    this.sendNow({ complete: true }, "completing");
  }

  private sendNow(question: Question, progress: Progress): void {
    this.pending = `${this.name}.${this.numAsked++}`;
    this.asksRest = progress === "completing";
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.progressTo("silent"), SILENCE_MS);
    this.progressTo(progress);
    this.send({ ...question, id: this.pending });
  }

  private progressTo(progress: Progress): void {
    this.progress = progress;
    for (const listener of [...this.listeners]) listener();
  }
}
