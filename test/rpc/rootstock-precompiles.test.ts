import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import {
  forwarding,
  NATIVE_INTERFACE,
  nativeAddress,
  nativeData,
} from '../evm/rootstock/precompiles/precompile-scene.ts';
import { code, deploying } from '../reference/scene.ts';
import { ALICE } from '../support/test-chain.ts';
import { createRpcHarness, type RpcHarness } from './rpc-harness.ts';

interface BlockAnswer {
  readonly hash: string;
  readonly number: string;
  readonly miner: string;
}

function to(name: string): string {
  return toHex(nativeAddress(name));
}

function data(name: string, ...values: readonly unknown[]): string {
  return toHex(nativeData(name, values));
}

function decoded(name: string, output: unknown): unknown {
  return NATIVE_INTERFACE.decodeFunctionResult(name, String(output))[0];
}

async function blockAt(rpc: RpcHarness, number: number): Promise<BlockAnswer> {
  return (await rpc.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])) as BlockAnswer;
}

/** Deploys the code. Resolves to its address. */
async function deploy(rpc: RpcHarness, runtime: string): Promise<string> {
  const creation = { from: ALICE, data: toHex(deploying(code(runtime))), gas: '0xf4240' };
  const hash = await rpc.call('eth_sendTransaction', [creation]);
  const receipt = (await rpc.call('eth_getTransactionReceipt', [hash])) as { contractAddress: string };
  return receipt.contractAddress;
}

describe('Rootstock precompiles over JSON-RPC', () => {
  it('BLOCK_HEADER returns the hashes of blocks before the given block', async () => {
    const rpc = await createRpcHarness();
    for (let count = 0; count < 3; count++) await rpc.call('evm_mine');
    const ask = async (depth: number, at: string): Promise<unknown> => {
      const call = { to: to('BLOCK_HEADER'), data: data('getBlockHash', depth) };
      return decoded('getBlockHash', await rpc.call('eth_call', [call, at]));
    };
    expect(await ask(0, 'latest')).toBe((await blockAt(rpc, 2)).hash);
    expect(await ask(2, 'latest')).toBe((await blockAt(rpc, 0)).hash);
    expect(await ask(3, 'latest')).toBe('0x');
    expect(await ask(0, '0x2')).toBe((await blockAt(rpc, 1)).hash);
    expect(await ask(0, '0x0')).toBe('0x');
  });

  it('BLOCK_HEADER returns the hashes of bulk-mined blocks', async () => {
    const rpc = await createRpcHarness();
    await rpc.call('hardhat_mine', ['0x3e8']);
    const call = { to: to('BLOCK_HEADER'), data: data('getBlockHash', 494) };
    expect(decoded('getBlockHash', await rpc.call('eth_call', [call, 'latest']))).toBe(
      (await blockAt(rpc, 505)).hash,
    );
  });

  it('a transaction reads the hash of the parent block from BLOCK_HEADER', async () => {
    const rpc = await createRpcHarness();
    const store = `6000 6000 36 6000 6000 73${to('BLOCK_HEADER').slice(2)} 5a f1`;
    // Stores the word that follows the offset and the length of the returned data.
    const contract = await deploy(rpc, `36 6000 6000 37 ${store} 6020 6040 6000 3e 6000 51 6000 55 00`);
    await rpc.call('evm_mine');
    const call = { from: ALICE, to: contract, data: data('getBlockHash', 0), gas: '0xf4240' };
    await rpc.call('eth_sendTransaction', [call]);
    expect(await rpc.call('eth_getStorageAt', [contract, '0x0', 'latest'])).toBe(
      (await blockAt(rpc, 2)).hash,
    );
  });

  it('precompiles can be called by contracts', async () => {
    const rpc = await createRpcHarness();
    const contract = await deploy(rpc, forwarding(nativeAddress('HD_WALLET_UTILS')));
    const call = {
      to: contract,
      data: data('toBase58Check', '0x0d3bf5f30dda7584645546079318e97f0e1d044f', 111),
    };
    const answer = String(await rpc.call('eth_call', [call, 'latest']));
    expect(answer.slice(0, 66)).toBe(`0x${'1'.padStart(64, '0')}`);
    expect(decoded('toBase58Check', `0x${answer.slice(66)}`)).toBe('mgivuh9jErcGdRr81cJ3A7YfgbJV7WNyZV');
  });

  it('simulated blocks provide their own hashes and the call depth', async () => {
    const rpc = await createRpcHarness();
    const call = { from: ALICE, to: to('BLOCK_HEADER'), data: data('getBlockHash', 0) };
    const depth = { from: ALICE, to: to('ENVIRONMENT'), data: data('getCallStackDepth') };
    const blocks = [{ calls: [] }, { calls: [call, depth] }];
    const simulated = (await rpc.call('eth_simulateV1', [{ blockStateCalls: blocks }, 'latest'])) as {
      readonly hash: string;
      readonly calls: readonly { readonly returnData: string }[];
    }[];
    const [first, second] = simulated;
    const [hash, level] = second?.calls.map(({ returnData }) => returnData) ?? [];
    expect(decoded('getBlockHash', hash)).toBe(first?.hash);
    expect(decoded('getCallStackDepth', level)).toBe(1n);
  });

  it('eth_estimateGas returns the exact gas of a precompile', async () => {
    const rpc = await createRpcHarness();
    const call = { from: ALICE, to: to('SECP256K1_MUL'), data: '0x' };
    expect(await rpc.call('eth_estimateGas', [call])).toBe(`0x${(21_000 + 3_000).toString(16)}`);
  });

  it('the precompiles do not exist under Ethereum rules', async () => {
    const rpc = await createRpcHarness({}, { ruleSet: 'prague' });
    const call = { to: to('ENVIRONMENT'), data: data('getCallStackDepth') };
    expect(await rpc.call('eth_call', [call, 'latest'])).toBe('0x');
  });
});
