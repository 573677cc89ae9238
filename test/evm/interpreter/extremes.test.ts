import { describe, expect, it } from 'vitest';
import { hexKey } from '../../../src/primitives/hex.ts';
import { type RuleSetName, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import {
  addressOf,
  COINBASE,
  CONTRACT,
  code,
  ETHER,
  environmentOf,
  messageOf,
  SENDER,
} from '../../reference/scene.ts';
import { createWasmEngine } from '../../support/evm/engines.ts';
import { wordBytes } from '../../support/words.ts';
import { ALICE, calling } from '../tracers/trace-scene.ts';
import { enginePair } from './engine-pair.ts';

const ALL_WEI = 2n ** 256n - 1n;
const FREE = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
const RULE_SETS: readonly RuleSetName[] = ['rootstock', 'istanbul', 'cancun', 'prague', 'osaka'];

describe.each(RULE_SETS)('extreme values under %s', (name) => {
  it('both engines agree on a coinbase and a sender with 2^256 - 1 wei', async () => {
    const pair = await enginePair(name);
    pair.state.setAccount(COINBASE, { nonce: 0n, balance: ALL_WEI });
    await pair.transact({});
    expect(pair.state.account(COINBASE)?.balance).toBe(ALL_WEI);
    pair.state.setAccount(SENDER, { nonce: 1n, balance: ALL_WEI });
    await pair.transact({ nonce: 1n, value: 3n });
  });

  it('both engines agree on a call that sends 2^256 - 1 wei', async () => {
    const pair = await enginePair(name);
    // Returns the value and the balance of the caller.
    pair.state.setCode(CONTRACT, code('34 6000 52 33 31 6020 52 6040 6000 f3'));
    await pair.call({ value: ALL_WEI });
    await pair.call({ value: ALL_WEI, maxFeePerGas: 1_000n, maxPriorityFeePerGas: 1n });
  });

  // The reference engine rejects these gas limits if transactions have a limit (EIP-7825).
  it.runIf(name !== 'osaka')('both engines agree on a call with a gas limit near 2^63 or 2^64', async () => {
    const pair = await enginePair(name);
    // A loop of a thousand rounds uses gas.
    pair.state.setCode(CONTRACT, code('6103e8 5b 6001 90 03 80 6003 57 00'));
    for (const gasLimit of [2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n])
      await pair.call({ gasLimit, ...FREE });
  });

  it('both engines agree on value for an account with 2^256 - 1 wei', async () => {
    const pair = await enginePair(name);
    pair.state.setAccount(ALICE, { nonce: 0n, balance: ALL_WEI });
    await pair.transact({ to: ALICE, value: 3n });
    pair.state.setAccount(CONTRACT, { nonce: 0n, balance: 5n });
    const call = `6000 6000 6000 6000 6003 73${hexKey(ALICE)} 5a f1`;
    pair.state.setCode(CONTRACT, code(`${call} 6000 52 5a 6020 52 6040 6000 f3`));
    await pair.transact({ nonce: 1n });
    pair.state.setCode(CONTRACT, code(`73${hexKey(ALICE)} ff`));
    await pair.transact({ nonce: 2n });
    expect(pair.state.account(ALICE)?.balance).toBe(ALL_WEI);
  });

  it.each(['f1', 'f2', 'f4', 'fa'])('both engines agree on the call depth with opcode %s', async (opcode) => {
    const pair = await enginePair(name);
    const value = opcode === 'f1' || opcode === 'f2' ? '6000' : '';
    // Calls itself with all gas, and returns the result plus 1.
    pair.state.setCode(
      CONTRACT,
      code(`6020 6000 6000 6000 ${value} 30 5a ${opcode} 50 6000 51 6001 01 6000 52 6020 6000 f3`),
    );
    const { returnData } = await pair.call({ gasLimit: 2n ** 50n, ...FREE });
    expect(returnData).toEqual(wordBytes(name === 'rootstock' ? 401 : 1_025));
  });

  it('both engines agree on nested creations at the maximum depth', async () => {
    const pair = await enginePair(name);
    // Creates a contract with its own code and stores the address.
    pair.state.setCode(CONTRACT, code('38 6000 6000 39 38 6000 6000 f0 6000 55 00'));
    await pair.call({ gasLimit: 2n ** 50n, ...FREE });
  });

  it.each(['3fffffff', '40000000', '07ffffffff', '0fffffffff', '1fffffffff', 'ffffffffffffffff'])(
    'both engines agree on memory at offset 0x%s',
    async (place) => {
      const pair = await enginePair(name);
      const far = `${(0x5f + place.length / 2).toString(16)}${place}`;
      const programs = [
        `${far} 80 20 00`,
        `${far} 51 00`,
        `6000 ${far} 6000 ${far} 6000 6001 5a fa 6000 55 6000 ${far} 20 6001 55 00`,
      ];
      for (const program of programs) {
        pair.state.setCode(CONTRACT, code(program));
        await pair.call({ gasLimit: 1_000_000n, ...FREE });
      }
    },
  );
});

it('a message runs out of gas if the square of its memory words exceeds 64 bits', async () => {
  const pair = await enginePair('cancun');
  pair.state.setCode(CONTRACT, code('640fffffffff 80 20 00'));
  const result = await pair.call({ gasLimit: 2n ** 34n, ...FREE });
  expect(result).toMatchObject({ outcome: 'halt', haltReason: 'out of gas' });
});

it.each([4_084, 8_180, 16_372])('an access list of %i slots costs 1,900 gas for each slot', async (count) => {
  const engine = createWasmEngine(ruleSetNamed('berlin'), { chainId: 33, codeSizeLimit: 24_576 });
  const state = new Overlay(WorldState.empty());
  state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
  const storageKeys = Array.from({ length: count }, (_, slot) => wordBytes(slot));
  const message = messageOf({ accessList: [{ address: CONTRACT, storageKeys }], gasLimit: 100_000_000n });
  const environment = environmentOf('berlin', { gasLimit: message.gasLimit });
  const { gasUsed } = await engine.transact(environment, state, message);
  expect(gasUsed).toBe(21_000n + 2_400n + 1_900n * BigInt(count));
  expect(state.account(SENDER)?.balance).toBe(ETHER - gasUsed * message.maxFeePerGas);
});

it('a self-destructed contract is removed at the end of the transaction', async () => {
  const pair = await enginePair('shanghai');
  // The contract self-destructs, and still returns data if it is called again with value.
  pair.state.setAccount(ALICE, { nonce: 1n, balance: 7n });
  pair.state.setCode(
    ALICE,
    code(`36 6025 57 73${hexKey(addressOf(60))} ff ${'5b'.repeat(14)} 5b 602a 6000 52 6020 6000 f3`),
  );
  pair.state.setAccount(CONTRACT, { nonce: 1n, balance: 9n });
  const size = `73${hexKey(ALICE)} 3b`;
  pair.state.setCode(
    CONTRACT,
    code(
      `${calling('CALL', ALICE)} 50 ${calling('CALL', ALICE, { value: '6003' })} 50 ${size} 6000 55 47 6001 55 00`,
    ),
  );
  await pair.transact({});
  expect(pair.state.account(ALICE)).toBeUndefined();
});
