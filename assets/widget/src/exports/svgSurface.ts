// A drawing surface that writes SVG: as much of a canvas's context as the pictures use.

interface Style {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  globalAlpha: number;
  font: string;
  textAlign: string;
  dash: number[];
  x: number; // of the origin
  y: number;
  clip: string; // id, "" for none
}

interface Shape {
  data: string; // of an SVG path
}

const PREFIX = "\0"; // of ids until the picture is whole: what is written besides never holds it
const BASELINE_SHARE = 0.27; // from the middle of a line of text to its baseline, in em

export class SvgSurface {
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "10px sans-serif";
  textAlign = "left";
  textBaseline = "middle"; // all text is
  private dash: number[] = [];
  private readonly origin = { x: 0, y: 0 };
  private clipId = "";
  private data = "";
  private numClips = 0;
  private readonly saved: Style[] = [];
  private readonly parts: string[] = [];

  constructor(private readonly width: number, private readonly height: number) {}

  // Several pictures can stand in one page: their ids begin with what no other picture gives.
  text(background: string): string {
    const text = this.markup(background);
    return text.replaceAll(PREFIX, `bv${digestOf(text)}-`);
  }

  private markup(background: string): string {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}">` +
      `<rect width="100%" height="100%" fill="${attribute(background)}"/>${this.parts.join("\n")}</svg>`;
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, dash, origin, clipId } = this;
    this.saved.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, dash, ...origin, clip: clipId });
  }

  restore(): void {
    const style = this.saved.pop();
    if (style === undefined) return;
    const { x, y, clip, dash, ...rest } = style;
    Object.assign(this, rest);
    [this.origin.x, this.origin.y, this.clipId, this.dash] = [x, y, clip, dash];
  }

  translate(x: number, y: number): void {
    this.origin.x += x;
    this.origin.y += y;
  }

  setLineDash(dash: number[]): void {
    this.dash = dash;
  }

  beginPath(): void {
    this.data = "";
  }

  moveTo(x: number, y: number): void {
    this.data += `M${this.at(x, y)}`;
  }

  lineTo(x: number, y: number): void {
    this.data += `L${this.at(x, y)}`;
  }

  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void {
    this.data += `C${this.at(x1, y1)} ${this.at(x2, y2)} ${this.at(x, y)}`;
  }

  closePath(): void {
    this.data += "Z";
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.data += `M${this.at(x, y)}h${number(width)}v${number(height)}h${number(-width)}Z`;
  }

  roundRect(x: number, y: number, width: number, height: number, radius: number): void {
    const r = Math.max(0, Math.min(radius, width / 2, height / 2));
    const corner = (dx: number, dy: number): string => `a${number(r)} ${number(r)} 0 0 1 ${number(dx)} ${number(dy)}`;
    this.data += `M${this.at(x + r, y)}h${number(width - 2 * r)}${corner(r, r)}v${number(height - 2 * r)}${corner(-r, r)}` +
      `h${number(2 * r - width)}${corner(-r, -r)}v${number(2 * r - height)}${corner(r, -r)}Z`;
  }

  // Circles; the pictures draw no other arcs.
  arc(x: number, y: number, radius: number): void {
    const half = (dx: number): string => `a${number(radius)} ${number(radius)} 0 1 0 ${number(dx)} 0`;
    this.data += `M${this.at(x - radius, y)}${half(2 * radius)}${half(-2 * radius)}Z`;
  }

  shapeOf(data: string): Path2D {
    return { data } satisfies Shape as unknown as Path2D;
  }

  fill(shape?: Path2D): void {
    this.add(shape, this.fillPaint());
  }

  stroke(shape?: Path2D): void {
    this.add(shape, this.strokePaint());
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.addRect(x, y, width, height, this.fillPaint());
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.addRect(x, y, width, height, this.strokePaint());
  }

  clip(): void {
    this.clipId = `${PREFIX}clip${this.numClips++}`;
    this.parts.push(`<clipPath id="${this.clipId}"><path d="${this.data}"/></clipPath>`);
  }

  fillText(text: string, x: number, y: number): void {
    const [, weight = "400", size = "10", family = "sans-serif"] = /^(?:(\d+) )?([\d.]+)px (.*)$/s.exec(this.font) ?? [];
    const anchor = { right: "end", center: "middle" }[this.textAlign] ?? "start";
    const [left, baseline] = this.at(x, y + Number(size) * BASELINE_SHARE).split(" ");
    this.parts.push(`<text x="${left}" y="${baseline}" font-family="${attribute(family)}" font-size="${size}" font-weight="${weight}" ` +
      `text-anchor="${anchor}" fill="${attribute(this.fillStyle)}" xml:space="preserve"${this.common()}>${escaped(text)}</text>`);
  }

  private fillPaint(): string {
    return `fill="${attribute(this.fillStyle)}"`;
  }

  private strokePaint(): string {
    const dash = this.dash.length === 0 ? "" : ` stroke-dasharray="${this.dash.map(number).join(" ")}"`;
    return `fill="none" stroke="${attribute(this.strokeStyle)}" stroke-width="${number(this.lineWidth)}"${dash}`;
  }

  private addRect(x: number, y: number, width: number, height: number, paint: string): void {
    const [left, top] = this.at(x, y).split(" ");
    this.parts.push(`<rect x="${left}" y="${top}" width="${number(width)}" height="${number(height)}" ${paint}${this.common()}/>`);
  }

  private add(shape: Path2D | undefined, paint: string): void {
    const data = shape === undefined ? this.data : (shape as unknown as Shape).data;
    if (data === "") return;
    const { x, y } = this.origin;
    const path = (more: string): string => `<path d="${data}" ${paint}${more}/>`;
    const isMoved = shape !== undefined; // a clip does not move with what it clips
    this.parts.push(isMoved ? `<g${this.common()}>${path(` transform="translate(${number(x)} ${number(y)})"`)}</g>` : path(this.common()));
  }

  private common(): string {
    const alpha = this.globalAlpha === 1 ? "" : ` opacity="${number(this.globalAlpha)}"`;
    return this.clipId === "" ? alpha : `${alpha} clip-path="url(#${this.clipId})"`;
  }

  private at(x: number, y: number): string {
    return `${number(x + this.origin.x)} ${number(y + this.origin.y)}`;
  }
}

// 64 bits of FNV-1a over the UTF-16 units, http://www.isthe.com/chongo/tech/comp/fnv/
function digestOf(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let at = 0; at < text.length; at++) hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n);
  return hash.toString(36);
}

function number(value: number): string {
  return String(Math.round(value * 100) / 100);
}

// What XML cannot hold, and what turns the direction of the text around it.
const UNWRITABLE = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]|\p{Surrogate}/gu;

function escaped(text: string): string {
  return text.replace(UNWRITABLE, "\ufffd").replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function attribute(text: string): string {
  return escaped(text).replace(/"/g, "&quot;");
}
