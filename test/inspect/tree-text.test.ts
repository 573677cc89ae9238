import { describe, expect, it } from 'vitest';
import type { DecodedParameter } from '../../src/artifacts/decoding.ts';
import { createNode } from '../../src/index.ts';
import type { InspectedCall } from '../../src/inspect/inspection.ts';
import { treeLines } from '../../src/inspect/tree-text.ts';
import { type NameOfAddress, parametersText } from '../../src/inspect/value-text.ts';
import { BUILD, Sender } from '../reports/gas/gas-scenario.ts';

/** A call of a contract with that name. `reason` is the reason of its failure. */
function callOf(
  name: string,
  fields: Partial<InspectedCall> = {},
  reason: string | null = null,
): InspectedCall {
  const party = { address: `0x${'11'.repeat(20)}`, name };
  return {
    kind: 'call',
    type: 'CALL',
    from: party,
    to: party,
    hasCode: true,
    call: { name: 'f', signature: 'f()', parameters: [] },
    meant: 'f',
    results: null,
    isGuess: false,
    implementation: null,
    value: 0n,
    gasLimit: 100n,
    gasUsed: 10n,
    ownGas: 10n,
    outcome: reason === null ? 'success' : 'revert',
    failure: reason === null ? null : ({ message: reason } as InspectedCall['failure']),
    input: '0x',
    output: '0x',
    items: [],
    ...fields,
  } as InspectedCall;
}

describe('tree of a failed execution', () => {
  const inner = callOf('Inner', { output: '0xaa' }, "reverted with custom error 'TooMuch()'");

  it('contains the reason at the innermost failing call, and marks the calls that pass it on', () => {
    const middle = callOf('Middle', { output: '0xaa', items: [inner] }, 'unrecognized (return data: 0xaa)');
    const outer = callOf('Outer', { output: '0xaa', items: [callOf('Other'), middle] }, 'unrecognized');
    expect(treeLines(outer)).toEqual([
      'Outer.f() ✗ 10 gas',
      '  Other.f() 10 gas',
      '  Middle.f() ✗ 10 gas',
      "    Inner.f() ✗ reverted with custom error 'TooMuch()' 10 gas",
    ]);
  });

  it('contains the reason of each call that fails for its own reason', () => {
    const other = callOf('Outer', { output: '0xbb', items: [inner] }, 'reverted with another reason');
    expect(treeLines(other)).toEqual([
      'Outer.f() ✗ reverted with another reason 10 gas',
      "  Inner.f() ✗ reverted with custom error 'TooMuch()' 10 gas",
    ]);
    const silent = callOf('Outer', { items: [callOf('Inner', {}, 'inner')] }, 'outer');
    expect(treeLines(silent)).toEqual(['Outer.f() ✗ outer 10 gas', '  Inner.f() ✗ inner 10 gas']);
    const later = callOf('Outer', { output: '0xaa', items: [inner, callOf('Other')] }, 'outer');
    expect(treeLines(later)[0]).toBe('Outer.f() ✗ outer 10 gas');
  });
});

describe('tree lines', () => {
  const party = { address: `0x${'22'.repeat(20)}`, name: null };
  const named = { name: 'f', signature: 'f()', parameters: [{ name: 'x', type: 'uint256', value: '1' }] };
  const number = { name: '', type: 'uint256', value: '7' };

  it.each<[Partial<InspectedCall>, string]>([
    [{ call: named }, 'A.f(x: 1) 10 gas'],
    [{ value: 1n }, 'A.f() with 1 wei 10 gas'],
    [{ value: 15n * 10n ** 17n }, 'A.f() with 1.5 ether 10 gas'],
    [{ to: party }, `${party.address}.f() 10 gas`],
    [{ implementation: { ...party, name: 'Logic' } }, 'A → Logic.f() 10 gas'],
    [{ isGuess: true }, 'A.f() (guessed by its selector) 10 gas'],
    [{ results: [] }, 'A.f() 10 gas'],
    [{ results: [number, { ...number, name: 'y' }] }, 'A.f() → 7, y: 7 10 gas'],
    [{ type: 'STATICCALL' }, 'A.f() [staticcall] 10 gas'],
    [{ type: 'DELEGATECALL' }, 'A.f() [delegatecall] 10 gas'],
    [{ type: 'CALLCODE' }, 'A.f() [callcode] 10 gas'],
    [{ call: null, meant: null, input: '0x12345678' }, 'A.0x12345678() 10 gas'],
    [{ call: null, meant: '<fallback>', input: '0x1234' }, 'A.<fallback>(0x1234) 10 gas'],
    [{ call: null, meant: '<fallback>', input: '0x1234567890' }, 'A.<fallback>(0x12345678, 1 bytes) 10 gas'],
    [{ type: 'CREATE', call: { ...named, name: 'A' } }, `new A(x: 1) → 0x${'11'.repeat(20)} 10 gas`],
    [{ type: 'CREATE2', call: null, input: '0x60' }, `new A → 0x${'11'.repeat(20)} 10 gas`],
    [{ type: 'CREATE', call: null, to: party, input: '0x60' }, `new ${party.address} 10 gas`],
    [{ type: 'CREATE', call: null, to: party, hasCode: false, input: '0x60' }, `new ${party.address} 10 gas`],
    [{ type: 'CREATE', outcome: 'halt' }, 'new f() 10 gas'],
  ])('format of a call with %o', (fields, line) => {
    expect(treeLines(callOf('A', fields))).toEqual([line]);
  });

  const event = {
    kind: 'event',
    emitter: party,
    event: null,
    isGuess: false,
    topics: ['0xaa'],
    data: '0x1234',
  } as const;

  it('events and messages are listed at the depth of their call', () => {
    const inner = callOf('B', { items: [event, { kind: 'console', text: 'deep' }] });
    const items = [
      { ...event, event: { ...named, name: 'Moved' }, isGuess: true },
      inner,
      { ...event, topics: [], data: '0x' },
      { kind: 'console', text: 'last' } as const,
    ];
    expect(treeLines(callOf('A', { items }))).toEqual([
      'A.f() 10 gas',
      '  emit Moved(x: 1) (guessed by its topic)',
      '  B.f() 10 gas',
      '    emit event 0xaa (2 bytes)',
      '    console deep',
      '  emit event without topic (0 bytes)',
      '  console last',
    ]);
  });

  it('details add addresses and data below a line', () => {
    const detailed = (fields: Partial<InspectedCall>): string[] =>
      treeLines(callOf('A', fields), { isDetailed: true }).slice(1);
    const place = `A (0x${'11'.repeat(20)})`;
    expect(detailed({})).toEqual([`    from ${place} to ${place}`, '    gas limit 100, own gas 10, f()']);
    expect(
      detailed({ from: party, implementation: party, call: null, input: '0x12', output: '0x34' }),
    ).toEqual([
      `    from ${party.address} to ${place} → ${party.address}`,
      '    gas limit 100, own gas 10',
      '    input 0x12',
      '    output 0x34',
    ]);
  });

  it('a tree has at most 10,000 lines', () => {
    const treeOf = (events: number): string[] =>
      treeLines(callOf('A', { items: Array.from({ length: events }, () => event) }));
    expect(treeOf(9_999)).toHaveLength(10_000);
    expect(treeOf(9_999).at(-1)).toBe('  emit event 0xaa (2 bytes)');
    expect(treeOf(10_000)).toHaveLength(10_001);
    expect(treeOf(10_000).at(-1)).toBe('… and more: the tree has over 10000 lines');
  });
});

describe('values in a line', () => {
  const textOf = (type: string, value: DecodedParameter['value'], labelOf?: NameOfAddress): string =>
    parametersText([{ name: '', type, value }], labelOf);
  const list = (length: number): DecodedParameter[] =>
    Array.from({ length }, (_, index) => ({ name: '', type: 'uint8', value: `${index}` }));
  const shown = list(20)
    .map(({ value }) => value)
    .join(', ');

  it.each<[string, DecodedParameter['value'], string]>([
    ['bool', false, 'false'],
    ['uint8', '7', '7'],
    ['string', 'a"b', '"a\\"b"'],
    ['bytes', '0x12', '0x12'],
    ['bytes', 'a'.repeat(400), 'a'.repeat(400)],
    ['bytes', 'a'.repeat(401), `${'a'.repeat(400)}… (401 characters)`],
    ['string', 'a'.repeat(398), `"${'a'.repeat(398)}"`],
    ['string', 'a'.repeat(399), `"${'a'.repeat(399)}… (401 characters)`],
    ['uint8[]', list(0), '[]'],
    ['uint8[20]', list(20), `[${shown}]`],
    ['uint8[]', list(21), `[${shown}, … 1 more]`],
    ['struct S', [{ name: 'x', type: 'bool', value: true }], '{ x: true }'],
  ])('a %s %j is formatted as %s', (type, value, text) => {
    expect(textOf(type, value)).toBe(text);
  });

  it('addresses are replaced by labels, but similar values are not', () => {
    const labelOf = (): string => 'alice';
    const address = `0x${'11'.repeat(20)}`;
    expect(textOf('address', address, labelOf)).toBe('alice');
    expect(textOf('address', address, () => null)).toBe(address);
    expect(textOf('address', address)).toBe(address);
    expect(textOf('bytes20', address, labelOf)).toBe(address);
    expect(textOf('address[]', [{ name: '', type: 'address', value: address }], labelOf)).toBe('[alice]');
  });
});

describe('calls of an account without code', () => {
  const bare = { hasCode: false, call: null, meant: null, value: 5n, gasUsed: 0n } as const;

  it('a call with value only is formatted as a transfer', () => {
    expect(treeLines(callOf('alice', bare))).toEqual(['transfer to alice with 5 wei 0 gas']);
    expect(treeLines(callOf('Wallet', { ...bare, hasCode: true, meant: '<receive>' }))).toEqual([
      'Wallet.<receive>() with 5 wei 0 gas',
    ]);
    expect(treeLines(callOf('Wallet', { ...bare, hasCode: true, value: 0n }))).toEqual(['Wallet() 0 gas']);
  });

  it('a call with data is marked with [no code]', () => {
    const data = { ...bare, value: 0n, input: '0x1234567800' };
    expect(treeLines(callOf('alice', data))).toEqual(['alice.0x12345678(1 bytes) [no code] 0 gas']);
  });
});

describe('errors passed on from an inner call', () => {
  it('the error is decoded although the outer ABI lacks it', async () => {
    const node = await createNode({ artifacts: BUILD });
    const sender = new Sender((method, params = []) => node.request({ method, params }));
    const safe = await sender.deploy('Safe');
    const cloner = await sender.deploy('Cloner');
    await sender.call(cloner, 'Cloner', 'clone', safe);
    await sender.call(cloner, 'Cloner', 'withdrawFromLast', 5n);
    const { transactions } = (await node.request({
      method: 'eth_getBlockByNumber',
      params: ['latest', false],
    })) as { transactions: string[] };
    const inspected = (await node.request({
      method: 'inspect_transaction',
      params: [transactions[0]],
    })) as { call: { failure: unknown; items: { failure: unknown }[] } };
    const failure = { message: "reverted with custom error 'TooMuch(asked: 5, held: 0)'" };
    expect(inspected).toMatchObject({ failure, call: { failure, items: [{ failure }] } });
    await node.close();
  });
});
