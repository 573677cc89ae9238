import { describe, expect, it } from 'vitest';
import type { ExecutionResult, OuterTransaction } from '../../../src/evm/engine.ts';
import { HALT_REASONS } from '../../../src/evm/halt-reasons.ts';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { addressOf, ETHER, environmentOf, messageOf, SENDER } from '../../reference/scene.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';

const OPTIONS = { chainId: 33, codeSizeLimit: 24_576 };
const CONTRACT = addressOf(10);
const OTHER = addressOf(11);
const ORIGIN = addressOf(12);
const SLOT = new Uint8Array(32).fill(7);
const INSIDE: OuterTransaction = {
  origin: ORIGIN,
  gasPrice: 123n,
  transientStorage: [
    { address: CONTRACT, slot: SLOT, value: Uint8Array.of(5) },
    { address: OTHER, slot: SLOT, value: Uint8Array.of(6) },
  ],
};
/** Returns the word at the top of the stack. */
const RETURN = '5f5260205ff3';
const TLOAD = `7f${'07'.repeat(32)}5c`;

const environment = environmentOf('prague', { baseFeePerGas: 99n });
const ruleSet = ruleSetNamed('prague');

function call(code: string, inside: OuterTransaction = INSIDE, engine = createWasmEngine(ruleSet, OPTIONS)) {
  const state = new Overlay(WorldState.empty());
  state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
  state.setCode(CONTRACT, fromHex(`0x${code}`));
  const before = new Overlay(state.toWorldState());
  const fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
  return engine.call(environment, before, messageOf({ to: CONTRACT, gasLimit: 200_000n, ...fees, inside }));
}

async function wordOf(code: string): Promise<bigint> {
  const { outcome, returnData } = (await call(`${code}${RETURN}`)) as ExecutionResult;
  expect(outcome).toBe('success');
  return BigInt(toHex(returnData));
}

describe('a message inside a transaction', () => {
  it.each([
    ['ORIGIN', '32', BigInt(toHex(ORIGIN))],
    ['CALLER', '33', BigInt(toHex(SENDER))],
    ['GASPRICE', '3a', 123n],
    ['BASEFEE', '48', 99n],
    ['the balance of the sender', `73${toHex(SENDER).slice(2)}31`, ETHER],
    ['TLOAD', TLOAD, 5n],
  ])('reads %s of the transaction', async (_name, code, expected) => {
    expect(await wordOf(code)).toBe(expected);
  });

  it.each([
    ['SSTORE', '5f5f55'],
    ['TSTORE', '5f5f5d'],
    ['LOG0', '5f5fa0'],
    ['CREATE', '5f5f5ff0'],
    ['SELFDESTRUCT', '5fff'],
    ['a call with value', '5f5f5f5f60015f5af1'],
  ])('rejects %s', async (_name, code) => {
    const { outcome, haltReason } = (await call(code)) as ExecutionResult;
    expect({ outcome, haltReason }).toEqual({ outcome: 'halt', haltReason: HALT_REASONS.staticCall });
  });

  it('leaves no transient storage to the next message on the machine', async () => {
    const engine = createWasmEngine(ruleSet, OPTIONS);
    await call(`${TLOAD}${RETURN}`, INSIDE, engine);
    const { returnData } = (await call(
      `${TLOAD}${RETURN}`,
      { ...INSIDE, transientStorage: [] },
      engine,
    )) as ExecutionResult;
    expect(BigInt(toHex(returnData))).toBe(0n);
  });

  it('is rejected by the reference engine', async () => {
    const engine = await createReferenceEngine(ruleSet, OPTIONS);
    await expect(call('00', INSIDE, engine)).rejects.toThrow('use --engine wasm');
  });
});
