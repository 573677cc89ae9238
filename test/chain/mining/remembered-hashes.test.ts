import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { RememberedHashes } from '../../../src/chain/mining/parent-context.ts';
import { headerHash } from '../../../src/protocol/header-encoding.ts';
import { BlockStorage } from '../../../src/storage/block-storage.ts';
import { Blockchain } from '../../../src/storage/blockchain.ts';
import { MemoryStore } from '../../../src/storage/key-value-store.ts';
import { append, rewind } from '../../storage/at-once.ts';
import { blockOf, GENESIS, RULE_SET, stateOf } from '../../storage/samples.ts';

function createBlockchain(): Blockchain {
  const storage = new BlockStorage(new MemoryStore(), RULE_SET);
  return Blockchain.create(storage, GENESIS.block, GENESIS.state);
}

/** Appends blocks up to a number. The blocks of each branch differ. */
function grow(blockchain: Blockchain, last: number, branch = 0): void {
  for (let number = blockchain.head.block.header.number + 1; number <= last; number++) {
    const block = blockOf(number, { time: number * 1_000 + branch });
    const header = { ...block.header, parentHash: blockchain.head.block.hash };
    append(blockchain, { ...block, header, hash: headerHash(header, 'network') }, stateOf(number));
  }
}

/** The hashes of the 256 blocks before a block, newest first. */
function hashesBefore(blockchain: Blockchain, blockNumber: number): Uint8Array[] {
  const count = Math.min(256, blockNumber);
  return Array.from({ length: count }, (_, index) => blockchain.summary(blockNumber - 1 - index).hash);
}

function read(blockHash: (number: number) => Uint8Array, blockNumber: number): Uint8Array[] {
  return Array.from({ length: Math.min(256, blockNumber) }, (_, index) => blockHash(blockNumber - 1 - index));
}

describe('RememberedHashes', () => {
  it('looks up each hash once for all blocks of a branch', () => {
    const blockchain = createBlockchain();
    grow(blockchain, 300);
    const remembered = new RememberedHashes(blockchain);
    remembered.before(300);
    const lookUps = vi.spyOn(blockchain, 'summary');
    for (let number = 301; number <= 320; number++) {
      grow(blockchain, number);
      remembered.before(number);
    }
    expect(lookUps.mock.calls.length).toBeLessThanOrEqual(40);
  });

  it('returns the hashes of the 256 blocks before a block', () => {
    const blockchain = createBlockchain();
    grow(blockchain, 300);
    const remembered = new RememberedHashes(blockchain);
    const blockHash = remembered.before(290);
    remembered.before(300);
    expect(blockHash(290)).toEqual(new Uint8Array(32));
    expect(blockHash(289)).toEqual(blockchain.summary(289).hash);
    expect(blockHash(34)).toEqual(blockchain.summary(34).hash);
    expect(blockHash(33)).toEqual(new Uint8Array(32));
  });

  it('keeps returning the hashes of a block after the chain changes', () => {
    const step = fc.record({ keep: fc.nat(40), grow: fc.integer({ min: 1, max: 320 }), at: fc.nat(400) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        const blockchain = createBlockchain();
        const remembered = new RememberedHashes(blockchain);
        const held: { blockHash: (number: number) => Uint8Array; number: number; expected: Uint8Array[] }[] =
          [];
        for (const [branch, { keep, grow: more, at }] of steps.entries()) {
          const left = Math.max(0, blockchain.head.block.header.number - keep);
          if (left < blockchain.head.block.header.number) rewind(blockchain, left);
          grow(blockchain, left + more, branch);
          for (const number of [at % (left + more + 1), left + more, left + more + 1]) {
            const expected = hashesBefore(blockchain, number);
            held.push({ blockHash: remembered.before(number), number, expected });
          }
        }
        for (const { blockHash, number, expected } of held) expect(read(blockHash, number)).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });
});
