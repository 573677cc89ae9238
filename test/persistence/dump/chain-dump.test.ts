import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../../src/chain/chain.ts';
import {
  impersonateSignature,
  increaseTime,
  setGasLimit,
  setMining,
} from '../../../src/chain/mining-controls.ts';
import { isSameMark } from '../../../src/persistence/dump/chain-dump.ts';
import { openDump } from '../../../src/persistence/dump/dump-file.ts';
import { readContent } from '../../../src/persistence/dump/read-content.ts';
import { hexKey } from '../../../src/primitives/hex.ts';
import type { Block } from '../../../src/protocol/block.ts';
import { locatedLogs } from '../../../src/storage/log-search.ts';
import { AccountNotFoundError } from '../../../src/wallet/errors.ts';
import { InvalidDumpError } from '../../../src/wire/errors.ts';
import type { LocatedLog } from '../../../src/wire/log.ts';
import { logsFound } from '../../support/found-logs.ts';
import { createTestChain, nodeOf, testAccount, transfer } from '../../support/test-chain.ts';

const sender = testAccount(0).address;
const STRANGER = new Uint8Array(20).fill(0xa1);
/** Creation code that sets slot 0, logs, and creates the code 0x6001. */
const INIT_CODE = Uint8Array.from(Buffer.from('602a60005560006000a06160016000526002601ef3', 'hex'));
const PLAIN = { isCompressed: false, withKeys: false };

function creation() {
  return transfer({ to: null, value: 0n, data: INIT_CODE, gasLimit: 200_000n });
}

async function text(chain: Chain, withKeys = false): Promise<string> {
  return Buffer.from(await nodeOf(chain).dump.write({ isCompressed: false, withKeys })).toString();
}

async function lines(chain: Chain, withKeys = false): Promise<Record<string, unknown>[]> {
  const dump = await text(chain, withKeys);
  return dump
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A chain with blocks, a contract, snapshots and settings. */
async function createSample(): Promise<Chain> {
  const { chain } = await createTestChain();
  await chain.sendFrom(sender, creation());
  await chain.sendFrom(sender, creation());
  await chain.cheats.setBalance(STRANGER, 5n);
  await chain.snapshots.take();
  await chain.snapshots.takeNamed('base');
  chain.impersonation.add(STRANGER);
  await chain.change(impersonateSignature(new Uint8Array(65).fill(0x11), STRANGER));
  await chain.sendFrom(STRANGER, transfer());
  await chain.mineBulk({ count: 200 });
  await chain.sendFrom(sender, transfer({ nonce: 9n }));
  return chain;
}

describe('writing a dump', () => {
  it('a dump has JSON lines for format, code, blocks, snapshots and the present', async () => {
    const dump = await lines(await createSample());
    expect(dump[0]).toEqual({
      format: 'node-cli chain',
      version: 2,
      ruleSet: 'rootstock',
      difficulty: '0x1',
      remasc: false,
      networkLimits: false,
      codeSizeLimit: 24_576,
      order: 'fees',
    });
    const kinds = dump.slice(1).map((line) => Object.keys(line)[0]);
    const [block, code, range, snapshot] = ['block', 'code', 'range', 'snapshot'];
    expect(kinds.join()).toBe(
      [block, code, block, block, block, block, range, block, snapshot, snapshot, 'present'].join(),
    );
    expect(dump.find((line) => 'code' in line)).toEqual({ code: '0x6001' });
  });

  it('a dump names a federation other than the default, and only chains with it load the dump', async () => {
    const options = { federation: 'p2wsh' } as const;
    const { chain } = await createTestChain(options);
    const dump = await nodeOf(chain).dump.write(PLAIN);
    expect((await lines(chain))[0]).toMatchObject({ federation: 'p2wsh' });
    expect(await readContent(await openDump(dump))).toMatchObject({ federation: 'p2wsh' });
    const { chain: twin } = await createTestChain(options);
    await nodeOf(twin).dump.load(dump);
    const { chain: other } = await createTestChain();
    await expect(nodeOf(other).dump.load(dump)).rejects.toThrow(
      'its federation is p2wsh, but this chain has legacy; start with --federation p2wsh',
    );
  });

  it('a dump of version 1 without limits and order can be loaded', async () => {
    const chain = await createSample();
    const [first, ...rest] = await lines(chain);
    const { networkLimits, codeSizeLimit, order, ...old } = first ?? {};
    expect([networkLimits, codeSizeLimit, order]).toEqual([false, 24_576, 'fees']);
    const dump = [{ ...old, version: 1 }, ...rest].map((line) => `${JSON.stringify(line)}\n`).join('');
    const { chain: twin } = await createTestChain();
    await nodeOf(twin).dump.load(Buffer.from(dump));
    expect(await lines(twin)).toEqual(await lines(chain));
    const opened = await openDump(Buffer.from(dump));
    expect(await readContent(opened)).toMatchObject({ version: 1, limits: null });
  });

  it('a dump contains the root of a state that differs from the block header', async () => {
    const dump = await lines(await createSample());
    const blocks = dump.filter((line) => 'block' in line);
    expect(blocks.map((line) => 'root' in line)).toEqual([false, false, true, false, false, false]);
  });

  it('a dump can be loaded onto a chain with shared blocks, also with reserved ones', async () => {
    const { chain } = await createTestChain();
    await chain.sendFrom(sender, creation());
    await chain.mineBulk({ count: 200 });
    const dump = await nodeOf(chain).dump.write(PLAIN);
    const before = await text(chain);
    await chain.reorganizer.reorganize({ depth: 1, transactions: new Map(), keepsTransactions: false });
    expect(await text(chain)).not.toBe(before);
    await nodeOf(chain).dump.load(dump);
    expect(await text(chain)).toBe(before);
    expect(await chain.block({ number: 1n })).toBeDefined();
  });

  it('writing and loading report progress up to 1', async () => {
    const chain = await createSample();
    const told: number[] = [];
    const onProgress = (fraction: number): void => void told.push(fraction);
    const bytes = await nodeOf(chain).dump.write({ ...PLAIN, onProgress });
    expect(told.at(-1)).toBe(1);
    expect(told).toEqual([...told].sort((left, right) => left - right));
    told.length = 0;
    const { chain: twin } = await createTestChain();
    await nodeOf(twin).dump.loadFile(await openDump(bytes), { onProgress });
    expect(told.length).toBeGreaterThan(3);
    expect(told).toEqual([...told].sort((left, right) => left - right));
  });

  it('a dump contains the states of old blocks, including changes between blocks', async () => {
    const { chain } = await createTestChain();
    await chain.sendFrom(sender, creation());
    for (let round = 0; round < 1_400; round++) {
      await chain.sendFrom(sender, transfer({ value: BigInt(round % 3) }));
      if (round % 100 === 7) await chain.cheats.setBalance(STRANGER, BigInt(round));
      if (round % 300 === 9) await chain.cheats.setCode(STRANGER, Uint8Array.of(round & 0xff));
      if (round % 300 === 150) await chain.cheats.setBalance(STRANGER, 0n);
    }
    await chain.mineBulk({ count: 200 });
    const dump = await text(chain);
    expect(dump.match(/"root":/g)?.length).toBeGreaterThanOrEqual(14);
    // The root of each state is checked during the load.
    const { chain: other } = await createTestChain();
    await nodeOf(other).dump.load(Buffer.from(dump));
    expect(await text(other)).toBe(dump);
  });

  it('the mark of a dump changes with every change of the chain', async () => {
    const { chain } = await createTestChain();
    const changes: (() => unknown)[] = [
      () => chain.mine(),
      () => chain.cheats.setBalance(STRANGER, 5n),
      () => chain.sendFrom(sender, transfer({ nonce: 9n })),
      () => chain.change(increaseTime(5)),
      () => chain.change(setMining({ automine: false })),
      () => chain.change(setGasLimit(5_000_000n)),
      () => chain.impersonation.add(STRANGER),
      () => chain.snapshots.takeNamed('base'),
      () => chain.wallet.addSeedAccount('seed'),
    ];
    for (const change of changes) {
      const before = nodeOf(chain).dump.mark();
      expect(isSameMark(before, nodeOf(chain).dump.mark())).toBe(true);
      await change();
      expect(isSameMark(before, nodeOf(chain).dump.mark()), `${change}`).toBe(false);
    }
  });

  it('a compressed dump contains no time and no system', async () => {
    const chain = await createSample();
    const bytes = await nodeOf(chain).dump.write({ isCompressed: true, withKeys: false });
    expect(hexKey(bytes.slice(0, 10))).toBe('1f8b08040000000000ff');
    expect(gunzipSync(bytes).toString()).toBe(await text(chain));
  });

  it('a dump contains keys only on request, encrypted with their passphrases', async () => {
    const { chain } = await createTestChain();
    const made = await chain.wallet.createAccount('word');
    chain.wallet.addSeedAccount('seed');
    expect(await text(chain)).not.toMatch(/privateKey|keystore/);
    const secret = hexKey(chain.wallet.privateKey(made));
    const dump = await text(chain, true);
    expect(dump).not.toContain(secret);
    expect(dump).toContain(hexKey(testAccount(0).privateKey));
    const { chain: other } = await createTestChain({ devAccounts: [] });
    await nodeOf(other).dump.load(Buffer.from(dump));
    expect(other.wallet.addresses()).toEqual(chain.wallet.addresses());
    expect(() => other.wallet.privateKey(made)).toThrow(AccountNotFoundError);
    expect(await other.wallet.unlock(made, 'word', 0)).toBe(true);
    expect(hexKey(other.wallet.privateKey(made))).toBe(secret);
    expect(await text(other, true)).toBe(dump);
  });
});

describe('loading a dump', () => {
  it('a loaded dump returns the same blocks, receipts, logs, states and calls', async () => {
    const chain = await createSample();
    const { chain: twin } = await createTestChain({ genesisTimestamp: 5 });
    await nodeOf(twin).dump.load(await nodeOf(chain).dump.write(PLAIN));
    const all = { fromBlock: 0, toBlock: 1_000, addresses: [], topics: [] };
    const logs = (of: Chain): LocatedLog[] => locatedLogs(logsFound(of, all));
    expect(logs(twin)).toEqual(logs(chain));
    expect(logs(twin)).toHaveLength(2);
    for (const number of [0n, 1n, 2n, 3n, 100n, 203n]) {
      const [before, after] = [await chain.view({ number }), await twin.view({ number })];
      expect(after.block).toEqual(before.block);
      expect(after.state.root).toEqual(before.state.root);
      expect(after.state.account(STRANGER)).toEqual(before.state.account(STRANGER));
    }
    const { contractAddress } = (await twin.block({ number: 2n }))?.receipts[0] ?? {};
    const created = twin.head();
    expect(created.header.number).toBe(203);
    const { state } = await twin.view({ tag: 'latest' });
    expect(state.account(contractAddress ?? STRANGER)?.code.bytes).toEqual(Uint8Array.of(0x60, 0x01));
    expect(state.storageAt(contractAddress ?? STRANGER, new Uint8Array(32))).toEqual(Uint8Array.of(42));
  });

  it('a loaded dump has the same impersonated accounts and signatures', async () => {
    const chain = await createSample();
    const { chain: twin } = await createTestChain();
    await nodeOf(twin).dump.load(await nodeOf(chain).dump.write(PLAIN));
    expect(twin.impersonation.record).toEqual(chain.impersonation.record);
    expect(twin.settings).toEqual(chain.settings);
    expect(twin.settings.impersonatedSigners.size).toBe(1);
  });

  it('a loaded dump has the same snapshots, which can be reverted to', async () => {
    const chain = await createSample();
    const { chain: twin } = await createTestChain();
    await nodeOf(twin).dump.load(await nodeOf(chain).dump.write(PLAIN));
    expect(twin.snapshots.list()).toEqual([
      { id: 1, head: 2 },
      { id: 'base', head: 2 },
    ]);
    expect(await twin.snapshots.revert('base')).toBe(true);
    expect(twin.head().header.number).toBe(2);
    expect(twin.impersonation.addresses()).toEqual([]);
    expect(await twin.snapshots.take()).toBe(2);
  });

  it('loading emits removed and added blocks, but no unchanged ones', async () => {
    const { chain } = await createTestChain();
    await chain.mine({ count: 2 });
    const dump = await nodeOf(chain).dump.write(PLAIN);
    await chain.mine();
    await chain.sendFrom(sender, transfer());
    const later = await nodeOf(chain).dump.write(PLAIN);
    const events: [string, number[]][] = [];
    const told: unknown[] = [];
    const numbers = (blocks: readonly Block[]) => blocks.map(({ header }) => header.number);
    chain.events.on('removed', (blocks) => events.push(['removed', numbers(blocks)]));
    chain.events.on('block', (block, results) => {
      events.push(['block', numbers([block])]);
      told.push(results);
    });
    await nodeOf(chain).dump.load(dump);
    await nodeOf(chain).dump.load(dump);
    expect(events.splice(0)).toEqual([['removed', [4, 3]]]);
    await nodeOf(chain).dump.load(later);
    expect(events).toEqual([
      ['block', [3]],
      ['block', [4]],
    ]);
    expect(told).toEqual([null, null]);
  });

  it('loading another chain removes all blocks, and a reset restores the own genesis', async () => {
    const chain = await createSample();
    const { chain: other } = await createTestChain({ genesisTimestamp: 5 });
    const first = other.head();
    await other.mine();
    const removed: Block[] = [];
    other.events.on('removed', (blocks) => removed.push(...blocks));
    await nodeOf(other).dump.load(await nodeOf(chain).dump.write(PLAIN));
    expect(removed.splice(0).map(({ header }) => header.number)).toEqual([1, 0]);
    expect(await other.block({ number: 0n })).toEqual(await chain.block({ number: 0n }));
    await other.snapshots.reset();
    expect(removed.at(-1)?.header.number).toBe(0);
    expect(other.head()).toEqual(first);
    expect(other.snapshots.list()).toEqual([]);
    const hash = await other.sendFrom(sender, transfer());
    expect((await other.transaction(hash))?.block.header).toMatchObject({ number: 1, timestamp: 6 });
  });

  it('a loaded chain keeps its clock offset', async () => {
    const { chain } = await createTestChain();
    await chain.change(increaseTime(1_000));
    await chain.mine();
    const dump = await nodeOf(chain).dump.write(PLAIN);
    const { chain: twin, time } = await createTestChain();
    await time.advance(60_000);
    await nodeOf(twin).dump.load(dump);
    await twin.mine();
    expect(twin.head().header.timestamp).toBe(chain.head().header.timestamp + 60);
  });
});

describe('dumps that cannot be loaded', () => {
  type Line = Record<string, unknown>;

  /** The dump of the sample with a change. */
  async function changed(change: (dump: Line[]) => unknown): Promise<Uint8Array> {
    const dump = await lines(await createSample());
    change(dump);
    return Buffer.from(dump.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  const at = (dump: Line[], kind: string): Line => dump.find((line) => kind in line) ?? {};
  const inside = (line: Line, ...path: string[]) =>
    path.reduce<Line>((value, name) => value[name] as Line, line);

  it.each<[string, RegExp, (dump: Line[]) => unknown]>([
    [
      'another version',
      /it has format version 3, expected 1 to 2/,
      ([first]) => Object.assign(first ?? {}, { version: 3 }),
    ],
    [
      'an unknown order',
      /order: expected one of fees, fifo, got "random"/,
      ([first]) => Object.assign(first ?? {}, { order: 'random' }),
    ],
    [
      'limits that are none',
      /codeSizeLimit: expected a QUANTITY of 53 bits, got "none"/,
      ([first]) => Object.assign(first ?? {}, { codeSizeLimit: 'none' }),
    ],
    [
      'other rules',
      /hardfork is prague, but this chain has rootstock; start with --hardfork prague/,
      ([first]) => Object.assign(first ?? {}, { ruleSet: 'prague' }),
    ],
    ['no end', /its last line is missing/, (dump) => dump.pop()],
    [
      'something after the end',
      /line 13: expected no line after the line with "present"/,
      (dump) => dump.push({ code: '0x' }),
    ],
    [
      'an unknown line',
      /line 12: expected a line with "code", "block"/,
      (dump) => dump.splice(11, 0, { codes: 1 }),
    ],
    ['a missing block', /line 4\.block\.header\.number: expected 1, got 2/, (dump) => dump.splice(3, 1)],
    [
      'missing code',
      /codeHash: expected the hash of contract code on an earlier line/,
      (dump) => dump.splice(2, 1),
    ],
    [
      'another header',
      /line 2\.block\.hash: expected the hash of the header/,
      (dump) => Object.assign(inside(at(dump, 'block'), 'block', 'header'), { timestamp: 7 }),
    ],
    [
      'another balance',
      /line 2\.state: the state root is 0x[0-9a-f]{64}, expected 0x[0-9a-f]{64}/,
      (dump) => Object.assign(Object.values(inside(at(dump, 'block'), 'state'))[0] ?? {}, { balance: '0x7' }),
    ],
    [
      'a balance that is too large',
      /balance: expected a QUANTITY of 256 bits/,
      (dump) =>
        Object.assign(Object.values(inside(at(dump, 'block'), 'state'))[0] ?? {}, {
          balance: `0x1${'0'.repeat(64)}`,
        }),
    ],
    [
      'an address that is none',
      /line 2\.state: invalid property name "0x12": expected an address/,
      (dump) => Object.assign(inside(at(dump, 'block'), 'state'), { '0x12': null }),
    ],
    [
      'a range with a base fee under rules without one',
      /line 8\.range\.baseFeePerGas: expected no base fee/,
      (dump) => Object.assign(inside(at(dump, 'range'), 'range'), { baseFeePerGas: '0x7' }),
    ],
    [
      'a range on another block',
      /line 8\.range\.base\.hash: expected 0x/,
      (dump) => Object.assign(inside(at(dump, 'range'), 'range', 'base'), { hash: `0x${'11'.repeat(32)}` }),
    ],
    [
      'a range behind another number',
      /line 8\.range\.base\.number: expected \d+, got 77/,
      (dump) => Object.assign(inside(at(dump, 'range'), 'range', 'base'), { number: 77 }),
    ],
    [
      'a range with another state',
      /line 8\.range\.stateRoot: expected the root of the previous state, 0x/,
      (dump) => Object.assign(inside(at(dump, 'range'), 'range'), { stateRoot: `0x${'11'.repeat(32)}` }),
    ],
    [
      'a range on a range',
      /line 9\.range: a range must follow a block/,
      (dump) => dump.splice(8, 0, at(dump, 'range')),
    ],
    [
      'a snapshot of no block',
      /line 10\.head: expected the number of an earlier block, got 999/,
      (dump) => Object.assign(at(dump, 'snapshot'), { head: 999 }),
    ],
    [
      'a pool that holds no transaction',
      /present\.pool\.transactions\[0\]\.raw: expected a transaction/,
      (dump) =>
        Object.assign((inside(at(dump, 'present'), 'present', 'pool').transactions as Line[])[0] ?? {}, {
          raw: '0xc0',
        }),
    ],
    [
      'a key that is not of its address',
      /address of the private key in the same object/,
      (dump) =>
        Object.assign(inside(at(dump, 'present'), 'present'), {
          keys: [{ address: `0x${'11'.repeat(20)}`, isInitial: true, privateKey: `0x${'22'.repeat(32)}` }],
        }),
    ],
  ])('%s is rejected with the reason, and nothing changes', async (_, message, change) => {
    const { chain } = await createTestChain();
    await chain.mine({ count: 2 });
    await chain.snapshots.take();
    const before = await text(chain, true);
    const load = nodeOf(chain).dump.load(await changed(change));
    await expect(load).rejects.toThrow(InvalidDumpError);
    await expect(load).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(message) });
    expect(await text(chain, true)).toBe(before);
  });

  it('a block of another chain is rejected, although its hash is valid', async () => {
    const { chain } = await createTestChain();
    const { chain: other } = await createTestChain({ coinbase: new Uint8Array(20).fill(7) });
    for (const each of [chain, other]) await each.mine({ count: 2 });
    const [dump, otherDump] = [await lines(chain), await lines(other)];
    const isSecond = (line: Line): boolean =>
      'block' in line && Number(inside(line, 'block', 'header').number) === 2;
    expect(dump.filter(isSecond)).toHaveLength(1);
    const mixed = dump.map((line) => (isSecond(line) ? (otherDump.find(isSecond) ?? {}) : line));
    const bytes = Buffer.from(mixed.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await expect(nodeOf(chain).dump.load(bytes)).rejects.toThrow(/header\.parentHash: expected 0x/);
  });

  it.each<[string, RegExp, Uint8Array]>([
    ['nothing', /it is not JSON/, new Uint8Array(0)],
    ['no JSON', /it is not JSON/, Buffer.from('state')],
    ['another JSON', /neither a dump of node-cli nor a state file/, Buffer.from('{"alloc":{}}')],
    ['a list', /neither a dump of node-cli nor a state file/, Buffer.from('[]')],
    ['a word', /neither a dump of node-cli nor a state file/, Buffer.from('"state"')],
    ['half of a gzip', /invalid gzip data/, gzipSync('{"accounts":{}}').subarray(0, 20)],
    [
      'a line that is no JSON',
      /line 2 is not JSON/,
      Buffer.from(
        '{"format":"node-cli chain","version":1,"ruleSet":"rootstock","difficulty":"0x1","remasc":false}\n{',
      ),
    ],
  ])('%s is rejected with the reason', async (_, message, bytes) => {
    const { chain } = await createTestChain();
    await expect(nodeOf(chain).dump.load(bytes)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    });
  });
});
