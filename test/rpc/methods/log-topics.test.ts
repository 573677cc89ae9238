import { describe, expect, it } from 'vitest';
import { word } from '../../support/words.ts';
import { createRpcHarness, type RpcHarness, testConnection } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

/** Creation code that emits three logs: without topics, with topic 1, and with topics 1 and 2. */
const EMIT = '0x5f5fa060015f5fa1600260015f5fa2';
const NONE: readonly number[] = [];
const ONE = [1];
const BOTH = [1, 2];
const ALL = [NONE, ONE, BOTH];

const [T1, T2, OTHER] = [word(1), word(2), word(9)];

/** The topics as JSON, with short names. */
function shown(topics: unknown): string {
  return JSON.stringify(topics).replaceAll(/"0x0+(\d)"/g, 'T$1');
}

interface FoundLog {
  readonly topics: readonly string[];
  readonly removed?: boolean;
}

function topicsOf(logs: unknown): number[][] {
  return (logs as readonly FoundLog[]).map(({ topics }) => topics.map(Number));
}

async function emit({ call }: RpcHarness): Promise<void> {
  await call('eth_sendTransaction', [{ from: SENDER, data: EMIT }]);
}

type Way = (harness: RpcHarness, topics: unknown) => Promise<number[][]>;

/** The search methods. Each returns the topics of the logs found. */
const WAYS: Readonly<Record<string, Way>> = {
  eth_getLogs: async (harness, topics) => {
    await emit(harness);
    return topicsOf(await harness.call('eth_getLogs', [{ topics }]));
  },
  'eth_getLogs by block hash': async (harness, topics) => {
    await emit(harness);
    const blockHash = `0x${Buffer.from(harness.chain.head().hash).toString('hex')}`;
    return topicsOf(await harness.call('eth_getLogs', [{ blockHash, topics }]));
  },
  eth_getFilterLogs: async (harness, topics) => {
    const id = await harness.call('eth_newFilter', [{ topics }]);
    await emit(harness);
    return topicsOf(await harness.call('eth_getFilterLogs', [id]));
  },
  eth_getFilterChanges: async (harness, topics) => {
    const id = await harness.call('eth_newFilter', [{ topics }]);
    await emit(harness);
    return topicsOf(await harness.call('eth_getFilterChanges', [id]));
  },
  'eth_getFilterChanges, for removed logs': async (harness, topics) => {
    const id = await harness.call('eth_newFilter', [{ topics }]);
    const snapshot = await harness.call('evm_snapshot');
    await emit(harness);
    await harness.call('eth_getFilterChanges', [id]);
    await harness.call('evm_revert', [snapshot]);
    const removed = (await harness.call('eth_getFilterChanges', [id])) as readonly FoundLog[];
    expect(removed.every((log) => log.removed === true)).toBe(true);
    return topicsOf(removed);
  },
  eth_subscribe: async (harness, topics) => {
    const connection = testConnection('websocket');
    await harness.call('eth_subscribe', ['logs', { topics }], connection);
    await emit(harness);
    await harness.call('eth_blockNumber', [], connection);
    return topicsOf(connection.sent.map(({ params }) => (params as { readonly result: unknown }).result));
  },
  inspect_events: async (harness, topics) => {
    await emit(harness);
    const { events } = (await harness.call('inspect_events', [{ topics }])) as {
      readonly events: readonly unknown[];
    };
    return topicsOf(events).reverse();
  },
};

/** The topics of a filter, and the topics of the matching logs. */
const MATCHES: readonly (readonly [topics: unknown, found: readonly (readonly number[])[]])[] = [
  [[], ALL],
  [[T1], [ONE, BOTH]],
  [
    [T1, null],
    [ONE, BOTH],
  ],
  [
    [T1, []],
    [ONE, BOTH],
  ],
  [
    [T1, [null]],
    [ONE, BOTH],
  ],
  [
    [T1, null, null, null],
    [ONE, BOTH],
  ],
  [[T1, T2], [BOTH]],
  [[T1, T2, null], [BOTH]],
  [[null, T2], [BOTH]],
  [[null, [T2, OTHER]], [BOTH]],
  [[null, null, T2], []],
  [[null], ALL],
  [[null, null], ALL],
  [[[]], ALL],
  [[[null]], ALL],
  [[[null, null]], ALL],
  [[[OTHER]], []],
  [
    [[T1, OTHER], null],
    [ONE, BOTH],
  ],
];

/**
 * As {@link MATCHES}, with `null` next to a topic. Rootstock ignores it. In geth and Anvil it matches any
 * topic.
 */
const NULL_BESIDE_TOPICS: readonly (readonly [
  topics: unknown,
  service: readonly (readonly number[])[],
  peers: readonly (readonly number[])[],
])[] = [
  [[[T1, null]], [ONE, BOTH], ALL],
  [[[null, T1]], [ONE, BOTH], ALL],
  [[[OTHER, null]], [], ALL],
  [[[OTHER, null], T2], [], [BOTH]],
  [[T1, [OTHER, null]], [], [ONE, BOTH]],
];

describe.each(Object.entries(WAYS))('topics in %s', (_name, find) => {
  it.each(MATCHES.map(([topics, found]) => ({ topics, found, name: shown(topics) })))(
    'topics match by index, for $name',
    async ({ topics, found }) => {
      const harness = await createRpcHarness();

      expect(await find(harness, topics)).toEqual(found);
    },
  );

  describe.each(['service', 'anvil', 'hardhat'] as const)(
    'null next to a topic, compat mode %s',
    (compat) => {
      it.each(NULL_BESIDE_TOPICS.map(([topics, ...found]) => ({ topics, found, name: shown(topics) })))(
        'topics match like the emulated node, for $name',
        async ({ topics, found: [service, peers] }) => {
          const harness = await createRpcHarness({ compat });

          expect(await find(harness, topics)).toEqual(compat === 'service' ? service : peers);
        },
      );
    },
  );

  it.each([
    ['a text', T1],
    ['five positions', [null, null, null, null, null]],
    ['a topic of 31 bytes', [`0x${'11'.repeat(31)}`]],
    ['a nested list', [[[T1]]]],
    ['a number among alternatives', [[T1, 1]]],
  ])('topics are rejected if they are %s', async (_kind, topics) => {
    const harness = await createRpcHarness();

    await expect(find(harness, topics)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('topics'),
    });
  });
});
