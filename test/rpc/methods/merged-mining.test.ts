import { Block as BitcoinBlock } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { keccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import { fromHex } from '../../../src/primitives/hex.ts';
import {
  BITCOIN_HEADER,
  bitcoinBlock,
  bitcoinCoinbase,
  bitcoinTransaction,
  COMMITMENT_TAG,
} from '../../support/bitcoin.ts';
import {
  minedParentBlock,
  type PoolWork,
  type Submission,
  solve,
  submissionsOf,
} from '../../support/pool.ts';
import { createRpcHarness, type RpcHarness, testConnection } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

/** A chain without automine and with a low difficulty. */
function createPoolHarness(): Promise<RpcHarness> {
  return createRpcHarness({}, { automine: false, difficulty: 20n });
}

async function workOf({ call }: RpcHarness): Promise<PoolWork> {
  return (await call('mnr_getWork')) as PoolWork;
}

/** Work on a block with fees. If two solutions of this work compete, the lower hash wins. */
async function workWithFees(harness: RpcHarness): Promise<PoolWork> {
  await harness.call('eth_sendTransaction', [{ from: SENDER, to: SENDER, gasPrice: '0x1' }]);
  return workOf(harness);
}

/** The public state of a chain. */
async function outsideOf({ call }: RpcHarness): Promise<unknown> {
  const blocks = await Promise.all(['latest', 'earliest'].map((tag) => call('eth_getBlockByNumber', [tag])));
  return [blocks, await call('eth_blockNumber'), await call('txpool_status')];
}

const IMPORTED_BEST = '0x494d504f525445445f42455354';
const IMPORTED_NOT_BEST = '0x494d504f525445445f4e4f545f42455354';

/**
 * The submission methods of a pool: index in the list of submissions, and whether the block has witnesses.
 */
const WAYS = [
  ['mnr_submitBitcoinBlock', 0, false],
  ['mnr_submitBitcoinBlock with witnesses', 0, true],
  ['mnr_submitBitcoinBlockTransactions', 1, false],
  ['mnr_submitBitcoinBlockTransactions with witnesses', 1, true],
  ['mnr_submitBitcoinBlockPartialMerkle', 2, false],
  ['mnr_submitBitcoinBlockPartialMerkle with witnesses', 2, true],
] as const;

describe('a merged-mining pool', () => {
  it.each(WAYS)('a pool mines ten blocks with %s', async (_, way, hasWitness) => {
    const harness = await createPoolHarness();
    const { call } = harness;
    for (let number = 1; number <= 10; number++) {
      await call('eth_sendTransaction', [{ from: SENDER, to: SENDER }]);
      const work = await workOf(harness);
      const parentBlock = minedParentBlock(work, { others: number - 1, hasWitness });
      const [method, params] = submissionsOf(parentBlock)[way] ?? ['', []];
      const result = await call(method, params);
      const block = (await call('eth_getBlockByNumber', ['latest'])) as Readonly<Record<string, unknown>>;
      expect(result).toEqual({
        blockImportedResult: IMPORTED_BEST,
        blockHash: block.hash,
        blockIncludedHeight: `0x${number.toString(16)}`,
      });
      expect(block).toMatchObject({
        number: `0x${number.toString(16)}`,
        hashForMergedMining: work.blockHashForMergedMining,
        parentchainMergedMiningHeader: `0x${parentBlock.toHex(true)}`,
        transactions: [expect.any(String)],
        totalDifficulty: `0x${(20 * (number + 1)).toString(16)}`,
      });
      const raw = (await call('chain_getRawBlockHeaderByHash', [block.hash])) as `0x${string}`;
      expect(keccak256(raw)).toBe(block.hash);
    }
  });

  it('a pool with its own parent-chain blocks mines ten blocks with eth_submitWork', async () => {
    const { call } = await createPoolHarness();
    for (let number = 1; number <= 10; number++) {
      const [hash, root, target] = (await call('eth_getWork')) as [string, string, string];
      const block = new BitcoinBlock();
      block.version = 0x20000000;
      block.prevHash = new Uint8Array(32);
      block.merkleRoot = fromHex(root);
      block.timestamp = number;
      block.bits = 0x207fffff;
      solve(block, target);
      const nonce = `0x${[number, block.nonce].map((part) => part.toString(16).padStart(8, '0')).join('')}`;
      expect(await call('eth_submitWork', [nonce, hash, root])).toBe(true);
      expect(await call('eth_submitWork', [nonce, hash, root])).toBe(false);
      expect(await call('eth_getBlockByNumber', ['latest'])).toMatchObject({
        number: `0x${number.toString(16)}`,
        hashForMergedMining: hash,
        parentchainMergedMiningHeader: `0x${block.toHex(true)}`,
      });
    }
  });

  it('a block that loses against a sibling becomes an uncle and the pool is notified', async () => {
    const harness = await createPoolHarness();
    const { call } = harness;
    const work = await workWithFees(harness);
    const results = [];
    for (let extraNonce = 0; extraNonce < 6; extraNonce++) {
      const [[method, params] = ['', []]] = submissionsOf(minedParentBlock(work, { extraNonce }));
      results.push((await call(method, params)) as Readonly<Record<string, string>>);
    }
    const hashes = results.map(({ blockHash }) => String(blockHash)).sort();
    const [winner, ...losers] = hashes;
    expect(results.every(({ blockIncludedHeight }) => blockIncludedHeight === '0x1')).toBe(true);
    expect(new Set(results.map(({ blockImportedResult }) => blockImportedResult))).toEqual(
      new Set([IMPORTED_BEST, IMPORTED_NOT_BEST]),
    );
    expect(await call('eth_getBlockByNumber', ['latest'])).toMatchObject({ number: '0x1', hash: winner });
    await call('evm_mine');
    const block = (await call('eth_getBlockByNumber', ['latest'])) as Readonly<Record<string, string>>;
    expect(block).toMatchObject({
      number: '0x2',
      uncles: losers,
      difficulty: '0x14',
      cumulativeDifficulty: `0x${(6 * 20).toString(16)}`,
      totalDifficulty: `0x${(8 * 20).toString(16)}`,
    });
    expect(await call('eth_getUncleCountByBlockNumber', ['latest'])).toBe('0x5');
    expect(await call('eth_getUncleCountByBlockHash', [block.hash])).toBe('0x5');
    for (const [index, hash] of losers.entries()) {
      const parentHash = await genesisHash(call);
      const uncle = { number: '0x1', hash, parentHash, uncles: [], totalDifficulty: '0x28' };
      const position = `0x${index}`;
      expect(await call('eth_getUncleByBlockNumberAndIndex', ['latest', position])).toMatchObject(uncle);
      expect(await call('eth_getUncleByBlockHashAndIndex', [block.hash, position])).toMatchObject(uncle);
    }
    expect(await call('eth_getUncleByBlockNumberAndIndex', ['latest', '0x5'])).toBeNull();
  });

  it('subscriptions and filters receive only the blocks of the new branch if a sibling wins', async () => {
    const harness = await createPoolHarness();
    const { call } = harness;
    const connection = testConnection('websocket');
    await call('eth_subscribe', ['newHeads'], connection);
    const filter = await call('eth_newBlockFilter');
    const work = await workWithFees(harness);
    const best: unknown[] = [];
    for (let extraNonce = 0; extraNonce < 6; extraNonce++) {
      const [[method, params] = ['', []]] = submissionsOf(minedParentBlock(work, { extraNonce }));
      const { blockImportedResult, blockHash } = (await call(method, params)) as Record<string, unknown>;
      if (blockImportedResult === IMPORTED_BEST) best.push(blockHash);
    }
    expect(best.length).toBeGreaterThan(1);
    const heads = connection.sent.map(({ params }) => (params as { result: { hash: unknown } }).result.hash);
    expect(heads).toEqual(best);
    expect(await call('eth_getFilterChanges', [filter])).toEqual([best.at(-1)]);
    await call('anvil_rollback', ['0x1']);
    expect(connection.sent.at(-1)?.params).toMatchObject({ result: { number: '0x0' } });
  });

  it('mnr_submitBitcoinBlock accepts the last twenty works and rejects an older one', async () => {
    const harness = await createPoolHarness();
    await harness.time.advance(1_000);
    const first = await workOf(harness);
    for (let second = 0; second < 19; second++) {
      await harness.time.advance(1_000);
      await workOf(harness);
    }
    const [[method, params] = ['', []]] = submissionsOf(minedParentBlock(first));
    expect(await harness.call(method, params)).toMatchObject({ blockImportedResult: IMPORTED_BEST });
    await harness.call('anvil_rollback', ['0x1']);
    await harness.time.advance(1_000);
    await workOf(harness);
    await expect(harness.call(method, params)).rejects.toMatchObject({
      code: -33000,
      message: `Cannot publish block, could not find hash ${first.blockHashForMergedMining} in the cache`,
    });
  });
});

async function genesisHash(call: RpcHarness['call']): Promise<unknown> {
  return ((await call('eth_getBlockByNumber', ['earliest'])) as Readonly<Record<string, unknown>>).hash;
}

/** The digits with one byte changed. */
function withOtherByte(digits: string, place: number, change: number): string {
  const index = 2 * place;
  const byte = Number.parseInt(digits.slice(index, index + 2), 16) ^ change;
  return `${digits.slice(0, index)}${byte.toString(16).padStart(2, '0')}${digits.slice(index + 2)}`;
}

/** The space-separated list with the byte at the index changed. */
function withOtherByteInList(list: string, place: number, change: number): string {
  return list
    .split(' ')
    .map((word, index) => (Math.floor(place / 32) === index ? withOtherByte(word, place % 32, change) : word))
    .join(' ');
}

describe('a solution with one changed byte', () => {
  // The first parameter of two methods is ignored, as on Rootstock.
  it.each([
    ['mnr_submitBitcoinBlock', 0, 0],
    ['mnr_submitBitcoinBlockTransactions', 1, 1],
    ['mnr_submitBitcoinBlockTransactions', 1, 2],
    ['mnr_submitBitcoinBlockTransactions', 1, 3],
    ['mnr_submitBitcoinBlockPartialMerkle', 2, 1],
    ['mnr_submitBitcoinBlockPartialMerkle', 2, 2],
    ['mnr_submitBitcoinBlockPartialMerkle', 2, 3],
  ] as const)(
    'a changed byte is rejected by %s (%i, parameter %i) and changes no state',
    async (_, way, position) => {
      const harness = await createRpcHarness({}, { automine: false, difficulty: 4_000n });
      const parentBlock = minedParentBlock(await workOf(harness), { others: 4 });
      const [method, params] = submissionsOf(parentBlock)[way] ?? ['', []];
      const before = await outsideOf(harness);
      const given = params[position] ?? '';
      const length = given.replaceAll(' ', '').length / 2;
      const change = given.includes(' ') ? withOtherByteInList : withOtherByte;
      const isRejected = fc.asyncProperty(
        fc.nat(length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (place, difference) => {
          const changed = params.with(position, change(given, place, difference));
          const error = await harness.call(method, changed).catch((reason: unknown) => reason);
          expect([-33000, -32602]).toContain((error as { code?: number }).code);
          expect(await outsideOf(harness)).toEqual(before);
        },
      );
      await fc.assert(isRejected, { numRuns: 150 });
      expect(await harness.call(method, params)).toMatchObject({ blockImportedResult: IMPORTED_BEST });
    },
  );

  it('eth_submitWork returns false for a changed byte and changes no state', async () => {
    const harness = await createRpcHarness({}, { automine: false, difficulty: 1_000_000n });
    const [hash, root] = (await harness.call('eth_getWork')) as [string, string, string];
    const before = await outsideOf(harness);
    for (let byte = 0; byte < 32; byte++) {
      const other = (word: string) => `0x${withOtherByte(word.slice(2), byte, 0x10)}`;
      expect(await harness.call('eth_submitWork', ['0x0000000000000000', hash, other(root)])).toBe(false);
      expect(await harness.call('eth_submitWork', ['0x0000000000000000', other(hash), root])).toBe(false);
      const nonce = `0x${'00'.repeat(7)}${byte.toString(16).padStart(2, '0')}`;
      expect(await harness.call('eth_submitWork', [nonce, hash, root])).toBe(false);
    }
    expect(await outsideOf(harness)).toEqual(before);
  });
});

/** Hashes of two unknown transactions. */
const HASHES = `${'44'.repeat(32)} ${'55'.repeat(32)}`;

const LOWER_CASE_TAG = Buffer.from('rskblock:').toString('hex');
const COINBASE = bitcoinCoinbase('11'.repeat(32));
const WITHOUT_TAG = bitcoinTransaction('51');
const LOWER_CASE = bitcoinTransaction(LOWER_CASE_TAG + '11'.repeat(32));
const CUT_HASH = bitcoinTransaction(COMMITMENT_TAG + '11'.repeat(20));

describe('invalid parent-chain blocks', () => {
  it.each([
    ['zz', 'in hexadecimal, two digits for each byte'],
    ['abc', 'in hexadecimal, two digits for each byte'],
    ['', 'in hexadecimal, two digits for each byte'],
    [BITCOIN_HEADER.slice(2), '(the bytes end too early)'],
    [bitcoinBlock([]), '(the block has no transactions)'],
    [`${bitcoinBlock([COINBASE])}00`, '(unexpected bytes after the end)'],
    [bitcoinBlock([WITHOUT_TAG]), 'must commit to a hash, but it has no RSKBLOCK:'],
    [bitcoinBlock([LOWER_CASE]), 'must commit to a hash, but its RSKBLOCK: is not in capital letters'],
    [bitcoinBlock([CUT_HASH]), 'must commit to a hash, but fewer than 32 bytes follow its last RSKBLOCK:'],
  ])('an invalid parent-chain block is rejected with the reason (%#)', async (block, words) => {
    const { call } = await createPoolHarness();
    await expect(call('mnr_submitBitcoinBlock', [block])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^invalid params: block: expected a serialized Bitcoin block/),
    });
    await expect(call('mnr_submitBitcoinBlock', [block])).rejects.toThrow(words);
  });

  it.each([
    ['0', 'in hexadecimal, two digits for each byte'],
    [COINBASE.slice(0, -2), '(the bytes end too early)'],
    [`${COINBASE}00`, '(unexpected bytes after the end)'],
    [WITHOUT_TAG, 'but it has no RSKBLOCK:'],
    [LOWER_CASE, 'but its RSKBLOCK: is not in capital letters'],
    [CUT_HASH, 'but fewer than 32 bytes follow its last RSKBLOCK:'],
  ])('an invalid coinbase transaction is rejected with the reason (%#)', async (coinbase, words) => {
    const { call } = await createPoolHarness();
    const hash = '33'.repeat(32);
    for (const [method, params] of [
      ['mnr_submitBitcoinBlockTransactions', [hash, BITCOIN_HEADER, coinbase, hash]],
      ['mnr_submitBitcoinBlockPartialMerkle', [hash, BITCOIN_HEADER, coinbase, hash, '1']],
    ] as const) {
      await expect(call(method, params)).rejects.toMatchObject({ code: -32602 });
      await expect(call(method, params)).rejects.toThrow(words);
    }
  });
});

describe('rejected parent-chain blocks', () => {
  it.each([
    [
      'whose hash is above the target',
      (work: PoolWork) => submissionsOf(minedParentBlock(work, { meetsTarget: false }))[0],
      'above the target',
    ],
    [
      'of which the first hash is not the coinbase transaction’s',
      (work: PoolWork): Submission => {
        const [, [method, params] = ['', []]] = submissionsOf(minedParentBlock(work));
        return [method, params.with(3, HASHES)];
      },
      'the first hash is not the hash of the coinbase transaction',
    ],
    [
      'of which the hashes of the partial Merkle tree are spelled backwards',
      (work: PoolWork): Submission => {
        const block = minedParentBlock(work);
        const [, , [method, params] = ['', []]] = submissionsOf(block);
        const backwards = (text: string) => Buffer.from(text, 'hex').reverse().toString('hex');
        return [method, params.with(3, String(params[3]).split(' ').map(backwards).join(' '))];
      },
      'the first hash is not the hash of the coinbase transaction \\(in the byte order of the Merkle tree\\): [0-9a-f]{64}$',
    ],
    [
      'of which hashes are missing',
      (work: PoolWork): Submission => {
        const [, [method, params] = ['', []]] = submissionsOf(minedParentBlock(work));
        return [method, params.with(3, String(params[3]).slice(0, 64))];
      },
      "does not lead from the coinbase transaction to the Merkle root in the parent chain's header",
    ],
    [
      'with another number of transactions than its partial Merkle tree',
      (work: PoolWork): Submission => {
        const [, , [method, params] = ['', []]] = submissionsOf(minedParentBlock(work));
        return [method, params.with(4, '5')];
      },
      'number of hashes after the coinbase hash: expected 3 for 5 transactions, got 2',
    ],
  ])('a parent-chain block %s is rejected and changes no state', async (_, make, message) => {
    const harness = await createPoolHarness();
    const [method, params] = make(await workOf(harness)) ?? ['', []];
    const before = await outsideOf(harness);
    await expect(harness.call(method, params)).rejects.toMatchObject({
      code: -33000,
      message: expect.stringMatching(new RegExp(`^Invalid block supplied by miner: .*${message}`)),
    });
    expect(await outsideOf(harness)).toEqual(before);
  });

  it('a parent-chain block is rejected under the rules of an Ethereum hardfork', async () => {
    const work = await workOf(await createRpcHarness());
    const harness = await createRpcHarness({}, { ruleSet: 'cancun' });
    const [[method, params] = ['', []]] = submissionsOf(minedParentBlock(work));
    await expect(harness.call(method, params)).rejects.toMatchObject({
      code: -33000,
      message: expect.stringContaining('choose rootstock with --hardfork'),
    });
  });
});
