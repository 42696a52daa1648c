// Caches by text that never grow without end.

const MOST = 20_000;

export function remember<Value>(cache: Map<string, Value>, key: string, value: Value): Value {
  if (cache.size >= MOST) cache.clear();
  cache.set(key, value);
  return value;
}
