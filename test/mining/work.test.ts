import { describe, expect, it } from 'vitest';
import { SubmissionsNotTakenError, UnknownWorkError } from '../../src/mining/errors.ts';
import { WorkDesk, workTarget } from '../../src/mining/work.ts';
import { bytesToBigInt } from '../../src/primitives/bytes.ts';
import type { Block } from '../../src/rules/block.ts';
import { hashForMergedMining } from '../../src/rules/header-encoding.ts';
import { blockOf } from '../chain/samples.ts';

/** A block made at `time` on the parent, whose transactions pay so many wei. */
function candidate(parent: number, fees: bigint, time = 0): Block {
  const block = blockOf(1, { time });
  return {
    ...block,
    header: { ...block.header, parentHash: new Uint8Array(32).fill(parent), paidFees: fees },
  };
}

describe('the target', () => {
  it('is 2^256 over the difficulty', () => {
    expect(bytesToBigInt(workTarget(2n))).toBe(2n ** 255n);
    expect(bytesToBigInt(workTarget(3n))).toBe(2n ** 256n / 3n);
    expect(bytesToBigInt(workTarget(2n ** 256n))).toBe(1n);
  });

  it('is the largest hash where 2^256 does not fit', () => {
    expect(workTarget(1n)).toEqual(new Uint8Array(32).fill(0xff));
    expect(workTarget(0n)).toEqual(new Uint8Array(32).fill(0xff));
  });
});

describe('work', () => {
  it('is made of the block to be mined', () => {
    const block = candidate(1, 7n);
    expect(new WorkDesk().offer(block)).toEqual({
      hashForMergedMining: hashForMergedMining(block.header),
      difficulty: block.header.difficulty,
      feesPaidToMiner: 7n,
      parentHash: block.header.parentHash,
      isWorthRestart: true,
    });
  });

  it('is worth a restart on a new parent or with more than twice the fees', () => {
    const desk = new WorkDesk();
    const isWorthRestart = (parent: number, fees: bigint) =>
      desk.offer(candidate(parent, fees)).isWorthRestart;
    expect(isWorthRestart(1, 5n)).toBe(true);
    expect(isWorthRestart(1, 5n)).toBe(false);
    expect(isWorthRestart(1, 10n)).toBe(false);
    expect(isWorthRestart(1, 11n)).toBe(true);
    expect(isWorthRestart(1, 22n)).toBe(false);
    expect(isWorthRestart(2, 0n)).toBe(true);
  });

  it('is known to submissions for the last twenty offers', () => {
    const desk = new WorkDesk();
    const blocks = Array.from({ length: 21 }, (_, time) => candidate(1, 0n, time));
    const hashes = blocks.map(({ header }) => hashForMergedMining(header));
    const submissions = hashes.map((hash) => () => desk.submit(hash));
    for (const submit of submissions) expect(submit).toThrow(UnknownWorkError);
    for (const block of blocks) desk.offer(block);
    const [oldest, ...others] = submissions;
    expect(oldest).toThrow(UnknownWorkError);
    for (const submit of others) expect(submit).toThrow(SubmissionsNotTakenError);
  });
});
