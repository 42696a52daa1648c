// The keys of the whole explorer, as help lists them; those of a canvas work while it has the focus.

export const KEYS: readonly (readonly [readonly string[], string])[] = [
  [["j", "k"], "Next and previous row; so do the arrows in the table"],
  [["n", "p"], "Next and previous decision"],
  [["N", "P"], "Next and previous collective that was left alone"],
  [["space"], "Play and pause"],
  [["["], "From a start to its wait and back"],
  [["]"], "From a member to its bucket and back"],
  [["Enter"], "Inspect what is selected"],
  [["Esc"], "Back: selection, stepper, search and filters"],
  [["/"], "Search: words, /regex/, op:all_gather, group:1, bytes>16M, why:depends"],
  [["b"], "Before, split, after, diff"],
  [["t"], "The report as text"],
  [["h", "l"], "In the graph to the row before and after the pass; in the timeline to the slice before and after"],
  [["w", "s", "a", "d"], "Zoom and pan the timeline"],
  [["f", "F"], "Fit the selection, fit all, in the timeline"],
  [["g"], "Predict each verdict before it is shown"],
  [["1", "2", "3"], "Joins, opens a bucket, is left alone: what is predicted"],
  [["x"], "Program order or measured time, in the timeline"],
  [["e", "c"], "Unfold and fold in the graph"],
  [["+", "-"], "Higher and lower rows in the graph"],
  [["?"], "This help"],
];
