import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../../src/chain/chain.ts';
import { padLeft } from '../../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { UnknownStateError } from '../../../src/state/errors.ts';
import { locatedLogs } from '../../../src/storage/log-search.ts';
import { logsFound } from '../../support/found-logs.ts';
import { createTestChain, nodeOf, testAccount, transfer } from '../../support/test-chain.ts';

const PLAIN = { isCompressed: false, withKeys: false };
const COMPRESSED = { isCompressed: true, withKeys: false };
const RECORDED = fromHex(readFileSync('fixtures/anvil/dump-state.hex', 'utf8').trim());
const CREATOR = fromHex('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266');
const RECEIVER = fromHex('0x70997970c51812dc3a010c7d01b50e0d17dc79c8');
const CONTRACT = fromHex('0xe7f1725e7734ce288f8367e1bb143e90bb3f0512');
const IMPERSONATED = fromHex('0x000000000000000000000000000000000000a11c');
const CREATION = fromHex('0x556c439f84933120e711ce05a31ceae90c2b4d6839d26f10e12aa0550b03b6e4');
const HASHES = [
  '0xc56b8342e33b57477139f45874ae699b6fe1ca1a65d089b78c34dabc3206e07b',
  '0x476072f33d9ad49742c8daa9c4faef806ef081829f19a7fdc6b55058bf97361d',
  '0xd4bd4f737985c2412de95362785ebeb1e4a15e50637145557fdee0363da0a208',
  '0x4139bcf4b5b7e54f79a06a7241fde1ac5f8023c46496a0ffe1af835e71749aea',
  '0xcb26d3a0bf7d012e826e790c3f2746f56816ffd8e8fa4f3410d4c6943553d09a',
];

const slot = (number: number) => padLeft(Uint8Array.of(number), 32);

type Json = Record<string, unknown>;

function blocksOf(state: Json): { readonly header: Json }[] {
  return state.blocks as { readonly header: Json }[];
}

function recorded(change: (state: Json) => void = () => undefined): Uint8Array {
  const state = JSON.parse(gunzipSync(RECORDED).toString()) as Json;
  change(state);
  return Buffer.from(JSON.stringify(state));
}

async function hashes(chain: Chain): Promise<string[]> {
  const found: string[] = [];
  for (let number = 0n; number <= chain.head().header.number; number++) {
    const block = await chain.block({ number });
    if (block !== undefined) found.push(toHex(block.hash));
  }
  return found;
}

describe('Anvil state file under Ethereum rules', () => {
  it('loads blocks with the hashes of Anvil, with receipts and logs', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    await chain.mine({ count: 7 });
    await chain.snapshots.take();
    await nodeOf(chain).dump.load(RECORDED);
    expect(await hashes(chain)).toEqual(HASHES);
    expect(chain.snapshots.list()).toEqual([]);
    const found = await chain.transaction(CREATION);
    expect(found).toMatchObject({ block: { header: { number: 2, timestamp: 1_700_000_020 } } });
    expect(found?.block.receipts[0]).toMatchObject({
      succeeded: true,
      gasUsed: 100_168n,
      contractAddress: CONTRACT,
      logs: [{ address: CONTRACT, data: new Uint8Array(0) }],
    });
    const logs = logsFound(chain, { fromBlock: 0, toBlock: 9, addresses: [CONTRACT], topics: [] });
    expect(locatedLogs(logs)).toHaveLength(1);
    const types = [1n, 2n, 3n, 4n].map(async (number) => (await chain.block({ number }))?.transactions[0]);
    const transactions = await Promise.all(types);
    expect(transactions.map((transaction) => transaction?.type)).toEqual([0, 2, 1, 2]);
    expect(transactions.map((transaction) => transaction?.sender)).toEqual([
      CREATOR,
      CREATOR,
      CREATOR,
      IMPERSONATED,
    ]);
  });

  it('loads only the ancestors of the best block', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    const file = recorded((state) => {
      const left = structuredClone(blocksOf(state));
      for (const { header } of left) Object.assign(header, { parentHash: `0x${'11'.repeat(32)}` });
      Object.assign(state, { blocks: [...left, ...blocksOf(state)], best_block_number: 3 });
    });
    await nodeOf(chain).dump.load(file);
    expect(await hashes(chain)).toEqual(HASHES.slice(0, 4));
  });

  it('loads the historical states of the file, and reports other states as unknown', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    await nodeOf(chain).dump.load(RECORDED);
    const balance = async (number: bigint) => (await chain.view({ number })).state.account(RECEIVER)?.balance;
    const start = 10_000n * 10n ** 18n;
    expect(await Promise.all([0n, 1n, 3n, 4n].map(balance))).toEqual([
      start,
      start + 1n,
      start + 1n,
      start + 6n,
    ]);
    expect((await chain.view({ number: 2n })).state.account(CONTRACT)?.code.bytes).toHaveLength(10);
    await nodeOf(chain).dump.load(recorded((state) => Object.assign(state, { historical_states: null })));
    expect(await balance(4n)).toBe(start + 6n);
    await expect(balance(3n)).rejects.toThrow(UnknownStateError);
  });

  it('mining continues after the load, and the chain can be dumped again', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    await nodeOf(chain).dump.load(recorded((state) => Object.assign(state, { historical_states: null })));
    await chain.mine();
    expect(chain.head().header).toMatchObject({ number: 5, timestamp: 1_700_000_041 });
    const dump = await nodeOf(chain).dump.write(PLAIN);
    const { chain: twin } = await createTestChain({ ruleSet: 'prague' });
    await nodeOf(twin).dump.load(dump);
    expect(await hashes(twin)).toEqual(await hashes(chain));
    expect(await nodeOf(twin).dump.write(PLAIN)).toEqual(dump);
  });

  it('adds its accounts to the existing state', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    const own = testAccount(0).address;
    await chain.cheats.setNonce(CREATOR, 77n);
    await chain.cheats.setNonce(RECEIVER, 0n);
    await chain.cheats.setStorageAt(CONTRACT, slot(9), Uint8Array.of(9));
    await chain.cheats.setStorageAt(CONTRACT, slot(0), Uint8Array.of(1));
    await nodeOf(chain).dump.load(RECORDED);
    const { state } = await chain.view({ tag: 'latest' });
    expect(state.account(own)?.balance).toBe(10n ** 20n);
    expect(state.account(CREATOR)?.nonce).toBe(77n);
    expect(state.account(IMPERSONATED)?.nonce).toBe(1n);
    expect([0, 7, 9].map((number) => state.storageAt(CONTRACT, slot(number))[0])).toEqual([42, 1, 9]);
  });
});

describe('Anvil state file with unusable blocks', () => {
  it.each<[string, 'rootstock' | 'istanbul' | 'prague', (state: Json) => void]>([
    ["under the network's own rules", 'rootstock', () => undefined],
    ['where transactions have types that the rules do not know', 'istanbul', () => undefined],
    [
      'because they begin in the middle, as those of a fork',
      'prague',
      (state) =>
        Object.assign(state, { blocks: blocksOf(state).filter(({ header }) => header.number !== '0x0') }),
    ],
    [
      'because one of them is missing',
      'prague',
      (state) =>
        Object.assign(state, { blocks: blocksOf(state).filter(({ header }) => header.number !== '0x2') }),
    ],
    ['because it has no blocks', 'prague', (state) => delete state.blocks],
  ])('loads only the accounts %s', async (_, ruleSet, change) => {
    const { chain } = await createTestChain({ ruleSet });
    const before = chain.head();
    await nodeOf(chain).dump.load(gzipSync(recorded(change)));
    expect(chain.head()).toBe(before);
    const { state } = await chain.view({ tag: 'latest' });
    expect(state.account(IMPERSONATED)).toMatchObject({ nonce: 1n });
    expect(state.storageAt(CONTRACT, slot(0))).toEqual(Uint8Array.of(42));
  });

  describe('without blocks, on a chain that continues state files', () => {
    const file = (fields: object, best?: number): Buffer => {
      const coinbase = `0x${'ab'.repeat(20)}`;
      const block = {
        ...{ number: '0x3', coinbase, timestamp: '0x1', gas_limit: '0x1c9c380' },
        ...{ basefee: 7, difficulty: '0x0', prevrandao: null, blob_excess_gas_and_price: null },
        ...fields,
      };
      const accounts = { [toHex(CONTRACT)]: { nonce: 3, balance: '0x1', code: '0x', storage: {} } };
      return Buffer.from(JSON.stringify({ accounts, block, best_block_number: best }));
    };

    it.each([
      ['follows the local block below it', 1, 3, 2],
      ['replaces the local block with the same number', 5, 3, 2],
      ['starts the chain if the block below it is missing', 0, 3, 3],
    ])('the newest block %s', async (_, mined, number, first) => {
      const { chain } = await createTestChain({ ruleSet: 'cancun', continuesStateFiles: true });
      for (let count = 0; count <= mined; count++) await chain.mine();
      const parent = chain.blocks.block(2);

      await nodeOf(chain).dump.load(file({}));

      const { header } = chain.head();
      expect(header).toMatchObject({ number, gasLimit: 30_000_000n, ethereum: { baseFeePerGas: 7n } });
      expect(chain.blocks.block(2) === undefined).toBe(first === 3);
      if (parent !== undefined) expect(header.parentHash).toEqual(parent.hash);
      expect(header.timestamp).toBe(parent === undefined ? 1 : parent.header.timestamp + 1);
      expect(header.stateRoot).toEqual((await chain.view({ tag: 'latest' })).state.root);
      await chain.mine();
      expect(chain.head().header.number).toBe(number + 1);
    });

    it('the number of the newest block can differ from the number in the environment', async () => {
      const { chain } = await createTestChain({ ruleSet: 'cancun', continuesStateFiles: true });
      await nodeOf(chain).dump.load(file({}, 40));
      expect(chain.head().header.number).toBe(40);
    });

    it('rejects a newest block above number 2^48 - 1', async () => {
      const { chain } = await createTestChain({ ruleSet: 'cancun', continuesStateFiles: true });
      await expect(nodeOf(chain).dump.load(file({}, 2 ** 48))).rejects.toThrow(
        'best_block_number: expected a QUANTITY of 48 bits',
      );
      expect(chain.head().header.number).toBe(0);
    });

    it.each([
      ['timestamp', '0x1000000000000'],
      ['gas_limit', 'much'],
      ['coinbase', '0x12'],
    ])('an invalid %s is rejected', async (name, value) => {
      const { chain } = await createTestChain({ ruleSet: 'cancun', continuesStateFiles: true });
      await expect(nodeOf(chain).dump.load(file({ [name]: value }))).rejects.toMatchObject({ code: -32602 });
      expect(chain.head().header.number).toBe(0);
    });
  });

  it('drops pooled transactions whose nonce the loaded account has used', async () => {
    const { chain } = await createTestChain({ automine: false });
    const sender = testAccount(0).address;
    await chain.sendFrom(sender, transfer());
    const accounts = { [toHex(sender)]: { nonce: 3, balance: '0x1', code: '0x', storage: {} } };
    await nodeOf(chain).dump.load(Buffer.from(JSON.stringify({ accounts })));
    expect(chain.pool.size).toBe(0);
  });
});

describe('invalid Anvil state file', () => {
  it.each<[string, RegExp, (state: Json) => void]>([
    [
      'a nonce that is none',
      /accounts\.0x.{40}\.nonce: expected a QUANTITY of 64 bits, got -1/,
      (state) => Object.assign(Object.values(state.accounts as Json)[0] as Json, { nonce: -1 }),
    ],
    [
      'a code of no form that Anvil had',
      /code: expected code in the form LegacyAnalyzed, LegacyRaw or Eip7702/,
      (state) => {
        const [[, first]] = state.historical_states as [[string, { accounts: Record<string, Json> }]];
        Object.assign(Object.values(first.accounts)[0] as Json, { code: { Eof: '0x' } });
      },
    ],
  ])('%s is rejected with the path, and nothing changes', async (_, message, change) => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    await chain.mine();
    const before = await nodeOf(chain).dump.write(PLAIN);
    const load = nodeOf(chain).dump.load(recorded(change));
    await expect(load).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(message) });
    expect(await nodeOf(chain).dump.write(PLAIN)).toEqual(before);
  });
});

describe("dump in Anvil's format", () => {
  async function createSample(ruleSet: 'rootstock' | 'prague'): Promise<Chain> {
    const { chain } = await createTestChain({ ruleSet });
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
    const initCode = fromHex('0x602a600055602060006000a06160016000526002601ef3');
    const request = transfer({ to: null, value: 0n, data: initCode, gasLimit: 200_000n });
    await chain.sendFrom(
      testAccount(0).address,
      ruleSet === 'prague' ? { ...request, ...fees, type: 2 } : request,
    );
    await chain.cheats.setBalance(IMPERSONATED, 10n ** 18n);
    const legacy = transfer({ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 10n });
    await chain.sendFrom(testAccount(1).address, legacy);
    await chain.sendUnsigned(IMPERSONATED, legacy);
    return chain;
  }

  function stateOf(bytes: Uint8Array): Json {
    return JSON.parse(gunzipSync(bytes).toString()) as Json;
  }

  it('the dump has the fields of a state file written by Anvil', async () => {
    const theirs = stateOf(RECORDED);
    const ours = stateOf(await nodeOf(await createSample('prague')).dump.writeForAnvil(COMPRESSED));
    const names = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.length === 0 ? [] : [names(value[0])];
      if (typeof value !== 'object' || value === null) return typeof value;
      return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, names(field)]));
    };
    for (const field of ['block', 'best_block_number'])
      expect(names(ours[field])).toEqual(names(theirs[field]));
    const account = (state: Json) => names(Object.values(state.accounts as Json)[0]);
    expect(account(ours)).toMatchObject({ nonce: 'number', balance: 'string', code: 'string' });
    expect(Object.keys(account(ours) as Json)).toEqual(Object.keys(account(theirs) as Json));
    const header = (state: Json) => names(blocksOf(state)[0]?.header);
    expect(header(ours)).toEqual(header(theirs));
    const ofType = (state: Json, type: string) =>
      (state.blocks as { transactions: { transaction: Json }[] }[])
        .flatMap(({ transactions }) => transactions)
        .find(({ transaction }) => transaction.type === type);
    const sorted = (value: unknown) => Object.keys(value as Json).sort();
    for (const type of ['0x0', '0x2']) {
      expect(sorted(ofType(ours, type))).toEqual(sorted(ofType(theirs, type)));
      expect(sorted(ofType(ours, type)?.transaction)).toEqual(sorted(ofType(theirs, type)?.transaction));
    }
    const mined = (state: Json) => (state.transactions as { info: Json; receipt: Json }[])[0];
    expect(sorted(mined(ours)?.info)).toEqual(sorted(mined(theirs)?.info));
    expect(sorted(mined(ours)?.receipt)).toEqual(sorted(mined(theirs)?.receipt));
  });

  it.each(['rootstock', 'prague'] as const)('restores the whole chain under %s', async (ruleSet) => {
    const chain = await createSample(ruleSet);
    const dump = await nodeOf(chain).dump.write(PLAIN);
    const { chain: twin } = await createTestChain({ ruleSet, genesisTimestamp: 5 });
    await nodeOf(twin).dump.load(await nodeOf(chain).dump.writeForAnvil(COMPRESSED));
    expect(await nodeOf(twin).dump.write(PLAIN)).toEqual(dump);
  });

  it('the last of several spellings of a slot or address applies', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    const [lower, upper] = [`0x${'ab'.repeat(20)}`, `0x${'AB'.repeat(20)}`];
    const account = (storage: Record<string, string>) => ({
      nonce: 0,
      balance: '0x1',
      code: '0x00',
      storage,
    });
    const accounts = {
      [lower]: account({ '0x3': '0x1' }),
      [upper]: account({ '0x1': '0x5', '0x01': '0x7' }),
    };
    await nodeOf(chain).dump.load(Buffer.from(JSON.stringify({ accounts })));
    const { state } = await chain.view({ tag: 'latest' });
    expect([1, 3].map((number) => state.storageAt(fromHex(lower), slot(number))[0])).toEqual([7, undefined]);
  });

  it('an edited file applies its own values', async () => {
    const chain = await createSample('prague');
    const state = stateOf(await nodeOf(chain).dump.writeForAnvil(COMPRESSED));
    const [name = ''] = Object.keys(state.accounts as Json);
    Object.assign((state.accounts as Json)[name] as Json, { balance: '0x7' });
    const { chain: twin } = await createTestChain({ ruleSet: 'prague', genesisTimestamp: 5 });
    await nodeOf(twin).dump.load(Buffer.from(JSON.stringify(state)));
    expect(await hashes(twin)).toEqual(await hashes(chain));
    const { state: head } = await twin.view({ tag: 'latest' });
    expect(head.account(fromHex(name))?.balance).toBe(7n);
  });
});
