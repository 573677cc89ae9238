import { expect, it } from 'vitest';
import { createRpcHarness } from '../rpc/rpc-harness.ts';
import { ALICE } from '../support/test-chain.ts';
import { createForkScene } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';
import { serviceScene } from './service-scene.ts';

const CONTRACT = `0x${'c0'.repeat(20)}`;
const OTHER = `0x${'0c'.repeat(20)}`;
const RAW_LISTS = ['debug_getRawBlockAccessList', 'eth_getBlockAccessListRaw'];
const AMSTERDAM = { ruleSet: 'amsterdam', gasLimit: 60_000_000n, codeSizeLimit: 65_536 } as const;

it('a block access list on a fork contains an account that no code can read', async () => {
  const { call } = await createRpcHarness({}, AMSTERDAM);
  // CALLCODE(gas, OTHER, 1, 0, 0, 0, 0) fails because the contract has no balance.
  await call('hardhat_setCode', [CONTRACT, `0x5f5f5f5f600173${OTHER.slice(2)}5af200`]);
  await call('hardhat_setBalance', [OTHER, '0x5']);
  await call('evm_mine');
  const upstream = new ScriptedUpstream((method, params) => call(method, params));
  const fork = await createForkScene(upstream, { chain: AMSTERDAM });
  const hash = await fork.call('eth_sendTransaction', [{ from: ALICE, to: CONTRACT, gas: '0x186a0' }]);
  expect(await fork.call('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
  const list = (await fork.call('eth_getBlockAccessList', ['latest'])) as { readonly address: string }[];
  expect(list.map(({ address }) => address)).toContain(OTHER);
});

it.each(RAW_LISTS)('a fork executes an older block to encode its access list: %s', async (method) => {
  const node = await createRpcHarness({}, AMSTERDAM);
  await node.call('eth_sendTransaction', [{ from: ALICE, to: OTHER, value: '0x5' }]);
  await node.call('evm_mine');
  const { scene } = await serviceScene({ node, chain: AMSTERDAM });
  for (const block of ['0x1', 'latest'])
    expect(await scene.call(method, [block])).toBe(await node.call(method, [block]));
});
