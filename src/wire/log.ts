// Logs in JSON: the first members are the same in responses and files.

import { JsonList } from '../json/json-list.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { hexInSteps, type Steps } from '../primitives/steps.ts';
import type { Log } from '../protocol/receipt.ts';
import {
  certainMembers,
  type Member,
  type MemberFeatures,
  member,
  promisedProperties,
  quantityNames,
} from './members.ts';
import {
  address,
  bytes,
  count,
  flag,
  hash,
  type Json,
  type JsonSchema,
  listOf,
  nullOr,
  objectOf,
  objectSchema,
  type ValueCodec,
} from './values.ts';

export const TOPICS_LIMIT = 4;

const topicList = listOf(hash, TOPICS_LIMIT);
const topics: ValueCodec<readonly Uint8Array[]> = {
  ...topicList,
  read: (value, form) => {
    if (value.items().length > TOPICS_LIMIT) value.refuse('at most four topics');
    return topicList.read(value, form);
  },
};

/** A log and its position in the chain. */
export interface LocatedLog {
  readonly log: Log;
  readonly blockNumber: number;
  readonly blockHash: Uint8Array;
  /** Seconds since 1970. */
  readonly blockTimestamp: number;
  /** `null` for a log outside of a transaction. */
  readonly transactionHash: Uint8Array | null;
  readonly transactionIndex: number;
  /** The index in the block. */
  readonly logIndex: number;
  /** True if the block has been removed from the chain. */
  readonly removed: boolean;
}

/** The fields of a log that the contract sets. */
const EVENT_CODECS = {
  address,
  topics,
  data: bytes,
} as const satisfies { readonly [Name in keyof Log]: ValueCodec<Log[Name]> };

/** A log without its position, as in files. */
export const log: ValueCodec<Log> = objectOf<Log>(EVENT_CODECS, { optional: ['data'] });

/** The scope of a member: logs of one block, or of one transaction, share its value. */
export type LogScope = 'event' | 'block' | 'transaction' | 'log';

const nullableCount = nullOr(count);

type ScopedMember = Member<LocatedLog> & { readonly scope: LogScope };

function scoped<Value>(
  scope: LogScope,
  codec: ValueCodec<Value>,
  of: (source: LocatedLog) => Value,
  traits: MemberFeatures = {},
): ScopedMember {
  return { ...member(codec, of, traits), scope };
}

/** The name of a member of a log in responses. */
export type LogMemberName = keyof Log | Exclude<keyof LocatedLog, 'log'>;

/** The members of a log in response order (service document, Log object); members of a scope are adjacent. */
const LOG_MEMBERS: Readonly<Record<LogMemberName, ScopedMember>> = {
  address: scoped('event', EVENT_CODECS.address, (located) => located.log.address, { answered: 'always' }),
  topics: scoped('event', EVENT_CODECS.topics, (located) => located.log.topics, { answered: 'always' }),
  data: scoped('event', EVENT_CODECS.data, (located) => located.log.data, { answered: 'sometimes' }),
  blockNumber: scoped('block', nullableCount, ({ blockNumber }) => blockNumber),
  blockHash: scoped('block', nullOr(hash), ({ blockHash }) => blockHash),
  blockTimestamp: scoped('block', nullableCount, ({ blockTimestamp }) => blockTimestamp),
  transactionHash: scoped('transaction', nullOr(hash), ({ transactionHash }) => transactionHash),
  transactionIndex: scoped('transaction', nullableCount, ({ transactionIndex }) => transactionIndex),
  logIndex: scoped('log', nullableCount, ({ logIndex }) => logIndex),
  removed: scoped('log', flag, ({ removed }) => removed),
};

/** The members of a log in the order of responses, with their names. */
export const LOG_MEMBER_LIST: readonly (ScopedMember & { readonly name: LogMemberName })[] = Object.entries(
  LOG_MEMBERS,
).map(([name, described]) => ({ ...described, name: name as LogMemberName }));

const TEMPLATE: Json = Object.fromEntries(LOG_MEMBER_LIST.map(({ name }) => [name, null]));

function ofScopes(...scopes: readonly LogScope[]): typeof LOG_MEMBER_LIST {
  return LOG_MEMBER_LIST.filter(({ scope }) => scopes.includes(scope));
}

const OWN = ofScopes('event', 'log');
const OF_BLOCK = ofScopes('block');
const OF_TRANSACTION = ofScopes('transaction');

/** Returns logs of mined transactions as JSON. Logs of one block and transaction should be adjacent. */
export function logViews(logs: Iterable<LocatedLog>): Json[] {
  let last: LocatedLog | undefined;
  let lastJson: Json = TEMPLATE;
  const views: Json[] = [];
  for (const source of logs) {
    // Reuses the strings of the previous log if they are the same.
    const json: Record<string, unknown> = { ...lastJson };
    for (const { name, write } of OWN) json[name] = write(source);
    const isSameBlock = last?.blockHash === source.blockHash;
    if (!isSameBlock) for (const { name, write } of OF_BLOCK) json[name] = write(source);
    const isSameTransaction =
      last?.transactionHash === source.transactionHash && last.transactionIndex === source.transactionIndex;
    if (!isSameTransaction) for (const { name, write } of OF_TRANSACTION) json[name] = write(source);
    last = source;
    lastJson = json;
    views.push(json);
  }
  return views;
}

/** Maximum logs per time slice, and the work units per log without its data. */
const LOGS_AT_ONCE = 128;
const LOG_WORK = 500;

/** Maximum bytes of data that are written together with their log. */
const LONG_DATA = 2 ** 12;
/** Bytes of longer data per write. */
const DATA_AT_ONCE = 2 ** 16;

function withoutLongData(source: LocatedLog): LocatedLog {
  if (source.log.data.length <= LONG_DATA) return source;
  return { ...source, log: { ...source.log, data: EMPTY_BYTES } };
}

/** As {@link logViews}, but yields if the logs are many or long. */
export function* logViewsInSteps(logs: readonly LocatedLog[]): Steps<Json[]> {
  const views: Json[] = [];
  for (let start = 0; start < logs.length; start += LOGS_AT_ONCE) {
    const shown = logs.slice(start, start + LOGS_AT_ONCE);
    for (const [index, view] of logViews(shown.map(withoutLongData)).entries()) {
      const data = shown[index]?.log.data ?? EMPTY_BYTES;
      views.push(data.length > LONG_DATA ? { ...view, data: yield* hexInSteps(data) } : view);
      yield LOG_WORK + 2 * data.length;
    }
  }
  return views;
}

/** The member of a log without data. No other value of a log contains it. */
const NO_DATA = '"data":"0x"';

/** Adds a log, from its JSON without data and its data. Yields if the data is long. */
function* addLog(list: JsonList, json: string, data: Uint8Array): Steps<void> {
  const end = json.indexOf(NO_DATA) + NO_DATA.length - 1;
  list.add(json.slice(0, end));
  for (let start = 0; start < data.length; start += DATA_AT_ONCE) {
    const part = data.subarray(start, start + DATA_AT_ONCE);
    list.extend(hexKey(part));
    yield 4 * part.length;
  }
  list.extend(json.slice(end));
}

/** As {@link logViewsInSteps}, but returns JSON text: many logs need less time and memory this way. */
export function* logJsonList(logs: Iterable<LocatedLog>): Steps<JsonList> {
  const list = new JsonList();
  for (const shown of inGroups(logs)) {
    for (const [index, view] of logViews(shown.map(withoutLongData)).entries()) {
      const data = shown[index]?.log.data ?? EMPTY_BYTES;
      if (data.length > LONG_DATA) yield* addLog(list, JSON.stringify(view), data);
      else list.add(JSON.stringify(view));
      yield LOG_WORK + 2 * Math.min(data.length, LONG_DATA);
    }
  }
  return list;
}

function* inGroups(logs: Iterable<LocatedLog>): Generator<LocatedLog[], void, undefined> {
  let group: LocatedLog[] = [];
  for (const located of logs) {
    group.push(located);
    if (group.length < LOGS_AT_ONCE) continue;
    yield group;
    group = [];
  }
  yield group;
}

/** Work units per log in a file. */
const FILED_LOG_WORK = 300;

/** Returns the JSON of a list of logs for a file. Yields between logs. */
export function* filedLogList(logs: Iterable<Log>): Steps<JsonList> {
  const list = new JsonList();
  for (const emitted of logs) {
    const { data } = emitted;
    if (data.length > LONG_DATA)
      yield* addLog(list, JSON.stringify(log.write({ ...emitted, data: EMPTY_BYTES })), data);
    else list.add(JSON.stringify(log.write(emitted)));
    yield FILED_LOG_WORK + 2 * Math.min(data.length, LONG_DATA);
  }
  return list;
}

/** The quantities of a log. */
export const LOG_QUANTITIES = quantityNames(LOG_MEMBERS);

/** The members that logs of every kind of node contain, with or without their position. */
export const CERTAIN_LOG_MEMBERS = certainMembers(LOG_MEMBERS);

export const LOG_JSON_SCHEMA: JsonSchema = objectSchema(promisedProperties(LOG_MEMBERS));
