/** Lanes as chains that talk to each other: opened by a program, gone back together, with a relay of messages between them. */

import { isRecord, TestRunError } from './runners/answers.ts';
import { answersOf, laneAt, type TestLane } from './runners/test-lane.ts';

export type { LaneCall, TestLane as Lane } from './runners/test-lane.ts';

/** The options of a lane (`lane_create`); whatever is left out is as on the base chain. */
export interface LaneOptions {
  /** By default one that the node makes up. */
  readonly key?: string;
  readonly chainId?: number;
  /** The rules of a chain with a first block of its own. */
  readonly hardfork?: string;
  /** The URL of the node whose chain the lane is a fork of. */
  readonly forkUrl?: string;
  readonly forkBlockNumber?: number;
  /** The lanes of a group have one time: what moves or sets that of one does so for all. */
  readonly group?: string;
  /** The block, snapshot or lane that a branch of a chain begins at. */
  readonly from?: { readonly lane?: string; readonly block?: string; readonly snapshot?: string };
}

/**
 * Makes a lane of the node at `url`, and resolves to it. Rejects with the node's error when there is one of that key already,
 * or an option is wrong.
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

/** Lanes as they were at one moment. */
export interface LanesSnapshot {
  /**
   * Takes all lanes back to that moment, their time too. It can be called more than once. Rejects with an error that names a
   * lane that was put back to an earlier moment meanwhile, or reset, and so has lost this one.
   */
  revert(): Promise<void>;
}

/**
 * Keeps several lanes as they are now, to go back to together.
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
      // A snapshot is used up by the way back to it.
      ids = await take();
    },
  };
}

/** A log, as `eth_getLogs` gives it. */
export interface RelayedLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly logIndex: string;
  /** Seconds since 1970 of its block, as a quantity. */
  readonly blockTimestamp: string;
}

/** A transaction that brings a message, as `eth_sendTransaction` takes it; its sender is an account that the node signs for. */
export type Delivery = Readonly<Record<string, unknown>>;

/** The options of a relay. */
export interface RelayOptions {
  readonly from: TestLane;
  readonly to: TestLane;
  /** The contracts and topics of the logs that are messages, as `eth_getLogs` takes them. */
  readonly filter: { readonly address?: string | readonly string[]; readonly topics?: readonly unknown[] };
  /** Returns the transaction that brings a message to the other chain; `null` for a log that is none for it. */
  readonly deliver: (log: RelayedLog) => Delivery | null | Promise<Delivery | null>;
}

/** A message that was brought. */
export interface Delivered {
  readonly log: RelayedLog;
  readonly transactionHash: string;
  /** `null` while the transaction waits for a block. */
  readonly receipt: Readonly<Record<string, unknown>> | null;
}

/** Brings messages from one chain to another when it is told to, so that a test says when. */
export interface Relay {
  /**
   * Brings all messages that were sent since the last time, one after the other, in their order, each in a block that is not
   * earlier than the one in which it was sent. Rejects with the error of the
   * first that is refused, or whose transaction fails; it and those behind it are tried again the next time. A chain that went back is read on from
   * where it went back to.
   */
  run(): Promise<readonly Delivered[]>;
}

/** A block up to which messages were brought. */
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
 * Moves the time of a lane forward where its next block could be earlier than the log: blocks that are made in quick succession
 * run ahead of the clock, on one chain more than on the other.
 */
async function catchUp(lane: TestLane, { blockTimestamp }: RelayedLog): Promise<void> {
  const head = await lane.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
  const behind = Number(blockTimestamp) - Number(isRecord(head) ? head.timestamp : 0);
  if (behind > 0) await lane.request({ method: 'evm_increaseTime', params: [behind] });
}

/**
 * Makes a relay of the messages that one chain sends to another. It begins with the blocks that come from now on.
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
  /** The heads at which the relay stopped, the last one at the end: reverts lead back to one of them, or to between two. */
  const marks: Mark[] = [await headOf(from)];
  /** The block with which the relay began, or the head of a chain that went back to before it. */
  let begunAt = marks[0]?.number ?? 0;
  /** Logs of the block after the last mark that were brought already, when one behind them was refused. */
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
