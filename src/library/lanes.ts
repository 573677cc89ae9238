/** Lanes as chains that exchange messages: opening, common snapshots, and a message relay. */

import { isRecord, TestRunError } from './runners/answers.ts';
import { answersOf, laneAt, type TestLane } from './runners/test-lane.ts';

export type { LaneCall, TestLane as Lane } from './runners/test-lane.ts';

/** The options of a lane (`lane_create`). The defaults come from the base chain. */
export interface LaneOptions {
  /** By default, the node chooses a key. */
  readonly key?: string;
  readonly chainId?: number;
  /** The hardfork of a chain with its own genesis block. */
  readonly hardfork?: string;
  /** The URL of the node that the lane forks. */
  readonly forkUrl?: string;
  readonly forkBlockNumber?: number;
  /** Lanes of a group share one clock: setting or moving the time affects all of them. */
  readonly group?: string;
  /** The lane, and the block or snapshot of it, that the new lane copies. */
  readonly from?: { readonly lane?: string; readonly block?: string; readonly snapshot?: string };
}

/**
 * Creates a lane of the node. Rejects with the error of the node if the key is in use or an option is
 * invalid.
 *
 * @example
 * const one = await openLane('http://127.0.0.1:8545', { key: 'one', chainId: 1, group: 'bridge' });
 * const ten = await openLane('http://127.0.0.1:8545', { key: 'ten', chainId: 10, hardfork: 'osaka', group: 'bridge' });
 */
export async function openLane(url: string, options: LaneOptions = {}): Promise<TestLane> {
  const [key] = await answersOf(url, [{ method: 'lane_create', params: [options] }]);
  if (typeof key !== 'string') throw new TestRunError(`the node at ${url} returned no key for the new lane`);
  return laneAt(new URL(url).origin, key);
}

/** A common snapshot of several lanes. */
export interface LanesSnapshot {
  /**
   * Reverts all lanes and their clocks, any number of times. Rejects if a lane has lost its snapshot by a
   * reset or by a revert to an earlier snapshot.
   */
  revert(): Promise<void>;
}

/**
 * Takes a snapshot of several lanes, to revert them together.
 *
 * @example
 * const before = await snapshotLanes([one, ten]);
 * await before.revert();
 */
export async function snapshotLanes(lanes: readonly TestLane[]): Promise<LanesSnapshot> {
  const take = (): Promise<unknown[]> =>
    Promise.all(lanes.map((lane) => lane.request({ method: 'evm_snapshot' })));
  let ids = await take();
  return {
    async revert() {
      const reverted = await Promise.all(
        lanes.map((lane, index) => lane.request({ method: 'evm_revert', params: [ids[index]] })),
      );
      const lost = lanes[reverted.indexOf(false)];
      if (lost !== undefined)
        throw new TestRunError(
          `the lane at ${lost.url} no longer has snapshot ${String(ids[lanes.indexOf(lost)])}: the lane was reset or reverted to an earlier snapshot; take a new snapshot`,
        );
      // A revert consumes the snapshot.
      ids = await take();
    },
  };
}

/** A log of `eth_getLogs`. */
export interface RelayedLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly logIndex: string;
  /** Time of its block in seconds since 1970, as a quantity. */
  readonly blockTimestamp: string;
}

/** The transaction that delivers a message. The node must be able to sign for its sender. */
export type Delivery = Readonly<Record<string, unknown>>;

export interface RelayOptions {
  readonly from: TestLane;
  readonly to: TestLane;
  /** The contracts and topics of message logs, as in `eth_getLogs`. */
  readonly filter: { readonly address?: string | readonly string[]; readonly topics?: readonly unknown[] };
  /** Returns the transaction that delivers a message; `null` to ignore the log. */
  readonly deliver: (log: RelayedLog) => Delivery | null | Promise<Delivery | null>;
}

/** A delivered message. */
export interface Delivered {
  readonly log: RelayedLog;
  readonly transactionHash: string;
  /** `null` while the transaction is pending. */
  readonly receipt: Readonly<Record<string, unknown>> | null;
}

/** Delivers messages from one chain to another, only on request of the test. */
export interface Relay {
  /**
   * Delivers all new messages, one after another, in order. A block of the receiver is never older than the
   * message. Rejects at the first rejected or failed transaction; the next run retries it and the later
   * messages. After a revert of the sending chain, continues from the remaining blocks.
   */
  run(): Promise<readonly Delivered[]>;
}

/** The last block whose messages were delivered. */
interface Mark {
  readonly number: number;
  readonly hash: unknown;
}

function isLog(value: unknown): value is RelayedLog {
  return isRecord(value) && typeof value.blockNumber === 'string' && typeof value.logIndex === 'string';
}

async function hashOf(lane: TestLane, number: number): Promise<unknown> {
  const block = await lane.request({
    method: 'eth_getBlockByNumber',
    params: [`0x${number.toString(16)}`, false],
  });
  return isRecord(block) ? block.hash : null;
}

async function headOf(lane: TestLane): Promise<Mark> {
  const number = Number(await lane.request({ method: 'eth_blockNumber' }));
  return { number, hash: await hashOf(lane, number) };
}

async function send(lane: TestLane, delivery: Delivery): Promise<Omit<Delivered, 'log'>> {
  const hash = await lane.request({ method: 'eth_sendTransaction', params: [delivery] });
  const receipt = await lane.request({ method: 'eth_getTransactionReceipt', params: [hash] });
  if (isRecord(receipt) && receipt.status === '0x0')
    throw new TestRunError(
      `the relayed transaction ${hash} failed on ${lane.url}; for the reason, run npx node-cli trace ${hash} --url ${lane.url}`,
    );
  return { transactionHash: String(hash), receipt: isRecord(receipt) ? receipt : null };
}

/**
 * Moves the clock of a lane forward if its next block could be older than the log. Blocks in quick succession
 * are ahead of the clock, differently on each chain.
 */
async function catchUp(lane: TestLane, { blockTimestamp }: RelayedLog): Promise<void> {
  const head = await lane.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
  const behind = Number(blockTimestamp) - Number(isRecord(head) ? head.timestamp : 0);
  if (behind > 0) await lane.request({ method: 'evm_increaseTime', params: [behind] });
}

/**
 * Creates a relay of messages between two chains. It starts with the next block.
 *
 * @example
 * const relay = await createRelay({
 *   from: one,
 *   to: ten,
 *   filter: { address: mailbox, topics: [sent] },
 *   deliver: (log) => ({ from: account, to: mailbox, data: dataOf(log) }),
 * });
 * const delivered = await relay.run();
 */
export async function createRelay({ from, to, filter, deliver }: RelayOptions): Promise<Relay> {
  /** The heads of earlier runs. After a revert, the newest one that is still on the chain is the start. */
  const marks: Mark[] = [await headOf(from)];
  /** The head when the relay was created, or a lower head after a revert. */
  let begunAt = marks[0]?.number ?? 0;
  /** Delivered logs after the last mark, if a later log was rejected. */
  let brought = new Set<string>();

  async function lastMark(head: Mark): Promise<Mark | null> {
    for (let mark = marks.at(-1); mark !== undefined; mark = marks.at(-1)) {
      if (mark.number <= head.number && (await hashOf(from, mark.number)) === mark.hash) return mark;
      marks.pop();
      brought = new Set();
    }
    return null;
  }

  return {
    async run() {
      const head = await headOf(from);
      begunAt = Math.min(begunAt, head.number);
      const first = ((await lastMark(head))?.number ?? begunAt) + 1;
      if (first > head.number) return [];
      const range = { fromBlock: `0x${first.toString(16)}`, toBlock: `0x${head.number.toString(16)}` };
      const logs = await from.request({ method: 'eth_getLogs', params: [{ ...filter, ...range }] });
      const delivered: Delivered[] = [];
      for (const log of Array.isArray(logs) ? logs.filter(isLog) : []) {
        const place = `${log.blockHash} ${log.logIndex}`;
        if (brought.has(place)) continue;
        const delivery = await deliver(log);
        if (delivery !== null) {
          await catchUp(to, log);
          delivered.push({ log, ...(await send(to, delivery)) });
        }
        brought.add(place);
      }
      marks.push(head);
      brought = new Set();
      return delivered;
    },
  };
}
