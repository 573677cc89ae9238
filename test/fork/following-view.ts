// The view of a client on a chain: from notifications and filters only.

import { expect } from 'vitest';
import { toQuantity } from '../../src/primitives/hex.ts';
import { nextIteration } from '../../src/scheduling/cancel-check.ts';
import { type RpcHarness, type TestConnection, testConnection } from '../rpc/rpc-harness.ts';

/** Iterations of the event loop until all notifications must have arrived. */
const MAX_TURNS = 10_000;

export interface LogFacts {
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly transactionHash: string;
  readonly logIndex: string;
  readonly removed: boolean;
}

export interface BlockFacts {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly transactions: readonly string[];
}

export async function blockOn({ call }: Pick<RpcHarness, 'call'>, block: string): Promise<BlockFacts> {
  return (await call('eth_getBlockByNumber', [block, false])) as BlockFacts;
}

function resultsOf({ sent }: TestConnection, from: number): unknown[] {
  return sent.slice(from).map(({ params }) => (params as { result: unknown }).result);
}

function keyOf({ blockHash, logIndex }: LogFacts): string {
  return `${blockHash} ${logIndex}`;
}

/** The chain as a client knows it from notifications and filters. */
export class ClientView {
  readonly #heads = testConnection('websocket');
  readonly #logs = testConnection('websocket');
  #filter: unknown;
  #readHeads = 0;
  #readLogs = 0;
  /** The hash of the last head. */
  #head = '';
  readonly #hashes = new Map<number, string>();
  readonly #pushed = new Map<string, LogFacts>();
  readonly #polled = new Map<string, LogFacts>();
  readonly #isLocal: (hash: string) => boolean;

  /** `isLocal` returns true for transactions of the fork. */
  constructor(isLocal: (hash: string) => boolean) {
    this.#isLocal = isLocal;
  }

  async begin(node: Pick<RpcHarness, 'call'>): Promise<void> {
    const { call } = node;
    this.#head = (await blockOn(node, 'latest')).hash;
    await call('eth_subscribe', ['newHeads'], this.#heads);
    await call('eth_subscribe', ['logs', {}], this.#logs);
    this.#filter = await call('eth_newFilter', [{ fromBlock: '0x0' }]);
    const present = (await call('eth_getLogs', [{ fromBlock: '0x0' }])) as LogFacts[];
    for (const view of [this.#pushed, this.#polled]) this.#take(view, present, 'present logs');
  }

  #take(view: Map<string, LogFacts>, logs: readonly LogFacts[], what: string): void {
    for (const log of logs) {
      // Logs of blocks that leave the forked chain are not reported as removed.
      if (!this.#isLocal(log.transactionHash)) continue;
      const key = keyOf(log);
      if (log.removed) {
        expect(view.delete(key), `${what}: removal of an unknown log in block ${log.blockNumber}`).toBe(true);
      } else {
        expect(view.has(key), `${what}: a log twice in block ${log.blockNumber}`).toBe(false);
        view.set(key, log);
      }
    }
  }

  /** Compares the view with the chain. */
  async check(node: Pick<RpcHarness, 'call'>): Promise<void> {
    await this.#checkHeads(node);
    const { call } = node;
    const present = this.#keysOf((await call('eth_getLogs', [{ fromBlock: '0x0' }])) as LogFacts[]);
    // The logs of inserted blocks are requested first.
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      const pushed = resultsOf(this.#logs, this.#readLogs) as LogFacts[];
      this.#readLogs += pushed.length;
      this.#take(this.#pushed, pushed, 'pushed logs');
      if (this.#keysOf(this.#pushed.values()).join() === present.join()) break;
      await nextIteration();
    }
    const polled = (await call('eth_getFilterChanges', [this.#filter])) as LogFacts[];
    this.#take(this.#polled, polled, 'polled logs');
    expect(this.#keysOf(this.#pushed.values()), 'pushed logs').toEqual(present);
    expect(this.#keysOf(this.#polled.values()), 'polled logs').toEqual(present);
  }

  #keysOf(logs: Iterable<LogFacts>): string[] {
    return [...logs]
      .filter(({ transactionHash }) => this.#isLocal(transactionHash))
      .map(keyOf)
      .sort();
  }

  async #checkHeads(node: Pick<RpcHarness, 'call'>): Promise<void> {
    const { hash: expected } = await blockOn(node, 'latest');
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      this.#readNewHeads();
      if (this.#head === expected) break;
      await nextIteration();
    }
    expect(this.#head, 'the last head').toBe(expected);
    for (const [number, hash] of this.#hashes)
      expect((await blockOn(node, toQuantity(number))).hash, `the head with number ${number}`).toBe(hash);
  }

  #readNewHeads(): void {
    const heads = resultsOf(this.#heads, this.#readHeads) as BlockFacts[];
    this.#readHeads += heads.length;
    for (const { number, hash, parentHash } of heads) {
      const at = Number(number);
      for (const other of this.#hashes.keys()) if (other >= at) this.#hashes.delete(other);
      const parent = this.#hashes.get(at - 1);
      // A client fetches the parents that it does not know.
      if (parent !== undefined && parent !== parentHash) this.#hashes.clear();
      this.#hashes.set(at, hash);
      this.#head = hash;
    }
  }
}
