// Hostile packs, cache files and dumps, each made from a seed.

import { createHash } from 'node:crypto';
import * as fc from 'fast-check';

/** External values that can replace any other value. */
const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1e300, '', '0x', '0xzz', '__proto__', [], {}),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.integer({ min: 100, max: 6_000 }).map(nested),
);

/** Marker for a deeply nested list, which JSON.stringify cannot write. */
export interface Nested {
  readonly nestedLevels: number;
}

function nested(levels: number): Nested {
  return { nestedLevels: levels };
}

const MARKER = /\{"nestedLevels":(\d+)\}/g;

/** Returns the JSON text of a value with its nesting markers expanded. */
export function hostileJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replaceAll(MARKER, (_, levels: string) => {
    return '['.repeat(Number(levels)) + ']'.repeat(Number(levels));
  });
}

/** A change of bytes: a part is removed, duplicated, overwritten or moved. */
const mutation = fc.record({
  kind: fc.constantFrom('cut', 'double', 'overwrite', 'swap', 'insert'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 200 }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }),
});

type Mutation = typeof mutation extends fc.Arbitrary<infer Value> ? Value : never;

function mutated(bytes: Buffer, { kind, at, length, bytes: other }: Mutation): Buffer {
  const start = Math.floor(at * bytes.length);
  const [before, part, after] = [
    bytes.subarray(0, start),
    bytes.subarray(start, start + length),
    bytes.subarray(start + length),
  ];
  if (kind === 'cut') return Buffer.concat([before, after]);
  if (kind === 'double') return Buffer.concat([before, part, part, after]);
  if (kind === 'swap') return Buffer.concat([after, part, before]);
  if (kind === 'insert') return Buffer.concat([before, other, part, after]);
  return Buffer.concat([before, other, after]);
}

/** Changes of the bytes of a file: none, one or a few. */
export const mutations: fc.Arbitrary<(bytes: Buffer) => Buffer> = fc
  .array(mutation, { maxLength: 3 })
  .map((all) => (bytes) => all.reduce(mutated, bytes));

const HASH = 'ab'.repeat(32);
const paths = fc.constantFrom(
  'upstream.jsonl',
  '30/blocks.jsonl',
  `30/${HASH}.jsonl`,
  `upstream-${'0a'.repeat(20)}/30/${HASH}.jsonl`,
  `upstream-${'0a'.repeat(20)}/upstream.jsonl`,
  '../outside.jsonl',
  `upstream-${'0a'.repeat(20)}/../../outside.jsonl`,
  '/etc/passwd',
  '30/blocks.jsonl/x',
);
const keys = fc.oneof(
  fc.constantFrom('7', 'chainId', 'urls', '__proto__', 'constructor', '["eth_getBalance",["0x1","@"]]'),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const packRecord = fc.tuple(paths, keys, anyValue);
const packHead = fc.oneof(
  { weight: 8, arbitrary: fc.constant<unknown>({ format: 'node-cli fork answers', version: 1 }) },
  { weight: 1, arbitrary: anyValue },
);

/** The text of a pack: records of all kinds, some repeated. */
export const packs: fc.Arbitrary<Buffer> = fc
  .record({
    head: packHead,
    records: fc.array(fc.oneof({ weight: 9, arbitrary: packRecord }, { weight: 1, arbitrary: anyValue }), {
      maxLength: 12,
    }),
    repeats: fc.integer({ min: 1, max: 50 }),
  })
  .map(({ head, records, repeats }) => {
    const lines = records.flatMap((record) => Array<string>(repeats).fill(hostileJson(record)));
    return Buffer.from([hostileJson(head), ...lines, ''].join('\n'));
  });

/** The text of a cache file: lines with valid or invalid checksums. */
export const cacheFiles: fc.Arbitrary<Buffer> = fc
  .array(fc.tuple(fc.oneof({ weight: 9, arbitrary: fc.tuple(keys, anyValue) }, anyValue), fc.boolean()), {
    maxLength: 20,
  })
  .map((records) => {
    const lines = records.map(([record, isRight]) => {
      const text = hostileJson(record);
      const sum = createHash('sha1')
        .update(isRight ? text : `${text}.`)
        .digest('hex');
      return `\n${sum.slice(0, 8)}${text}\n`;
    });
    return Buffer.from(lines.join(''));
  });

/** The path of a value in JSON, by fractions of the number of members on each level. */
const place = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 6 });

function replacedAt(value: unknown, [first, ...rest]: readonly number[], by: unknown): unknown {
  if (first === undefined || typeof value !== 'object' || value === null) return by;
  const names = Object.keys(value);
  const name = names[Math.floor(first * names.length)];
  if (name === undefined) return by;
  const next = replacedAt(Reflect.get(value, name), rest, by);
  if (Array.isArray(value)) return value.map((item: unknown, index) => (`${index}` === name ? next : item));
  return { ...value, [name]: next };
}

/** Changes of a JSON value: other values at some paths. */
const replacements = fc.array(fc.tuple(place, anyValue), { minLength: 0, maxLength: 3 });

/** Returns dumps (lines of JSON) that differ from `dump` in some places. */
export function dumpsLike(dump: string): fc.Arbitrary<Buffer> {
  const lines = dump.trimEnd().split('\n');
  const changed = fc.tuple(fc.integer({ min: 0, max: lines.length - 1 }), replacements);
  return fc.array(changed, { minLength: 1, maxLength: 3 }).map((changes) => {
    const texts = [...lines];
    for (const [index, replaced] of changes) {
      const value = replaced.reduce<unknown>(
        (json, [path, by]) => replacedAt(json, path, by),
        JSON.parse(lines[index] ?? 'null'),
      );
      texts[index] = hostileJson(value);
    }
    return Buffer.from(`${texts.join('\n')}\n`);
  });
}

/** Returns JSON files that differ from the value in some places. */
export function filesLike(value: unknown): fc.Arbitrary<Buffer> {
  return replacements.map((replaced) =>
    Buffer.from(hostileJson(replaced.reduce((json, [path, by]) => replacedAt(json, path, by), value))),
  );
}
