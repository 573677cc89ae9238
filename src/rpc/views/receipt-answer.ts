import type { Chain } from '../../chain/chain.ts';
import type { Awaitable } from '../../primitives/awaitable.ts';
import type { Steps } from '../../primitives/steps.ts';
import type { TransactionLocation } from '../../protocol/block.ts';
import { bloomOf, logsOf, withoutLogs } from '../../protocol/receipt.ts';
import type { FoundLogs } from '../../storage/log-search.ts';
import { isLongReceipt, receiptView, receiptViewInSteps } from '../../wire/receipt.ts';
import type { Json } from '../../wire/values.ts';
import type { RpcContext } from '../rpc-context.ts';
import { LogListJson, PreserializedJson } from './log-list.ts';

/**
 * A receipt is serialized from the records if its number of logs is in this range; shorter ones gain nothing.
 */
const [MIN_LOGS, MAX_LOGS] = [32, 4_096];
/** Maximum bytes of these logs, because clients in the same process get them without yielding. */
const MAX_BYTES = 2 ** 20;

/** The receipt of a mined transaction as JSON, with logs from the record of their block. */
class ReceiptJson extends PreserializedJson {
  readonly #withoutLogs: Json;
  readonly #logs: LogListJson;

  constructor(withoutLogs: Json, logs: LogListJson) {
    super();
    this.#withoutLogs = withoutLogs;
    this.#logs = logs;
  }

  toBytes(before: string, after: string, limit: number): Steps<Buffer> {
    const text = JSON.stringify(this.#withoutLogs);
    const place = text.indexOf(NO_LOGS) + NO_LOGS.length;
    const [start, end] = [text.slice(0, place - EMPTY_LIST.length), text.slice(place)];
    return this.#logs.toBytes(before + start, end + after, limit - start.length - end.length);
  }

  toJSON(): Json {
    return { ...this.#withoutLogs, logs: this.#logs.toJSON() };
  }
}

const EMPTY_LIST = '[]';
/** The member of a receipt without logs. No other value of a receipt contains it. */
const NO_LOGS = `"logs":${EMPTY_LIST}`;

/** Returns a transaction's logs from the record of its block; `undefined` if too few or too many. */
function manyLogs(
  chain: Chain,
  { block: { header, hash: blockHash }, index, firstLogIndex }: TransactionLocation,
): FoundLogs | undefined {
  const blockNumber = header.number;
  const record = chain.blocks.logs(blockNumber);
  const least = firstLogIndex + MIN_LOGS - 1;
  if (record === undefined || least >= record.logCount || record.transactionIndex(least) !== index)
    return undefined;
  const count = record.firstLogOf(index + 1) - firstLogIndex;
  if (count > MAX_LOGS) return undefined;
  const size = record.place(firstLogIndex + count - 1).end - record.place(firstLogIndex).address;
  if (size > MAX_BYTES) return undefined;
  const logIndexes = Array.from({ length: count }, (_, place) => firstLogIndex + place);
  return { blockNumber, blockHash, record, logIndexes };
}

/** Returns the receipt of a mined transaction. Yields if its logs are many or long. */
export function receiptAnswer(
  context: RpcContext,
  mined: TransactionLocation,
): Awaitable<Json | PreserializedJson> {
  const { chain } = context.node;
  const { compat } = context.settings;
  const { receipt } = mined;
  const hasFewLogs = logsOf(receipt).length < MIN_LOGS;
  if (hasFewLogs && !isLongReceipt(receipt)) return receiptView(mined, compat, chain.ruleSet);
  const found = hasFewLogs ? undefined : manyLogs(chain, mined);
  if (found === undefined) return context.deadline.run(receiptViewInSteps(mined, compat, chain.ruleSet));
  const own = { ...mined, receipt: withoutLogs(receipt, bloomOf(logsOf(receipt))) };
  return new ReceiptJson(receiptView(own, compat, chain.ruleSet), new LogListJson([found]));
}
