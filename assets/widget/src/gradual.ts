// What takes long to make is made bit by bit while there is time, and to the end by whoever needs it first.

export type Making<Made> = Generator<undefined, Made>; // yields between bits of a few milliseconds at most

export class Gradual<Of extends object, Made extends object> {
  private readonly made = new WeakMap<Of, Made>();
  private readonly begun = new WeakMap<Of, Making<Made>>();

  constructor(private readonly make: (of: Of) => Making<Made>) {}

  get(of: Of): Made {
    let made = this.made.get(of);
    while (made === undefined) made = this.goOn(of);
    return made;
  }

  // One bit more; undefined while there is something left.
  goOn(of: Of): Made | undefined {
    const known = this.made.get(of);
    if (known !== undefined) return known;
    let making = this.begun.get(of);
    if (making === undefined) this.begun.set(of, (making = this.make(of)));
    const { done, value } = making.next();
    if (done !== true) return undefined;
    this.made.set(of, value);
    this.begun.delete(of);
    return value;
  }
}
