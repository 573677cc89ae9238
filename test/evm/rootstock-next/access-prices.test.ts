import { describe, expect, it } from 'vitest';
import { precompileAddress } from '../../../src/protocol/hardforks/precompiles.ts';
import {
  addressOf,
  COINBASE,
  CONTRACT,
  code,
  RECIPIENT,
  type Scene,
  SENDER,
  setScene,
} from '../../reference/scene.ts';
import { wordBytes } from '../../support/words.ts';
import { ENGINES } from '../rootstock/engines.ts';
import { callOperands, costOf, creationOperands, push } from '../rootstock/rootstock-scene.ts';

const COLD = addressOf(0x1234);
const [SLOAD, SSTORE, POP] = ['54', '55', '50'];

/** Code that leaves the stack as it was. */
const sload = (slot: number) => `${push(slot)} ${SLOAD} ${POP}`;
const sstore = (slot: number, value: number) => `${push(value)} ${push(slot)} ${SSTORE}`;
const balanceOf = (address: Uint8Array) => `${push(address)} 31 50`;
const callTo = (kind: 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL', to: Uint8Array) => {
  const opcode = { CALL: 'f1', CALLCODE: 'f2', DELEGATECALL: 'f4', STATICCALL: 'fa' }[kind];
  return `${callOperands(kind, to)} ${opcode} 50`;
};
/** Gas of an operand and of a POP. */
const [PUSH_GAS, POP_GAS] = [3n, 2n];

describe.each(ENGINES)('RSKIP-555, on the $engine engine', ({ createEngine }) => {
  const scene = (): Promise<Scene> => setScene('rootstock-next', { createEngine });
  const perAccess = PUSH_GAS + POP_GAS;

  it('the first SLOAD of a slot costs 2100, and later ones 100', async () => {
    expect(await costOf(await scene(), '', sload(1))).toBe(2_100n + perAccess);
    expect(await costOf(await scene(), sload(1), sload(1))).toBe(100n + perAccess);
    expect(await costOf(await scene(), sload(1), sload(2))).toBe(2_100n + perAccess);
  });

  it.each([
    ['the sender', SENDER, 100n],
    ['the recipient', CONTRACT, 100n],
    ['an arbitrary account', COLD, 2_600n],
    ['the miner, which is not warm', COINBASE, 2_600n],
    ['ECRECOVER', precompileAddress('ECREC'), 100n],
    ['BLAKE2F', precompileAddress('BLAKE2F'), 100n],
    ['the Bridge', precompileAddress('BRIDGE'), 100n],
    ['REMASC', precompileAddress('REMASC'), 100n],
    ['the Environment contract', precompileAddress('ENVIRONMENT'), 100n],
  ])('the first BALANCE of %s has its price', async (_name, address, price) => {
    expect(await costOf(await scene(), '', balanceOf(address))).toBe(price + perAccess);
    expect(await costOf(await scene(), balanceOf(address), balanceOf(address))).toBe(100n + perAccess);
  });

  it.each(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'] as const)(
    '%s costs 2500 more for a cold account than for a warm one',
    async (kind) => {
      const prepare = async () => {
        const prepared = await scene();
        prepared.state.setCode(COLD, code('00'));
        return prepared;
      };
      const cold = await costOf(await prepare(), '', callTo(kind, COLD));
      const warm = await costOf(await prepare(), callTo(kind, COLD), callTo(kind, COLD));
      expect(cold - warm).toBe(2_500n);
    },
  );

  it.each(['3b', '3f'])('opcode %s costs 2600 for a cold account and 100 for a warm one', async (opcode) => {
    const read = `${push(COLD)} ${opcode} 50`;
    expect(await costOf(await scene(), '', read)).toBe(2_600n + perAccess);
    expect(await costOf(await scene(), read, read)).toBe(100n + perAccess);
  });

  it('SELFDESTRUCT to a cold beneficiary costs 2600 more', async () => {
    const destroying = async (prepared: string) => {
      const prepareScene = await scene();
      prepareScene.state.setAccount(RECIPIENT, { nonce: 1n, balance: 1n });
      return costOf(prepareScene, prepared, `${push(RECIPIENT)} ff`);
    };
    expect((await destroying('')) - (await destroying(balanceOf(RECIPIENT)))).toBe(2_600n);
  });

  it('an account that a reverted frame accessed is cold again', async () => {
    const prepared = await scene();
    prepared.state.setCode(RECIPIENT, code(`${balanceOf(COLD)} 6000 6000 fd`));
    const reading = callTo('CALL', RECIPIENT);
    expect(await costOf(prepared, reading, balanceOf(COLD))).toBe(2_600n + perAccess);
    const kept = await scene();
    kept.state.setCode(RECIPIENT, code(balanceOf(COLD)));
    expect(await costOf(kept, reading, balanceOf(COLD))).toBe(100n + perAccess);
  });

  it('a created contract is warm', async () => {
    const created = `${creationOperands(code('00'), { salt: 1 })} f5`;
    expect(await costOf(await scene(), created, '3b 50')).toBe(100n + POP_GAS);
  });
});

/** Values of a slot: before the transaction, and the writes; then gas of the writes and the refund. */
const STORES: readonly (readonly [
  original: number,
  writes: readonly number[],
  gas: bigint,
  refund: bigint,
])[] = [
  [0, [0], 2_200n, 0n],
  [0, [1], 22_100n, 0n],
  [1, [1], 2_200n, 0n],
  [1, [2], 5_000n, 0n],
  [1, [0], 5_000n, 15_000n],
  [0, [1, 0], 22_200n, 19_900n],
  [0, [1, 2], 22_200n, 0n],
  [0, [1, 2, 0], 22_300n, 19_900n],
  [1, [2, 1], 5_100n, 2_800n],
  [1, [2, 0], 5_100n, 15_000n],
  [1, [0, 1], 5_100n, 2_800n],
  [1, [0, 2], 5_100n, 0n],
  [1, [0, 2, 1], 5_200n, 2_800n],
  // The second write restores the slot, so the third one is the first change again.
  [1, [0, 1, 0], 8_000n, 17_800n],
];

describe.each(ENGINES)('RSKIP-555, SSTORE on the $engine engine', ({ createEngine }) => {
  it.each(STORES)(
    'of %j and the writes %j costs %i with a refund of %i',
    async (original, writes, gas, refund) => {
      const { state, transact } = await setScene('rootstock-next', { createEngine });
      state.setCode(CONTRACT, code(writes.map((value) => sstore(1, value)).join('')));
      if (original > 0) state.setStorage(CONTRACT, wordBytes(1), Uint8Array.of(original));
      const { gasUsed, gasBeforeRefund } = await transact({});
      expect(gasBeforeRefund - 21_000n).toBe(gas + 2n * PUSH_GAS * BigInt(writes.length));
      const most = gasBeforeRefund / 2n;
      expect(gasBeforeRefund - gasUsed).toBe(refund < most ? refund : most);
    },
  );

  it.each([
    [2_300n, 'halt'],
    [2_301n, 'success'],
  ])(
    'with %i gas left before a write of an equal value on a warm slot ends with %s',
    async (left, outcome) => {
      const { state, transact } = await setScene('rootstock-next', { createEngine });
      state.setCode(CONTRACT, code(`${sload(1)} ${sstore(1, 0)}`));
      const used = 21_000n + 2_100n + PUSH_GAS + POP_GAS + 2n * PUSH_GAS;
      expect(await transact({ gasLimit: used + left })).toMatchObject({ outcome });
    },
  );

  it('on a cold slot with an equal value and 4400 gas left succeeds', async () => {
    const { state, transact } = await setScene('rootstock-next', { createEngine });
    state.setCode(CONTRACT, code(sstore(1, 0)));
    const result = await transact({ gasLimit: 21_000n + 2n * PUSH_GAS + 4_400n });
    expect(result).toMatchObject({ outcome: 'success', gasUsed: 21_000n + 2n * PUSH_GAS + 2_200n });
  });
});
