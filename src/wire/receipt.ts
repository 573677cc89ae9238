// Receipts and logs in JSON, as files have them; answers begin a log in the same way.

import { toHex } from '../primitives/hex.ts';
import { bloomOf } from '../protocol/bloom.ts';
import type { Log, Receipt } from '../protocol/receipt.ts';
import type { Json } from './json.ts';
import type { StrictValue } from './strict-value.ts';
import { address, flag, integer, nullable, type ValueCodec } from './values.ts';

/** Returns the log as dumps, state files of Anvil and answers have it: address, topics, data. */
export function logJson({ address: emitter, topics, data }: Log): Json {
  return { address: toHex(emitter), topics: topics.map(toHex), data: toHex(data) };
}

/** Returns the log that {@link logJson} wrote. Throws an `InvalidDumpError`. */
export function readLog(value: StrictValue): Log {
  const topics = value.field('topics').items();
  if (topics.length > 4) value.field('topics').refuse('at most four topics');
  return {
    address: value.field('address').bytes(20),
    topics: topics.map((topic) => topic.bytes(32)),
    data: value.field('data').bytes(),
  };
}

/** The fields of a receipt in a dump, in its order; the logs follow, from which the bloom is made again. */
const DUMP_FIELDS: {
  readonly [Name in keyof Omit<Receipt, 'logs' | 'logsBloom'>]: ValueCodec<Receipt[Name]>;
} = {
  succeeded: flag,
  cumulativeGasUsed: integer,
  gasUsed: integer,
  effectiveGasPrice: integer,
  contractAddress: nullable(address),
};

const DUMP_ENTRIES = Object.entries<ValueCodec<unknown>>(DUMP_FIELDS).map(([name, codec]) => ({
  name: name as keyof typeof DUMP_FIELDS,
  codec,
}));

/** Returns the receipt as a dump has it. */
export function receiptJson(receipt: Receipt): Json {
  const json: Record<string, unknown> = {};
  for (const { name, codec } of DUMP_ENTRIES) json[name] = (codec.writeDump ?? codec.write)(receipt[name]);
  return { ...json, logs: receipt.logs.map(logJson) };
}

/** Returns the receipt that {@link receiptJson} wrote. Throws an `InvalidDumpError`. */
export function readReceipt(value: StrictValue): Receipt {
  const logs = value.field('logs').items().map(readLog);
  const fields = Object.fromEntries(
    DUMP_ENTRIES.map(({ name, codec }) => [name, codec.read(value.field(name), 'dump')]),
  ) as unknown as Omit<Receipt, 'logs' | 'logsBloom'>;
  return { ...fields, logs, logsBloom: bloomOf(logs) };
}
