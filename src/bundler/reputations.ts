/** The reputation of factories and paymasters (ERC-7562): the share of their operations that were mined. */

import type { Chain } from '../chain/chain.ts';
import { fromHex, type Hex, hexKey, toHex } from '../primitives/hex.ts';
import { UserOperationError } from './errors.ts';

/** Decides the operations of a contract that are accepted: any number, few pending ones, or none. */
export type ReputationStatus = 'ok' | 'throttled' | 'banned';

export interface ReputationCounts {
  /** Accepted operations. */
  readonly opsSeen: number;
  /** Mined operations. */
  readonly opsIncluded: number;
}

export interface Reputation extends ReputationCounts {
  readonly address: Hex;
}

/** A contract that an operation names. */
export interface NamedEntity {
  readonly kind: 'account' | 'factory' | 'paymaster';
  /** 20 bytes. */
  readonly address: Uint8Array;
}

/**
 * ERC-7562: `MIN_INCLUSION_RATE_DENOMINATOR`, `THROTTLING_SLACK`, `BAN_SLACK`,
 * `THROTTLED_ENTITY_MEMPOOL_COUNT`.
 */
const SEEN_FOR_EACH_INCLUDED = 10;
const THROTTLING_SLACK = 10;
const BAN_SLACK = 50;
const MAX_WAITING_IF_THROTTLED = 4;

/** Each hour, 1/24 of every count expires. */
const SECONDS_PER_HOUR = 3_600;
const HOURS_TO_FORGET = 24;

/** Returns a count after some hours of decay. Each count is 0 after about 800 hours. */
function leftAfter(count: number, hours: number): number {
  let left = count;
  for (let hour = 0; hour < hours && left > 0; hour++)
    left = Math.floor((left * (HOURS_TO_FORGET - 1)) / HOURS_TO_FORGET);
  return left;
}

export function reputationStatus({ opsSeen, opsIncluded }: ReputationCounts): ReputationStatus {
  const expected = Math.floor(opsSeen / SEEN_FOR_EACH_INCLUDED);
  if (expected <= opsIncluded + THROTTLING_SLACK) return 'ok';
  return expected <= opsIncluded + BAN_SLACK ? 'throttled' : 'banned';
}

interface WaitingOperation {
  /** The hash of the transaction that contains the operation. */
  readonly transaction: Uint8Array;
  /** The contracts that it counts for, as map keys. */
  readonly entities: readonly string[];
}

const NOTHING: ReputationCounts = { opsSeen: 0, opsIncluded: 0 };

/** The reputation of contracts at one EntryPoint of a chain. */
class ReputationTable {
  readonly #chain: Chain;
  readonly #counts = new Map<string, ReputationCounts>();
  #waiting: readonly WaitingOperation[] = [];
  /** The hour, since 1970, of the last decay of the counts. */
  #hour: number;

  constructor(chain: Chain) {
    this.#chain = chain;
    this.#hour = this.#now;
  }

  get #now(): number {
    return Math.floor(this.#chain.head().header.timestamp / SECONDS_PER_HOUR);
  }

  /** Counts the operations that were mined since, and applies the hourly decay. */
  settle(): void {
    const still: WaitingOperation[] = [];
    for (const operation of this.#waiting) {
      const mined = this.#chain.transaction(operation.transaction);
      if (mined === undefined) {
        if (this.#chain.pool.byHash(operation.transaction) !== undefined) still.push(operation);
      } else if (mined.receipt.succeeded) {
        for (const entity of operation.entities) this.#add(entity, { opsSeen: 0, opsIncluded: 1 });
      }
    }
    this.#waiting = still;
    if (this.#now > this.#hour) this.#forget(this.#now - this.#hour);
    this.#hour = this.#now;
  }

  #forget(hours: number): void {
    for (const [entity, { opsSeen, opsIncluded }] of this.#counts) {
      const left = { opsSeen: leftAfter(opsSeen, hours), opsIncluded: leftAfter(opsIncluded, hours) };
      if (left.opsSeen === 0 && left.opsIncluded === 0) this.#counts.delete(entity);
      else this.#counts.set(entity, left);
    }
  }

  #add(entity: string, more: ReputationCounts): void {
    const { opsSeen, opsIncluded } = this.#counts.get(entity) ?? NOTHING;
    this.#counts.set(entity, {
      opsSeen: opsSeen + more.opsSeen,
      opsIncluded: opsIncluded + more.opsIncluded,
    });
  }

  /** Throws {@link UserOperationError} if a contract is banned, or throttled with too many operations. */
  require(entities: readonly NamedEntity[]): void {
    for (const { kind, address } of entities) {
      const key = hexKey(address);
      const status = reputationStatus(this.#counts.get(key) ?? NOTHING);
      const waiting = this.#waiting.filter((operation) => operation.entities.includes(key)).length;
      if (status === 'ok' || (status === 'throttled' && waiting < MAX_WAITING_IF_THROTTLED)) continue;
      const counted =
        status === 'throttled' ? `throttled and already has ${waiting} pending operations` : status;
      throw new UserOperationError('reputation', `the ${kind} ${toHex(address)} is ${counted}`, {
        [kind]: toHex(address),
      });
    }
  }

  /** Counts an operation that was sent in the transaction with this hash (32 bytes). */
  see(entities: readonly NamedEntity[], transaction: Uint8Array): void {
    const keys = entities.map(({ address }) => hexKey(address));
    for (const key of keys) this.#add(key, { opsSeen: 1, opsIncluded: 0 });
    this.#waiting = [...this.#waiting, { transaction, entities: keys }];
  }

  /** Sets the counts of a contract (20 bytes). */
  set(address: Uint8Array, counts: ReputationCounts): void {
    this.#counts.set(hexKey(address), counts);
  }

  all(): readonly Reputation[] {
    return Array.from(this.#counts, ([key, counts]) => ({ address: toHex(fromHex(`0x${key}`)), ...counts }));
  }
}

/** The reputations at all EntryPoints of a node's chains. They are not part of snapshots. */
export class Reputations {
  readonly #ofChain = new WeakMap<Chain, Map<string, ReputationTable>>();

  /** Returns the current table of an EntryPoint (20 bytes). */
  at(chain: Chain, entryPoint: Uint8Array): ReputationTable {
    const tables = this.#ofChain.get(chain) ?? new Map<string, ReputationTable>();
    this.#ofChain.set(chain, tables);
    const table = tables.get(hexKey(entryPoint)) ?? new ReputationTable(chain);
    tables.set(hexKey(entryPoint), table);
    table.settle();
    return table;
  }

  /** Removes all reputations of a chain. */
  clear(chain: Chain): void {
    this.#ofChain.delete(chain);
  }
}
