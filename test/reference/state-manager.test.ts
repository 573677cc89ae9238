import { MerkleStateManager } from '@ethereumjs/statemanager';
import { Account, Address } from '@ethereumjs/util';
import { runTx } from '@ethereumjs/vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hexKey } from '../../src/primitives/hex.ts';
import { type RuleSetName, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import {
  EnvironmentBlockHashes,
  environmentBlock,
  messageTransaction,
} from '../../src/reference/library-input.ts';
import { ConsoleWatch } from '../../src/reference/reference-step.ts';
import { EMPTY_SITE, EndedContracts } from '../../src/reference/rootstock/rootstock-evm.ts';
import { RootstockPrecompiles } from '../../src/reference/rootstock/rootstock-precompiles.ts';
import { ruleSetCommon } from '../../src/reference/rule-set-common.ts';
import { createVirtualMachine, ExecutionQueue } from '../../src/reference/virtual-machine.ts';
import { precompileFunctions } from '../../src/rootstock/precompile-functions.ts';
import { neverCancelled } from '../../src/scheduling/cancel-check.ts';
import { Overlay } from '../../src/state/overlay.ts';
import { WorldState } from '../../src/state/world-state.ts';
import { createReferenceEngine } from '../support/evm/engines.ts';
import { addressOf, code, deploying, ETHER, environmentOf, messageOf, SENDER } from './scene.ts';

const CONTRACTS = [addressOf(10), addressOf(11), addressOf(12)];
const target = fc.constantFrom(...CONTRACTS, SENDER, addressOf(77)).map((address) => `73${hexKey(address)}`);
const small = fc.integer({ min: 0, max: 2 }).map((number) => `60${number.toString(16).padStart(2, '0')}`);
const initcode = fc.constantFrom(
  hexKey(deploying(code('60016000 55'))),
  '6001 6000 55',
  '6000 6000 fd',
  '33 ff',
  'fe',
);

/** One step of a program. Later steps ignore its leftovers on the stack. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(small, small).map(([value, slot]) => `${value} ${slot} 55`) },
  { weight: 1, arbitrary: small.map((slot) => `${slot} 54`) },
  { weight: 1, arbitrary: small.map((size) => `${size} 6000 a0`) },
  { weight: 1, arbitrary: target.map((address) => `${address} 31 ${address} 3f ${address} 3b`) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(small, target, fc.constantFrom('f1', 'f2'))
      .map(([value, to, opcode]) => `6000 80 80 80 ${value} ${to} 620186a0 ${opcode}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(target, fc.constantFrom('f4', 'fa'))
      .map(([to, opcode]) => `6000 80 80 80 ${to} 620186a0 ${opcode}`),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(initcode, small, fc.boolean()).map(([digits, value, isSalted]) => {
      const bytes = hexKey(code(digits));
      const length = (bytes.length / 2).toString(16).padStart(2, '0');
      return `7f${bytes.padEnd(64, '0')} 6000 52 ${isSalted ? '6000' : ''} 60${length} 6000 ${value} ${isSalted ? 'f5' : 'f0'}`;
    }),
  },
  { weight: 1, arbitrary: target.map((address) => `${address} ff`) },
  { weight: 1, arbitrary: fc.constantFrom('6000 6000 fd', 'fe', '00') },
);
const program = fc.array(step, { maxLength: 8 }).map((steps) => code(steps.join('')));
const message = fc.record({
  to: fc.constantFrom(...CONTRACTS, addressOf(77)),
  value: fc.constantFrom(0n, 1n, 5n),
});

/** Runs the messages on the library's state and on an overlay. Returns both lists of results. */
async function runBoth(
  name: RuleSetName,
  programs: readonly Uint8Array[],
  messages: readonly { readonly to: Uint8Array; readonly value: bigint }[],
) {
  const ruleSet = ruleSetNamed(name);
  const common = ruleSetCommon(ruleSet, 33, ruleSet.maximumCodeSize);
  const stateManager = new MerkleStateManager({ common });
  const blockHashes = new EnvironmentBlockHashes();
  const endedContracts = new EndedContracts();
  const machine = await createVirtualMachine({
    ruleSet,
    common,
    stateManager,
    blockHashes,
    rootstockPrecompiles: new RootstockPrecompiles(ruleSet, 33, precompileFunctions),
    movedPrecompiles: () => undefined,
    site: () => EMPTY_SITE,
    endedContracts,
    unlimitedCode: false,
    observation: null,
    console: new ConsoleWatch(),
    yielder: new ExecutionQueue(2 ** 28),
    impersonatedSigner: () => undefined,
  });
  const engine = await createReferenceEngine(ruleSet, {
    chainId: 33,
    codeSizeLimit: ruleSet.maximumCodeSize,
  });
  const overlay = new Overlay(WorldState.empty());

  await stateManager.putAccount(new Address(SENDER), new Account(0n, ETHER));
  overlay.setAccount(SENDER, { nonce: 0n, balance: ETHER });
  for (const [index, address] of CONTRACTS.entries()) {
    const bytes = programs[index] ?? new Uint8Array(0);
    await stateManager.putAccount(new Address(address), new Account(1n, 10n));
    await stateManager.putCode(new Address(address), bytes);
    overlay.setAccount(address, { nonce: 1n, balance: 10n });
    overlay.setCode(address, bytes);
  }

  const environment = environmentOf(name);
  blockHashes.use(environment, neverCancelled);
  const block = environmentBlock(
    environment,
    environment.baseFeePerGas ?? environment.minimumGasPrice,
    common,
  );
  const expected: unknown[] = [];
  const actual: unknown[] = [];
  for (const [index, fields] of messages.entries()) {
    const nonce = BigInt(index);
    const sent = messageOf({ ...fields, nonce });
    const tx = messageTransaction(sent, nonce, ruleSet, common);
    endedContracts.use(environment);
    const { totalGasSpent, execResult } = await runTx(machine, { tx, block, skipHardForkValidation: true });
    endedContracts.add(environment, execResult.selfdestruct?.keys() ?? []);
    const result = await engine.transact(environment, overlay, sent);
    expected.push({
      gasUsed: totalGasSpent,
      succeeded: execResult.exceptionError === undefined,
      root: await stateManager.getStateRoot(),
    });
    actual.push({
      gasUsed: result.gasUsed,
      succeeded: result.outcome === 'success',
      root: overlay.toWorldState().root,
    });
  }
  return { expected, actual };
}

describe.each(['rootstock', 'istanbul', 'london', 'prague', 'osaka'] as const)(
  'reference state manager under %s',
  (name) => {
    it('gives random programs the gas and state root of the library’s own state', async () => {
      const cases = fc.asyncProperty(
        fc.tuple(program, program, program),
        fc.array(message, { minLength: 1, maxLength: 4 }),
        async (programs, messages) => {
          const { expected, actual } = await runBoth(name, programs, messages);
          expect(actual).toEqual(expected);
        },
      );
      await fc.assert(cases, { numRuns: 20 });
    });
  },
);
