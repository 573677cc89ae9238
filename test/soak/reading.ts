import type { Dice } from '../fuzz/engines/dice.ts';
import { word } from '../support/words.ts';
import type { Ask } from './lane-life.ts';

/** The chain for reading requests: calls, a funded account, and a contract that stores and logs a word. */
export interface ReadChain {
  readonly ask: Ask;
  readonly sender: string;
  readonly contract: string;
}

/** A tracer in JavaScript that counts steps. */
const COUNTER =
  '{n: 0, step: function() { this.n++ }, fault: function() {}, result: function() { return this.n }}';

/** Number of different artifacts. The node keeps all of them, so more would grow without limit. */
const ARTIFACTS = 8;

/** Returns the input and output of a compiler for one of the contracts. */
function compilation(index: number): readonly [object, object] {
  const name = `Soaked${index}`;
  const file = `${name}.sol`;
  const inputs = [{ name: 'amount', type: 'uint256' }];
  const abi = [
    { type: 'function', name: `mint${index}`, stateMutability: 'nonpayable', inputs, outputs: [] },
  ];
  const sources = { [file]: { content: `contract ${name} { /* ${'x'.repeat(1_000)} */ }` } };
  return [{ language: 'Solidity', sources }, { contracts: { [file]: { [name]: { abi, evm: {} } } } }];
}

/** Calls of each kind that do not change the chain: calls, traces, simulations and explanations. */
export function readings(
  dice: Dice,
  { ask, sender, contract }: ReadChain,
): readonly (() => Promise<unknown>)[] {
  const call = () => ({ from: sender, to: contract, data: word(dice.below(2 ** 31)) });
  const overrides = () => ({
    [`0x${dice
      .below(2 ** 31)
      .toString(16)
      .padStart(40, '0')}`]: { balance: '0x1' },
  });
  const newest = async (): Promise<unknown> => {
    const block = (await ask('eth_getBlockByNumber', 'latest', false)) as {
      readonly transactions: unknown[];
    };
    return block.transactions[0];
  };
  const ofNewest =
    (method: string, ...rest: readonly unknown[]) =>
    async () => {
      const hash = await newest();
      return hash === undefined ? undefined : ask(method, hash, ...rest);
    };
  return [
    () => ask('eth_call', call(), 'latest', overrides()),
    () => ask('eth_estimateGas', call()),
    () => ask('eth_createAccessList', call(), 'latest'),
    () => ask('eth_simulateV1', { blockStateCalls: [{ calls: [call(), call()] }] }, 'latest'),
    () => ask('eth_networkId'),
    () => ask('tenderly_simulateTransaction', call(), 'latest', overrides()),
    () => ask('tenderly_simulateBundle', [call(), call()], 'latest'),
    () => ask('debug_accountInfoAt', 'latest', '0x0', contract),
    () => ask('eth_getProof', contract, [word(0)], 'latest'),
    () => ask('eth_getBlockReceipts', 'latest'),
    () => ask('debug_traceCall', call(), 'latest', {}),
    () => ask('debug_traceCall', call(), 'latest', { tracer: 'prestateTracer' }),
    () => ask('debug_traceCall', call(), 'latest', { tracer: COUNTER }),
    () => ask('debug_traceBlockByNumber', 'latest', { tracer: 'callTracer' }),
    () => ask('trace_call', call(), ['trace', 'stateDiff', 'vmTrace'], 'latest'),
    () => ask('trace_block', 'latest'),
    () => ask('trace_filter', { fromBlock: '0x0', count: 5 }),
    () => ask('inspect_call', call()),
    () => ask('inspect_transactions', {}, null, 5),
    () => ask('inspect_storage', contract, 'latest'),
    () => ask('inspect_timeline', null, 5),
    () => ask('inspect_contracts'),
    () => ask('inspect_source', contract),
    () => ask('inspect_find', 'mint'),
    () => ask('inspect_failures', 5),
    () => ask('inspect_lanes'),
    () => ask('inspect_compare', call(), ['prague', 'osaka']),
    () => ask('inspect_label', contract, `label ${dice.below(4)}`),
    () => ask('inspect_addArtifacts', ...compilation(dice.below(ARTIFACTS))),
    ofNewest('debug_traceTransaction'),
    ofNewest('debug_traceTransaction', { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }),
    ofNewest('trace_replayTransaction', ['trace']),
    ofNewest('inspect_transaction'),
    ofNewest('inspect_steps', { first: 0, count: 20 }),
    ofNewest('inspect_profile'),
  ];
}
