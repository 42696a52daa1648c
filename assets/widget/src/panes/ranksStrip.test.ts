// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { createStore } from "../store";
import { samplePayload } from "../testing/samplePayload";
import { mountRanksStrip } from "./ranksStrip";

test("the first place where ranks differ leads to what each of them calls", () => {
  const payload = samplePayload();
  const { name } = payload.views[1]!.decisions[2]!;
  payload.ranks = [{ text: "group '0', collective 3, count differs: rank 0 has no more, rank 1 all_reduce", sides: [
    { rank: 0, view: 0, called: "no more", collective: "" }, { rank: 1, view: 1, called: "all_reduce f32 1 KiB", collective: name },
  ] }];
  const store = createStore(payload, (error) => { throw error; });
  const root = document.createElement("div");
  mountRanksStrip(root, store);
  expect(root.hidden).toBe(false);
  expect(root.textContent).toContain("group '0', collective 3, count differs");
  const [first, second] = root.querySelectorAll("button");
  second!.click();
  expect(store.state).toMatchObject({ view: 1, selection: [name] });
  expect([first, second].map((side) => side!.getAttribute("aria-pressed"))).toEqual(["false", "true"]);
  first!.click();
  expect(store.state).toMatchObject({ view: 0, selection: [] });
  store.set({ quiz: true });
  expect(root.hidden).toBe(true);
});

test("ranks that agree take no room", () => {
  const root = document.createElement("div");
  mountRanksStrip(root, createStore(samplePayload(), (error) => { throw error; }));
  expect(root.hidden).toBe(true);
});
