import { describe, expect, it } from 'vitest';
import { CONTRACT, code, messageOf, setScene } from '../../reference/scene.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';

/** The reported cost of each step of the code on one engine. */
async function costsOn(
  createEngine: typeof createWasmEngine | typeof createReferenceEngine,
  runtime: string,
): Promise<(readonly [opcode: number, cost: bigint])[]> {
  const { engine, environment, state } = await setScene('cancun', { createEngine });
  state.setCode(CONTRACT, code(runtime));
  const costs: (readonly [number, bigint])[] = [];
  await engine.call(environment, state, messageOf({}), {
    step: ({ opcode, gasCost }) => costs.push([opcode, gasCost]),
  });
  return costs;
}

/** 2^63: no gas pays for this offset or length. */
const HUGE = '678000000000000000';
/** Code that grows the memory to two words. */
const GROWN = '5f 6020 52';

describe('opcodes with more memory than gas can pay for', () => {
  it.each([
    ['KECCAK256', `6021 ${HUGE} 20`],
    ['KECCAK256 of a huge length', `${HUGE} 6001 20`],
    ['MLOAD', `${HUGE} 51`],
    ['MSTORE', `6007 ${HUGE} 52`],
    ['MSTORE8', `6007 ${HUGE} 53`],
    ['CALLDATACOPY', `6021 6001 ${HUGE} 37`],
    ['CODECOPY', `${HUGE} 6001 6002 39`],
    ['EXTCODECOPY', `6021 6001 ${HUGE} 30 3c`],
    ['MCOPY to a huge offset', `6021 6001 ${HUGE} 5e`],
    ['MCOPY from a huge offset', `6021 ${HUGE} 6001 5e`],
    ['CREATE', `6021 ${HUGE} 5f f0`],
    ['CREATE2', `6003 6021 ${HUGE} 5f f5`],
    ['RETURN', `6021 ${HUGE} f3`],
    ['REVERT', `${HUGE} 6001 fd`],
    ['LOG0', `6021 ${HUGE} a0`],
    ['LOG2', `6001 6002 6021 ${HUGE} a2`],
  ])('%s has the same reported cost as in ethereumjs', async (_, runtime) => {
    const costs = await costsOn(createWasmEngine, `${GROWN} ${runtime}`);
    expect(costs).toEqual(await costsOn(createReferenceEngine, `${GROWN} ${runtime}`));
    expect(costs.at(-1)?.[1]).toBeGreaterThan(2n ** 63n);
  });
});
