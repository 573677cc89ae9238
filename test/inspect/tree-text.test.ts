import { describe, expect, it } from 'vitest';
import { createNode } from '../../src/index.ts';
import type { InspectedCall } from '../../src/inspect/inspection.ts';
import { treeLines } from '../../src/inspect/tree-text.ts';
import { BUILD, Sender } from './gas/gas-scenario.ts';

/** A call of a contract of that name; `reason` is why it failed. */
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

describe('the tree of an execution that failed', () => {
  const inner = callOf('Inner', { output: '0xaa' }, "reverted with custom error 'TooMuch()'");

  it('says why at the call that failed first, and marks those that pass its failure on', () => {
    const middle = callOf('Middle', { output: '0xaa', items: [inner] }, 'unrecognized (return data: 0xaa)');
    const outer = callOf('Outer', { output: '0xaa', items: [callOf('Other'), middle] }, 'unrecognized');
    expect(treeLines(outer)).toEqual([
      'Outer.f() ✗ 10 gas',
      '  Other.f() 10 gas',
      '  Middle.f() ✗ 10 gas',
      "    Inner.f() ✗ reverted with custom error 'TooMuch()' 10 gas",
    ]);
  });

  it('says why at each call that fails for a reason of its own', () => {
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

describe('a call of an account without code', () => {
  const bare = { hasCode: false, call: null, meant: null, value: 5n, gasUsed: 0n } as const;

  it('is a transfer where nothing but value was sent', () => {
    expect(treeLines(callOf('alice', bare))).toEqual(['transfer to alice with 5 wei 0 gas']);
    expect(treeLines(callOf('Wallet', { ...bare, hasCode: true, meant: '<receive>' }))).toEqual([
      'Wallet.<receive>() with 5 wei 0 gas',
    ]);
    expect(treeLines(callOf('Wallet', { ...bare, hasCode: true, value: 0n }))).toEqual(['Wallet() 0 gas']);
  });

  it('is marked where data was sent', () => {
    const data = { ...bare, value: 0n, input: '0x1234567800' };
    expect(treeLines(callOf('alice', data))).toEqual(['alice.0x12345678(1 bytes) [no code] 0 gas']);
  });
});

describe('a call that passes on an error of a contract inside it', () => {
  it('failed with that error, though its own ABI does not have it', async () => {
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
