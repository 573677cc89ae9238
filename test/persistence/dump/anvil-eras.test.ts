import { describe, expect, it } from 'vitest';
import type { Chain } from '../../../src/chain/chain.ts';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { ANVIL_ERAS, type AnvilFile, paddedHeaderHash } from '../../support/anvil-eras.ts';
import { createTestChain, nodeOf } from '../../support/test-chain.ts';

const SENDERS = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x000000000000000000000000000000000000a11c',
];
const RECEIVER = fromHex('0x70997970c51812dc3a010c7d01b50e0d17dc79c8');
const CONTRACT = fromHex('0xe7f1725e7734ce288f8367e1bb143e90bb3f0512');
const START = 10_000n * 10n ** 18n;

/** A chain that has loaded the file, and what it told the log meanwhile. */
async function loaded(file: AnvilFile): Promise<{ readonly chain: Chain; readonly notices: string[] }> {
  const { chain } = await createTestChain({ ruleSet: 'prague' });
  const notices: string[] = [];
  chain.events.on('notice', (text) => notices.push(text));
  await nodeOf(chain).dump.load(Buffer.from(JSON.stringify(file)));
  return { chain, notices };
}

async function blocksOf(chain: Chain) {
  const numbers = Array.from({ length: chain.head().header.number + 1 }, (_, number) => BigInt(number));
  const blocks = await Promise.all(numbers.map((number) => chain.block({ number })));
  return blocks.flatMap((block) => (block === undefined ? [] : [block]));
}

function era(name: string): AnvilFile {
  const found = ANVIL_ERAS[name];
  if (found === undefined) throw new Error(`there is no era ${name}`);
  return found.file();
}

describe('a header of Anvil of 2024', () => {
  it('has the hash that Anvil gave it: with an empty root of withdrawals', () => {
    const zero = `0x${'00'.repeat(32)}`;
    expect(
      paddedHeaderHash({
        parentHash: zero,
        sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
        miner: `0x${'00'.repeat(20)}`,
        stateRoot: zero,
        transactionsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
        receiptsRoot: zero,
        logsBloom: `0x${'00'.repeat(256)}`,
        difficulty: '0x0',
        number: '0x0',
        gasLimit: '0x1c9c380',
        gasUsed: '0x0',
        timestamp: '0x66cdc80e',
        extraData: '0x',
        mixHash: zero,
        nonce: '0x0000000000000000',
        baseFeePerGas: '0x3b9aca00',
        blobGasUsed: '0x0',
        excessBlobGas: '0x0',
      }),
    ).toBe('0xa00dc0c9ee9a888e67ea32d8772f8cc28eff62448c9ec985ee941fcbc921ba59');
  });
});

const WITH_BLOCKS = Object.entries(ANVIL_ERAS).filter(
  ([name]) => !['accounts', 'environment', 'bareBlocks'].includes(name),
);

describe('a state file of Anvil', () => {
  it.each(WITH_BLOCKS)(
    'of the shape %s brings its blocks, transactions and receipts',
    async (_, { file }) => {
      const written = file();
      const { chain, notices } = await loaded(written);
      expect(notices).toEqual([]);
      const blocks = await blocksOf(chain);
      const parents = (written.blocks ?? []).map(({ header }) => String(header.parentHash));
      const hashes = blocks.map(({ hash }) => toHex(hash));
      expect(hashes).toHaveLength(5);
      // Each block has the hash by which the file itself names it.
      expect(parents).toEqual(expect.arrayContaining(hashes.slice(0, -1)));
      expect(written.transactions?.map((mined) => mined.block_hash).toSorted()).toEqual(
        hashes.slice(1).toSorted(),
      );
      const transactions = blocks.flatMap((block) => block.transactions);
      expect(transactions.map(({ type }) => type)).toEqual([0, 2, 1, 2]);
      expect(transactions.map(({ sender }) => toHex(sender))).toEqual(SENDERS);
      const signed = (written.transactions ?? []).map(({ info }) => info.transaction_hash);
      expect(signed).toEqual(expect.arrayContaining(transactions.slice(0, 3).map(({ hash }) => toHex(hash))));
      expect(blocks[2]?.receipts[0]).toMatchObject({
        succeeded: true,
        gasUsed: 100_168n,
        contractAddress: CONTRACT,
      });
      expect(blocks[2]?.receipts[0]?.logs).toHaveLength(1);
    },
  );

  it.each(WITH_BLOCKS)('of the shape %s is the same chain in a dump of its own', async (_, { file }) => {
    const { chain } = await loaded(file());
    const plain = { isCompressed: false, withKeys: false };
    const dump = await nodeOf(chain).dump.write(plain);
    const { chain: twin } = await createTestChain({ ruleSet: 'prague' });
    await nodeOf(twin).dump.load(dump);
    expect((await blocksOf(twin)).map(({ hash }) => toHex(hash))).toEqual(
      (await blocksOf(chain)).map(({ hash }) => toHex(hash)),
    );
    expect(await nodeOf(twin).dump.write(plain)).toEqual(dump);
    await nodeOf(twin).dump.load(await nodeOf(chain).dump.writeForAnvil());
    expect(await nodeOf(twin).dump.write(plain)).toEqual(dump);
  });

  it('uses up the snapshots of the chain before', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    const key = await chain.snapshots.take();
    await nodeOf(chain).dump.load(Buffer.from(JSON.stringify(era('recorded'))));
    expect(await chain.snapshots.revert(key)).toBe(false);
    expect(chain.head().header.number).toBe(4);
  });

  it.each(['historicalStates', 'namedTypes', 'recorded'])(
    'of the shape %s answers for its past',
    async (name) => {
      const { chain } = await loaded(era(name));
      const balance = async (number: bigint) =>
        (await chain.view({ number })).state.account(RECEIVER)?.balance;
      expect(await Promise.all([0n, 1n, 4n].map(balance))).toEqual([START, START + 1n, START + 6n]);
      expect((await chain.view({ number: 2n })).state.account(CONTRACT)?.code.bytes).toHaveLength(10);
    },
  );

  it.each([
    [
      'accounts',
      /its accounts are: it has none, as those that Anvil wrote before June 2024\. The head stays block 0$/,
    ],
    [
      'environment',
      /its accounts are: it has none, as those that Anvil wrote before June 2024\. The head stays block 0$/,
    ],
    [
      'bareBlocks',
      /its accounts are: the file does not have the receipts of block 2\. The head stays block 0$/,
    ],
  ])('of the shape %s brings its accounts and says why not its blocks', async (name, reason) => {
    const { chain, notices } = await loaded(era(name));
    expect(notices).toEqual([expect.stringMatching(reason)]);
    const { state } = await chain.view({ tag: 'latest' });
    expect(state.account(RECEIVER)?.balance).toBe(START + 6n);
    expect(state.storageAt(CONTRACT, new Uint8Array(32))).toEqual(Uint8Array.of(42));
    expect(chain.head().header.number).toBe(0);
  });
});

describe('a state file of Anvil without receipts', () => {
  const upTo = (best: number): AnvilFile => ({ ...era('bareBlocks'), best_block_number: best });

  it('brings blocks of one transaction without logs, whose receipt the header proves', async () => {
    const { chain, notices } = await loaded(upTo(1));
    expect(notices).toEqual([]);
    const [, block] = await blocksOf(chain);
    expect(block?.transactions.map(({ sender }) => toHex(sender))).toEqual(SENDERS.slice(0, 1));
    expect(block?.receipts).toMatchObject([
      { succeeded: true, gasUsed: 21_000n, cumulativeGasUsed: 21_000n, logs: [], contractAddress: null },
    ]);
  });

  it('leaves out those of a sender who was impersonated, whom it does not name', async () => {
    const file = era('bareBlocks');
    const first = file.blocks?.find(({ header }) => header.number === '0x1');
    const [transaction] = (first?.transactions ?? []) as Record<string, Record<string, unknown>>[];
    for (const fields of Object.values(transaction ?? {})) Object.assign(fields, { r: '0x1', s: '0x1' });
    const { notices } = await loaded({ ...file, best_block_number: 1 });
    expect(notices).toEqual([
      expect.stringContaining(
        'block 1 has a transaction of an impersonated sender, whom the file does not name',
      ),
    ]);
  });
});

describe('the reason why blocks of a state file of Anvil are left out', () => {
  const recorded = () => era('recorded');
  const headersOf = (file: AnvilFile) => (file.blocks ?? []).map(({ header }) => header);

  it.each<[string, () => AnvilFile]>([
    [
      'the parent of block 3 is not in it',
      () => {
        const file = recorded();
        return { ...file, blocks: (file.blocks ?? []).filter(({ header }) => header.number !== '0x2') };
      },
    ],
    [
      'block 4 names block 2 as its parent',
      () => {
        const file = recorded();
        const [third, last] = ['0x3', '0x4'].map((number) =>
          headersOf(file).find((header) => header.number === number),
        );
        Object.assign(last ?? {}, { parentHash: third?.parentHash });
        return file;
      },
    ],
    ['it does not have its best block, 9', () => ({ ...recorded(), best_block_number: 9 })],
    [
      'block 1 has a transaction of type 126, which there is not under the rules prague here',
      () => {
        const file = recorded();
        const block = file.blocks?.find(({ header }) => header.number === '0x1');
        const [item] = (block?.transactions ?? []) as { transaction: Record<string, unknown> }[];
        Object.assign(item?.transaction ?? {}, { type: '0x7e' });
        return file;
      },
    ],
    [
      'block 1 has a transaction of type Deposit, which there is not under the rules prague here',
      () => {
        const file = era('namedTypes');
        const block = file.blocks?.find(({ header }) => header.number === '0x1');
        const [item] = (block?.transactions ?? []) as { transaction: Record<string, unknown> }[];
        Object.assign(item ?? {}, { transaction: { Deposit: Object.values(item?.transaction ?? {})[0] } });
        return file;
      },
    ],
  ])('is told: %s', async (reason, file) => {
    const { chain, notices } = await loaded(file());
    expect(notices).toEqual([
      `the blocks of the state file of Anvil are not loaded, its accounts are: ${reason}. The head stays block 0`,
    ]);
    expect(chain.head().header.number).toBe(0);
  });

  it('is told under the rules of the network', async () => {
    const { chain } = await createTestChain({ ruleSet: 'rootstock' });
    const notices: string[] = [];
    chain.events.on('notice', (text) => notices.push(text));
    await nodeOf(chain).dump.load(Buffer.from(JSON.stringify(recorded())));
    expect(notices).toEqual([expect.stringContaining('the rules rootstock have blocks of another form')]);
  });
});
