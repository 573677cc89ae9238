import { describe, expect, it } from 'vitest';
import { hexKey, readDigits } from '../../../src/primitives/hex.ts';
import { finish } from '../../../src/primitives/steps.ts';
import { GENESIS_HEADER } from '../../../src/rootstock/bridge/parent-chain.ts';
import {
  blockBytes,
  GENESIS_BLOCK,
  headerBytes,
  medianTimePast,
  merkleRootOfBlock,
  type ParentBlock,
  readBlock,
} from '../../../src/rootstock/parent-chain/parent-block.ts';
import { readTransaction } from '../../../src/rootstock/parent-chain/parent-transaction.ts';

/** Block 1 of Bitcoin's mainnet. */
const MAINNET_BLOCK_1 =
  '010000006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000982051fd1e4ba744bbbe680e1fee14677ba1' +
  'a3c3540bf7b1cdb606e857233e0e61bc6649ffff001d01e36299010100000001000000000000000000000000000000000000000000' +
  '0000000000000000000000ffffffff0704ffff001d0104ffffffff0100f2052a0100000043410496b538e853519c726a2c91e61ec1' +
  '1600ae1390813a627c66fb8be7947be63c52da7589379515d4e0a604f8141781e62294721166bf621e73a82cbf2342c858eeac0000' +
  '0000';

function bytesOf(digits: string): Uint8Array {
  return readDigits(digits) ?? new Uint8Array(0);
}

/** Returns a chain of headers with these times. */
function chainWithTimes(times: readonly number[]): ParentBlock {
  let block = GENESIS_BLOCK;
  for (const time of times) {
    block = { ...block, parent: block, height: block.height + 1, header: { ...block.header, time } };
  }
  return block;
}

describe('readBlock', () => {
  it('decodes block 1 of mainnet', () => {
    const block = finish(readBlock(bytesOf(MAINNET_BLOCK_1)));

    expect(block.hash).toBe('00000000839a8e6886ab5951d76f411475428afc90947ee320161bbf18eb6048');
    expect(block.transactions[0]?.txid).toBe(
      '0e3e2357e806b6cdb1f70b54c3a3a17b6714ee1f0e68bebb44a74b1efd512098',
    );
    expect(merkleRootOfBlock(block.transactions)).toBe(block.header.merkleRoot);
  });

  it('is the inverse of blockBytes', () => {
    expect(hexKey(blockBytes(finish(readBlock(bytesOf(MAINNET_BLOCK_1)))))).toBe(MAINNET_BLOCK_1);
  });

  it.each([
    ['a truncated block', MAINNET_BLOCK_1.slice(0, -2)],
    ['bytes after the block', `${MAINNET_BLOCK_1}00`],
    ['a truncated header', MAINNET_BLOCK_1.slice(0, 100)],
  ])('rejects %s', (_, digits) => {
    expect(() => finish(readBlock(bytesOf(digits)))).toThrow();
  });
});

describe('GENESIS_BLOCK', () => {
  it("is the Bridge's genesis block of regtest", () => {
    expect(GENESIS_BLOCK.hash).toBe('0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206');
    expect(hexKey(headerBytes(GENESIS_BLOCK.header))).toBe(hexKey(GENESIS_HEADER.raw));
    expect(merkleRootOfBlock(GENESIS_BLOCK.transactions)).toBe(GENESIS_BLOCK.header.merkleRoot);
  });
});

describe('medianTimePast', () => {
  it('is the median of the last eleven times', () => {
    const block = chainWithTimes([100, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);

    expect(medianTimePast(block)).toBe(6);
  });

  it('uses all blocks of a short chain', () => {
    expect(medianTimePast(GENESIS_BLOCK)).toBe(GENESIS_BLOCK.header.time);
  });
});

describe('readTransaction', () => {
  it('decodes a transaction with witness (BIP-143)', () => {
    const transaction = readTransaction(
      bytesOf(
        '01000000000101db6b1b20aa0fd7b23880be2ecbd4a98130974cf4748fb66092ac4d3ceb1a5477010000001716001479091972186c' +
          '449eb1ded22b78e40d009bdf0089feffffff02b8b4eb0b000000001976a914a457b684d7f0d539a46a45bbc043f35b59d0d96388' +
          'ac0008af2f000000001976a914fd270b1ee6abcaea97fea7ad0402e8bd8ad6d77c88ac02473044022047ac8e878352d3ebbde1c9' +
          '4ce3a10d057c24175747116f8288e5d794d12d482f0220217f36a485cae903c713331d877c1f64677e3622ad4010726870540656' +
          'fe9dcb012103ad1d8e89212f0b92c74d23bb710c00662ad1470198ac48c43f7d6f93a2a2687392040000',
      ),
    );

    expect(transaction.txid).toBe('ef48d9d0f595052e0f8cdcf825f7a5e50b6a388a81f206f3f4846e5ecd7a0c23');
    expect(transaction.inputs[0]?.witness).toHaveLength(2);
    expect(transaction.weight).toBe(4 * 142 + 109);
  });

  it('decodes a transaction without inputs', () => {
    const transaction = readTransaction(
      bytesOf('020000000001e803000000000000160014000000000000000000000000000000000000000000000000'),
    );

    expect(transaction.inputs).toEqual([]);
    expect(transaction.outputs[0]?.value).toBe(1000n);
  });
});
