import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { hexKey } from '../../../src/primitives/hex.ts';
import { merkleRootOfIds } from '../../../src/rootstock/bitcoin/merkle-root.ts';
import {
  buildPartialMerkleTree,
  parsePartialMerkleTree,
  provenIds,
  serializePartialMerkleTree,
} from '../../../src/rootstock/bitcoin/partial-merkle-tree.ts';

const ids = fc.uniqueArray(fc.uint8Array({ minLength: 32, maxLength: 32 }), {
  minLength: 1,
  maxLength: 40,
  selector: (id) => hexKey(id),
});

function treeOf(count: number) {
  const leaves = Array.from({ length: count }, (_, index) => new Uint8Array(32).fill(index + 1));
  return buildPartialMerkleTree(leaves, (id) => id[0] === 1);
}

describe('partial Merkle trees', () => {
  it('prove the included ids and the root of the block', () => {
    fc.assert(
      fc.property(ids, fc.infiniteStream(fc.boolean()), (leaves, chosen) => {
        const included = leaves.filter(() => chosen.next().value === true);
        const tree = buildPartialMerkleTree(leaves, (id) => included.some((each) => each === id));
        const parsed = parsePartialMerkleTree(serializePartialMerkleTree(tree));
        expect(parsed).toEqual(tree);
        expect(provenIds(parsed)).toEqual({ root: merkleRootOfIds(leaves), ids: included });
      }),
      { seed: 37, numRuns: 200 },
    );
  });

  it('has the root of a block of Bitcoin', () => {
    // Block 170 of Bitcoin has two transactions.
    const leaves = [
      'b1fea52486ce0c62bb442b530a3f0132b826c74e473d1f2c220bfa78111c5082',
      'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16',
    ].map((hex) => new Uint8Array(Buffer.from(hex, 'hex')));
    const root = '7dac2c5666815c17a3b36427de37bb9d2e2c5ccec3f8633eb91a4205cb4c10ff';
    expect(Buffer.from(merkleRootOfIds(leaves)).toString('hex')).toBe(root);
  });

  it.each([
    ['no transactions', { transactionCount: 0 }],
    ['too many transactions', { transactionCount: 16_667 }],
    ['more hashes than transactions', { transactionCount: 2 }],
    ['fewer flags than hashes', { bits: new Uint8Array() }],
    ['unused flags', { bits: Uint8Array.of(7, 0) }],
    ['too few hashes', { hashes: treeOf(4).hashes.slice(1) }],
    ['unused hashes', { hashes: [...treeOf(4).hashes, new Uint8Array(32)] }],
    ['equal branches', { hashes: treeOf(4).hashes.map(() => new Uint8Array(32)) }],
  ])('rejects a tree with %s', (_, change) => {
    expect(() => provenIds({ ...treeOf(4), ...change })).toThrow(
      expect.objectContaining({ name: 'BitcoinFormatError' }),
    );
  });

  it('rejects a node that is also a transaction', () => {
    const node = new Uint8Array(64);
    node.set([1], 4);
    node.set([1], 46);
    node.set([1], 47);
    node.set([4], 55);
    const tree = {
      transactionCount: 2,
      hashes: [node.slice(0, 32), node.slice(32)],
      bits: Uint8Array.of(3),
    };
    expect(() => provenIds(tree)).toThrow('is also a transaction');
    node.set([5], 55);
    expect(provenIds({ ...tree, hashes: [node.slice(0, 32), node.slice(32)] }).ids).toHaveLength(1);
  });

  it('rejects bytes that are not exactly one tree', () => {
    const serialized = serializePartialMerkleTree(treeOf(5));
    expect(() => parsePartialMerkleTree(concatBytes(serialized, Uint8Array.of(0)))).toThrow('bytes follow');
    expect(() => parsePartialMerkleTree(serialized.slice(0, -1))).toThrow('the end of the data');
  });
});
