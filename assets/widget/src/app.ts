// Puts the panes together: summary, toolbar, policy, decisions | graph | inspector, timeline. It knows no host.

import { currentDecision, cycleGraphView, goBack, jumpToBucket, jumpToPair, stepBy, stepToLeftAlone } from "./actions";
import { lookups, prepareAhead } from "./ahead";
import { mountAnnouncer } from "./announce";
import { mountGraph, type GraphPane } from "./canvas/graph/pane";
import { mountTimeline, type TimelinePane } from "./canvas/timeline/pane";
import { h, setPressed } from "./dom";
import { failureMessage } from "./errors";
import type { Picture } from "./exports/picture";
import { bindKeys, type Commands } from "./keyboard";
import { keepFocus } from "./keptFocus";
import { followSize, paneTabs } from "./layout";
import { mountDecisions } from "./panes/decisions";
import { differenceStrip } from "./panes/difference";
import { exportMenu } from "./panes/exportMenu";
import { helpDialog } from "./panes/help";
import { mountInspector } from "./panes/inspector/inspector";
import { policyBar } from "./panes/policyBar";
import { mountQuizStrip } from "./panes/quizStrip";
import { mountRanksStrip } from "./panes/ranksStrip";
import { summary } from "./panes/summary";
import { mountTextTwin } from "./panes/textTwin";
import { toolbar } from "./panes/toolbar";
import { answer, GUESSES, setQuiz } from "./quiz/quiz";
import type { Pane, Store } from "./types";
import { nextPath } from "./witness";
import type { Planner } from "./whatif/planner";

export function mount(
  root: HTMLElement, store: Store, report: (error: unknown) => void, planner: Planner | null,
): () => void {
  const tabs = paneTabs(root);
  const help = helpDialog();
  const areas = {
    summary: h("div", { class: "bv-summary" }),
    toolbar: h("div", { class: "bv-toolbar", role: "group", "aria-label": "Controls" }),
    policy: h("div", { class: "bv-policy-bar", role: "group", "aria-label": "Policy", hidden: true }),
    difference: h("div", { class: "bv-strip", role: "group", "aria-label": "Against the pinned plan", hidden: true }),
    ranks: h("div", { class: "bv-ranks-strip", role: "group", "aria-label": "Ranks that disagree", hidden: true }),
    quiz: h("div", { class: "bv-quiz", role: "group", "aria-label": "Prediction", hidden: true }),
    decisions: pane("decisions", "Decisions"),
    graph: pane("graph", "Graph"),
    inspector: pane("inspector", "Inspector"),
    timeline: pane("timeline", "Timeline"),
    text: h("section", { class: "bv-text", "aria-label": "Report", hidden: true }),
    live: h("div", { class: "bv-live", role: "status", "aria-live": "polite" }),
  };
  const columns = h("div", { class: "bv-columns" }, areas.decisions, areas.graph, areas.inspector);
  root.append(areas.summary, areas.toolbar, areas.policy, areas.ranks, areas.difference, areas.quiz, tabs.element, columns, areas.timeline, areas.text, areas.live, help);

  const inspect = (): void => {
    tabs.show("inspector");
    areas.inspector.querySelector<HTMLElement>(".bv-page")?.focus({ preventScroll: true });
  };
  const toggleText = (): void => {
    const isShown = root.toggleAttribute("data-text");
    areas.text.hidden = !isShown;
    const control = areas.toolbar.querySelector('[data-key="t"]');
    if (control !== null) setPressed(control, isShown);
  };
  const showHelp = (): void => help.showModal();

  let move: (offset: number) => void = () => {};
  const decisionPane: Pane = (element) => {
    const table = mountDecisions(element, store, inspect);
    move = table.move;
    return table.unmount;
  };
  let graph: GraphPane | null = null;
  const graphPane: Pane = (element) => {
    graph = mountGraph(element, store);
    return graph.unmount;
  };
  let timeline: TimelinePane | null = null;
  const timelinePane: Pane = (element) => {
    timeline = mountTimeline(element, store, planner);
    return timeline.unmount;
  };
  const menu = exportMenu(store, { graph: () => pictureOf("graph", graph), timeline: () => pictureOf("timeline", timeline) }, report);
  const mounted: [HTMLElement, Pane][] = [
    [areas.summary, summary(planner !== null)],
    [areas.toolbar, toolbar({ toggleText, showHelp }, menu.element, planner !== null)],
    ...(planner === null ? [] : [[areas.policy, policyBar(planner)] satisfies [HTMLElement, Pane]]),
    [areas.difference, differenceStrip(planner)],
    [areas.ranks, mountRanksStrip],
    [areas.quiz, mountQuizStrip],
    [areas.decisions, decisionPane],
    [areas.graph, graphPane],
    [areas.inspector, mountInspector],
    [areas.timeline, timelinePane],
    [areas.text, mountTextTwin],
    [areas.live, mountAnnouncer],
  ];
  const undo = [followSize(root), keepFocus(root), ...mounted.map(([element, each]) => guarded(each, element, store, report))];
  undo.push(prepareAhead(store, [...lookups(store), () => graph?.anticipateStep() ?? true, () => timeline?.anticipateStep() ?? true]));
  undo.push(bindKeys(root, commandsFor(root, store, { move: (offset) => move(offset), inspect, toggleText, showHelp, toggleExport: menu.toggle })));
  return () => undo.forEach((each) => each());
}

interface Views {
  move: (offset: number) => void;
  inspect: () => void;
  toggleText: () => void;
  showHelp: () => void;
  toggleExport: () => void;
}

function commandsFor(root: HTMLElement, store: Store, { move, inspect, toggleText, showHelp, toggleExport }: Views): Commands {
  const focusOn = (selector: string) => (): void => root.querySelector<HTMLElement>(selector)?.focus();
  const press = (selector: string) => (): void => root.querySelector<HTMLElement>(selector)?.click();
  return {
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    n: () => stepBy(store, 1),
    p: () => stepBy(store, -1),
    N: () => stepToLeftAlone(store, 1),
    P: () => stepToLeftAlone(store, -1),
    "[": () => jumpToPair(store),
    "]": () => jumpToBucket(store),
    b: () => cycleGraphView(store),
    v: () => nextPath(store, currentDecision(store)),
    e: press('[data-key="e"]'),
    c: press('[data-key="c"]'),
    r: press('[data-key="r"]'),
    t: toggleText,
    g: () => setQuiz(store, !store.state.quiz),
    ...Object.fromEntries(GUESSES.map((guess, place) => [String(place + 1), () => answer(store, guess)])),
    "/": focusOn(".bv-input"),
    "?": showHelp,
    G: press('[data-key="G"]'),
    u: press('[data-key="u"]'),
    E: toggleExport,
    " ": press('[data-key="space"]'),
    Enter: inspect,
    Escape: () => {
      if (root.hasAttribute("data-text")) return toggleText();
      return goBack(store);
    },
  };
}

function pane(name: string, label: string): HTMLElement {
  return h("section", { class: `bv-pane bv-${name}`, "aria-label": label });
}

function pictureOf(name: string, shown: GraphPane | TimelinePane | null): Picture {
  if (shown === null) throw new Error(`There is no ${name} to draw.`);
  return shown.picture();
}

// A pane that cannot be drawn says so in its own place; the others go on.
function guarded(each: Pane, element: HTMLElement, store: Store, report: (error: unknown) => void): () => void {
  try {
    return each(element, store);
  } catch (error) {
    report(error);
    element.replaceChildren(h("p", { class: "bv-failed", role: "alert" }, failureMessage(error)));
    return () => {};
  }
}
