import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CallToken } from '../../src/chain/changes.ts';
import { createNode } from '../../src/index.ts';
import { toHex } from '../../src/primitives/hex.ts';
import type { Method } from '../../src/rpc/method.ts';
import type { MethodExample } from '../../src/rpc/method-examples.ts';
import { METHODS } from '../../src/rpc/method-table.ts';
import { listenersOf } from '../support/listeners.ts';
import { createExampleChain, EXAMPLE, type ExampleChain } from './example-chain.ts';
import { exampleOf } from './method-examples.ts';

interface BlockFacts {
  readonly hash: string;
  readonly transactions: readonly string[];
}

describe('example chain', () => {
  it('the chain has the addresses and hashes of the examples', async () => {
    const { call } = await createExampleChain();
    const blocks: BlockFacts[] = [];
    for (const number of ['0x0', '0x1', '0x2', '0x3', '0x4']) {
      blocks.push((await call('eth_getBlockByNumber', [number])) as BlockFacts);
    }
    const { chain } = await createExampleChain();
    const [queued] = chain.pool.queued();
    const [transferHash, creationHash, increaseHash, failureHash] = blocks.flatMap(
      (block) => block.transactions,
    );
    const accounts = (await call('eth_accounts')) as string[];
    const { contractAddress } = (await call('eth_getTransactionReceipt', [creationHash])) as {
      contractAddress: string;
    };
    expect(await call('eth_blockNumber')).toBe('0x4');
    expect({
      sender: accounts[0],
      receiver: accounts[1],
      queuedSender: accounts[2],
      counter: contractAddress,
      transferHash,
      creationHash,
      increaseHash,
      failureHash,
      queuedHash: queued && toHex(queued.hash),
      blockHashes: blocks.map(({ hash }) => hash),
    }).toEqual(EXAMPLE);
  });
});

/** Resolves to the result of the example, or `undefined` if it fails as expected. */
async function carryOut(
  call: ExampleChain['call'],
  name: string,
  { params, error }: Pick<MethodExample, 'params' | 'error'>,
): Promise<unknown> {
  if (error === undefined) return call(name, params);
  await expect(call(name, params)).rejects.toMatchObject(error);
  return undefined;
}

const sharedChains = new Map<string, Promise<ExampleChain>>();

/**
 * The chain for the example of a method. Methods that may start out of order share one chain per namespace,
 * because the last test of this file shows that they change nothing.
 */
function chainFor({ name, priority }: Method, { before }: MethodExample): Promise<ExampleChain> {
  if (priority === 'fifo' || before !== undefined) return createExampleChain();
  const [namespace = ''] = name.split('_', 1);
  let chain = sharedChains.get(namespace);
  if (chain === undefined) {
    chain = createExampleChain();
    sharedChains.set(namespace, chain);
  }
  return chain;
}

/** The methods that keep listening after their response. */
const LISTENING: ReadonlySet<string> = new Set(['eth_subscribe', 'inspect_attach']);

/** The methods whose examples run on the example chain. */
const WITHOUT_OPTION = METHODS.filter(({ name }) => exampleOf(name).option === undefined);

describe('method examples', () => {
  it.each(METHODS.filter(({ name }) => exampleOf(name).option !== undefined).map(({ name }) => name))(
    '%s returns the result of its example on a node with the option of the example',
    async (name) => {
      const { before = [], params, result } = exampleOf(name);
      const node = await createNode({ parentChain: true });
      onTestFinished(() => node.close());
      for (const call of before) await node.request(call);
      expect(await node.request({ method: name, params })).toMatchObject(result as object);
    },
  );

  it.each(WITHOUT_OPTION.map((method) => [method.name, method] as const))(
    '%s returns the result of its example, passes its call to the events and leaves no listeners',
    async (name, method) => {
      const example = exampleOf(name);
      const { call, chain } = await chainFor(method, example);
      const carried: unknown[] = [];
      for (const { method, params } of example.before ?? []) await call(method, params);
      const listeners = listenersOf(chain.events);
      const hear = (token: CallToken | null): void => void carried.push([token?.method, token?.isAnswered]);
      const ends = [
        chain.events.on('block', (_block, _results, token) => hear(token)),
        chain.events.on('removed', (_blocks, _successors, token) => hear(token)),
        chain.events.on('console', (_record, token) => hear(token)),
      ];
      onTestFinished(() => {
        for (const end of ends) end();
        vi.restoreAllMocks();
      });
      const own = listeners.size;
      const actual = await carryOut(call, name, example);
      if (example.error === undefined) {
        if (example.isExcerpt !== true)
          expect(actual, `${name} answers ${JSON.stringify(actual)}`).toEqual(example.result);
        else if (typeof actual === 'string') expect(actual.startsWith(String(example.result))).toBe(true);
        else expect(actual).toMatchObject(example.result as object);
      }
      expect(carried).toEqual(carried.map(() => [name, false]));
      if (!LISTENING.has(name)) expect(listeners.size, 'listeners that the call left').toBe(own);
    },
  );
});

/** Reads of everything a call can change: the chain, its pool, the next block, settings and lanes. */
const SEEN: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  ['anvil_dumpState', [true]],
  ['txpool_content', []],
  ['anvil_nodeInfo', []],
  ['hardhat_metadata', []],
  ['anvil_getAutomine', []],
  ['anvil_getIntervalMining', []],
  ['eth_accounts', []],
  ['eth_coinbase', []],
  ['eth_gasPrice', []],
  ['eth_hashrate', []],
  ['inspect_impersonation', []],
  ['inspect_timeline', []],
  ['inspect_gasReport', []],
  ['lane_list', []],
];

/** Everything a call can change, as one string. */
async function allOf({ call, chain }: ExampleChain): Promise<string> {
  const answers: unknown[] = [];
  for (const [method, params] of SEEN) answers.push([method, await call(method, params)]);
  const { snapshots, settings, miner, isLogged, timestampInterval } = chain;
  const { block: next } = await chain.view({ tag: 'pending' });
  const inside = [
    toHex(next.hash),
    snapshots.list(),
    snapshots.lastNumber,
    settings,
    [miner.automine, miner.blockTime],
    isLogged,
    timestampInterval,
  ];
  return JSON.stringify([answers, inside], (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
}

describe('methods whose calls may start out of order', () => {
  const reads = WITHOUT_OPTION.filter(({ priority }) => priority !== 'fifo');

  it('more than 80 methods may start out of order', () => {
    expect(reads.length).toBeGreaterThan(80);
  });

  it.each(reads.map((method) => [method.name, method] as const))(
    '%s changes no state',
    async (name, method) => {
      const { before = [], ...asked } = exampleOf(name);
      const example = await chainFor(method, exampleOf(name));
      const { call, chain } = example;
      for (const step of before) await call(step.method, step.params);
      const was = await allOf(example);
      const changes = [
        vi.spyOn(chain, 'change'),
        vi.spyOn(chain.pool, 'add'),
        vi.spyOn(chain.filters, 'addLogs'),
        vi.spyOn(chain.filters, 'addBlocks'),
        vi.spyOn(chain.filters, 'addPendingTransactions'),
        // This method consumes the news of a filter. Its calls keep their order.
        ...(name === 'eth_getFilterChanges' ? [] : [vi.spyOn(chain.filters, 'changes')]),
        vi.spyOn(chain.filters, 'remove'),
      ];
      onTestFinished(() => void vi.restoreAllMocks());
      await carryOut(call, name, asked);
      for (const change of changes) expect(change).not.toHaveBeenCalled();
      expect(await allOf(example)).toBe(was);
    },
  );

  it.each<readonly [method: string, params: readonly unknown[]]>([
    ['evm_mine', []],
    ['evm_snapshot', []],
    ['evm_increaseTime', [60]],
    ['evm_setAutomine', [false]],
    ['evm_setIntervalMining', [5_000]],
    ['evm_setNextBlockTimestamp', [1_700_000_100]],
    ['evm_setBlockGasLimit', ['0x989680']],
    ['anvil_setBalance', [EXAMPLE.receiver, '0x1']],
    ['anvil_setCoinbase', [EXAMPLE.receiver]],
    ['anvil_setMinGasPrice', ['0x5']],
    ['anvil_impersonateAccount', [EXAMPLE.counter]],
    ['anvil_dropTransaction', [EXAMPLE.queuedHash]],
    ['hardhat_setLoggingEnabled', [false]],
    ['lane_create', []],
  ])('the check detects a change by %s', async (method, params) => {
    const example = await createExampleChain();
    const was = await allOf(example);
    expect(await allOf(example)).toBe(was);
    await example.call(method, params);
    expect(await allOf(example)).not.toBe(was);
  });
});
