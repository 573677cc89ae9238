import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import { createRpcServiceFactory } from '../../src/rpc/rpc-service.ts';
import { plainResult } from '../../src/rpc/views/log-list.ts';
import { countingRandom } from '../support/counting-random.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ALICE, branchOf, createTestChain, nodeOf } from '../support/test-chain.ts';
import { hexWord } from '../support/words.ts';
import { testConnection } from './rpc-harness.ts';
import { overTheWire } from './wire.ts';

const LAST_BLOCK = 40;

interface LogJson {
  readonly address: string;
  readonly topics: readonly string[];
  readonly blockNumber: string;
  readonly blockHash: string;
}

/** The fields of a filter object. A topic that is a list has alternatives. */
interface FilterJson {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | null | readonly string[])[];
}

/** An event: its contract, its topics as small numbers, and the words of its data. */
interface Event {
  readonly topics: readonly number[];
  readonly isTwin: boolean;
  readonly data: string;
}

type Step =
  | { readonly kind: 'block'; readonly events: readonly Event[] }
  | { readonly kind: 'empty'; readonly count: number }
  | { readonly kind: 'snapshot' | 'fork' }
  | { readonly kind: 'revert' | 'reorg' | 'rollback'; readonly pick: number };

/** Two contracts for each number of topics: 0x10, 0x11 … and 0x20, 0x21 …, which differ in one byte. */
function emitter(topics: number, isTwin: boolean): string {
  return `0x${(isTwin ? '20' : '10').padEnd(38, '0')}${topics.toString(16).padStart(2, '0')}`;
}

/** Code that emits the words of the call data: the first ones as topics and the rest as data. */
function emitterCode(topics: number): string {
  const byte = (value: number): string => value.toString(16).padStart(2, '0');
  const loads = Array.from({ length: topics }, (_, index) => `60${byte(32 * (topics - 1 - index))}35`);
  const size = byte(32 * topics);
  return `0x${loads.join('')}60${size}36038060${size}6000376000${byte(0xa0 + topics)}00`;
}

/** A chain under test. Responses are compared as text and as values. */
class Subject {
  readonly chain: Chain;
  readonly snapshots: unknown[] = [];
  readonly #service;
  readonly #connection = testConnection();

  constructor(chain: Chain) {
    this.chain = chain;
    this.#service = createRpcServiceFactory(
      {
        compat: 'service',
        version: '1.2.3',
        hosted: false,
        fieldNames: 'service',
        logLimits: { blocks: 0, logs: 0 },
      },
      countingRandom(),
      createFakeTime(0),
    )(nodeOf(chain), null);
  }

  async call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const result = await this.#service.call(method, params, this.#connection);
    const text = await overTheWire(result);
    expect(plainResult(result)).toEqual(text);
    return text;
  }

  async height(): Promise<number> {
    return Number(await this.call('eth_blockNumber'));
  }

  async prepare(): Promise<this> {
    for (const topics of [0, 1, 2, 3, 4]) {
      for (const isTwin of [false, true])
        await this.call('hardhat_setCode', emitter(topics, isTwin), emitterCode(topics));
    }
    await this.call('evm_setAutomine', false);
    return this;
  }

  /** The logs of all blocks, read from the receipts. */
  async everyLog(): Promise<LogJson[]> {
    const logs: LogJson[] = [];
    for (let number = await this.height(); number >= 0; number--) {
      logs.unshift(...(await this.logsOf(`0x${number.toString(16)}`)));
    }
    return logs;
  }

  /** The logs of a block by its hash, read from the receipts. The block may be replaced. */
  async logsOf(block: string): Promise<LogJson[]> {
    const receipts = await this.call('eth_getBlockReceipts', block);
    return (receipts as { logs: LogJson[] }[]).flatMap((receipt) => receipt.logs);
  }

  async take(step: Step): Promise<Subject | undefined> {
    const height = await this.height();
    switch (step.kind) {
      case 'block':
        for (const { topics, isTwin, data } of step.events) {
          const input = `0x${topics.map(hexWord).join('')}${data}`;
          const to = emitter(topics.length, isTwin);
          await this.call('eth_sendTransaction', { from: ALICE, to, gas: '0x186a0', data: input });
        }
        await this.call('evm_mine');
        return undefined;
      case 'empty':
        if (height + step.count < LAST_BLOCK) await this.call('hardhat_mine', `0x${step.count.toString(16)}`);
        return undefined;
      case 'snapshot':
        this.snapshots.push(await this.call('evm_snapshot'));
        return undefined;
      case 'revert': {
        const [id] = this.snapshots.splice(step.pick % Math.max(1, this.snapshots.length));
        if (id !== undefined) await this.call('evm_revert', id);
        return undefined;
      }
      case 'reorg':
        if (height > 0) await this.call('anvil_reorg', 1 + (step.pick % height), []);
        return undefined;
      case 'rollback':
        if (height > 0) await this.call('anvil_rollback', `0x${(1 + (step.pick % height)).toString(16)}`);
        return undefined;
      case 'fork':
        return new Subject(await branchOf(this.chain));
    }
  }
}

function isAskedFor(log: LogJson, filter: FilterJson, head: number): boolean {
  const { address = [], topics = [], blockHash, fromBlock = 'latest', toBlock = 'latest' } = filter;
  const numberOf = (end: string): number => (end === 'latest' ? head : Number(end === 'earliest' ? 0 : end));
  const number = Number(log.blockNumber);
  const isInRange =
    blockHash === undefined
      ? number >= numberOf(fromBlock) && number <= numberOf(toBlock)
      : log.blockHash === blockHash;
  const addresses = [address].flat();
  return (
    isInRange &&
    (addresses.length === 0 || addresses.includes(log.address)) &&
    topics.every((wanted, position) => {
      const alternatives = wanted === null ? [] : [wanted].flat();
      return alternatives.length === 0 || alternatives.includes(log.topics[position] ?? '');
    })
  );
}

const event: fc.Arbitrary<Event> = fc.record({
  topics: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 4 }),
  isTwin: fc.boolean(),
  data: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('hex')),
});
const block = fc.record({
  kind: fc.constant('block' as const),
  events: fc.array(event, { minLength: 1, maxLength: 8 }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: block },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('empty' as const), count: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('snapshot' as const, 'fork' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('revert' as const, 'reorg' as const, 'rollback' as const),
      pick: fc.nat(3),
    }),
  },
);

const address = fc.tuple(fc.nat(4), fc.boolean()).map(([topics, isTwin]) => emitter(topics, isTwin));
const topic = fc.integer({ min: 1, max: 4 }).map((value) => `0x${hexWord(value)}`);
const selector = fc.oneof(
  fc.constantFrom('latest', 'earliest'),
  fc.nat(LAST_BLOCK).map((number) => `0x${number.toString(16)}`),
);
const criteria = {
  address: fc.oneof(address, fc.array(address, { maxLength: 3 })),
  topics: fc.array(fc.oneof(fc.constant(null), topic, fc.array(topic, { maxLength: 2 })), { maxLength: 4 }),
};
const filter: fc.Arbitrary<FilterJson> = fc.record(
  { ...criteria, fromBlock: selector, toBlock: selector },
  { requiredKeys: [] },
);

/** The filter, and an optional block that is searched by hash instead of a range. */
const asked = fc.record({ filter, ofBlock: fc.option(fc.nat(), { freq: 3 }) });

/** True for a range of fixed blocks whose end is below its start. */
function isReversed({ fromBlock, toBlock }: FilterJson): boolean {
  const [from, to] = [fromBlock, toBlock].map((end) => (end === 'earliest' ? 0 : Number(end)));
  return Number(from) > Number(to);
}

/** Runs the steps on the chains. Resolves to the number of logs found. */
async function expectPlainAnswers(
  first: Subject,
  steps: readonly { readonly step: Step; readonly chain: number }[],
  queries: readonly { readonly filter: FilterJson; readonly ofBlock: number | null }[],
): Promise<number> {
  const subjects = [first];
  const hashes = new Set<string>();
  let count = 0;
  for (const { step: next, chain } of steps) {
    const subject = subjects[chain % subjects.length] ?? first;
    const forked = await subject.take(next);
    if (forked !== undefined) subjects.push(forked);
    for (const each of new Set([subject, subjects.at(-1) ?? first])) {
      const head = await each.height();
      const logs = await each.everyLog();
      for (const { blockHash } of logs) hashes.add(blockHash);
      for (const { filter: wanted, ofBlock } of queries) {
        const blockHash = ofBlock === null ? undefined : [...hashes][ofBlock % hashes.size];
        const { address: emitters, topics } = wanted;
        const given: FilterJson =
          blockHash === undefined
            ? wanted
            : { blockHash, ...(emitters && { address: emitters }), ...(topics && { topics }) };
        const isRejected =
          blockHash === undefined
            ? isReversed(given)
            : (await each.call('eth_getBlockByHash', blockHash, false)) === null;
        if (isRejected) {
          await expect(each.call('eth_getLogs', given)).rejects.toMatchObject({
            code: blockHash === undefined ? -32602 : -32600,
          });
          continue;
        }
        const candidates = blockHash === undefined ? logs : await each.logsOf(blockHash);
        const expected = candidates.filter((log) => isAskedFor(log, given, head));
        expect(await each.call('eth_getLogs', given)).toEqual(expected);
        count += expected.length;
      }
    }
  }
  return count;
}

const steps = fc.array(fc.record({ step, chain: fc.nat(3) }), { minLength: 4, maxLength: 12 });
const queries = fc.array(asked, { minLength: 6, maxLength: 12 });

describe('eth_getLogs', () => {
  it.each([
    ['in memory', false],
    ['on disk', true],
  ])('returns the same logs as all receipts, on a chain %s and its forks', async (_, isOnDisk) => {
    let found = 0;
    const isSame = fc.asyncProperty(steps, queries, async (taken, searches) => {
      const dataDirectory = isOnDisk ? await temporaryDirectory() : null;
      const { chain } = await createTestChain({ dataDirectory });
      const subject = await new Subject(chain).prepare();
      found += await expectPlainAnswers(subject, taken, searches);
      await chain.close();
    });
    await fc.assert(isSame, { numRuns: isOnDisk ? 8 : 25 });
    expect(found).toBeGreaterThan(20);
  });
});
