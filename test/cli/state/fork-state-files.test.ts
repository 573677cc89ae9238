import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../../src/index.ts';
import { FIRST_ACCOUNT } from '../../support/dev-accounts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { refusal, start } from '../support/started-node.ts';

const STRANGER = `0x${'a1'.repeat(20)}`;

/** A node with chain id 1234 and one block, to be forked. `stop` stops it. */
async function upstreamNode(balance = 1): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const node = await createNode({ chainId: 1234, balance, timestamp: 1_700_000_000 });
  await node.request({ method: 'evm_mine' });
  let isClosed = false;
  const stop = async (): Promise<void> => {
    if (!isClosed) await node.close();
    isClosed = true;
  };
  onTestFinished(stop);
  return { url: (await node.listen()).url, stop };
}

describe('state file of a fork', () => {
  it('restores the fork without options', async () => {
    const { url } = await upstreamNode();
    const path = join(await temporaryDirectory(), 'fork.json');
    const first = await start(['--state', path, '--fork-url', url, '--no-storage-caching']);
    await first.call('eth_sendTransaction', { from: FIRST_ACCOUNT, to: STRANGER, value: '0x5' });
    expect(await first.end()).toBe(0);

    const second = await start(['--state', path]);
    expect(await second.call('eth_blockNumber')).toBe('0x2');
    expect(await second.call('eth_getBalance', STRANGER, 'latest')).toBe('0x5');
    expect(await second.call('eth_getBalance', STRANGER, '0x1')).toBe('0x0');
    expect(await second.call('eth_chainId')).toBe('0x4d2');
    expect(await second.call('net_version')).toBe('1234');
    await second.call('hardhat_reset');
    expect(await second.call('eth_blockNumber')).toBe('0x1');
    expect(await second.end()).toBe(0);
  });

  it('--fork-complete loads without the upstream, and stays complete', async () => {
    const { url, stop } = await upstreamNode();
    const path = join(await temporaryDirectory(), 'fork.json.gz');
    const options = ['--fork-url', url, '--fork-complete', '--no-storage-caching'];
    const first = await start(['--dump-state', path, ...options]);
    await first.call('eth_sendTransaction', { from: FIRST_ACCOUNT, to: STRANGER, value: '0x5' });
    const block = await first.call('eth_getBlockByNumber', '0x0', true);
    expect(await first.end()).toBe(0);
    await stop();

    for (const balance of ['0x6', '0x7']) {
      const next = await start(['--state', path]);
      expect(next.host.written.errors).toBe('');
      await next.call('eth_sendTransaction', { from: FIRST_ACCOUNT, to: STRANGER, value: '0x1' });
      expect(await next.call('eth_getBalance', STRANGER, 'latest')).toBe(balance);
      expect(await next.call('eth_getBlockByNumber', '0x0', true)).toEqual(block);
      expect(await next.call('eth_getBalance', `0x${'b2'.repeat(20)}`, 'latest')).toMatchObject({
        error: {
          message: expect.stringContaining('the fork is offline and has no cached data of account 0x'),
        },
      });
      expect(await next.end()).toBe(0);
    }
  });

  it('the file is rejected at another block, on another chain, and without the complete URL', async () => {
    const { url } = await upstreamNode();
    const folder = await temporaryDirectory();
    const path = join(folder, 'fork.json');
    const saved = await start(['--state', path, '--fork-url', `${url}/?key=secret`, '--no-storage-caching']);
    await saved.call('evm_mine');
    expect(await saved.end()).toBe(0);
    expect(await readFile(path, 'utf8')).not.toContain('secret');

    expect(await refusal(['--load-state', path])).toContain('pass the complete URL with --fork-url');
    expect(await refusal(['--load-state', path, '--fork-url', `${url}@0`])).toContain(
      'the dump contains a fork at block 1, not at block 0; pass block 1, omit the block, or use another dump',
    );
    const other = await upstreamNode(2);
    expect(await refusal(['--load-state', path, '--fork-url', other.url, '--retries', '0'])).toContain(
      'the dump contains a fork at block 1 with the hash 0x',
    );
    const again = await start(['--load-state', path, '--fork-url', url]);
    expect(await again.call('eth_blockNumber')).toBe('0x2');
  });

  it('a state file of a chain that is not a fork is rejected with --fork-url', async () => {
    const { url } = await upstreamNode();
    const plain = join(await temporaryDirectory(), 'plain.json');
    expect(await (await start(['--state', plain])).end()).toBe(0);
    expect(await refusal(['--state', plain, '--fork-url', url])).toContain(
      'is not a fork; remove --fork-url',
    );
  });

  it.each([
    ['--state', 'service'],
    ['--state', 'anvil'],
    ['--state', 'hardhat'],
    ['--dump-state', 'service'],
    ['--dump-state', 'anvil'],
    ['--dump-state', 'hardhat'],
  ])('the state file is written by %s in compat mode %s', async (option, mode) => {
    const { url } = await upstreamNode();
    const path = join(await temporaryDirectory(), 'fork.json');
    const compat = ['--compat', mode, '--no-storage-caching'];
    const first = await start([option, path, '--fork-url', url, ...compat]);
    await first.call('eth_sendTransaction', { from: FIRST_ACCOUNT, to: STRANGER, value: '0x5' });
    expect(await first.end()).toBe(0);
    const second = await start(['--load-state', path, ...compat]);
    expect(await second.call('eth_getBalance', STRANGER, 'latest')).toBe('0x5');
    expect(await second.call('eth_blockNumber')).toBe('0x2');
  });

  it('replaces an Anvil state file, whose accounts are added to the fork', async () => {
    const { url } = await upstreamNode();
    const anvil = join(await temporaryDirectory(), 'anvil.json');
    await writeFile(anvil, JSON.stringify({ accounts: { [STRANGER]: { nonce: 0, balance: '0x7' } } }));
    const first = await start(['--state', anvil, '--fork-url', url, '--no-storage-caching']);
    expect(await first.call('eth_getBalance', STRANGER, 'latest')).toBe('0x7');
    await first.call('evm_mine');
    expect(await first.end()).toBe(0);
    const second = await start(['--state', anvil]);
    expect(await second.call('eth_getBalance', STRANGER, 'latest')).toBe('0x7');
    expect(await second.call('eth_blockNumber')).toBe('0x2');
  });
});
