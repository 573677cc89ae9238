import { describe, expect, it } from 'vitest';
import { CONSOLE_ADDRESS } from '../../src/evm/console.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { RULE_SET_NAMES } from '../../src/protocol/hardforks/registry.ts';
import { addressOf, CONTRACT, code, messageOf, RECIPIENT, SENDER, setScene } from './scene.ts';

/** Calls an address with the first bytes of memory, starting with `first`. Drops the result. */
function calling(opcode: string, address: Uint8Array, first: string, size = '04'): string {
  const value = opcode === 'f1' || opcode === 'f2' ? '6000' : '';
  return `60${first}60f81b600052 6000 6000 60${size} 6000 ${value} 73${toHex(address).slice(2)} 61ffff ${opcode} 50`;
}

const CALL = 'f1';
const CALLCODE = 'f2';
const DELEGATECALL = 'f4';
const STATICCALL = 'fa';

describe.each(RULE_SET_NAMES)('console calls under %s', (name) => {
  it('records console calls of every call opcode in order, with their caller', async () => {
    const { run } = await setScene(name);
    const calls = [CALL, CALLCODE, DELEGATECALL, STATICCALL].map((opcode, index) =>
      calling(opcode, CONSOLE_ADDRESS, `0${index + 1}`),
    );
    const result = await run(code(calls.join('')));
    expect(result.console).toEqual({
      calls: [1, 2, 3, 4].map((first) => ({ caller: CONTRACT, input: Uint8Array.of(first, 0, 0, 0) })),
      omitted: 0,
    });
  });

  it('records console calls of inner and delegated contracts', async () => {
    const { state, transact } = await setScene(name);
    const library = addressOf(7);
    state.setCode(library, code(calling(CALL, CONSOLE_ADDRESS, '02')));
    state.setCode(RECIPIENT, code(calling(STATICCALL, CONSOLE_ADDRESS, '01')));
    state.setCode(CONTRACT, code(calling(CALL, RECIPIENT, '00') + calling(DELEGATECALL, library, '00')));
    const { console } = await transact({});
    expect(console?.calls).toEqual([
      { caller: RECIPIENT, input: Uint8Array.of(1, 0, 0, 0) },
      { caller: CONTRACT, input: Uint8Array.of(2, 0, 0, 0) },
    ]);
  });

  it('records console calls of reverted and halted executions', async () => {
    const { run } = await setScene(name);
    const reverted = await run(code(`${calling(CALL, CONSOLE_ADDRESS, '01')} 6000 6000 fd`));
    const halted = await run(code(`${calling(CALL, CONSOLE_ADDRESS, '02')} fe`));
    expect([reverted.outcome, reverted.console?.calls.length]).toEqual(['revert', 1]);
    expect([halted.outcome, halted.console?.calls.length]).toEqual(['halt', 1]);
  });

  it('records console calls by a message and by initcode', async () => {
    const { call } = await setScene(name);
    const sent = await call({ to: CONSOLE_ADDRESS, data: Uint8Array.of(9) });
    expect(sent.console?.calls).toEqual([{ caller: SENDER, input: Uint8Array.of(9) }]);
    const created = await call({ to: null, data: code(calling(CALL, CONSOLE_ADDRESS, '03')) });
    expect(created.console?.calls).toEqual([
      { caller: created.createdAddress, input: Uint8Array.of(3, 0, 0, 0) },
    ]);
  });

  it('records console calls if an observer is attached', async () => {
    const { engine, environment, state } = await setScene(name);
    state.setCode(CONTRACT, code(calling(CALL, CONSOLE_ADDRESS, '01')));
    const observed = await engine.call(environment, state, messageOf({}), { step: () => undefined });
    expect(observed.console?.calls).toHaveLength(1);
  });

  it('charges and returns the same for a console call as for an account without code', async () => {
    const { run } = await setScene(name);
    const returned = '3d 6000 52 6020 6000 f3';
    const console = await run(code(calling(STATICCALL, CONSOLE_ADDRESS, '01') + returned));
    const nobody = await run(code(calling(STATICCALL, addressOf(98), '01') + returned));
    const { console: record, ...rest } = console;
    expect(record?.calls).toHaveLength(1);
    expect(rest).toEqual(nobody);
  });

  it('omits the console record of an execution without console calls', async () => {
    const { run } = await setScene(name);
    await run(code(calling(CALL, CONSOLE_ADDRESS, '01')));
    expect(await run(code('00'))).not.toHaveProperty('console');
  });
});
