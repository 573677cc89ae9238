import { describe, expect, it } from 'vitest';
import {
  brokenRules,
  type Entity,
  type ValidationFrame,
  type ValidationParties,
} from '../../src/bundler/validation-rules.ts';
import type { Hex } from '../../src/primitives/hex.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';

function hex(text: string): Hex {
  return text as Hex;
}

function addressOf(digits: string): Hex {
  return hex(`0x${digits.repeat(20)}`);
}

const ENTRY_POINT = addressOf('ee');
const CREATOR = addressOf('5c');
const ACCOUNT = addressOf('ac');
const FACTORY = addressOf('fa');
const PAYMASTER = addressOf('9a');
const OTHER = addressOf('0d');
const ECRECOVER = hex(`0x${'1'.padStart(40, '0')}`);
const BRIDGE = hex(`0x${'1000006'.padStart(40, '0')}`);
const DEPOSIT = '0xb760faf9';

function entity(kind: Entity['kind'], address: Hex, isStaked = false): Entity {
  return { kind, address, isStaked, hasShortStake: false };
}

function parties(of: Partial<ValidationParties> = {}): ValidationParties {
  return {
    entryPoint: ENTRY_POINT,
    senderCreator: CREATOR,
    account: entity('account', ACCOUNT),
    factory: null,
    paymaster: null,
    precompiles: new Set([ECRECOVER, BRIDGE]),
    purePrecompiles: new Set([ECRECOVER]),
    ...of,
  };
}

/** The parts of a frame, whose texts are hexadecimal. */
type Parts = { readonly [Name in keyof ValidationFrame]?: unknown };

function frame(of: Parts): ValidationFrame {
  return {
    type: 'CALL',
    from: ENTRY_POINT,
    to: ACCOUNT,
    input: '0x',
    accessedSlots: { reads: {}, writes: {}, transientReads: {}, transientWrites: {} },
    extCodeAccessInfo: [],
    usedOpcodes: {},
    contractSize: {},
    outOfGas: false,
    ...of,
  } as ValidationFrame;
}

function slots(kind: 'reads' | 'writes' | 'transientReads' | 'transientWrites', ...used: bigint[]) {
  const accessed = { reads: {}, writes: {}, transientReads: {}, transientWrites: {} };
  return { ...accessed, [kind]: Object.fromEntries(used.map((slot) => [`0x${slot.toString(16)}`, 1])) };
}

/** A call that the account makes. */
function inside(of: Parts): ValidationFrame {
  return frame({ calls: [frame({ from: ACCOUNT, to: OTHER, ...of })] });
}

/** The rules that calls of the EntryPoint break, each with its entity and whether a stake would help. */
function broken(
  calls: readonly ValidationFrame[],
  of: Partial<ValidationParties> = {},
  keccak: Hex[] = [],
): string[] {
  return brokenRules({ ...frame({}), calls, keccak }, parties(of)).map(
    ({ rule, entity: kind, takesStake }) => `${rule} ${kind}${takesStake ? ' *' : ''}`,
  );
}

const WITH_FACTORY = { factory: entity('factory', FACTORY) };
const WITH_STAKED_FACTORY = { factory: entity('factory', FACTORY, true) };
const WITH_PAYMASTER = { paymaster: entity('paymaster', PAYMASTER) };
const PREIMAGE = hex(`0x${ACCOUNT.slice(2).padStart(64, '0')}${'07'.padStart(64, '0')}`);
const PLACE = BigInt(toHex(keccak256(Buffer.from(PREIMAGE.slice(2), 'hex'))));

/** Validations with the rules that they break. */
const CASES: readonly (readonly [
  what: string,
  calls: readonly ValidationFrame[],
  rules: readonly string[],
  of?: Partial<ValidationParties>,
])[] = [
  ['nothing', [frame({})], []],
  ['what the EntryPoint does by itself', [frame({ to: OTHER, outOfGas: true })], []],
  ['what comes after the validation', [frame({ to: ENTRY_POINT }), frame({ outOfGas: true })], []],
  ['running out of gas', [frame({ outOfGas: true })], ['OP-020 account']],
  ['creations, which have rules of their own', [frame({ usedOpcodes: { '0xf0': 1, '0xf5': 1 } })], []],
  ['a balance', [frame({ usedOpcodes: { '0x31': 1, '0x47': 1 } })], ['OP-080 account *', 'OP-080 account *']],
  [
    'a balance with a stake',
    [frame({ usedOpcodes: { '0x31': 1, '0x47': 1 } })],
    [],
    { account: entity('account', ACCOUNT, true) },
  ],
  ['opcodes that are allowed', [frame({ usedOpcodes: { '0x01': 1, '0x54': 2, '0xf1': 1 } })], []],
  [
    'a precompile that reads its input alone',
    [frame({ contractSize: { [ECRECOVER]: { contractSize: 0 } } })],
    [],
  ],
  ['another precompile', [frame({ contractSize: { [BRIDGE]: { contractSize: 0 } } })], ['OP-062 account']],
  [
    'an account without code',
    [frame({ contractSize: { [OTHER]: { contractSize: 0 } } })],
    ['OP-041 account'],
  ],
  ['a contract', [frame({ contractSize: { [OTHER]: { contractSize: 1 } } })], []],
  ['itself before it is created', [frame({ contractSize: { [ACCOUNT]: { contractSize: 0 } } })], []],
  ['the code of the EntryPoint', [frame({ extCodeAccessInfo: [OTHER, ENTRY_POINT] })], ['OP-054 account']],
  ['the code of another contract', [frame({ extCodeAccessInfo: [OTHER] })], []],
  ['value sent', [inside({ value: '0x1' })], ['OP-061 account']],
  ['no value sent', [inside({ value: '0x0' })], []],
  ['value in a call of borrowed code', [inside({ type: 'CALLCODE', value: '0x1' })], []],
  ['a prefund', [inside({ to: ENTRY_POINT, value: '0x5' })], []],
  ['a call of the EntryPoint', [inside({ to: ENTRY_POINT, input: '0x12345678' })], ['OP-054 account']],
  [
    'a deposit for the account',
    [inside({ to: ENTRY_POINT, input: `${DEPOSIT}${ACCOUNT.slice(2).padStart(64, '0')}` })],
    [],
  ],
  [
    'a deposit for another one',
    [inside({ to: ENTRY_POINT, input: `${DEPOSIT}${OTHER.slice(2).padStart(64, '0')}` })],
    ['OP-054 account'],
  ],
  [
    'a deposit by a contract that it calls',
    [
      inside({
        calls: [
          frame({ from: OTHER, to: ENTRY_POINT, input: `${DEPOSIT}${ACCOUNT.slice(2).padStart(64, '0')}` }),
        ],
      }),
    ],
    ['OP-054 account'],
  ],
  [
    'a payment to the EntryPoint by a contract that it calls',
    [inside({ calls: [frame({ from: OTHER, to: ENTRY_POINT, value: '0x1' })] })],
    ['OP-054 account'],
  ],
  ['CREATE by the account', [inside({ type: 'CREATE' })], ['OP-011 account']],
  ['CREATE by an account that a factory made', [inside({ type: 'CREATE' })], [], WITH_FACTORY],
  ['CREATE2 by the account', [inside({ type: 'CREATE2' })], ['OP-031 account']],
  ['CREATE2 by an account of a factory with a stake', [inside({ type: 'CREATE2' })], [], WITH_STAKED_FACTORY],
  [
    'CREATE2 by the factory for the account, once',
    [
      frame({
        to: CREATOR,
        calls: [frame({ from: CREATOR, to: FACTORY, calls: [frame({ type: 'CREATE2', from: FACTORY })] })],
      }),
    ],
    [],
    WITH_FACTORY,
  ],
  [
    'CREATE2 by the factory for the account twice, and for another one',
    [
      frame({
        to: CREATOR,
        calls: [
          frame({
            from: CREATOR,
            to: FACTORY,
            calls: [
              frame({ type: 'CREATE2', from: FACTORY }),
              frame({ type: 'CREATE2', from: FACTORY }),
              frame({ type: 'CREATE2', from: FACTORY, to: OTHER }),
            ],
          }),
        ],
      }),
    ],
    ['OP-031 factory', 'OP-031 factory'],
    WITH_FACTORY,
  ],
  [
    'CREATE by the factory',
    [
      frame({
        to: CREATOR,
        calls: [
          frame({ from: CREATOR, to: FACTORY, calls: [frame({ type: 'CREATE', from: FACTORY, to: OTHER })] }),
        ],
      }),
    ],
    ['OP-011 factory'],
    WITH_FACTORY,
  ],
  [
    'CREATE below the factory, which has a stake',
    [
      frame({
        to: CREATOR,
        calls: [
          frame({ from: CREATOR, to: FACTORY, calls: [frame({ type: 'CREATE', from: OTHER, to: OTHER })] }),
        ],
      }),
    ],
    [],
    WITH_STAKED_FACTORY,
  ],
  ['storage of the account', [frame({ accessedSlots: slots('writes', 0n) })], []],
  [
    'storage of the account by borrowed code',
    [inside({ type: 'DELEGATECALL', accessedSlots: slots('writes', 0n) })],
    [],
  ],
  [
    'storage of the account by CALLCODE',
    [inside({ type: 'CALLCODE', accessedSlots: slots('reads', 0n) })],
    [],
  ],
  ['another storage read', [inside({ accessedSlots: slots('reads', 0n) })], ['STO-033 account *']],
  ['another storage written', [inside({ accessedSlots: slots('writes', 0n) })], ['STO-033 account']],
  [
    'another storage read for a while',
    [inside({ accessedSlots: slots('transientReads', 0n) })],
    ['STO-033 account *'],
  ],
  [
    'another storage written for a while',
    [inside({ accessedSlots: slots('transientWrites', 0n) })],
    ['STO-033 account'],
  ],
  [
    'another storage with a stake',
    [inside({ accessedSlots: slots('reads', 0n) }), inside({ accessedSlots: slots('writes', 0n) })],
    ['STO-033 account'],
    { account: entity('account', ACCOUNT, true) },
  ],
  ['a slot that is its address', [inside({ accessedSlots: slots('writes', BigInt(ACCOUNT)) })], []],
  [
    'slots behind a hash of its address',
    [inside({ accessedSlots: slots('writes', PLACE, PLACE + 128n) })],
    [],
  ],
  [
    'slots before and too far behind',
    [inside({ accessedSlots: slots('writes', PLACE - 1n, PLACE + 129n) })],
    ['STO-033 account', 'STO-033 account'],
  ],
  [
    'a slot of its own elsewhere, before the account is there',
    [inside({ accessedSlots: slots('writes', PLACE) })],
    ['STO-022 account'],
    WITH_FACTORY,
  ],
  [
    'a slot of its own elsewhere, where the factory has a stake',
    [inside({ accessedSlots: slots('writes', PLACE) })],
    [],
    WITH_STAKED_FACTORY,
  ],
  [
    'storage of the paymaster by itself',
    [frame({ to: PAYMASTER, accessedSlots: slots('writes', 0n) })],
    ['STO-031 paymaster *'],
    WITH_PAYMASTER,
  ],
  [
    'storage of the paymaster by the account',
    [inside({ to: PAYMASTER, accessedSlots: slots('reads', 0n) })],
    ['STO-021 account'],
    WITH_PAYMASTER,
  ],
  [
    'a slot of the paymaster elsewhere',
    [
      frame({
        to: PAYMASTER,
        calls: [frame({ from: PAYMASTER, to: OTHER, accessedSlots: slots('writes', BigInt(PAYMASTER)) })],
      }),
    ],
    ['STO-032 paymaster *'],
    WITH_PAYMASTER,
  ],
  ['a paymaster that the operation does not have', [frame({ to: PAYMASTER, outOfGas: true })], []],
];

describe('the rules of ERC-7562', () => {
  it.each(CASES.map(([what, calls, rules, of = {}]) => [what, calls, rules, of] as const))(
    'on %s',
    (_what, calls, rules, of) => {
      expect(broken(calls, of, [PREIMAGE])).toEqual(rules);
    },
  );

  it.each([
    ['0x32', '0x3a', '0x40', '0x41', '0x42', '0x43', '0x44', '0x45', '0x48', '0xfe', '0xff', '0x49', '0x4a'],
  ])('block the opcodes %s and so on', (...opcodes) => {
    for (const opcode of opcodes)
      expect(broken([frame({ usedOpcodes: { [opcode]: 1 } })])).toEqual(['OP-011 account']);
    expect(broken([frame({ usedOpcodes: { '0x5a': 1 } })])).toEqual(['OP-012 account']);
    expect(broken([frame({ usedOpcodes: { '0x0c': 1 } })])).toEqual(['OP-013 account']);
  });

  it('name 20 violations at most', () => {
    const used = Array.from({ length: 30 }, (_, index) => BigInt(index));
    const violations = broken([inside({ accessedSlots: slots('writes', ...used) })]);
    expect(violations).toHaveLength(20);
  });
});
