// Fields that are made when somebody reads them first, and are plain ones from then on.

type Makers<Made> = { [Name in keyof Made]: () => Made[Name] };

// Adds them to `fields`, the object that is given back.
export function withLazy<Fields extends object, Made extends object>(fields: Fields, makers: Makers<Made>): Fields & Made {
  for (const name in makers) {
    const settle = (value: unknown): unknown => {
      Object.defineProperty(fields, name, { value, configurable: true, enumerable: true, writable: true });
      return value;
    };
    Object.defineProperty(fields, name, { get: () => settle(makers[name]()), set: settle, configurable: true, enumerable: true });
  }
  return fields as Fields & Made;
}
