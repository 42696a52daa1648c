// Reads documents in which Python put columns in place of long lists (bucketviz/explorer/columnar.py writes them).
// What has no such column in it is given back as it is.

import { PayloadError } from "../errors";

type Fields = Record<string, unknown>;

// Most lists of a large graph are empty or come again: one array stands for all of them.
const NOTHING: unknown[] = [];
Object.freeze(NOTHING);

export function readColumnar(text: string): unknown {
  return plain(JSON.parse(text));
}

function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.some((each) => typeof each === "object") ? value.map(plain) : value;
  const fields = value as Fields;
  if ("$same" in fields) return new Array(fields.times as number).fill(fields.$same);
  if ("$words" in fields) return wordsOf(fields);
  if ("$rows" in fields) return rowsOf(fields);
  if ("$tuples" in fields) return tuplesOf(fields);
  if ("$lists" in fields) return listsOf(fields);
  for (const key in fields) fields[key] = plain(fields[key]);
  return fields;
}

function wordsOf({ $words, at }: Fields): unknown[] {
  const words = listIn(plain($words));
  return listIn(at).map((place) => words[place as number]);
}

function rowsOf({ $rows, of }: Fields): unknown[] {
  const shapes = listIn($rows).map((shape) => {
    const [keys, columns] = listIn(shape);
    return { keys: listIn(keys) as string[], columns: listIn(columns).map((column) => listIn(plain(column))), next: 0 };
  });
  return listIn(plain(of)).map((place) => {
    const shape = shapes[place as number];
    if (shape === undefined) throw broken();
    const { keys, columns } = shape;
    const at = shape.next++;
    const row: Fields = {};
    for (let index = 0; index < keys.length; index++) row[keys[index]!] = columns[index]![at];
    return row;
  });
}

function tuplesOf({ $tuples }: Fields): unknown[][] {
  const columns = listIn($tuples).map((column) => listIn(plain(column)));
  return columns[0]!.map((_, at) => columns.map((column) => column[at]));
}

function listsOf({ $lists, flat }: Fields): unknown[][] {
  const values = listIn(plain(flat));
  let first = 0;
  return listIn(plain($lists)).map((length) => (length === 0 ? NOTHING : values.slice(first, (first += length as number))));
}

function listIn(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw broken();
  return value;
}

function broken(): PayloadError {
  return new PayloadError("The payload cannot be read: one of its columns is broken; write it again with the bucketviz that you have installed.");
}
