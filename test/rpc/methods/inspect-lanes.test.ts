import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../../src/index.ts';

interface Lane {
  readonly key: string | null;
  readonly from: string | null;
  readonly sharedBlock: string | null;
  readonly blockNumber: string;
  readonly cells: readonly {
    readonly kind: string;
    readonly number?: string;
    readonly first?: string;
    readonly last?: string;
  }[];
  readonly isCut: boolean;
}

async function scene() {
  const node = await createNode();
  onTestFinished(() => node.close());
  const server = await node.listen({ lanes: true });
  const call = async <Result>(
    method: string,
    params: readonly unknown[] = [],
    path = '',
  ): Promise<Result> => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: Result; error?: { message: string } };
    if (error !== undefined) throw new Error(error.message);
    return result;
  };
  const mine = (path = ''): Promise<unknown> => call('evm_mine', [], path);
  const [from = ''] = await call<string[]>('eth_accounts');
  const send = (path = ''): Promise<string> => call('eth_sendTransaction', [{ from, to: from }], path);
  const look = async (path = '', params: readonly unknown[] = []) => {
    const { lanes, more } = await call<{ lanes: Lane[]; more: number }>('inspect_lanes', params, path);
    const briefs = lanes.map(({ key, from, sharedBlock, cells, isCut }) => {
      const own = cells.map(({ number, first, last }) =>
        number === undefined ? `${Number(first)}-${Number(last)}` : `${Number(number)}`,
      );
      return [key, from, sharedBlock === null ? null : Number(sharedBlock), own.join(' '), isCut];
    });
    return { briefs, more };
  };
  return { call, mine, send, look };
}

it('inspect_lanes returns lanes with their fork block and parent lane', async () => {
  const { call, mine, send, look } = await scene();
  for (let count = 0; count < 3; count++) await send();
  await call('lane_create', [{ key: 'alice', from: { block: '0x2' } }]);
  // The same transaction could create the same block hash.
  await mine('/alice');
  await mine('/alice');
  await call('lane_create', [{ key: 'bob', from: { lane: 'alice', block: '0x3' } }]);
  await send('/bob');
  expect((await look()).briefs).toEqual([
    ['alice', null, 2, '4 3', false],
    ['bob', 'alice', 3, '4', false],
  ]);
  expect((await look('/bob')).briefs).toEqual([
    [null, 'bob', 2, '3', false],
    ['alice', 'bob', 3, '4', false],
  ]);
});

it('inspect_lanes follows reverts and resets on either side', async () => {
  const { call, send, look } = await scene();
  await send();
  const snapshot = await call('evm_snapshot');
  await send();
  await call('lane_create', [{ key: 'alice' }]);
  expect((await look()).briefs).toEqual([['alice', null, 2, '', false]]);
  await call('evm_revert', [snapshot]);
  expect((await look()).briefs).toEqual([['alice', null, 1, '2', false]]);
  await call('anvil_rollback', ['0x1'], '/alice');
  await send('/alice');
  expect((await look()).briefs).toEqual([['alice', null, 1, '2', false]]);
});

it('inspect_lanes returns the newest lanes, and the newest cells of long lanes', async () => {
  const { call, send, look } = await scene();
  for (const key of ['one', 'two', 'three']) await call('lane_create', [{ key }]);
  await call('hardhat_mine', ['0x3e8'], '/three');
  for (let count = 0; count < 70; count++) await send('/three');
  const { briefs, more } = await look('', ['0x1']);
  expect(more).toBe(2);
  expect(briefs).toEqual([['three', null, 0, expect.stringMatching(/^1070 1069 .* 1011$/), true]]);
  await expect(look('', ['0x21'])).rejects.toThrow('a number of lanes from 1 to 32');
});

it('inspect_lanes merges the empty blocks of a lane after its fork block', async () => {
  const { call, look } = await scene();
  await call('hardhat_mine', ['0x64']);
  await call('lane_create', [{ key: 'alice' }]);
  await call('hardhat_mine', ['0x64'], '/alice');
  const { briefs } = await look();
  expect(briefs).toEqual([['alice', null, 100, '101-200', false]]);
});
