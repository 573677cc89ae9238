import { equalBytes } from '../primitives/bytes.ts';
import type { Block } from '../rules/block.ts';
import { bloomMayContain } from '../rules/bloom.ts';
import type { Log } from '../rules/receipt.ts';
import type { Blockchain } from './blockchain.ts';

/** Which logs are asked for. */
export interface LogCriteria {
  /** Any of these emitters; all when empty. */
  readonly addresses: readonly Uint8Array[];
  /**
   * By position: `null` or an empty list matches anything, a list any of its topics. Positions left out match
   * anything too; a log with fewer topics than there are positions does not match.
   */
  readonly topics: readonly (readonly Uint8Array[] | null)[];
}

/** The criteria and the blocks, both ends included, in which to look. */
export interface LogQuery extends LogCriteria {
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** A log and where it stands. */
export interface LocatedLog {
  readonly log: Log;
  readonly block: Block;
  readonly transactionIndex: number;
  /** Position in the block. */
  readonly logIndex: number;
  /** True when the block has left the chain. */
  readonly removed: boolean;
}

function isOneOf(value: Uint8Array, candidates: readonly Uint8Array[]): boolean {
  return candidates.some((candidate) => equalBytes(candidate, value));
}

function matches(log: Log, criteria: LogCriteria): boolean {
  if (criteria.addresses.length > 0 && !isOneOf(log.address, criteria.addresses)) return false;
  if (criteria.topics.length > log.topics.length) return false;
  return criteria.topics.every((wanted, position) => {
    if (wanted === null || wanted.length === 0) return true;
    const topic = log.topics[position];
    return topic !== undefined && isOneOf(topic, wanted);
  });
}

function bloomMayMatch(bloom: Uint8Array, criteria: LogCriteria): boolean {
  const mayHaveAny = (items: readonly Uint8Array[]): boolean =>
    items.length === 0 || items.some((item) => bloomMayContain(bloom, item));
  return mayHaveAny(criteria.addresses) && criteria.topics.every((wanted) => mayHaveAny(wanted ?? []));
}

/** The logs of one block that match, in their order. */
export function logsOfBlock(block: Block, criteria: LogCriteria, removed = false): LocatedLog[] {
  const found: LocatedLog[] = [];
  let logIndex = 0;
  for (const [transactionIndex, receipt] of block.receipts.entries()) {
    for (const log of receipt.logs) {
      if (matches(log, criteria)) found.push({ log, block, transactionIndex, logIndex, removed });
      logIndex++;
    }
  }
  return found;
}

/** The logs of the canonical chain that match, oldest first; blocks above the head hold none. */
export function searchLogs(blockchain: Blockchain, query: LogQuery): LocatedLog[] {
  const found: LocatedLog[] = [];
  const last = Math.min(query.toBlock, blockchain.head.header.number);
  for (let number = query.fromBlock; number <= last; number++) {
    const { logsBloom } = blockchain.summary(number);
    if (logsBloom === null || !bloomMayMatch(logsBloom, query)) continue;
    const block = blockchain.block(number);
    if (block !== undefined) found.push(...logsOfBlock(block, query));
  }
  return found;
}
