import { type Client, SET_42 } from './replay.ts';
import { address, anything, bytes, data, flag, list, object, quantity, rule, text } from './rules.ts';
import { BLOCK, WEB3_PY } from './web3-py.ts';

// Ape and Brownie send through web3.py, and use these methods of Anvil on their own.

const isTrue = rule('true', (value) => value === true);
const word = bytes(32);

const PREPARED: Client['steps'] = [
  {
    method: 'eth_sendTransaction',
    params: ({ from, creation }) => [{ from, data: creation, gas: '0x6acfc' }],
    result: word,
    as: 'created',
  },
  {
    method: 'eth_getTransactionReceipt',
    params: ({ created }) => [created],
    result: anything,
    reads: ({ contractAddress }: { contractAddress: string }) => ({ box: contractAddress }),
  },
  {
    method: 'eth_sendTransaction',
    params: ({ from, box }) => [{ from, to: box, data: SET_42, gas: '0x1f4dc' }],
    result: word,
    as: 'changed',
  },
];

/** The client version contains `anvil`, or Ape and Brownie do not use the node. */
const anvilVersion = rule(
  'a version with anvil',
  (value) => typeof value === 'string' && /anvil/i.test(value),
);

/** Brownie needs stack and memory at each step. */
const STEPS = object(
  {
    returnValue: data,
    structLogs: list(
      object({ stack: list(text), memory: list(text) }, [
        'pc',
        'op',
        'gas',
        'gasCost',
        'depth',
        'stack',
        'memory',
      ]),
    ),
  },
  ['returnValue', 'structLogs'],
);

export const APE: Client = {
  ...WEB3_PY,
  name: 'Ape',
  steps: [
    { method: 'web3_clientVersion', params: () => [], result: anvilVersion },
    { method: 'eth_getBlockByNumber', params: () => ['0x0', false], result: BLOCK },
    { method: 'eth_getBlockByNumber', params: () => ['latest', false], result: BLOCK },
    ...PREPARED,
    { method: 'anvil_getAutomine', params: () => [], result: flag },
    { method: 'anvil_setAutomine', params: () => [true], result: anything },
    { method: 'anvil_setBalance', params: ({ to }) => [to, '0x3635c9adc5dea00000'], result: anything },
    // Ape removes leading zeros, and sends 0x for 0 blocks.
    { method: 'anvil_mine', params: () => ['0x2'], result: anything },
    { method: 'evm_setNextBlockTimestamp', params: () => [4_000_000_000], result: anything },
    { method: 'evm_snapshot', params: () => [], result: text, as: 'snapshot' },
    { method: 'evm_revert', params: ({ snapshot }) => [snapshot], result: isTrue },
    { method: 'anvil_impersonateAccount', params: ({ box }) => [box], result: anything },
    { method: 'anvil_stopImpersonatingAccount', params: ({ box }) => [box], result: anything },
    { method: 'eth_getBalance', params: ({ from }) => [from, null], result: quantity },
    { method: 'evm_setBlockGasLimit', params: () => ['0x1c9c380'], result: isTrue },
    { method: 'anvil_setCode', params: ({ to }) => [to, '0x6001'], result: anything },
    {
      method: 'anvil_setStorageAt',
      params: ({ box }) => [box, `0x${'00'.repeat(32)}`, `0x${'00'.repeat(31)}09`],
      result: anything,
    },
    {
      method: 'debug_traceTransaction',
      params: ({ changed }) => [changed, { stepsTracing: true, enableMemory: true }],
      result: STEPS,
    },
    {
      method: 'trace_transaction',
      params: ({ changed }) => [changed],
      result: list(
        object({ action: object({ to: address, input: data }), result: object({ output: data }) }),
      ),
    },
  ],
};

export const BROWNIE: Client = {
  ...WEB3_PY,
  name: 'Brownie',
  steps: [
    { method: 'web3_clientVersion', params: () => [], result: anvilVersion },
    { method: 'eth_getBlockByNumber', params: () => ['latest', false], result: BLOCK },
    { method: 'evm_setBlockGasLimit', params: () => ['0x1c9c380'], result: anything },
    ...PREPARED,
    { method: 'evm_snapshot', params: () => [], result: text, as: 'snapshot' },
    { method: 'evm_increaseTime', params: () => ['0xa'], result: anything },
    // web3.py sends the missing argument of evm_mine as null instead of a list.
    { method: 'evm_mine', params: () => null, result: anything },
    { method: 'evm_revert', params: ({ snapshot }) => [snapshot], result: flag },
    { method: 'anvil_impersonateAccount', params: ({ box }) => [box], result: anything },
    {
      method: 'debug_traceTransaction',
      params: ({ changed }) => [changed, { disableStorage: true, enableMemory: true }],
      result: STEPS,
    },
  ],
};
