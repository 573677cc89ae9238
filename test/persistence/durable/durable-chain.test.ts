import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { describe, expect, it, vi } from 'vitest';
import type { Chain } from '../../../src/chain/chain.ts';
import { MiningStoppedError } from '../../../src/chain/errors.ts';
import { NO_OVERRIDES } from '../../../src/chain/execution/state-overrides.ts';
import { changeSettings, increaseTime, setMining } from '../../../src/chain/mining-controls.ts';
import type { ChainOptions } from '../../../src/chain/settings/chain-options.ts';
import { bigIntToFixedBytes } from '../../../src/primitives/bytes.ts';
import { NO_BLOBS } from '../../../src/protocol/transaction.ts';
import { nextIteration } from '../../../src/scheduling/cancel-check.ts';
import {
  DamagedDirectoryError,
  DataMismatchError,
  DataVersionError,
  DirectoryInUseError,
  DiskError,
  ForeignDirectoryError,
} from '../../../src/storage/errors.ts';
import { locatedLogs } from '../../../src/storage/log-search.ts';
import { accountFromSeed } from '../../../src/wallet/dev-accounts.ts';
import { logsFound } from '../../support/found-logs.ts';
import { copyOf, temporaryDirectory } from '../../support/temporary-directory.ts';
import { branchOf, createTestChain, nodeOf, testAccount, transfer } from '../../support/test-chain.ts';

async function openChain(dataDirectory: string, options: Partial<ChainOptions> = {}): Promise<Chain> {
  return (await createTestChain({ dataDirectory, ...options })).chain;
}

/** The chain after its process was killed. */
async function afterCrash(dataDirectory: string): Promise<Chain> {
  return openChain(await copyOf(dataDirectory));
}

const { address: SENDER } = testAccount(0);
const STRANGER = new Uint8Array(20).fill(0xab);
const NO_HASH = new Uint8Array(32);
/** Creation code that stores the block number and logs the value of the transaction. */
const INIT_CODE = Uint8Array.from(Buffer.from('436000553460006000a1', 'hex'));

describe('a chain in a data directory', () => {
  it('writes each block before its transaction returns', async () => {
    const directory = await temporaryDirectory();
    const chain = await openChain(directory);
    for (let count = 1; count <= 3; count++) {
      const hash = await chain.sendFrom(SENDER, transfer());
      const copy = await afterCrash(directory);
      expect(copy.head()).toEqual(chain.head());
      expect((await copy.transaction(hash))?.block).toEqual(chain.head());
      await copy.close();
    }
    await chain.close();
  });

  it('writes changes made during a search for a proof of work', async () => {
    const directory = await temporaryDirectory();
    const endless = { difficulty: 2n ** 60n };
    const chain = await openChain(directory, endless);
    const search = chain.sendFrom(SENDER, transfer()).catch((error: unknown) => error);
    while (chain.pool.size === 0) await nextIteration();
    await chain.cheats.setBalance(STRANGER, 77n);
    await chain.durability?.settle();
    const copy = await openChain(await copyOf(directory), endless);
    expect(copy.pool.pending()).toEqual(chain.pool.pending());
    expect((await copy.view({ tag: 'latest' })).state.account(STRANGER)?.balance).toBe(77n);
    await Promise.all([copy.close(), chain.close()]);
    expect(await search).toBeInstanceOf(MiningStoppedError);
    const again = await openChain(directory, endless);
    expect(again.pool.size).toBe(1);
    await again.close();
  });

  it.each([0, 1, 2])('finds logs with %i topics after a state change on their block', async (topics) => {
    const directory = await temporaryDirectory();
    const chain = await openChain(directory);
    // LOG with topic 1 for each topic, as a creation.
    const data = Uint8Array.from([...Array(topics).fill([0x60, 1]).flat(), 0x5f, 0x5f, 0xa0 + topics, 0]);
    await chain.sendFrom(SENDER, transfer({ to: null, value: 0n, data, gasLimit: 100_000n }));
    await chain.cheats.setBalance(STRANGER, 77n);
    const find = (of: Chain) => {
      const wanted = topics === 0 ? [] : [[bigIntToFixedBytes(1n, 32)]];
      return locatedLogs(logsFound(of, { fromBlock: 0, toBlock: 1, addresses: [], topics: wanted }));
    };
    const logs = find(chain);
    await chain.close();
    const again = await openChain(directory);
    expect(logs).toHaveLength(1);
    expect(find(again)).toEqual(logs);
    expect((await again.view({ tag: 'latest' })).state.account(STRANGER)?.balance).toBe(77n);
    await again.close();
  });

  it('writes changes without a block before they return', async () => {
    const directory = await temporaryDirectory();
    const chain = await openChain(directory, { automine: false });
    await chain.cheats.setBalance(STRANGER, 77n);
    await chain.cheats.setStorageAt(STRANGER, new Uint8Array(32), Uint8Array.of(5));
    await chain.change(increaseTime(1000));
    const waiting = await chain.sendFrom(SENDER, transfer());
    expect(await chain.snapshots.take()).toBe(1);
    const copy = await afterCrash(directory);
    const { state } = await copy.view({ tag: 'latest' });
    expect(state.account(STRANGER)?.balance).toBe(77n);
    expect(state.storageAt(STRANGER, new Uint8Array(32))).toEqual(Uint8Array.of(5));
    expect(copy.pool.byHash(waiting)).toBeDefined();
    expect(copy.snapshots.list()).toEqual([{ id: 1, head: 0 }]);
    expect(await copy.change(increaseTime(0))).toBe(1000);
    await copy.close();
    await chain.close();
  });

  it('writes accounts and impersonation as soon as it has settled', async () => {
    const directory = await temporaryDirectory();
    const chain = await openChain(directory);
    const imported = accountFromSeed('kept');
    await chain.wallet.importKey(imported.privateKey, 'secret');
    chain.impersonation.add(STRANGER);
    await chain.durability?.settle();
    expect(chain.durability?.settle()).toBeUndefined();
    const copy = await afterCrash(directory);
    expect(copy.wallet.addresses()).toEqual(chain.wallet.addresses());
    expect(copy.wallet.isUnlocked(SENDER)).toBe(true);
    expect(copy.wallet.isUnlocked(imported.address)).toBe(false);
    expect(await copy.wallet.unlock(imported.address, 'secret', 0)).toBe(true);
    expect(copy.impersonation.covers(STRANGER)).toBe(true);
    expect(copy.identity.instanceId).toEqual(chain.identity.instanceId);
    await copy.close();
    await chain.close();
  });

  it('returns the same states, proofs, logs, traces and calls after a restart', async () => {
    const directory = await temporaryDirectory();
    const before = await openChain(directory);
    for (let count = 0; count < 20; count++) {
      await before.sendFrom(SENDER, transfer({ to: null, data: INIT_CODE, gasLimit: 200_000n, value: 3n }));
      await before.sendFrom(SENDER, transfer({ value: BigInt(count) }));
    }
    await before.mineBulk({ count: 1000 });
    const expected = await inquiry(before);
    await before.close();
    const after = await openChain(directory);
    expect(await inquiry(after)).toEqual(expected);
    await after.close();
  });

  it('a reset restarts from the same genesis in the same directory', async () => {
    const directory = await temporaryDirectory();
    const chain = await openChain(directory);
    const genesis = chain.head();
    await chain.cheats.setBalance(STRANGER, 77n);
    await chain.sendFrom(SENDER, transfer());
    await chain.close();
    const again = await openChain(directory);
    await again.snapshots.reset();
    await again.close();
    const anew = await openChain(directory);
    expect(anew.head()).toEqual(genesis);
    const { state } = await anew.view({ tag: 'latest' });
    expect(state.account(STRANGER)).toBeUndefined();
    expect(state.root).toEqual(genesis.header.stateRoot);
    await anew.close();
  });

  it('applies changed options at a restart, and keeps other changed settings', async () => {
    const directory = await temporaryDirectory();
    const chain = await openChain(directory, { gasLimit: 20_000_000n });
    await chain.change(changeSettings({ coinbase: STRANGER }));
    await chain.change(setMining({ automine: false }));
    await chain.close();
    const again = await openChain(directory, { gasLimit: 10_000_000n });
    expect(again.settings.gasLimit).toBe(10_000_000n);
    expect(again.settings.coinbase).toEqual(STRANGER);
    expect(again.miner.automine).toBe(false);
    await again.close();
    const third = await openChain(directory, { gasLimit: 10_000_000n, blockTime: 5 });
    expect(third.miner.mode).toEqual({ automine: true, blockTime: 5 });
    expect(third.settings.gasLimit).toBe(10_000_000n);
    await third.close();
  });

  it('contains a loaded dump', async () => {
    const { chain: source } = await createTestChain();
    for (let count = 0; count < 5; count++) await source.sendFrom(SENDER, transfer());
    await source.mineBulk({ count: 500 });
    await source.snapshots.take();
    const dump = await nodeOf(source).dump.write({ isCompressed: false, withKeys: false });
    // The number of transactions ever added to the pool is not stored.
    const words = (bytes: Uint8Array): string =>
      Buffer.from(bytes)
        .toString()
        .replaceAll(/"arrivals":\d+/g, '');
    const directory = await temporaryDirectory();
    const chain = await openChain(directory, { genesisTimestamp: 5000 });
    await chain.sendFrom(SENDER, transfer());
    await nodeOf(chain).dump.load(dump);
    await chain.close();
    const again = await openChain(directory);
    expect(words(await nodeOf(again).dump.write({ isCompressed: false, withKeys: false }))).toBe(words(dump));
    await again.close();
  });

  it('reports a full disk to every waiting call, and writes everything later', async () => {
    const directory = await temporaryDirectory();
    const chain = await openChain(directory);
    const full = vi.spyOn(ClassicLevel.prototype, 'batch').mockRejectedValue(new Error('No space left'));
    await expect(chain.sendFrom(SENDER, transfer())).rejects.toThrow(DiskError);
    await expect(chain.durability?.settle()).rejects.toThrow('No space left');
    await expect(chain.mine()).rejects.toThrow('No space left');
    expect(chain.head().header.number).toBe(1);
    full.mockRestore();
    await chain.durability?.settle();
    const copy = await afterCrash(directory);
    expect(copy.head()).toEqual(chain.head());
    expect(copy.head().header.number).toBe(1);
    await copy.close();
    await chain.close();
  });

  it('settle waits only for changes that are not on disk yet', async () => {
    const directory = await temporaryDirectory();
    const chain = await openChain(directory);
    expect(chain.durability?.settle()).toBeUndefined();
    const mined = new Promise((resolve) => chain.events.on('block', resolve));
    const sent = chain.sendFrom(SENDER, transfer());
    await mined;
    const settled = chain.durability?.settle();
    expect(settled).toBeInstanceOf(Promise);
    await settled;
    const copy = await afterCrash(directory);
    expect(copy.head().header.number).toBe(1);
    await sent;
    await copy.close();
    await chain.close();
  });

  it('keeps removed blocks for a branch that reads them', async () => {
    const directory = await temporaryDirectory();
    const chain = await openChain(directory);
    const hashes = [];
    for (let count = 0; count < 4; count++) hashes.push(await chain.sendFrom(SENDER, transfer()));
    const lane = await branchOf(chain);
    await chain.reorganizer.rollback(2);
    const [, , gone = NO_HASH] = hashes;
    const other = await chain.sendFrom(SENDER, transfer({ value: 9n }));
    expect((await lane.block({ number: 3n }))?.transactions[0]?.hash).toEqual(gone);
    expect(await lane.transaction(other)).toBeUndefined();
    expect(await lane.transaction(gone)).toBeDefined();
    const head = chain.head();
    await lane.close();
    await chain.close();
    const again = await openChain(directory);
    expect(again.head()).toEqual(head);
    expect((await again.block({ number: 3n }))?.transactions[0]?.hash).toEqual(other);
    expect(await again.transaction(gone)).toBeUndefined();
    await again.close();
  });
});

/** The responses of a chain about its past. */
async function inquiry(chain: Chain): Promise<unknown> {
  const answers: unknown[] = [chain.head()];
  for (const number of [0n, 5n, 17n, 40n, 500n]) {
    const { block, state } = await chain.view({ number });
    const logs = locatedLogs(
      logsFound(chain, { fromBlock: 0, toBlock: Number(number), addresses: [], topics: [] }),
    );
    const address = testAccount(1).address;
    const accounts = Array.from(state.accounts(), ({ address: of, code }) => [of, code.bytes]);
    answers.push({ block, logs, accounts, proof: state.accountProof(address) });
    const [transaction] = block.transactions;
    if (transaction !== undefined) answers.push(await chain.transaction(transaction.hash));
    const message = { sender: SENDER, to: address, value: 1n, data: new Uint8Array(0), gasLimit: 50_000n };
    const site = {
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
      accessList: [],
      authorizationList: [],
      ...NO_BLOBS,
    };
    answers.push(await chain.calls.call({ ...message, ...site }, { number }, NO_OVERRIDES));
  }
  return answers;
}

describe('opening a data directory', () => {
  it('a directory in use is rejected with its path', async () => {
    const directory = await temporaryDirectory();
    const chain = await openChain(directory);
    const refused = openChain(directory);
    await expect(refused).rejects.toThrow(DirectoryInUseError);
    await expect(refused).rejects.toThrow(directory);
    await chain.close();
    await (await openChain(directory)).close();
  });

  it('another format version is rejected with both versions', async () => {
    const directory = await temporaryDirectory();
    await (await openChain(directory)).close();
    const level = new ClassicLevel(directory);
    await level.put('.version', JSON.stringify({ version: 99 }));
    await level.close();
    const refused = openChain(directory);
    await expect(refused).rejects.toThrow(DataVersionError);
    await expect(refused).rejects.toThrow(/format version 99, expected 1;/);
  });

  it.each<[string, string | null, RegExp]>([
    ['.moment', '{"clock":', /\.moment|JSON/],
    ['.moment', '{}', /\.moment\.clock/],
    ['.facts', null, /the record \.facts is missing/],
    ['.version', 'none', /JSON/],
    ['l000000000001', 'no record', /stored chain is damaged/],
    ['l000000000001', null, /expected block 1, got block 2/],
    ['b000000000002', null, /has no head/],
  ])('a damaged directory is rejected with its path if record %s is %j', async (key, value, words) => {
    const directory = await temporaryDirectory();
    const chain = await openChain(directory);
    await chain.mine({ count: 2 });
    await chain.close();
    const level = new ClassicLevel(directory);
    await (value === null ? level.del(key) : level.put(key, value));
    await level.close();
    const refused = openChain(directory);
    await expect(refused).rejects.toThrow(DamagedDirectoryError);
    await expect(refused).rejects.toThrow(directory);
    await expect(refused).rejects.toThrow(words);
  });

  it.each<[string, Partial<ChainOptions>, RegExp]>([
    ['chain id', { chainId: 31 }, /the chain id 33, but the options require 31;/],
    ['rule set', { ruleSet: 'cancun' }, /the rule set rootstock, but the options require cancun;/],
    ['genesis time', { genesisTimestamp: 12 }, /the genesis time 1700000000, but the options require 12;/],
    ['code size limit', { codeSizeLimit: null }, /the code size limit 24576, but the options require off;/],
    ['federation', { federation: 'p2wsh' }, /the option --federation legacy, but the options require p2wsh;/],
    ['holding to limits', { networkLimits: true }, /network limits off, but the options require on/],
    [
      'accounts',
      { devAccounts: [testAccount(0)] },
      /the accounts 3 from 0x.*, but the options require 1 from 0x/,
    ],
    [
      'balance',
      { balance: 1n },
      /the balance of each account \(wei\) 100000000000000000000, but the options require 1;/,
    ],
  ])('a different %s is rejected with both values', async (_, options, words) => {
    const directory = await temporaryDirectory();
    await (await openChain(directory)).close();
    const refused = openChain(directory, options);
    await expect(refused).rejects.toThrow(DataMismatchError);
    await expect(refused).rejects.toThrow(words);
    await (await openChain(directory)).close();
  });

  it('a directory without a record of the network limits takes them from the options', async () => {
    const directory = await temporaryDirectory();
    await (await openChain(directory)).close();
    const level = new ClassicLevel(directory);
    const { 'network limits': _, ...others } = JSON.parse((await level.get('.facts')) ?? '');
    await level.put('.facts', JSON.stringify(others));
    await level.close();
    const chain = await openChain(directory, { networkLimits: true });
    await chain.mine();
    await chain.close();
    await expect(openChain(directory)).rejects.toThrow(/network limits on, but the options require off/);
    await (await openChain(directory, { networkLimits: true })).close();
  });

  it('a reopened chain uses the new --order', async () => {
    const directory = await temporaryDirectory();
    for (const order of ['fifo', 'fees'] as const) {
      const chain = await openChain(directory, { order, automine: false });
      const cheap = await chain.sendFrom(SENDER, transfer({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }));
      const dear = await chain.sendFrom(
        testAccount(2).address,
        transfer({ maxFeePerGas: 2n, maxPriorityFeePerGas: 2n }),
      );
      const [block] = await chain.mine();
      const mined = block?.transactions.map(({ hash }) => hash);
      expect(mined).toEqual(order === 'fifo' ? [cheap, dear] : [dear, cheap]);
      await chain.close();
    }
  });

  it('a directory with other files is rejected and left unchanged', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'thesis.txt'), 'all my work');
    const refused = openChain(directory);
    await expect(refused).rejects.toThrow(ForeignDirectoryError);
    await expect(refused).rejects.toThrow('thesis.txt');
    expect(await readdir(directory)).toEqual(['thesis.txt']);
    expect(await readFile(join(directory, 'thesis.txt'), 'utf8')).toBe('all my work');
  });

  it('a missing directory is created with its parents', async () => {
    const directory = join(await temporaryDirectory(), 'some', 'where');
    const chain = await openChain(directory);
    await chain.mine();
    await chain.close();
    const again = await openChain(directory);
    expect(again.head().header.number).toBe(1);
    await again.close();
  });
});
