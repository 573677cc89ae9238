import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode, type LocalNode, type LocalNodeOptions } from '../../src/index.ts';
import { copyOf, temporaryDirectory } from '../support/temporary-directory.ts';
import { word } from '../support/words.ts';

const RICH = `0x${'77'.repeat(20)}`;
const STRANGER = `0x${'88'.repeat(20)}`;
const UNREAD = `0x${'99'.repeat(20)}`;
const COUNTER = `0x${'cc'.repeat(20)}`;
/** Adds one to slot 0. */
const INCREMENT = '0x600160005401600055';

async function local(options: LocalNodeOptions): Promise<LocalNode> {
  const node = await createNode({ noStorageCaching: true, ...options });
  onTestFinished(() => node.close());
  return node;
}

/** An upstream with a contract, funds and three blocks. */
async function upstream(): Promise<{ readonly node: LocalNode; readonly url: string }> {
  const node = await local({ chainId: 1234, timestamp: 1_700_000_000 });
  await node.request({ method: 'anvil_setCode', params: [COUNTER, INCREMENT] });
  await node.request({ method: 'anvil_setStorageAt', params: [COUNTER, word(0), word(41)] });
  await node.request({ method: 'anvil_setStorageAt', params: [COUNTER, word(5), word(55)] });
  for (const address of [RICH, UNREAD])
    await node.request({ method: 'anvil_setBalance', params: [address, '0x777'] });
  for (let count = 0; count < 3; count++) await node.request({ method: 'evm_mine' });
  return { node, url: (await node.listen()).url };
}

/** Writes, deletes and zeroes accounts and slots of the upstream on the fork. */
async function live(node: LocalNode): Promise<void> {
  const [from] = (await node.request({ method: 'eth_accounts' })) as string[];
  const send = (fields: object) =>
    node.request({ method: 'eth_sendTransaction', params: [{ from, gas: '0x30000', ...fields }] });
  await send({ to: COUNTER });
  await send({ to: STRANGER, value: '0x5' });
  await node.request({ method: 'evm_snapshot' });
  await node.request({ method: 'anvil_setStorageAt', params: [COUNTER, word(5), word(0)] });
  await node.request({ method: 'anvil_setBalance', params: [RICH, '0x0'] });
  await node.request({ method: 'hardhat_mine', params: ['0x20'] });
  await send({ to: COUNTER });
}

async function questions(node: LocalNode): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const block of ['0x2', '0x3', '0x4', '0x5', '0x10', 'latest']) {
    for (const address of [RICH, STRANGER, COUNTER])
      for (const method of ['eth_getBalance', 'eth_getCode', 'eth_getTransactionCount'])
        found.push(await node.request({ method, params: [address, block] }));
    for (const slot of [0, 5])
      found.push(await node.request({ method: 'eth_getStorageAt', params: [COUNTER, word(slot), block] }));
    found.push(await node.request({ method: 'eth_getBlockByNumber', params: [block, true] }));
  }
  found.push(await node.request({ method: 'eth_chainId' }));
  return found;
}

describe('a fork in a data directory', () => {
  it('restores its state after a restart, without the fork option and without the upstream', async () => {
    const { node, url } = await upstream();
    const dataDir = await temporaryDirectory();
    const first = await local({ dataDir, forkUrl: url });
    await live(first);
    const seen = await questions(first);
    await first.close();

    const second = await local({ dataDir });
    expect(await questions(second)).toEqual(seen);
    expect(await second.request({ method: 'eth_getBalance', params: [UNREAD, 'latest'] })).toBe('0x777');
    await second.close();

    await node.close();
    const third = await local({ dataDir, retries: 0 });
    expect(await questions(third)).toEqual(seen);
    expect(await third.request({ method: 'eth_getBalance', params: [UNREAD, 'latest'] })).toBe('0x777');
    await third.request({ method: 'evm_mine' });
    expect(await third.request({ method: 'evm_revert', params: ['0x1'] })).toBe(true);
    expect(await third.request({ method: 'eth_getStorageAt', params: [COUNTER, word(5), 'latest'] })).toBe(
      word(55),
    );
    expect(await third.request({ method: 'eth_getBalance', params: [RICH, 'latest'] })).toBe('0x777');
    await expect(
      third.request({ method: 'eth_getBalance', params: [`0x${'01'.repeat(20)}`, 'latest'] }),
    ).rejects.toThrow('no response from the fork URL');
  });

  it('contains each block and each cached answer after a crash', async () => {
    const { url } = await upstream();
    const dataDir = await temporaryDirectory();
    const first = await local({ dataDir, forkUrl: url });
    await live(first);
    const seen = await questions(first);
    const copy = await local({
      dataDir: await copyOf(dataDir),
      forkUrl: url,
      offline: true,
      noStorageCaching: false,
      forkCacheDir: await temporaryDirectory(),
    });
    expect(await questions(copy)).toEqual(seen);
  });

  it('stores no secrets of its URL, and is offline until the URL is passed again', async () => {
    const { url } = await upstream();
    const dataDir = await temporaryDirectory();
    const secret = `${url}/?key=0123456789abcdefghij`;
    await (await local({ dataDir, forkUrl: secret })).close();
    for (const name of readdirSync(dataDir).filter((one) => one.startsWith('fork')))
      expect(readFileSync(join(dataDir, name), 'utf8')).not.toContain('0123456789abcdefghij');
    const offline = await local({ dataDir });
    const asked = { method: 'eth_getBalance', params: [UNREAD, 'latest'] };
    expect(await offline.request({ method: 'eth_blockNumber' })).toBe('0x3');
    await expect(offline.request(asked)).rejects.toThrow(
      /the fork is offline and has no cached data of account .*--fork-url/,
    );
    await offline.close();
    const again = await local({ dataDir, forkUrl: secret });
    expect(await again.request(asked)).toBe('0x777');
  });

  it('keeps its fork transaction after a restart', async () => {
    const { node, url } = await upstream();
    const [from] = (await node.request({ method: 'eth_accounts' })) as string[];
    const transaction = { from, to: STRANGER, value: '0x1' };
    await node.request({ method: 'evm_setAutomine', params: [false] });
    await node.request({ method: 'eth_sendTransaction', params: [transaction] });
    const forkBeforeTransaction = String(
      await node.request({ method: 'eth_sendTransaction', params: [transaction] }),
    );
    await node.request({ method: 'evm_mine' });
    const dataDir = await temporaryDirectory();
    const first = await local({ dataDir, forkUrl: url, forkBeforeTransaction });
    const block = await first.request({ method: 'eth_getBlockByNumber', params: ['latest', true] });
    await first.request({ method: 'evm_mine' });
    await first.close();
    await node.close();
    const second = await local({ dataDir, retries: 0 });
    expect(await second.request({ method: 'eth_getBlockByNumber', params: ['0x4', true] })).toEqual(block);
    expect(await second.request({ method: 'eth_blockNumber' })).toBe('0x5');
  });

  it('continues after its fork transaction, and not before it', async () => {
    const { node, url } = await upstream();
    const [from] = (await node.request({ method: 'eth_accounts' })) as string[];
    const transaction = { from, to: STRANGER, value: '0x1' };
    const forkTransactionHash = String(
      await node.request({ method: 'eth_sendTransaction', params: [transaction] }),
    );
    const dataDir = await temporaryDirectory();
    const first = await local({ dataDir, forkUrl: url, forkTransactionHash });
    const receipt = { method: 'eth_getTransactionReceipt', params: [forkTransactionHash] };
    const found = await first.request(receipt);
    expect(found).toMatchObject({ status: '0x1', blockNumber: '0x4' });
    await first.close();
    const second = await local({ dataDir, forkUrl: url, forkTransactionHash });
    expect(await second.request(receipt)).toEqual(found);
    await second.close();
    await expect(
      local({ dataDir, forkUrl: url, forkBeforeTransaction: forkTransactionHash }),
    ).rejects.toThrow(
      `the data directory contains a fork at block 3, not before transaction ${forkTransactionHash}; remove --fork-before-transaction, or use another data directory`,
    );
  });

  it('is rejected for another fork block or for a directory without a fork', async () => {
    const { url } = await upstream();
    const [fork, plain] = [await temporaryDirectory(), await temporaryDirectory()];
    await (await local({ dataDir: fork, forkUrl: url, forkBlockNumber: 2 })).close();
    await (await local({ dataDir: plain })).close();
    await expect(local({ dataDir: fork, forkUrl: url, forkBlockNumber: 3 })).rejects.toThrow(
      /^the data directory contains a fork at block 2, not at block 3; pass block 2, omit the block, or use another data directory$/,
    );
    const forkBeforeTransaction = word(5);
    await expect(local({ dataDir: fork, forkUrl: url, forkBeforeTransaction })).rejects.toThrow(
      `the data directory contains a fork at block 2, not before transaction ${forkBeforeTransaction}; remove --fork-before-transaction, or use another data directory`,
    );
    await expect(local({ dataDir: plain, forkUrl: url, forkChainId: 1234 })).rejects.toThrow(
      /^--data-dir: \S+ contains a chain that is not a fork, but the options require a fork of chain 1234 at block 3 \(0x[0-9a-f]{64}\); remove --fork-url, or choose another directory$/,
    );
    expect(readdirSync(plain).filter((name) => name.startsWith('fork'))).toEqual([]);
  });

  it('requires the same fork block if its fork.jsonl is missing', async () => {
    const { url } = await upstream();
    const dataDir = await temporaryDirectory();
    const first = await local({ dataDir, forkUrl: url, forkBlockNumber: 2 });
    await live(first);
    const seen = await questions(first);
    await first.close();
    rmSync(join(dataDir, 'fork.jsonl'));
    await expect(local({ dataDir })).rejects.toThrow(
      /^--data-dir: \S+ contains a fork of chain 1234 at block 2 \(0x[0-9a-f]{64}\), but its file fork\.jsonl is missing or damaged; pass the same --fork-url and --fork-block-number, or choose another directory$/,
    );
    await expect(local({ dataDir, forkUrl: url })).rejects.toThrow(
      /^--data-dir: \S+ contains a fork of chain 1234 at block 2 \(0x[0-9a-f]{64}\), but the options require a fork of chain 1234 at block 3 \(0x[0-9a-f]{64}\); use the same fork, or choose another directory$/,
    );
    expect(readdirSync(dataDir)).not.toContain('fork.jsonl');
    expect(await questions(await local({ dataDir, forkUrl: url, forkBlockNumber: 2 }))).toEqual(seen);
  });

  it('opens offline without its URL', async () => {
    const { url } = await upstream();
    const dataDir = await temporaryDirectory();
    const first = await local({ dataDir, forkUrl: url });
    await live(first);
    const seen = await questions(first);
    await first.close();
    const offline = await local({
      dataDir,
      offline: true,
      noStorageCaching: false,
      forkCacheDir: await temporaryDirectory(),
    });
    expect(await questions(offline)).toEqual(seen);
    // The upstream is online: only the option prevents the request.
    await expect(offline.request({ method: 'eth_getBalance', params: [UNREAD, 'latest'] })).rejects.toThrow(
      'the fork is offline and has no cached data of account ',
    );
  });

  it('must exist if a node starts with --offline and without a URL', async () => {
    const [plain, empty] = [await temporaryDirectory(), await temporaryDirectory()];
    await (await local({ dataDir: plain })).close();
    for (const dataDir of [plain, empty]) {
      const before = readdirSync(dataDir);
      await expect(local({ dataDir, offline: true, noStorageCaching: false })).rejects.toThrow(
        `--data-dir: ${dataDir} contains no fork, but --offline requires a fork; remove --offline or pass --fork-url`,
      );
      expect(readdirSync(dataDir)).toEqual(before);
    }
  });

  it('rejects a reset or a dump that replaces the fork', async () => {
    const { url } = await upstream();
    const dataDir = await temporaryDirectory();
    const node = await local({ dataDir, forkUrl: url });
    await live(node);
    const own = await node.request({ method: 'anvil_dumpState' });
    const other = await (await local({ hardfork: 'rootstock' })).request({ method: 'anvil_dumpState' });
    const message = 'cannot become another fork or stop being a fork';
    for (const forking of [{ blockNumber: 1 }, { jsonRpcUrl: url }])
      await expect(node.request({ method: 'hardhat_reset', params: [{ forking }] })).rejects.toThrow(message);
    await expect(node.request({ method: 'anvil_loadState', params: [other] })).rejects.toThrow(message);
    const seen = await questions(node);
    await node.request({ method: 'hardhat_reset' });
    expect(await node.request({ method: 'eth_blockNumber' })).toBe('0x3');
    await node.request({ method: 'anvil_loadState', params: [own] });
    expect(await questions(node)).toEqual(seen);
    await node.close();
    expect(await questions(await local({ dataDir }))).toEqual(seen);
  });

  it.each(['anvil', 'hardhat'] as const)(
    'rejects a reset that ends or moves the fork with compat %s',
    async (compat) => {
      const { url } = await upstream();
      const node = await local({ dataDir: await temporaryDirectory(), forkUrl: url, compat });
      await live(node);
      const seen = await questions(node);
      for (const params of [[], [{ forking: {} }]])
        await expect(node.request({ method: 'anvil_reset', params })).rejects.toThrow(
          'a stored chain cannot become another fork or stop being a fork',
        );
      expect(await questions(node)).toEqual(seen);
    },
  );

  it('reports a damaged fork.jsonl', async () => {
    const { url } = await upstream();
    const dataDir = await temporaryDirectory();
    await (await local({ dataDir, forkUrl: url })).close();
    const copy = await copyOf(dataDir);
    appendFileSync(join(copy, 'fork-answers.jsonl'), '\nnonsense\n["');
    await (await local({ dataDir: copy })).close();
    writeFileSync(join(copy, 'fork.jsonl'), '');
    await expect(local({ dataDir: copy })).rejects.toThrow(/its file fork\.jsonl is missing or damaged/);
  });
});
