import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { ported } from './ported.ts';
import { openFork, openNode, startCommandLine } from './scene.ts';

const HOLDER = `0x${'71'.repeat(20)}`;

function genesisFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'genesis-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'genesis.json');
  writeFileSync(
    file,
    JSON.stringify({
      config: {
        chainId: 19_763,
        homesteadBlock: 0,
        eip150Block: 0,
        eip155Block: 0,
        eip158Block: 0,
        byzantiumBlock: 0,
      },
      nonce: '0xdeadbeefdeadbeef',
      timestamp: '0x0',
      extraData: `0x${'00'.repeat(32)}`,
      gasLimit: '0x80000000',
      difficulty: '0x20000',
      coinbase: `0x${'00'.repeat(20)}`,
      alloc: { [HOLDER.slice(2)]: { balance: `0x${'f'.repeat(26)}` } },
      number: 73,
      gasUsed: '0x0',
      parentHash: `0x${'00'.repeat(32)}`,
    }),
  );
  return file;
}

describe('a genesis file', () => {
  ported(
    'genesis::can_apply_genesis',
    'sets chain id, accounts and the number of the first block',
    async () => {
      const { rpc } = await startCommandLine('--hardfork', 'osaka', '--init', genesisFile());

      expect(await rpc('eth_chainId')).toBe('0x4d33');
      expect(await rpc('eth_getBalance', HOLDER, 'latest')).toBe(`0x${'f'.repeat(26)}`);
      expect(await rpc('eth_blockNumber')).toBe('0x49');
    },
  );

  ported('genesis::chain_id_precedence', 'gives way to --chain-id, as a fork does', async () => {
    const given = await startCommandLine('--hardfork', 'osaka', '--init', genesisFile(), '--chain-id', '300');
    expect(await given.rpc('eth_chainId')).toBe('0x12c');
    const upstream = await openNode({ chainId: 1 });
    expect(await (await openFork(upstream)).rpc('eth_chainId')).toBe('0x1');
    expect(await (await openFork(upstream, { chainId: 300 })).rpc('eth_chainId')).toBe('0x12c');
    expect(await (await openNode()).rpc('eth_chainId')).toBe('0x7a69');
  });
});
