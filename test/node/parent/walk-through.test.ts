import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keccak256, parseEther, toUtf8Bytes } from 'ethers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveParentChain } from './parent-scene.ts';

const FILE = new URL('../../../fixtures/peg/peg.mjs', import.meta.url);
const PAGE = new URL('../../../src/rootstock/peg/README.md', import.meta.url);
const KEY = keccak256(toUtf8Bytes('walker'));

const { pegInAndOut } = (await import(fileURLToPath(FILE))) as {
  pegInAndOut(
    url: string,
    privateKey: string,
  ): Promise<{ readonly pegin: string; readonly received: bigint; readonly paid: number }>;
};

/** The result of the first run for a key: the receiver gets exactly one coin, and the payment loses its fee. */
const FIRST_RUN = {
  pegin: expect.stringMatching(/^[0-9a-f]{64}$/),
  received: parseEther('1'),
  paid: expect.closeTo(0.4, 2),
};

describe('the walk-through with ethers and bitcoinjs-lib', () => {
  it('has at most 40 lines, and its page shows them', async () => {
    const code = await readFile(FILE, 'utf8');
    const page = await readFile(PAGE, 'utf8');

    expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    expect(page).toContain(`\`\`\`js\n${code}\`\`\``);
  });

  it('runs on two lanes, and again after a revert', async () => {
    const { rpc, server } = await serveParentChain();
    const lanes = ['one', 'two'];
    for (const lane of lanes) await rpc('eth_blockNumber', [], lane);
    const snapshot = await rpc('evm_snapshot', [], 'one');

    const runs = await Promise.all(lanes.map((lane) => pegInAndOut(`${server.url}/${lane}`, KEY)));
    expect(runs).toEqual([FIRST_RUN, FIRST_RUN]);
    expect(await rpc('evm_revert', [snapshot], 'one')).toBe(true);
    const again = await pegInAndOut(`${server.url}/one`, KEY);

    expect(again).toEqual(runs[0]);
    expect(await rpc('eth_blockNumber')).toBe('0x0');
  });

  it('runs again after a restart from a data directory', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'peg-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const dataDir = join(folder, 'data');
    const first = await serveParentChain({ dataDir });
    const before = await pegInAndOut(first.server.url, KEY);
    expect(before).toEqual(FIRST_RUN);
    await first.node.close();

    const second = await serveParentChain({ dataDir });
    const after = await pegInAndOut(second.server.url, KEY);

    expect(after.received).toBeGreaterThan(parseEther('1.59'));
    expect(after.paid).toBeGreaterThan(before.paid + 0.39);
  });
});
