import { describe, expect, it } from 'vitest';
import { readGenesisFile } from '../../src/persistence/genesis-file.ts';
import { createRpcHarness, type RpcHarness } from '../rpc/rpc-harness.ts';
import { ALICE } from '../support/test-chain.ts';
import { createForkScene, type ForkScene } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

const PARENT = `0x${'5a'.repeat(32)}`;
const NO_HASH = `0x${'0'.repeat(64)}`;
/** Returns the BLOCKHASH of the block number in the first word of the input. */
const HASHES = `0x${'a1'.repeat(20)}`;
const CODE = '0x6000354060005260206000f3';
const FIRST = 1000;

function quantity(number: number): string {
  return `0x${number.toString(16)}`;
}

function hashOf(scene: RpcHarness, number: number): Promise<unknown> {
  const data = `0x${number.toString(16).padStart(64, '0')}`;
  return scene.call('eth_call', [{ to: HASHES, data }, 'latest']);
}

interface Scenes {
  readonly node: RpcHarness;
  readonly upstream: ScriptedUpstream;
  readonly fork: ForkScene;
}

/** A fork two blocks after block 1000, the first block of its upstream. */
async function scenes(): Promise<Scenes> {
  const alloc = { [HASHES]: { balance: '7', code: CODE } };
  const content = { number: FIRST, parentHash: PARENT, alloc };
  const genesis = readGenesisFile(Buffer.from(JSON.stringify(content)));
  const node = await createRpcHarness({}, { genesis });
  await node.call('eth_sendTransaction', [{ from: ALICE, to: HASHES, value: '0x1' }]);
  await node.call('evm_mine');
  const upstream = new ScriptedUpstream((method, params) => node.call(method, params));
  const fork = await createForkScene(upstream);
  await fork.call('evm_mine');
  await node.call('evm_mine');
  return { node, upstream, fork };
}

describe('a fork of a chain with a first block number above 0', () => {
  it('uses the first block of the upstream as earliest', async () => {
    const { node, fork } = await scenes();
    const earliest = (await fork.call('eth_getBlockByNumber', ['earliest', false])) as object;
    expect(earliest).toMatchObject({ number: quantity(FIRST), parentHash: PARENT });
    expect(earliest).toEqual(await node.call('eth_getBlockByNumber', ['earliest', false]));
    expect(await fork.call('eth_getBalance', [HASHES, 'earliest'])).toBe('0x7');
    expect(await fork.call('eth_getBalance', [HASHES, 'latest'])).toBe('0x8');
    expect(await fork.call('eth_getLogs', [{ fromBlock: 'earliest' }])).toEqual([]);
    expect(await fork.call('eth_getBlockByNumber', [quantity(FIRST - 1), false])).toBeNull();
  });

  it('returns the parent hash of the first block from BLOCKHASH, and zero below it', async () => {
    const { node, upstream, fork } = await scenes();
    for (const number of [FIRST + 1, FIRST, FIRST - 1, FIRST - 2, FIRST - 200])
      expect(await hashOf(fork, number), `of block ${number}`).toBe(await hashOf(node, number));
    expect(await hashOf(fork, FIRST - 1)).toBe(PARENT);
    expect(await hashOf(fork, FIRST - 2)).toBe(NO_HASH);
    const asked = upstream.calls.length;
    await hashOf(fork, FIRST - 2);
    expect(upstream.calls).toHaveLength(asked);
  });

  it('returns a fee history that starts at the first block', async () => {
    const { node, fork } = await scenes();
    for (const count of [2, 3, 4, 5, 1024]) {
      const history = (await fork.call('eth_feeHistory', [quantity(count), 'latest', [50]])) as object;
      expect(history).toEqual(await node.call('eth_feeHistory', [quantity(count), 'latest', [50]]));
    }
  });
});

describe('a fork of a chain that starts at block 0', () => {
  it('rejects a missing upstream block above the first block', async () => {
    const { node } = await scenes();
    let isBehind = false;
    const upstream = new ScriptedUpstream((method, params) => {
      if (method !== 'eth_getBlockByNumber') return node.call(method, params);
      if (params[0] === '0x0')
        return node
          .call(method, [quantity(FIRST), false])
          .then((block) => ({ ...(block as object), number: '0x0' }));
      return isBehind && params[0] === quantity(FIRST) ? null : node.call(method, params);
    });
    const fork = await createForkScene(upstream, { fork: { retries: 0 } });
    isBehind = true;
    await expect(hashOf(fork, FIRST)).rejects.toMatchObject({ code: -32000 });
    isBehind = false;
    expect(await hashOf(fork, FIRST)).toBe(await hashOf(node, FIRST));
  });
});
