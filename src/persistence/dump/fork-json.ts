import type { ForkRecord } from '../../fork/fork-options.ts';
import { isUpstreamUrl } from '../../fork/fork-options.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { hexKey, toHex, toQuantity } from '../../primitives/hex.ts';
import { readAddress } from '../../wire/account.ts';
import type { StrictValue } from '../../wire/strict-value.ts';
import { tolerantFixedData, tolerantQuantity } from '../../wire/tolerant.ts';
import type { DumpText } from './dump-text.ts';

/** Returns a fork as JSON, without upstream responses. */
export function forkLine(record: ForkRecord): object {
  const { urls, chainId, number, hash, block, before, answers } = record;
  const funds = [...record.funds].map(([address, balance]) => [`0x${address}`, toQuantity(balance)]);
  return {
    urls,
    chainId,
    number,
    hash: toHex(hash),
    isComplete: answers !== null,
    block,
    before,
    funds: Object.fromEntries(funds),
  };
}

/** Yields the lines of a fork: the fork itself, then each included upstream response. */
export function* forkRecords(record: ForkRecord): Generator<object, void, undefined> {
  const { answers } = record;
  yield { fork: forkLine(record) };
  for (const [call, result] of answers ?? []) yield { answer: { call, result } };
}

/**
 * Reads the lines of {@link forkRecords}, which follow the first line of a dump; `null` for a chain with its
 * own genesis. Rejects with an `InvalidDumpError`.
 */
export async function readForkRecord(dump: DumpText): Promise<ForkRecord | null> {
  let record: Omit<ForkRecord, 'answers'> | undefined;
  let answers: Map<string, unknown> | null = null;
  let isFirst = true;
  for await (const { value: line } of dump.lines()) {
    if (isFirst) isFirst = false;
    else if (record === undefined) {
      const value = line.field('fork');
      if (value.isNothing) return null;
      record = readForkLine(value);
      answers = value.field('isComplete').flag() ? new Map() : null;
    } else {
      const value = line.field('answer');
      if (value.isNothing || answers === null) break;
      answers.set(value.field('call').text(), value.field('result').json);
    }
  }
  return record === undefined ? null : { ...record, answers };
}

function readUrls(value: StrictValue): string[] {
  const urls = value.items().map((url) => {
    const text = url.text();
    return isUpstreamUrl(text) ? text : url.refuse('the URL of a node');
  });
  return urls.length === 0 ? value.refuse('at least one URL') : urls;
}

/** Inverse of {@link forkLine}. Throws an `InvalidDumpError`. */
export function readForkLine(value: StrictValue): Omit<ForkRecord, 'answers'> {
  const block = value.field('block');
  // Upstreams encode it in different ways.
  const fields = {
    number: tolerantQuantity(block.field('number').json),
    hash: tolerantFixedData(block.field('hash').json, 32),
  };
  const [number, hash] = [value.field('number').count(), value.field('hash').bytes(32)];
  if (fields.number !== BigInt(number)) block.field('number').refuse(String(number));
  if (fields.hash === undefined || !equalBytes(fields.hash, hash)) block.field('hash').refuse(toHex(hash));
  const funds = value.field('funds');
  return {
    urls: readUrls(value.field('urls')),
    chainId: value.field('chainId').count(),
    number,
    hash,
    block: block.json,
    before: value.field('before').orNull((before) => ({
      block: before.field('block').json,
      index: before.field('index').count(),
    })),
    funds: new Map(
      funds.names().map((name) => [hexKey(readAddress(name, funds)), funds.field(name).quantity()]),
    ),
  };
}
