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
const COMPRESSED = { isCompressed: true, withKeys: false };

/** A chain with the loaded file, and the notices logged during the load. */
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

describe('Anvil header of 2024', () => {
  it("the header has Anvil's hash, with an empty withdrawals root", () => {
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

describe('Anvil state files of all eras', () => {
  it.each(WITH_BLOCKS)('shape %s loads blocks, transactions and receipts', async (_, { file }) => {
    const written = file();
    const { chain, notices } = await loaded(written);
    expect(notices).toEqual([]);
    const blocks = await blocksOf(chain);
    const parents = (written.blocks ?? []).map(({ header }) => String(header.parentHash));
    const hashes = blocks.map(({ hash }) => toHex(hash));
    expect(hashes).toHaveLength(5);
    // The parent and transaction entries of the file contain the hash of each block.
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
  });

  it.each(WITH_BLOCKS)('shape %s can be dumped and loaded as the same chain', async (_, { file }) => {
    const { chain } = await loaded(file());
    const plain = { isCompressed: false, withKeys: false };
    const dump = await nodeOf(chain).dump.write(plain);
    const { chain: twin } = await createTestChain({ ruleSet: 'prague' });
    await nodeOf(twin).dump.load(dump);
    expect((await blocksOf(twin)).map(({ hash }) => toHex(hash))).toEqual(
      (await blocksOf(chain)).map(({ hash }) => toHex(hash)),
    );
    expect(await nodeOf(twin).dump.write(plain)).toEqual(dump);
    await nodeOf(twin).dump.load(await nodeOf(chain).dump.writeForAnvil(COMPRESSED));
    expect(await nodeOf(twin).dump.write(plain)).toEqual(dump);
  });

  it('loading deletes the snapshots of the previous chain', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    const key = await chain.snapshots.take();
    await nodeOf(chain).dump.load(Buffer.from(JSON.stringify(era('recorded'))));
    expect(await chain.snapshots.revert(key)).toBe(false);
    expect(chain.head().header.number).toBe(4);
  });

  it.each(['historicalStates', 'namedTypes', 'recorded'])(
    'shape %s loads historical states',
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
      /were loaded, not its blocks: the file has no blocks \(Anvil before June 2024 did not write them\)\. The latest block is still 0$/,
    ],
    [
      'environment',
      /were loaded, not its blocks: the file has no blocks \(Anvil before June 2024 did not write them\)\. The latest block is still 0$/,
    ],
  ])('shape %s loads only accounts and reports the reason', async (name, reason) => {
    const { chain, notices } = await loaded(era(name));
    expect(notices).toEqual([expect.stringMatching(reason)]);
    const { state } = await chain.view({ tag: 'latest' });
    expect(state.account(RECEIVER)?.balance).toBe(START + 6n);
    expect(state.storageAt(CONTRACT, new Uint8Array(32))).toEqual(Uint8Array.of(42));
    expect(chain.head().header.number).toBe(0);
  });
});

describe('Anvil state file without receipts', () => {
  const upTo = (best: number): AnvilFile => ({ ...era('bareBlocks'), best_block_number: best });

  it('loads blocks with one transaction without logs, because the header proves the receipt', async () => {
    const { chain, notices } = await loaded(upTo(1));
    expect(notices).toEqual([]);
    const [, block] = await blocksOf(chain);
    expect(block?.transactions.map(({ sender }) => toHex(sender))).toEqual(SENDERS.slice(0, 1));
    expect(block?.receipts).toMatchObject([
      { succeeded: true, gasUsed: 21_000n, cumulativeGasUsed: 21_000n, logs: [], contractAddress: null },
    ]);
  });

  it('loads blocks with one transaction with logs, without the logs', async () => {
    const { chain, notices } = await loaded(upTo(3));
    expect(notices).toEqual(['the Anvil state file lacks the logs of block 2']);
    const blocks = await blocksOf(chain);
    expect(blocks).toHaveLength(4);
    expect(blocks[2]?.receipts).toMatchObject([
      { succeeded: true, gasUsed: 100_168n, logs: [], contractAddress: CONTRACT },
    ]);
    expect(blocks[2]?.receipts[0]?.logsBloom).toEqual(blocks[2]?.header.logsBloom);
    const plain = { isCompressed: false, withKeys: false };
    const dump = await nodeOf(chain).dump.write(plain);
    const { chain: twin } = await createTestChain({ ruleSet: 'prague' });
    await nodeOf(twin).dump.load(dump);
    expect(await nodeOf(twin).dump.write(plain)).toEqual(dump);
  });

  it('skips blocks with an unknown impersonated sender', async () => {
    const { notices } = await loaded(era('bareBlocks'));
    expect(notices).toEqual([
      expect.stringContaining('block 4 has a transaction whose impersonated sender is not in the file'),
    ]);
  });

  it('skips a block of two transactions, because the header does not prove the receipts', async () => {
    const file = era('bareBlocks');
    const [first, second] = ['0x1', '0x2'].map((number) =>
      file.blocks?.find(({ header }) => header.number === number),
    );
    Object.assign(first ?? {}, {
      transactions: [...(first?.transactions ?? []), ...(second?.transactions ?? [])],
    });
    const { chain, notices } = await loaded({ ...file, best_block_number: 1 });
    expect(notices).toEqual([expect.stringContaining('the receipts of block 1 are missing')]);
    expect(chain.head().header.number).toBe(0);
  });

  it('loads blocks with an impersonated sender stored in the signature', async () => {
    const file = era('bareBlocks');
    const first = file.blocks?.find(({ header }) => header.number === '0x1');
    const [transaction] = (first?.transactions ?? []) as Record<string, Record<string, unknown>>[];
    for (const fields of Object.values(transaction ?? {})) Object.assign(fields, { r: '0x1', s: '0x1' });
    const { chain, notices } = await loaded({ ...file, best_block_number: 1 });
    expect(notices).toEqual([]);
    const [, block] = await blocksOf(chain);
    expect(block?.transactions).toMatchObject([{ r: 1n, s: 1n }]);
  });
});

describe('Anvil state file with several blocks of one number', () => {
  type FileBlock = NonNullable<AnvilFile['blocks']>[number];
  const numbered = (file: AnvilFile, number: string): FileBlock => {
    const found = file.blocks?.find(({ header }) => header.number === number);
    if (found === undefined) throw new Error(`the file has no block ${number}`);
    return found;
  };
  /** The block with another timestamp and hash, without transactions. */
  const sibling = (block: FileBlock, timestamp: string): FileBlock => ({
    ...block,
    header: { ...block.header, timestamp },
    transactions: [],
  });
  const stampsOf = async (chain: Chain): Promise<number[]> =>
    (await blocksOf(chain)).map(({ header }) => header.timestamp);

  it.each(['first', 'last'])(
    'loads the chain of consecutive parents, with the other blocks %s',
    async (place) => {
      const file = era('recorded');
      const usual = await stampsOf((await loaded(file)).chain);
      const others = ['0x1', '0x2', '0x3'].map((number) => sibling(numbered(file, number), '0x70000000'));
      const blocks = file.blocks ?? [];
      const { chain, notices } = await loaded({
        ...file,
        blocks: place === 'first' ? [...others, ...blocks] : [...blocks, ...others],
      });
      expect(notices).toEqual([]);
      expect(await stampsOf(chain)).toEqual(usual);
    },
  );

  it('loads the last of two highest blocks, and finds the other by hash', async () => {
    const file = era('recorded');
    const last = sibling(numbered(file, '0x4'), '0x70000000');
    const { chain } = await loaded({ ...file, blocks: [...(file.blocks ?? []), last] });
    expect(chain.head().header.timestamp).toBe(0x7000_0000);
    const { chain: usual } = await loaded(file);
    const { hash } = usual.head();
    expect((await chain.block({ hash }))?.transactions).toHaveLength(1);
  });

  it('loads a block for each number if a parent is not the previous block, also after a dump', async () => {
    const file = era('recorded');
    const fourth = numbered(file, '0x4');
    const parentHash = numbered(file, '0x1').header.parentHash;
    const jumping = { ...sibling(fourth, '0x70000000'), header: { ...fourth.header, parentHash } };
    const blocks = (file.blocks ?? []).map((block) => (block === fourth ? jumping : block));
    const { chain, notices } = await loaded({ ...file, blocks });
    expect(notices).toEqual([]);
    expect(chain.head().header.number).toBe(4);
    expect(toHex(chain.head().header.parentHash)).toBe(parentHash);
    await chain.mine();
    const plain = { isCompressed: false, withKeys: false };
    const dump = await nodeOf(chain).dump.write(plain);
    const { chain: twin } = await createTestChain({ ruleSet: 'prague' });
    await nodeOf(twin).dump.load(dump);
    expect(await nodeOf(twin).dump.write(plain)).toEqual(dump);
    const forged = Buffer.from(dump).toString().replace(',"hasOtherParent":true', '');
    await expect(nodeOf(twin).dump.load(Buffer.from(forged))).rejects.toThrow(
      'block.header.parentHash: expected 0x',
    );
  });
});

describe('reason for skipped blocks of an Anvil state file', () => {
  const recorded = () => era('recorded');

  it.each<[string, () => AnvilFile]>([
    [
      'block 2 is missing',
      () => {
        const file = recorded();
        return { ...file, blocks: (file.blocks ?? []).filter(({ header }) => header.number !== '0x2') };
      },
    ],
    ['block 9 (best_block_number) is missing', () => ({ ...recorded(), best_block_number: 9 })],
    [
      'block 1 has a transaction of type 126, which hardfork prague does not have',
      () => {
        const file = recorded();
        const block = file.blocks?.find(({ header }) => header.number === '0x1');
        const [item] = (block?.transactions ?? []) as { transaction: Record<string, unknown> }[];
        Object.assign(item?.transaction ?? {}, { type: '0x7e' });
        return file;
      },
    ],
    [
      'block 1 has a transaction of type Deposit, which hardfork prague does not have',
      () => {
        const file = era('namedTypes');
        const block = file.blocks?.find(({ header }) => header.number === '0x1');
        const [item] = (block?.transactions ?? []) as { transaction: Record<string, unknown> }[];
        Object.assign(item ?? {}, { transaction: { Deposit: Object.values(item?.transaction ?? {})[0] } });
        return file;
      },
    ],
  ])('the reason is reported: %s', async (reason, file) => {
    const { chain, notices } = await loaded(file());
    expect(notices).toEqual([
      `only the accounts of the Anvil state file were loaded, not its blocks: ${reason}. The latest block is still 0`,
    ]);
    expect(chain.head().header.number).toBe(0);
  });

  it('the reason is reported under Rootstock rules', async () => {
    const { chain } = await createTestChain({ ruleSet: 'rootstock' });
    const notices: string[] = [];
    chain.events.on('notice', (text) => notices.push(text));
    await nodeOf(chain).dump.load(Buffer.from(JSON.stringify(recorded())));
    expect(notices).toEqual([
      expect.stringContaining("Anvil's block format does not match hardfork rootstock"),
    ]);
  });
});
