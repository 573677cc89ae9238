import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allSteps, PrecompileError } from '../../../src/evm/precompiles/precompiled-contract.ts';
import { contractNamed } from './contracts.ts';
import { INPUTS } from './inputs.ts';

/** Unpaid work may take forever. */
const BLOCK_GAS = 30_000_000n;
const IN_PIECES = [
  'MODEXP',
  'BN254_PAIRING',
  'BLAKE2F',
  'BLS12_G1MSM',
  'BLS12_G2MSM',
  'BLS12_PAIRING_CHECK',
] as const;

/** The result of the work, or the message of its `PrecompileError`. */
function outcomeOf(work: () => Uint8Array): Uint8Array | string {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PrecompileError)) throw error;
    return error.message;
  }
}

describe.each(IN_PIECES)('%s in steps', (name) => {
  it('runInSteps returns the same as run for random input', async () => {
    const contract = contractNamed('prague', name);
    await contract.load();
    const { runInSteps } = contract;
    const inputs = INPUTS[name];
    if (runInSteps === undefined || inputs === undefined)
      throw new Error(`${name} has no pieces or no inputs`);
    const affordable = inputs.input.filter((input) => contract.gas(input) <= BLOCK_GAS);
    await fc.assert(
      fc.asyncProperty(affordable, affordable, async (one, other) => {
        const context = undefined as never;
        const whole = [one, other].map((input) => outcomeOf(() => contract.run(input, context)));
        // Runs the first step of both computations before the rest of each.
        const parts = [runInSteps(one), runInSteps(other)];
        const begun = parts.map((pieces) => outcomeOf(() => pieces.next().value ?? new Uint8Array(0)));
        const ended = parts.map((pieces, index) => {
          const first = begun[index];
          if (typeof first === 'string' || (first !== undefined && first.length > 0)) return first;
          return outcomeOf(() => allSteps(pieces) ?? new Uint8Array(0));
        });
        expect(ended.map((outcome) => outcome ?? '')).toEqual(whole);
      }),
      { numRuns: 20 },
    );
  });
});

describe.each(['SHA256', 'RIPEMD160', 'ID'])('%s with a long input', (name) => {
  it('runInSteps returns the same as run in at least five steps', () => {
    const { run, runInSteps } = contractNamed('prague', name);
    const input = Uint8Array.from({ length: 700_001 }, (_, index) => (index * 7) % 251);
    if (runInSteps === undefined) throw new Error(`${name} has no pieces`);
    const pieces = runInSteps(input);
    let count = 1;
    let piece = pieces.next();
    for (; piece.done !== true; count++) piece = pieces.next();
    expect(piece.value).toEqual(run(input, undefined as never));
    expect(count).toBeGreaterThanOrEqual(5);
  });
});
