import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ParentScene, serveParentChain } from './parent-scene.ts';

const RECEIVER = `0x${'ab'.repeat(20)}`;

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parent-chain-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'data');
}

/** Returns the facts that must survive. */
async function factsOf({ rpc, bitcoin }: ParentScene): Promise<unknown> {
  return {
    number: await rpc('eth_blockNumber'),
    balance: await rpc('eth_getBalance', [RECEIVER, 'latest']),
    status: await rpc('peg_status'),
    height: await bitcoin('getblockcount'),
    wallet: await bitcoin('getbalances'),
    mempool: await bitcoin('getrawmempool'),
  };
}

/** Leaves a pegin, a snapshot and a transaction in the mempool. */
async function prepare({ rpc, bitcoin }: ParentScene): Promise<void> {
  await rpc('peg_in', [{ to: RECEIVER, satoshis: 1_000_000 }]);
  await rpc('evm_snapshot');
  const address = await bitcoin('getnewaddress');
  await bitcoin('generatetoaddress', [1, address]);
  await bitcoin('sendtoaddress', [address, '0.1']);
}

describe('the data directory', () => {
  it('restores both chains after a restart', async () => {
    const dataDir = await temporaryFolder();
    const first = await serveParentChain({ dataDir });
    await prepare(first);
    const before = await factsOf(first);
    await first.node.close();
    const second = await serveParentChain({ dataDir });
    expect(await factsOf(second)).toEqual(before);
    await second.rpc('peg_in', [{ to: RECEIVER, satoshis: 500_000 }]);
    await second.node.close();
    const third = await serveParentChain({ dataDir });
    expect(BigInt(String(await third.rpc('eth_getBalance', [RECEIVER, 'latest'])))).toBe(15n * 10n ** 15n);
  });

  it('restores a snapshot of both chains after a restart', async () => {
    const dataDir = await temporaryFolder();
    const first = await serveParentChain({ dataDir });
    await prepare(first);
    await first.node.close();
    const { rpc, bitcoin } = await serveParentChain({ dataDir });
    expect(await rpc('evm_revert', ['0x1'])).toBe(true);
    expect(await bitcoin('getblockcount')).toBe(104);
    expect(await bitcoin('getrawmempool')).toEqual([]);
  });

  it('is rejected without the option of its first start', async () => {
    const dataDir = await temporaryFolder();
    const first = await serveParentChain({ dataDir });
    await first.node.close();
    await expect(serveParentChain({ dataDir, parentChain: false })).rejects.toThrow(
      'the option --parent-chain',
    );
  });
});

describe('a dump', () => {
  it('contains both chains and their snapshots', async () => {
    const first = await serveParentChain();
    await prepare(first);
    const before = await factsOf(first);
    const dump = await first.rpc('anvil_dumpState');
    const second = await serveParentChain();
    await second.rpc('anvil_loadState', [dump]);
    expect(await factsOf(second)).toEqual(before);
    expect(await second.rpc('evm_revert', ['0x1'])).toBe(true);
    expect(await second.bitcoin('getblockcount')).toBe(104);
  });

  it('leaves out the parent chain on a node without one, with a notice', async () => {
    const first = await serveParentChain();
    await prepare(first);
    const dump = await first.rpc('anvil_dumpState');
    const second = await serveParentChain({ parentChain: false });
    await second.rpc('anvil_loadState', [dump]);
    expect(await second.rpc('eth_getBalance', [RECEIVER, 'latest'])).toBe('0x2386f26fc10000');
  });

  it('restarts the parent chain if the dump has none', async () => {
    const first = await serveParentChain({ parentChain: false });
    const dump = await first.rpc('anvil_dumpState');
    const second = await serveParentChain();
    await prepare(second);
    await second.rpc('anvil_loadState', [dump]);
    expect(await second.bitcoin('getblockcount')).toBe(0);
    await second.rpc('peg_in', [{ to: RECEIVER, satoshis: 1_000_000 }]);
    expect(await second.bitcoin('getblockcount')).toBe(104);
  });

  it.each([
    [{ parentBlock: '0x00' }, 'invalid block'],
    [{ parentBlock: `0x${'00'.repeat(81)}` }, 'invalid block'],
  ])('rejects the line %j', async (line, message) => {
    const { rpc } = await serveParentChain();
    const dump = String(await rpc('anvil_dumpState'));
    const { gunzipSync, gzipSync } = await import('node:zlib');
    const lines = gunzipSync(Buffer.from(dump.slice(2), 'hex'))
      .toString()
      .split('\n');
    lines.splice(-2, 0, JSON.stringify(line));
    const changed = `0x${gzipSync(lines.join('\n')).toString('hex')}`;
    await expect(rpc('anvil_loadState', [changed])).rejects.toThrow(message);
  });
});

describe('a reset', () => {
  it('restarts both chains', async () => {
    const scene = await serveParentChain();
    await prepare(scene);
    await scene.rpc('hardhat_reset');
    expect(await scene.bitcoin('getblockcount')).toBe(0);
    expect(await scene.rpc('eth_blockNumber')).toBe('0x0');
    await scene.rpc('peg_in', [{ to: RECEIVER, satoshis: 1_000_000 }]);
    expect(await scene.bitcoin('getblockcount')).toBe(104);
  });
});
