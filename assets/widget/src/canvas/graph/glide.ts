// A number that glides to its target over some frames, or jumps where motion is not wanted.

const DURATION_MS = 180;

export interface Glide {
  to: (target: number) => void;
  stop: () => void;
}

export function glide(read: () => number, write: (value: number) => void): Glide {
  let frame = 0;
  const stop = (): void => {
    cancelAnimationFrame(frame);
    frame = 0;
  };
  return {
    stop,
    to(target) {
      stop();
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return write(target);
      const from = read();
      const started = performance.now();
      const advance = (now: number): void => {
        const share = Math.min(1, Math.max(0, now - started) / DURATION_MS);
        write(from + (target - from) * (1 - (1 - share) ** 3));
        frame = share < 1 ? requestAnimationFrame(advance) : 0;
      };
      frame = requestAnimationFrame(advance);
    },
  };
}
