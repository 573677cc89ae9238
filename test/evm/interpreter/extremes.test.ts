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
  word,
} from '../../reference/scene.ts';
import { createWasmEngine } from '../../support/evm/engines.ts';
import { ALICE, calling } from '../tracers/trace-scene.ts';
import { enginePair } from './engine-pair.ts';

const ALL_WEI = 2n ** 256n - 1n;
const FREE = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
const RULE_SETS: readonly RuleSetName[] = ['rootstock', 'istanbul', 'cancun', 'prague', 'osaka'];

describe.each(RULE_SETS)('under %s, the engines agree on', (name) => {
  it('a coinbase and a sender that have all wei there is', async () => {
    const pair = await enginePair(name);
    pair.state.setAccount(COINBASE, { nonce: 0n, balance: ALL_WEI });
    await pair.transact({});
    expect(pair.state.account(COINBASE)?.balance).toBe(ALL_WEI);
    pair.state.setAccount(SENDER, { nonce: 1n, balance: ALL_WEI });
    await pair.transact({ nonce: 1n, value: 3n });
  });

  it('a question that sends all wei there is', async () => {
    const pair = await enginePair(name);
    // Returns the value and the balance of the caller.
    pair.state.setCode(CONTRACT, code('34 6000 52 33 31 6020 52 6040 6000 f3'));
    await pair.call({ value: ALL_WEI });
    await pair.call({ value: ALL_WEI, maxFeePerGas: 1_000n, maxPriorityFeePerGas: 1n });
  });

  // The other engine refuses so much gas where transactions have a limit (EIP-7825).
  it.runIf(name !== 'osaka')('a question with more gas than a signed number of 64 bits', async () => {
    const pair = await enginePair(name);
    // A loop of a thousand rounds, so that gas is counted.
    pair.state.setCode(CONTRACT, code('6103e8 5b 6001 90 03 80 6003 57 00'));
    for (const gasLimit of [2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n])
      await pair.call({ gasLimit, ...FREE });
  });

  it('value for who has all wei there is', async () => {
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

  it.each(['f1', 'f2', 'f4', 'fa'])('calls as deep as may be, with opcode %s', async (opcode) => {
    const pair = await enginePair(name);
    const value = opcode === 'f1' || opcode === 'f2' ? '6000' : '';
    // Calls itself with all gas, and returns what came back and 1 more.
    pair.state.setCode(
      CONTRACT,
      code(`6020 6000 6000 6000 ${value} 30 5a ${opcode} 50 6000 51 6001 01 6000 52 6020 6000 f3`),
    );
    const { returnData } = await pair.call({ gasLimit: 2n ** 50n, ...FREE });
    expect(returnData).toEqual(word(name === 'rootstock' ? 401 : 1_025));
  });

  it('creations inside creations as deep as may be', async () => {
    const pair = await enginePair(name);
    // Creates with its own code, and keeps the address.
    pair.state.setCode(CONTRACT, code('38 6000 6000 39 38 6000 6000 f0 6000 55 00'));
    await pair.call({ gasLimit: 2n ** 50n, ...FREE });
  });

  it.each(['3fffffff', '40000000', '07ffffffff', '0fffffffff', '1fffffffff', 'ffffffffffffffff'])(
    'memory as far as 0x%s',
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

it('memory of which the words squared have more than 64 bits is beyond any gas', async () => {
  const pair = await enginePair('cancun');
  pair.state.setCode(CONTRACT, code('640fffffffff 80 20 00'));
  const result = await pair.call({ gasLimit: 2n ** 34n, ...FREE });
  expect(result).toMatchObject({ outcome: 'halt', haltReason: 'out of gas' });
});

it.each([4_084, 8_180, 16_372])('access lists of %i slots cost what they cost', async (count) => {
  const engine = createWasmEngine(ruleSetNamed('berlin'), { chainId: 33, codeSizeLimit: 24_576 });
  const state = new Overlay(WorldState.empty());
  state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
  const storageKeys = Array.from({ length: count }, (_, slot) => word(slot));
  const message = messageOf({ accessList: [{ address: CONTRACT, storageKeys }], gasLimit: 100_000_000n });
  const environment = environmentOf('berlin', { gasLimit: message.gasLimit });
  const { gasUsed } = await engine.transact(environment, state, message);
  expect(gasUsed).toBe(21_000n + 2_400n + 1_900n * BigInt(count));
  expect(state.account(SENDER)?.balance).toBe(ETHER - gasUsed * message.maxFeePerGas);
});

it('what an ended contract did stays until the transaction is over', async () => {
  const pair = await enginePair('shanghai');
  // Ends in favour of another, is called again and sent value, and answers still.
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
