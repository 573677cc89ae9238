import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/evm/engine.ts';
import { type RuleSetName, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { CONTRACT, code, ETHER, environmentOf, messageOf, SENDER } from '../../reference/scene.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';
import { wordBytes } from '../../support/words.ts';

const INITCODE = '6130ff600052 6002601ef3'.replaceAll(' ', '');

/** Creates a contract with CREATE2 and stores its address in slot 0. A call destroys the contract. */
const FACTORY = code(`7f${INITCODE.padEnd(64, '0')} 6000 52 6007 600b 6000 6000 f5 6000 55 00`);

/**
 * Creates, destroys and recreates a contract in one block, then creates it in the next block.
 * Returns slot 0 after each transaction, then the state root.
 */
async function history(engine: Engine, name: RuleSetName): Promise<readonly string[]> {
  const state = new Overlay(WorldState.empty());
  state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
  state.setCode(CONTRACT, FACTORY);
  const [block, nextBlock] = [environmentOf(name), environmentOf(name, { number: 1_001 })];
  const made: string[] = [];
  let nonce = 0n;
  const transact = async (environment: typeof block, to: Uint8Array): Promise<void> => {
    await engine.transact(environment, state, messageOf({ to, nonce: nonce++, gasLimit: 300_000n }));
    made.push(Buffer.from(state.storageAt(CONTRACT, wordBytes(0))).toString('hex'));
  };
  await transact(block, CONTRACT);
  const created = state.storageAt(CONTRACT, wordBytes(0));
  await transact(block, created);
  await transact(block, CONTRACT);
  await transact(nextBlock, CONTRACT);
  made.push(Buffer.from(state.toWorldState().root).toString('hex'));
  return made;
}

describe('a self-destructed contract', () => {
  it.each(['rootstock', 'istanbul', 'cancun'] as const)(
    'frees its address under %s as on the reference engine',
    async (name) => {
      const options = { chainId: 33, codeSizeLimit: 24_576 };
      const ours = await history(createWasmEngine(ruleSetNamed(name), options), name);
      const theirs = await history(await createReferenceEngine(ruleSetNamed(name), options), name);
      expect(ours).toEqual(theirs);
      expect(ours[0]).toHaveLength(40);
    },
  );
});
