import { describe, expect, it } from 'vitest';
import { type WorkTemplate, WorkTemplates } from '../../../src/chain/mining/mining-work.ts';
import { UnknownWorkError } from '../../../src/protocol/errors.ts';
import { hashForMergedMining } from '../../../src/protocol/header-encoding.ts';
import { createLocalWork } from '../../../src/protocol/merged-mining/proof-of-work.ts';
import { blockOf, stateOf } from '../../storage/samples.ts';

/** A block at `time` on the parent. Its transactions pay `fees` wei. */
function candidate(parent: number, fees: bigint, time = 0): WorkTemplate {
  const block = blockOf(1, { time });
  const header = { ...block.header, parentHash: new Uint8Array(32).fill(parent), paidFees: fees };
  const state = stateOf(0);
  const built = { block: { ...block, header }, state, results: [] };
  return { built, parentStateRoot: state.root, work: createLocalWork(new Uint8Array(32), 1n) };
}

describe('WorkTemplates', () => {
  it('offers work for the block to be mined', () => {
    const template = candidate(1, 7n);
    const { block } = template.built;
    expect(new WorkTemplates().offer(template)).toEqual({
      hashForMergedMining: hashForMergedMining(block.header),
      difficulty: block.header.difficulty,
      feesPaidToMiner: 7n,
      parentHash: block.header.parentHash,
      isWorthRestart: true,
    });
  });

  it('marks work as worth a restart for a new parent or doubled fees', () => {
    const desk = new WorkTemplates();
    const isWorthRestart = (parent: number, fees: bigint) =>
      desk.offer(candidate(parent, fees)).isWorthRestart;
    expect(isWorthRestart(1, 5n)).toBe(true);
    expect(isWorthRestart(1, 5n)).toBe(false);
    expect(isWorthRestart(1, 10n)).toBe(false);
    expect(isWorthRestart(1, 11n)).toBe(true);
    expect(isWorthRestart(1, 22n)).toBe(false);
    expect(isWorthRestart(2, 0n)).toBe(true);
  });

  it('finds the last twenty offers', () => {
    const desk = new WorkTemplates();
    const templates = Array.from({ length: 21 }, (_, time) => candidate(1, 0n, time));
    const hashes = templates.map(({ built }) => hashForMergedMining(built.block.header));
    for (const hash of hashes) expect(() => desk.find(hash)).toThrow(UnknownWorkError);
    for (const template of templates) desk.offer(template);
    const [oldest, ...others] = hashes;
    expect(() => desk.find(oldest ?? new Uint8Array(0))).toThrow(UnknownWorkError);
    expect(others.map((hash) => desk.find(hash))).toEqual(templates.slice(1));
  });

  it('keeps a template from its latest offer', () => {
    const desk = new WorkTemplates();
    const first = candidate(1, 0n);
    desk.offer(first);
    for (let time = 1; time < 20; time++) desk.offer(candidate(1, 0n, time));
    desk.offer(first);
    desk.offer(candidate(1, 0n, 20));
    expect(desk.find(hashForMergedMining(first.built.block.header))).toBe(first);
  });
});
