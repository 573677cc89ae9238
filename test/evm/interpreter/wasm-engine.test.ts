import { describe, expect, it } from 'vitest';
import { RULE_SET_NAMES } from '../../../src/protocol/hardforks/registry.ts';
import {
  addressOf,
  CONTRACT,
  code,
  contractAddress,
  deploying,
  RECIPIENT,
  returning,
  SENDER,
} from '../../reference/scene.ts';
import { wordBytes } from '../../support/words.ts';
import { ALICE, BOB, calling, creating, reverting } from '../tracers/trace-scene.ts';
import { type EnginePair, enginePair } from './engine-pair.ts';

/** Programs for every rule set, with PUSH0 written as PUSH1 0. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'adds, multiplies, divides and takes remainders': '6007 6003 02 6005 04 6002 06 600a 01 6001 03',
  'computes with numbers of 256 bits': `7f${'f3'.repeat(32)} 7f${'1c'.repeat(32)} 02 7f${'0f'.repeat(32)} 90 04 6007 7f${'ab'.repeat(32)} 09`,
  'distinguishes signed from unsigned numbers': `6000 19 6002 05 6000 19 6003 07 01 6001 6000 19 12 01`,
  'shifts in both directions': '60ff 60f0 1b 6004 1c 6003 1d',
  'picks bytes and extends signs': '6180ff 6001 0b 601f 1a',
  'compares with a constant': '6005 6005 14 6006 6005 14 01 15 15',
  'hashes memory': '7fdeadbeef 6000 52 6040 6003 20'.replace('7fdeadbeef', `7f${'de'.repeat(32)}`),
  'reads data beyond its end': '6000 35 6010 35 01 36 01',
  'copies its own code beyond its end': '6060 6005 6000 39 6000 51 6020 51 01 59 01',
  'writes and reads storage': '6005 6001 55 6001 54 6006 6001 55 6001 54 01 6000 6001 55',
  'reads block and message fields': '30 32 01 33 01 34 01 3a 01 41 01 42 01 43 01 45 01',
  'reads block hashes': '6103e7 40 6103e8 40 01 6102e7 40 01',
  'reads the remaining gas': '5a 5a 03 5a 01',
  'jumps forwards and backwards': '600a 5b 6001 90 03 80 6002 57 6005 01',
  'runs to the end of its code': '6001 6002 01 6000 52 6020 6000 f3',
};

/** Programs that halt. */
const HALTS: Readonly<Record<string, string>> = {
  'stack underflow': '6001 01',
  'stack overflow': '5b 6001 6000 56',
  'invalid jump destination': '6003 56',
  'invalid opcode 0xfe': '6001 fe',
  'invalid opcode 0xee': '6001 ee',
  'out of gas': '5b 6000 56',
};

async function pairWith(name: (typeof RULE_SET_NAMES)[number], runtime: string): Promise<EnginePair> {
  const pair = await enginePair(name);
  pair.state.setAccount(CONTRACT, { nonce: 1n, balance: 1_000n });
  pair.state.setCode(CONTRACT, code(runtime));
  return pair;
}

describe.each(RULE_SET_NAMES)('wasm engine under %s, compared with the reference engine', (name) => {
  it.each(Object.entries(PROGRAMS))('%s as on the reference', async (_, program) => {
    const pair = await pairWith(name, Buffer.from(returning(program)).toString('hex'));
    const result = await pair.transact({ data: code('0102030405060708090a0b0c0d0e0f10111213') });
    expect(result.outcome).toBe('success');
  });

  it('reads its balance and the chain id as on the reference', async () => {
    const pair = await pairWith(name, Buffer.from(returning('47 46 01')).toString('hex'));
    const result = await pair.transact({});
    const isBeforeIstanbul = ['constantinople', 'petersburg'].includes(name);
    expect(result.outcome).toBe(isBeforeIstanbul ? 'halt' : 'success');
  });

  it.each(Object.entries(HALTS))('halts with %s as on the reference', async (reason, program) => {
    const pair = await pairWith(name, program);
    const result = await pair.transact({ gasLimit: 100_000n });
    expect(result).toMatchObject({ outcome: 'halt', haltReason: reason, gasUsed: 100_000n });
  });

  it('transfers value to existing and new accounts', async () => {
    const pair = await enginePair(name);
    await pair.transact({ to: RECIPIENT, value: 5n });
    await pair.transact({ to: addressOf(77), value: 0n, nonce: 1n });
    await pair.transact({ to: SENDER, value: 1n, nonce: 2n });
  });

  it('creates contracts and calls them', async () => {
    const pair = await enginePair(name);
    const created = contractAddress(SENDER, 0n);
    expect(await pair.transact({ to: null, data: deploying(code('6001600055')) })).toMatchObject({
      outcome: 'success',
      createdAddress: created,
      returnData: code('6001600055'),
    });
    await pair.transact({ to: created, nonce: 1n });
    await pair.transact({ to: null, nonce: 2n });
  });

  it('rejects code that is too large, too expensive or starts with 0xef', async () => {
    const pair = await enginePair(name);
    await pair.transact({ to: null, data: code('616001 6000 f3'), gasLimit: 8_000_000n });
    await pair.transact({ to: null, data: code('611000 6000 f3'), gasLimit: 100_000n, nonce: 1n });
    await pair.transact({ to: null, data: code('60ef 6000 53 6001 6000 f3'), nonce: 2n });
  });

  it('calls with all four opcodes and returns output and revert data', async () => {
    const pair = await pairWith(name, '00');
    pair.state.setCode(ALICE, code('6001 6000 52 33 6020 52 34 6040 52 30 6060 52 6080 6000 f3'));
    pair.state.setCode(BOB, code(reverting(code('aabb')).replaceAll('5f', '6000')));
    for (const opcode of ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'] as const) {
      const calls = [ALICE, BOB, addressOf(50)].map((to) =>
        calling(opcode, to, { value: '6003' }).replaceAll('5f', '6000'),
      );
      const program = `${calls.join(' 3d 01 ')} 01 01 3d 6000 6000 3e 3d 6000 20 01`;
      pair.state.setCode(CONTRACT, returning(program));
      await pair.call({ value: 7n });
    }
  });

  it('rejects state changes in static calls', async () => {
    const pair = await pairWith(name, '00');
    const forbidden = ['6001 6001 55', '6000 6000 a0', '6000 6000 6000 f0', '6000 ff'];
    for (const [index, program] of forbidden.entries()) {
      const callee = addressOf(100 + index);
      pair.state.setCode(callee, code(program));
      pair.state.setCode(
        CONTRACT,
        returning(calling('STATICCALL', callee, { gas: '612710' }).replaceAll('5f', '6000')),
      );
      expect((await pair.call({})).returnData).toEqual(wordBytes(0));
    }
  });

  it('creates contracts inside contracts', async () => {
    const pair = await pairWith(name, '00');
    const initcode = code('6001 6000 55 6000 6000 f3');
    const plain = creating(initcode, { value: '6003' }).replaceAll('5f', '6000');
    const salted = creating(initcode, { salt: '6007' }).replaceAll('5f', '6000');
    pair.state.setCode(CONTRACT, returning(`${plain} ${salted} 01`));
    await pair.transact({});
    // The CREATE2 address is in use now.
    await pair.transact({ nonce: 1n });
  });

  it('destroys contracts with SELFDESTRUCT', async () => {
    const pair = await pairWith(name, `73${Buffer.from(ALICE).toString('hex')} ff`);
    await pair.transact({});
    pair.state.setCode(BOB, code('30 ff'));
    pair.state.setAccount(BOB, { nonce: 1n, balance: 9n });
    await pair.transact({ to: BOB, nonce: 1n });
    await pair.transact({ to: BOB, nonce: 2n, value: 2n });
  });

  it('undoes the changes of a reverted call', async () => {
    const pair = await pairWith(name, `${calling('CALL', ALICE).replaceAll('5f', '6000')} 6001 6001 55 00`);
    pair.state.setCode(ALICE, code('6001 6001 55 6000 6000 a0 6000 6000 fd'));
    expect(await pair.transact({})).toMatchObject({ outcome: 'success', logs: [] });
  });

  it('returns logs with topics and data', async () => {
    const pair = await pairWith(name, '602a 6000 52 6001 6002 6003 6004 6020 6000 a4 6000 6000 a0 00');
    expect((await pair.transact({})).logs).toHaveLength(2);
  });

  it('refunds gas for a cleared slot', async () => {
    const pair = await pairWith(name, '6000 6001 55 00');
    pair.state.setStorage(CONTRACT, wordBytes(1), code('05'));
    const { gasUsed, gasBeforeRefund } = await pair.transact({});
    expect(gasUsed).toBeLessThan(gasBeforeRefund);
  });

  it('nests calls up to the maximum depth', async () => {
    const pair = await pairWith(name, '00');
    const self = calling('CALL', CONTRACT).replaceAll('5f', '6000');
    pair.state.setCode(CONTRACT, code(`${self} 6001 54 01 6001 55 00`));
    pair.state.setAccount(SENDER, { nonce: 0n, balance: 10n ** 30n });
    await pair.call({ gasLimit: 10n ** 11n });
  });
});
