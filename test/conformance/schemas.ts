import * as z from 'zod';
import { type FieldRow, objectFields } from './service-document.ts';

/** State of an object: in a block or pending. Some fields are `null` in only one of them. */
export type Stage = 'mined' | 'pending';

const quantity = z.string().regex(/^0x(0|[1-9a-f][0-9a-f]*)$/);
const data = z.string().regex(/^0x([0-9a-f]{2})*$/);
const zeroHash = z.literal(`0x${'00'.repeat(32)}`);

function bytes(length: number): z.ZodType {
  return z.string().regex(new RegExp(`^0x[0-9a-f]{${2 * length}}$`));
}

const trieNodes = z.array(data.min(4));

/** Schemas by phrase of the service document's tables. The first match counts. */
type Wording = readonly [pattern: RegExp, schema: (match: RegExpExecArray) => z.ZodType];

function readWording(wordings: readonly Wording[], text: string): z.ZodType {
  for (const [pattern, schema] of wordings) {
    const match = pattern.exec(text);
    if (match !== null) return schema(match);
  }
  throw new Error(`no schema for the words: ${text}`);
}

const ENCODINGS: readonly Wording[] = [
  [/^(\d+)[- ]bytes?\b/, ([, length]) => bytes(Number(length))],
  [/^QUANTITY\b/, () => quantity],
  [/^DATA\b/, () => data],
  [/^Boolean\b/, () => z.boolean()],
  [/^Transaction type$/, () => quantity],
  [/^ECDSA recovery id$/, () => quantity],
  [/^Array of uncle hashes$/, () => z.array(bytes(32))],
  [/^Array of 0 to 4 DATA items of 32 bytes each\b/, () => z.array(bytes(32)).max(4)],
  [/^Array of serialized trie nodes\b/, () => trieNodes],
  [
    /^Array of objects `{key: QUANTITY, value: QUANTITY, proof: array of serialized trie nodes}`/,
    () => z.array(z.strictObject({ key: quantity, value: quantity, proof: trieNodes })),
  ],
  [/^Array of log objects\b/, () => z.array(logSchema('mined'))],
  [
    /^Array of 32-byte transaction hashes, or of full transaction objects\b/,
    () => z.union([z.array(bytes(32)), z.array(transactionSchema('mined'))]),
  ],
];

function fieldSchema({ meaning, isNullWhenPending }: FieldRow, stage: Stage): z.ZodType {
  const encoding = readWording(ENCODINGS, meaning);
  if (isNullWhenPending && stage === 'mined') return encoding;
  if (isNullWhenPending) return meaning.includes('all-zero hash') ? z.union([z.null(), zeroHash]) : z.null();
  return meaning.includes('`null`') ? z.nullable(encoding) : encoding;
}

/**
 * A row such as `root` (32-byte …) or `status` (`0x1` …, `0x0` …): an object has exactly one of the fields.
 */
function alternativeSchema(name: string, meaning: string): z.ZodType {
  const words = new RegExp(`\`${name}\` \\(([^)]*)\\)`).exec(meaning)?.[1] ?? '';
  const values = Array.from(words.matchAll(/`(0x\d+)`/g), (match) => match[1] ?? '');
  return values.length > 0 ? z.enum(values) : readWording(ENCODINGS, words);
}

function objectSchema(heading: string, stage: Stage): z.ZodType {
  const rows = objectFields(heading);
  const plain = rows.filter(({ names }) => names.length === 1);
  const fields = plain.map((row) => [row.names.join(), fieldSchema(row, stage)] as const);
  const alternatives = rows.filter(({ names }) => names.length > 1);
  const optional = alternatives.flatMap(({ names, meaning }) =>
    names.map((name) => [name, z.optional(alternativeSchema(name, meaning))] as const),
  );
  return z
    .looseObject(Object.fromEntries([...fields, ...optional]))
    .refine((value) =>
      alternatives.every(({ names }) => names.filter((name) => value[name] !== undefined).length === 1),
    );
}

/** The transaction object. */
export function transactionSchema(stage: Stage): z.ZodType {
  return objectSchema('Transaction object', stage);
}

function logSchema(stage: Stage): z.ZodType {
  return objectSchema('Log object', stage);
}

function blockSchema(): z.ZodType {
  return objectSchema('Block object', 'mined');
}

const RESULTS: readonly Wording[] = [
  [/^string, client version$/, () => z.string().min(1)],
  [/^decimal string network id\b/, () => z.string().regex(/^[1-9][0-9]*$/)],
  [/^QUANTITY, or `null`/, () => z.nullable(quantity)],
  [/^Array of strings\b/, () => z.array(z.string())],
  [/^array of 20-byte addresses\b/, () => z.array(bytes(20))],
  [
    /^sync status object or `false`$/,
    () =>
      z.union([
        z.literal(false),
        z.strictObject({ startingBlock: quantity, currentBlock: quantity, highestBlock: quantity }),
      ]),
  ],
  [/^account proof object$/, () => objectSchema('Account proof object (`eth_getProof`)', 'mined')],
  [/^block object or `null`$/, () => z.nullable(blockSchema())],
  // From the document's page on the object: `null` if no block is found. Every uncle of a chain without
  // uncles is null.
  [/^block object \(without transactions\)$/, () => z.nullable(blockSchema())],
  [
    /^transaction object(?: or `null`)?$/,
    () => z.nullable(z.union([transactionSchema('mined'), transactionSchema('pending')])),
  ],
  [/^array of transaction objects\b/, () => z.array(transactionSchema('pending'))],
  [/^receipt object or `null`$/, () => z.nullable(objectSchema('Transaction receipt object', 'mined'))],
  [/^array of (?:all logs|log objects)\b/, () => z.array(logSchema('mined'))],
  [/^array; items since last poll\b/, () => z.union([z.array(bytes(32)), z.array(logSchema('mined'))])],
  [/^array of three 32-byte DATA\b/, () => z.tuple([bytes(32), bytes(32), bytes(32)])],
  ...ENCODINGS,
];

/** The schema of a result by the phrase of a method table. Throws for an unknown phrase. */
export function resultSchema(words: string): z.ZodType {
  return readWording(RESULTS, words);
}
