import { describe, expect, it } from 'vitest';
import { hexKey } from '../../../src/primitives/hex.ts';
import { finish } from '../../../src/primitives/steps.ts';
import { committedHash } from '../../../src/protocol/merged-mining/parent-chain-block.ts';
import { createTemplate, solveTemplate, subsidy } from '../../../src/rootstock/parent-chain/create-block.ts';
import { mergedMiningCandidate } from '../../../src/rootstock/parent-chain/merged-mining-candidate.ts';
import {
  blockBytes,
  medianTimePast,
  meetsRegtestTarget,
  merkleRootOfBlock,
  type ParentBlock,
  readHeader,
} from '../../../src/rootstock/parent-chain/parent-block.ts';
import {
  createTransaction,
  readTransaction,
} from '../../../src/rootstock/parent-chain/parent-transaction.ts';
import { submitBlock } from '../../../src/rootstock/parent-chain/submit-block.ts';
import { errorOf, ParentScene, SINK, START_TIME } from './scene.ts';

const SCRIPT = Uint8Array.of(0, 20, ...new Uint8Array(20));

describe('generatetoaddress', () => {
  it('mines blocks with proof of work and pays the subsidy', () => {
    const scene = new ParentScene();

    const hashes = scene.list('generatetoaddress', 3, SINK).map(String);

    expect(hashes).toHaveLength(3);
    expect(hashes.every(meetsRegtestTarget)).toBe(true);
    expect(scene.call('getbestblockhash')).toBe(hashes[2]);
    expect(scene.object('scantxoutset', 'start', [`addr(${SINK})`]).total_amount).toBe(150);
  });

  it('is deterministic', () => {
    const [first, second] = [new ParentScene(), new ParentScene()];

    expect(first.mine(5)).toEqual(second.mine(5));
  });

  it('uses the time of the clock, but at least one second after the median time past', () => {
    const scene = new ParentScene();
    scene.mine(12);
    expect(scene.chain.tip.header.time).toBeGreaterThan(START_TIME);

    scene.clock.time = START_TIME - 1000;
    const past = medianTimePast(scene.chain.tip);
    scene.mine(1);
    expect(scene.chain.tip.header.time).toBe(past + 1);

    scene.clock.time = START_TIME + 5000;
    scene.mine(1);
    expect(scene.chain.tip.header.time).toBe(START_TIME + 5000);
  });

  it('pays the fees to the miner', () => {
    const scene = new ParentScene();
    scene.fund();
    const txid = scene.text('sendtoaddress', SINK, 1);
    const fee = -Number(scene.object('gettransaction', txid).fee);

    scene.call('generatetoaddress', 1, SINK);

    const [coinbase] = scene.chain.tip.transactions;
    expect(coinbase?.outputs[0]?.value).toBe(50_0000_0000n + BigInt(Math.round(fee * 1e8)));
  });

  it('commits to the height and the witnesses', () => {
    const scene = new ParentScene();
    scene.mine(17);

    const [coinbase] = scene.chain.tip.transactions;

    expect(hexKey(coinbase?.inputs[0]?.script ?? SCRIPT)).toBe('011100');
    expect(hexKey(coinbase?.outputs[1]?.script ?? SCRIPT)).toMatch(/^6a24aa21a9ed/);
    expect(coinbase?.inputs[0]?.witness).toEqual([new Uint8Array(32)]);
  });

  it.each([
    [[1, 'x'], -5, 'Error: Invalid address'],
    [[10_001, SINK], -8, 'nblocks: expected at most 10000, got 10001'],
  ])('rejects %j', (params, code, message) => {
    expect(errorOf(() => new ParentScene().call('generatetoaddress', ...params))).toMatchObject({
      code,
      message,
    });
  });

  it('fails if the clock is later than a header can contain', () => {
    const scene = new ParentScene();
    scene.clock.time = 2 ** 32;

    expect(errorOf(() => scene.mine(1))).toMatchObject({ code: -1, name: 'BitcoinRpcError' });
  });
});

describe('subsidy', () => {
  it('halves every 150 blocks', () => {
    expect([1, 149, 150, 300, 150 * 64].map(subsidy)).toEqual([
      50_0000_0000n,
      50_0000_0000n,
      25_0000_0000n,
      12_5000_0000n,
      0n,
    ]);
  });
});

/** Returns the next block with changes before its proof of work. */
function nextBlock(scene: ParentScene, change: (block: ParentBlock) => Partial<ParentBlock>): ParentBlock {
  const template = createTemplate(scene.chain, { script: SCRIPT });
  const block = solveTemplate(template);
  const changed = { ...block, ...change(block) };
  const root = merkleRootOfBlock(changed.transactions);
  const isRootKept = changed.header.merkleRoot !== block.header.merkleRoot;
  const header = isRootKept ? changed.header : { ...changed.header, merkleRoot: root };
  return solveTemplate({ parent: template.parent, header, transactions: changed.transactions });
}

function submit(scene: ParentScene, block: Pick<ParentBlock, 'header' | 'transactions'>): string | null {
  return finish(submitBlock(scene.chain, blockBytes(block)));
}

function withOutputValue(block: ParentBlock, value: bigint): ParentBlock['transactions'] {
  const [coinbase, ...others] = block.transactions;
  if (coinbase === undefined) return others;
  const [reward, ...outputs] = coinbase.outputs;
  const paid = { script: reward?.script ?? SCRIPT, value };
  return [createTransaction({ ...coinbase, outputs: [paid, ...outputs] }), ...others];
}

describe('submitBlock', () => {
  it('connects a valid block with transactions', () => {
    const scene = new ParentScene();
    scene.fund();
    const txid = scene.text('sendtoaddress', SINK, 1);
    const block = nextBlock(scene, () => ({}));

    expect(scene.call('submitblock', hexKey(blockBytes(block)))).toBeNull();
    expect(scene.object('gettransaction', txid)).toMatchObject({ confirmations: 1, blockhash: block.hash });
    expect(scene.call('getrawmempool')).toEqual([]);
    expect(submit(scene, block)).toBe('duplicate');
  });

  it.each<[string, (block: ParentBlock) => Partial<ParentBlock>]>([
    ['bad-diffbits', ({ header }) => ({ header: { ...header, bits: 0x1d00ffff } })],
    ['time-too-old', ({ header }) => ({ header: { ...header, time: 1 } })],
    ['time-too-new', ({ header }) => ({ header: { ...header, time: START_TIME + 7300 } })],
    ['bad-txnmrklroot', ({ header }) => ({ header: { ...header, merkleRoot: '01'.repeat(32) } })],
    ['bad-cb-missing', () => ({ transactions: [] })],
    [
      'bad-cb-multiple',
      (block) => ({ transactions: [...block.transactions, ...withOutputValue(block, 1n)] }),
    ],
    ['bad-cb-amount', (block) => ({ transactions: withOutputValue(block, 50_0000_0001n) })],
  ])('returns %s', (reason, change) => {
    expect(submit(new ParentScene(), nextBlock(new ParentScene(), change))).toBe(reason);
  });

  it('returns high-hash without proof of work', () => {
    const scene = new ParentScene();
    const block = nextBlock(scene, () => ({}));
    const headers = Array.from({ length: 50 }, (_, nonce) => ({ ...block.header, nonce }));

    const outcomes = headers.map((header) => submit(scene, { ...block, header }));

    expect(outcomes).toContain('high-hash');
  });

  it('returns inconclusive for a block that does not extend the best block', () => {
    const scene = new ParentScene();
    const block = nextBlock(scene, () => ({}));
    scene.mine(1);

    expect(submit(scene, block)).toBe('inconclusive');
  });

  it('returns the reason of an invalid transaction', () => {
    const scene = new ParentScene();
    scene.fund();
    scene.call('sendtoaddress', SINK, 1);
    const block = nextBlock(scene, ({ transactions }) => ({
      transactions: transactions.map((transaction, index) =>
        index === 0
          ? transaction
          : createTransaction({ ...transaction, lockTime: 0, outputs: transaction.outputs.slice(0, 1) }),
      ),
    }));

    expect(submit(scene, block)).toBe('bad-witness-merkle-match');
  });

  it('rejects bytes that are no block', () => {
    const scene = new ParentScene();

    expect(errorOf(() => scene.call('submitblock', '00'))).toMatchObject({
      code: -22,
      message: 'Block decode failed',
    });
    expect(errorOf(() => scene.call('submitblock', 'zz')).code).toBe(-22);
  });
});

describe('mergedMiningCandidate', () => {
  it('is a header on the best block that commits to a Rootstock block', () => {
    const scene = new ParentScene();
    scene.mine(3);
    const commitment = new Uint8Array(32).fill(9);

    const { header, coinbase } = mergedMiningCandidate(scene.chain, commitment, SCRIPT);

    const { parentHash, merkleRoot } = readHeader(header);
    expect(parentHash).toBe(scene.chain.tip.hash);
    expect(readTransaction(coinbase).txid).toBe(merkleRoot);
    expect(committedHash(coinbase)).toEqual(commitment);
    expect(scene.chain.tip.height).toBe(3);
  });
});

describe('invalidateblock', () => {
  it('returns transactions to the mempool, so that another branch can contain them', () => {
    const scene = new ParentScene();
    scene.fund();
    const first = scene.text('sendtoaddress', SINK, 1);
    const [hash] = scene.mine(1);
    const second = scene.text('sendtoaddress', SINK, 2);

    scene.call('invalidateblock', hash);

    expect(scene.call('getblockcount')).toBe(101);
    expect(scene.call('getrawmempool')).toEqual([first, second]);
    expect(scene.object('getmempoolentry', first).fees).toMatchObject({ base: 0.0000141 });
    scene.clock.time += 100;
    const [other] = scene.mine(1);
    expect(other).not.toBe(hash);
    expect(scene.object('getrawtransaction', first, 1).blockhash).toBe(other);
    expect(errorOf(() => scene.call('getblock', hash)).code).toBe(-5);
  });

  it('removes transactions that spend rewards of removed or immature blocks', () => {
    const scene = new ParentScene();
    scene.fund();
    scene.call('sendtoaddress', SINK, 1);
    scene.call('sendtoaddress', SINK, 1);

    scene.call('invalidateblock', scene.call('getblockhash', 90));

    expect(scene.call('getrawmempool')).toEqual([]);
    expect(scene.call('getblockcount')).toBe(89);
  });

  it('rejects the genesis block and unknown blocks', () => {
    const scene = new ParentScene();

    expect(errorOf(() => scene.call('invalidateblock', scene.call('getblockhash', 0))).code).toBe(-1);
    expect(errorOf(() => scene.call('invalidateblock', 'ab'.repeat(32))).code).toBe(-5);
  });
});
