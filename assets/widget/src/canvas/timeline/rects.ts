// Rectangles gathered by colour, so that a frame changes the colour of the canvas once for all that share it.

const SIZE = 4; // x, y, width, height

export class Rects {
  private readonly batches = new Map<string, Map<number, number[]>>();

  // One that goes on where the last of its colour ended makes that one wider.
  add(color: string, alpha: number, x: number, y: number, width: number, height: number): void {
    const batch = this.batchOf(color, alpha);
    const last = batch.length - SIZE;
    if (last >= 0 && batch[last]! + batch[last + 2]! === x && batch[last + 1] === y && batch[last + 3] === height) batch[last + 2]! += width;
    else batch.push(x, y, width, height);
  }

  // Not joined: each keeps its own outline.
  addApart(color: string, alpha: number, x: number, y: number, width: number, height: number): void {
    this.batchOf(color, alpha).push(x, y, width, height);
  }

  fill(context: CanvasRenderingContext2D): void {
    this.paint(context, (color) => (context.fillStyle = color), (x, y, width, height) => context.fillRect(x, y, width, height));
  }

  stroke(context: CanvasRenderingContext2D): void {
    context.lineWidth = 1;
    this.paint(context, (color) => (context.strokeStyle = color), (x, y, width, height) => context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1));
  }

  private paint(
    context: CanvasRenderingContext2D, use: (color: string) => void, draw: (x: number, y: number, width: number, height: number) => void,
  ): void {
    const outer = context.globalAlpha;
    for (const [color, byAlpha] of this.batches) {
      use(color);
      for (const [alpha, batch] of byAlpha) {
        context.globalAlpha = outer * alpha;
        for (let at = 0; at < batch.length; at += SIZE) draw(batch[at]!, batch[at + 1]!, batch[at + 2]!, batch[at + 3]!);
      }
    }
    context.globalAlpha = outer;
  }

  private batchOf(color: string, alpha: number): number[] {
    let byAlpha = this.batches.get(color);
    if (byAlpha === undefined) this.batches.set(color, (byAlpha = new Map()));
    let batch = byAlpha.get(alpha);
    if (batch === undefined) byAlpha.set(alpha, (batch = []));
    return batch;
  }
}
