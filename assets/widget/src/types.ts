// What Python hands over (bucketviz/explorer/payload.py writes it, whatif/wire.ts reads it). Python decides and formats;
// this side lays out and draws. Graphs are columnar: entry i of every column describes node i, in program order.

export interface Payload {
  schema: "bucketviz/1";
  title: string; // "llama-8-layers"
  subtitle: string; // "8 ranks"
  quiz: boolean; // opens predicting
  opens: Pick<State, "view" | "selection" | "step" | "query">; // with this shown
  asks: Asks; // which verdicts are asked for
  ranks: RankPlace[]; // where ranks first call different collectives, one place a process group; [] where they agree
  views: View[]; // at least one; a switch appears when there are several (forward, backward)
}

// Of the decisions those from a step on, of these kinds and reasons; none named is all.
export interface Asks {
  kinds: Kind[];
  reasons: string[]; // Reason enum values
  from: number;
}

export interface RankPlace {
  text: string; // "group '0', collective 3, dtype differs: …"
  sides: { rank: number; view: number; called: string; collective: string }[]; // collective: FX name, "" for no more
}

export interface View {
  name: string; // "forward"
  summary: Stat[];
  policy: [string, string][]; // ["cap", "25 MiB"], ["mode", "default"], …
  controls: Controls;
  canPlan: boolean; // Python can plan the graph anew
  isComplete: boolean; // false: a new plan whose sentences, report and rewrite have not come yet
  isRewritten: boolean; // false: `after` is a sketch of the plan
  obstacle: string; // why it cannot be rewritten, ""
  difference: Difference | null; // from the pinned plan; null where none is pinned
  before: GraphColumns;
  after: GraphColumns;
  // For node i of `after`: indices in `before` of the collectives it serves ([] for a node that did not change).
  provenance: number[][];
  // For node i of `before`: index in `after` of the node that carries its value on (-1 when removed).
  carriedTo: number[];
  buckets: Bucket[];
  decisions: Decision[];
  reasons: ReasonInfo[];
  timelines: { before: Timeline; after: Timeline }; // program order; unit "node"
  measured: Measured | null; // null: nothing was run
  machines: [name: string, title: string][]; // what the graph can be estimated on
  estimated: Estimated | null; // null: not yet, or not at all
  text: string; // the whole report, the text twin of the page
}

// The present values of the policy, and what they can be set to.
export interface Controls {
  capMib: number | null; // null: a cap for each bucket, or a function
  capsMib: [number, number]; // between these, plans differ
  mode: string;
  strategy: string;
  fidelity: string;
  order: string;
  kinds: Kind[];
  maxSpanNodes: number | null; // null: any number
  choices: { mode: string[]; strategy: string[]; fidelity: string[]; order: string[]; kinds: Kind[] };
}

// The plan that is shown held against the pinned one.
export interface Difference {
  policy: [string, string][]; // of the pinned plan
  counts: [string, string, string][]; // ["collectives", "73", "12"], …
  rules: [string, number][]; // what moved them, most frequent first
  moves: ReadonlyMap<number, Move>; // by index in `before`
  text: string; // "31 of 73 collectives moved"
}

export interface Move {
  bucketBefore: number; // in the pinned plan, -1 when it was left alone there
  text: string; // "ag_3: B1 → B0, now with ag_1: no longer over cap"
}

export interface Stat {
  label: string; // "all_gathers"
  value: string; // "72 → 10"
  tone: "plain" | "alert"; // alert: something was left alone or differs
  hint: string; // one sentence for the tooltip
}

export type Kind = "all_gather" | "reduce_scatter" | "all_reduce" | "other";
export type Role = "input" | "compute" | "collective" | "wait" | "output";

export interface GraphColumns {
  name: string[];
  target: string[]; // "aten.mm.default"
  role: Role[];
  kind: (Kind | "")[]; // of a collective and of the wait on it
  inputs: number[][]; // indices
  tensor: string[]; // "bf16[256, 256]" or ""
  bytes: (number | null)[]; // of a collective what counts against the cap, else of the value
  size: string[]; // the same, formatted
  module: string[]; // "layers.0.attention.wq"
  source: string[]; // "model.py:118"
  stack: string[]; // the innermost frames of the user's code, "" where unknown
  pair: number[]; // start -> its first wait, wait -> its start, else -1
  bucket: number[]; // bucket index of a member, of its wait, and (after) of every node the bucket added; else -1
}

export interface Bucket {
  label: string; // "B3"
  kind: Kind;
  key: [string, string][]; // ["kind", "all_gather"], ["group", "0"], ["op", "sum"], ["dtype", "bf16"]
  members: number[]; // indices in `before`, packing order
  start: number; // index in `after` of the merged collective
  bytes: number;
  capBytes: number;
  size: string; // "18.5 MiB"
  cap: string; // "25 MiB"
  closedBy: number; // index in `before` of the collective that did not get in; -1 at the end of a run
  closedByBytes: number; // its size, 0 when there is none
  groupSize: number; // rank rows of the byte layout; 0 when unknown
  span: string; // "first needed 61 nodes after it starts", "" when nothing needs it
  overlap: string; // "5 nodes to hide behind"; a sentence where its members had more
}

export interface Decision {
  step: number; // 0-based
  node: number; // index in `before`
  label: string; // module path, or FX name where none is known ("layers.1.feed_forward.w1")
  name: string; // FX name
  kind: Kind;
  size: string; // "7 MiB"
  bytes: number | null;
  key: [string, string][]; // ["dtype", "bf16"], … every collective has the same fields, "" where it says nothing
  outcome: string; // "joined B1" | "opened B2" | "left alone"
  reason: string; // short, for the table: "fits", "B1 full", "depends on layers.0.wq"
  code: string; // Reason enum value: "joined", "depends on bucket", …
  merged: boolean;
  bucket: number; // -1 when left alone
  why: string; // the sentence, without what `counterfactual` and `differs` say
  evidence: [string, string][]; // formatted rows for the inspector: ["size", "max(in 896 KiB, out 7 MiB) = 7 MiB"], …
  counterfactual: string; // "Would join at a cap of 33.6 MiB or more" or ""
  differs: string; // what torch.compile would have done, or ""
  path: number[]; // witness path as indices in `before`, [] when there is none
  // The cap meter when the pass looked at it: bytes of the open bucket (or of the neighbour) before, and the cap.
  bucketBytes: number;
  capBytes: number;
  // What held these bytes: the first `openCount` members of a bucket, or (`openBucket` is -1) these indices in `before`.
  openBucket: number;
  openCount: number;
  others: number[];
  peer: number; // index in `before` of the neighbour that has another key, -1 where that is not the reason
}

export interface ReasonInfo {
  code: string;
  label: string; // "depends on bucket"
  count: number;
  meaning: string; // one sentence
}

export interface Timeline {
  unit: "node" | "s";
  end: number;
  slices: Slice[];
  // rows: "compute" has lane 0 only; every process group has as many lanes as collectives in flight at once
}

export interface Slice {
  node: number; // the start of a collective; of a block of compute the first node
  row: string;
  lane: number;
  start: number;
  end: number; // of a collective the end of its wait
  label: string;
  kind: Kind | "";
  // Of slices in seconds only.
  done?: number | null; // when the transfer was done, null where that is not known
  waitStart?: number | null; // when the wait for it began
  exposed?: [number, number][]; // where it was in flight and nothing computed
  details?: [string, string][]; // formatted rows: ["transfer", "2 ms"], ["busbw", "195 GB/s"], …
}

// What one rank measured. Both timelines begin at 0 and are in seconds; null where no rank was profiled.
export interface Measured {
  where: string; // "gloo on cpu, 4 ranks"
  rank: number; // whose timelines these are, -1 without any
  ranks: number[]; // all that were profiled; bucketviz.explore(run, rank=1) shows another
  before: MeasuredTimeline | null;
  after: MeasuredTimeline | null;
}

export interface MeasuredTimeline extends Timeline {
  exposed: string; // in all, formatted
}

// What a step is predicted to take on a machine. `after` is null while a new plan is not rewritten yet.
export interface Estimated {
  machine: string; // "h100-8x-ib"
  before: EstimatedTimeline;
  after: EstimatedTimeline | null;
  memory: [string, string][][]; // of each bucket: ["cost", "+25 MiB at once"], …
  unpriced: string; // "3 nodes whose cost nobody can tell, …", "" where all have one
  summary: Stat[];
  text: string;
}

export interface EstimatedTimeline extends MeasuredTimeline {
  live: LiveCurve;
}

// Bytes that are allocated, as steps: bytes[i] from node[i], or time[i] seconds, until the next.
export interface LiveCurve {
  node: number[];
  time: number[];
  bytes: number[];
  peak: number; // index of the highest step, -1 without any
  peakText: string; // "21.8 MiB"
}

// ---- shared state --------------------------------------------------------------------------------------------

// One selected thing. Python sees it as text: an FX name of the graph before ("all_gather_into_tensor_3"),
// a bucket ("B3"), or a node that only the graph after has ("after:cat_2").
export type Ref = string;

export type Guess = "joins" | "opens" | "alone";

export interface State {
  view: number;
  selection: Ref[]; // shared with Python
  step: number; // index in decisions, -1 = not stepping; shared with Python
  hover: Ref | null;
  query: string; // search text
  kinds: Kind[]; // kinds shown; [] = all
  graphView: "before" | "split" | "after" | "diff";
  quiz: boolean; // each verdict is predicted before it is shown; shared with Python
  guesses: Guess[]; // on what is asked, from the first; shared with Python
  movesOnly: boolean; // only what moved from the pinned plan
  revision: number; // counts how often the view that is shown was planned anew
  reason: string; // code of the only reason that is shown, "" for all
  byReason: boolean; // the table in groups, the most frequent reason first
  mergesOnly: boolean; // the stepper skips what leaves the graph as it is
  path: number; // which of the disjoint witness paths
  axis: "order" | "estimated" | "measured"; // of the timeline, as it was asked for; what a view lacks it shows as the next best
}

export interface Store {
  payload: Payload;
  readonly state: Readonly<State>;
  readonly truth: View; // payload.views[state.view]
  readonly questions: readonly number[]; // steps of `truth` that are asked for
  readonly numKnown: number; // decisions before the one that is asked for now; all while nothing is predicted
  readonly current: View; // the same, while predicting as far as it has been predicted
  set(patch: Partial<State>): void; // notifies only when something changed
  replace(index: number, view: View, patch?: Partial<State>): void; // another plan of the same graph
  subscribe(listener: (state: Readonly<State>, changed: ReadonlySet<keyof State>) => void): () => void;
}

// A pane draws itself into `root`, follows the store, and gives back what undoes it.
export type Pane = (root: HTMLElement, store: Store) => () => void;
