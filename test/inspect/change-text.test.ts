import { describe, expect, it } from 'vitest';
import { changeLines } from '../../src/inspect/change-text.ts';
import type { StateChanges } from '../../src/inspect/state-changes.ts';
import { AS_IT_IS, type TreeStyle } from '../../src/inspect/tree-text.ts';

const NOTHING: StateChanges = {
  storage: [],
  transientStorage: [],
  omittedSlots: 0,
  balances: [],
  tokens: [],
};
const ALICE = { address: `0x${'a1'.repeat(20)}`, name: 'alice' };
const NAMELESS = { address: `0x${'b0'.repeat(20)}`, name: null };

type Slot = StateChanges['storage'][number];
type Balance = StateChanges['balances'][number];
type Token = StateChanges['tokens'][number];

const slotOf = (fields: Partial<Slot> = {}): Slot => ({
  account: ALICE,
  contract: 'alice',
  variable: 'count',
  type: 'uint256',
  slot: 31n,
  offset: 0,
  before: '1',
  after: '2',
  ...fields,
});
const balanceOf = (fields: Partial<Balance> = {}): Balance => ({
  account: ALICE,
  before: 2n * 10n ** 18n,
  after: 5n * 10n ** 17n,
  feePaid: 0n,
  feeReceived: 0n,
  ...fields,
});
const tokenOf = (fields: Partial<Token> = {}): Token =>
  ({
    account: ALICE,
    token: NAMELESS,
    symbol: 'TKN',
    decimals: 2,
    id: null,
    change: 1_250n,
    ...fields,
  }) as Token;

describe('line of a changed slot', () => {
  it.each<[Partial<Slot>, string]>([
    [{}, 'alice.count: 1 → 2'],
    [{ contract: 'Counter' }, 'alice (Counter).count: 1 → 2'],
    [{ account: NAMELESS, contract: null }, `${NAMELESS.address}.count: 1 → 2`],
    [{ contract: null, variable: null, type: null }, 'alice[slot 0x1f]: 1 → 2'],
    [{ before: false, after: true, type: 'bool' }, 'alice.count: false → true'],
    [{ before: '', after: 'a"b', type: 'string' }, 'alice.count: "" → "a\\"b"'],
    [{ before: '', after: 'a"b', type: 'String[8]' }, 'alice.count: "" → "a\\"b"'],
    [{ before: '', after: 'a"b', type: 'bytes' }, 'alice.count:  → a"b'],
    [{ after: '9'.repeat(100) }, `alice.count: 1 → ${'9'.repeat(100)}`],
    [{ after: '9'.repeat(101) }, `alice.count: 1 → ${'9'.repeat(100)}…`],
  ])('formats a slot with %j', (fields, text) => {
    expect(changeLines({ ...NOTHING, storage: [slotOf(fields)] })).toEqual([`storage ${text}`]);
    expect(changeLines({ ...NOTHING, transientStorage: [slotOf(fields)] })).toEqual([`transient ${text}`]);
  });
});

describe('line of a changed balance', () => {
  it.each<[Partial<Balance>, string]>([
    [{}, 'alice: -1.5 ether'],
    [{ before: 0n, after: 1n }, 'alice: +1 wei'],
    [{ feePaid: 10n ** 15n }, 'alice: -1.5 ether (gas: 0.001 ether)'],
    [{ feePaid: 1n }, 'alice: -1.5 ether (gas: 1 wei)'],
    [{ feeReceived: 10n ** 15n, account: NAMELESS }, `${NAMELESS.address}: -1.5 ether (fees: 0.001 ether)`],
    [{ feePaid: 1n, feeReceived: 2n }, 'alice: -1.5 ether (gas: 1 wei)'],
  ])('formats a balance with %o', (fields, text) => {
    expect(changeLines({ ...NOTHING, balances: [balanceOf(fields)] })).toEqual([`balance ${text}`]);
  });
});

describe('line of changed tokens', () => {
  it.each<[Partial<Token>, string]>([
    [{}, 'alice: +12.5 TKN'],
    [{ change: -1n }, 'alice: -0.01 TKN'],
    [{ decimals: null }, 'alice: +1250 TKN'],
    [{ symbol: null }, `alice: +12.5 ${NAMELESS.address}`],
    [{ symbol: null, token: ALICE, decimals: null, id: 7n, change: -1n }, 'alice: -1 alice #7'],
    [{ decimals: null, id: 0n, change: 1n }, 'alice: +1 TKN #0'],
  ])('formats a token change with %o', (fields, text) => {
    expect(changeLines({ ...NOTHING, tokens: [tokenOf(fields)] })).toEqual([`token ${text}`]);
  });
});

describe('changeLines', () => {
  it('returns no lines without changes', () => {
    expect(changeLines(null)).toEqual([]);
    expect(changeLines(NOTHING)).toEqual([]);
  });

  const many = (count: number): StateChanges => ({
    storage: Array.from({ length: count }, () => slotOf()),
    transientStorage: Array.from({ length: count }, () => slotOf()),
    omittedSlots: 0,
    balances: Array.from({ length: count }, () => balanceOf()),
    tokens: Array.from({ length: count }, () => tokenOf()),
  });

  it('returns 20 lines of each kind, and the number of omitted changes', () => {
    const notes = (changes: StateChanges): string[] =>
      changeLines(changes).filter((line) => line.includes('more'));
    expect(changeLines(many(20))).toHaveLength(80);
    expect(notes(many(20))).toEqual([]);
    expect(changeLines(many(21))).toHaveLength(84);
    expect(notes(many(21))).toEqual(
      ['storage', 'transient', 'balance', 'token'].map((kind) => `${kind} … and 1 more`),
    );
    expect(notes({ ...many(1), omittedSlots: 3 })).toEqual(['storage … and 3 more']);
    expect(notes({ ...many(22), omittedSlots: 3 })[0]).toBe('storage … and 5 more');
    expect(notes({ ...NOTHING, omittedSlots: 3 })).toEqual(['storage … and 3 more']);
  });

  it('orders the kinds, with kind and note in dim style', () => {
    const style: TreeStyle = { ...AS_IT_IS, dim: (text) => `<${text}>`, plain: (text) => `(${text})` };
    const lines = changeLines({ ...many(1), omittedSlots: 1 }, style);
    expect(lines.map((line) => line.replace(/(?<=\().*(?=\))/, 'text'))).toEqual([
      '<storage> (text)',
      '<storage … and 1 more>',
      '<transient> (text)',
      '<balance> (text)',
      '<token> (text)',
    ]);
  });
});
