// The colours of both themes against WCAG 2.2: 4.5:1 for text, 3:1 for marks and for the outline of the focus.

import { describe, expect, test } from "vitest";
import css from "./styles/theme.css?raw";

const KINDS = ["all-gather", "reduce-scatter", "all-reduce", "other"];

function tokensOf(selector: string): Record<string, string> {
  const body = css.split(`${selector} {`)[1]!.split("}")[0]!;
  return Object.fromEntries([...body.matchAll(/--bv-([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name!, value!]));
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255);
}

function luminance(rgb: readonly number[]): number {
  const [red, green, blue] = rgb.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(one: readonly number[], other: readonly number[]): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high! + 0.05) / (low! + 0.05);
}

function blended(color: string, alpha: number, under: string): number[] {
  const below = channels(under);
  return channels(color).map((value, index) => value * alpha + below[index]! * (1 - alpha));
}

const light = tokensOf(".bucketviz");
const themes: [string, Record<string, string>][] = [["light", light], ["dark", { ...light, ...tokensOf('.bucketviz[data-theme="dark"]') }]];

describe.each(themes)("in the %s theme", (_, tokens) => {
  const ratio = (ink: string, paper: string): number => contrast(channels(tokens[ink]!), channels(tokens[paper]!));

  test.each(["panel", "soft", "highlight", "hover"])("text on %s can be read", (paper) => {
    for (const ink of ["ink", "dim", "alert-text"]) expect(ratio(ink, paper), ink).toBeGreaterThanOrEqual(4.5);
  });

  test("text on a callout and on compute can be read", () => {
    expect(ratio("alert-text", "alert-soft")).toBeGreaterThanOrEqual(4.5);
    expect(ratio("ink", "compute")).toBeGreaterThanOrEqual(4.5);
  });

  test.each(KINDS)("%s is seen, and what is written on it can be read", (kind) => {
    expect(ratio(`${kind}-edge`, "panel")).toBeGreaterThanOrEqual(4.5);
    expect(ratio(`${kind}-on`, kind)).toBeGreaterThanOrEqual(4.5);
    const tint = blended(tokens[kind]!, 0.5, tokens.panel!);
    expect(contrast(channels(tokens.ink!), tint)).toBeGreaterThanOrEqual(4.5);
  });

  test("what marks focus, compute, controls and alerts is seen", () => {
    for (const mark of ["focus", "accent", "compute-edge", "control", "alert"]) expect(ratio(mark, "panel"), mark).toBeGreaterThanOrEqual(3);
  });
});
