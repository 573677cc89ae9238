import { describe, expect, it } from 'vitest';
import { UpstreamRejectionError } from '../../src/fork/errors.ts';
import { createExampleChain, EXAMPLE } from '../rpc/example-chain.ts';
import { type ServiceScene, serviceScene } from './service-scene.ts';

/** `increase(2^256 - 1)` of the Counter, which overflows after block 3. */
const OVERFLOW = { from: EXAMPLE.sender, to: EXAMPLE.counter, data: `0x30f3f0db${'f'.repeat(64)}` };
const PANIC = `0x4e487b71${'0'.repeat(62)}11`;

function errorOf({ scene }: ServiceScene, method: string, block: string): Promise<unknown> {
  return scene.call(method, [OVERFLOW, block]).then(
    () => expect.unreachable('the call succeeds'),
    ({ code, message, data }) => ({ code, message, data }),
  );
}

/** A fork with compat anvil. Its upstream rejects each `eth_call` with these members of an error. */
async function sceneRejecting(code: number, message: string, data: unknown): Promise<ServiceScene> {
  const node = await createExampleChain();
  const call: typeof node.call = (method, params) => {
    if (method === 'eth_call') throw new UpstreamRejectionError({ code, message, data });
    return node.call(method, params);
  };
  return serviceScene({ node: { ...node, call }, rpc: { compat: 'anvil' } });
}

describe('a revert at an older block that the upstream reports', () => {
  it.each(['service', 'anvil', 'hardhat'] as const)(
    'has the error of a local revert with compat %s',
    async (compat) => {
      const all = await serviceScene({ rpc: { compat } });
      for (const method of ['eth_call', 'eth_estimateGas'])
        expect(await errorOf(all, method, '0x3')).toEqual(await errorOf(all, method, 'latest'));
      expect(all.upstream.count('eth_call')).toBe(1);
    },
  );

  it.each([
    ['after a word', `Reverted ${PANIC}`],
    ['in an object', { message: 'reverted', data: PANIC }],
  ])('is recognized if its data is %s', async (_, data) => {
    const all = await sceneRejecting(-32015, 'VM execution error.', data);
    expect(await errorOf(all, 'eth_call', '0x3')).toMatchObject({ code: 3, data: PANIC });
  });

  it('is recognized by its message if its data is empty', async () => {
    const all = await sceneRejecting(-32000, 'execution reverted', '0x');
    expect(await errorOf(all, 'eth_call', '0x3')).toMatchObject({ code: 3, data: '0x' });
  });

  it.each([
    [-32015, 'VM Exception while processing transaction: out of gas', '0x'],
    [-32000, 'gas limit is too low', undefined],
  ])('is no revert with code %s and message "%s"', async (code, message, data) => {
    const all = await sceneRejecting(code, message, data);
    expect(await errorOf(all, 'eth_call', '0x3')).toMatchObject({ code, data });
  });
});
