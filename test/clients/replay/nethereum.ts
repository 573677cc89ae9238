import { CHANGED, type Client, SET_42, VALUE } from './replay.ts';
import { address, anything, data, flag, list, nullable, object, quantity, text } from './rules.ts';

// Nethereum's DTOs read a QUANTITY as HexBigInteger; null is allowed. Filters nest each topic in a list. Any HTTP
// status but success is an exception.

const number = nullable(quantity);

const LOG = object(
  { address, data, topics: list(data), blockNumber: number, logIndex: number, removed: flag },
  ['address', 'topics', 'data', 'removed'],
);

const TRANSACTION = object(
  { nonce: number, gas: number, gasPrice: number, value: number, type: number, from: address, input: data },
  ['hash', 'nonce', 'gas', 'value', 'from', 'input'],
);

const RECEIPT = object(
  {
    transactionIndex: number,
    blockNumber: number,
    cumulativeGasUsed: number,
    gasUsed: number,
    effectiveGasPrice: number,
    status: number,
    type: number,
    contractAddress: nullable(address),
    logs: list(LOG),
  },
  ['transactionHash', 'blockHash', 'status', 'gasUsed', 'logs'],
);

const block = (transactions: typeof anything) =>
  object(
    {
      number,
      difficulty: number,
      totalDifficulty: number,
      size: number,
      gasLimit: number,
      gasUsed: number,
      timestamp: number,
      baseFeePerGas: number,
      uncles: list(text),
      transactions: list(transactions),
    },
    ['number', 'hash', 'timestamp', 'transactions'],
  );

export const NETHEREUM: Client = {
  name: 'Nethereum',
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  envelope: (method, params) => ({ id: 1, jsonrpc: '2.0', method, params }),
  steps: [
    { method: 'eth_chainId', params: () => [], result: quantity },
    { method: 'eth_accounts', params: () => [], result: list(address) },
    { method: 'eth_getBalance', params: ({ from }) => [from, 'latest'], result: quantity },
    { method: 'eth_getBlockByNumber', params: () => ['latest', false], result: block(text) },
    { method: 'eth_getTransactionCount', params: ({ from }) => [from, 'pending'], result: quantity },
    { method: 'eth_newBlockFilter', params: () => [], result: text, as: 'blocks' },
    {
      method: 'eth_estimateGas',
      params: ({ from, creation }) => [{ from, data: creation }],
      result: quantity,
    },
    {
      method: 'eth_sendTransaction',
      params: ({ from, creation }) => [{ from, gas: '0x6acfc', gasPrice: '0x77359400', data: creation }],
      result: data,
      as: 'created',
    },
    {
      method: 'eth_getTransactionReceipt',
      params: ({ created }) => [created],
      result: RECEIPT,
      reads: ({ contractAddress }: { contractAddress: string }) => ({ box: contractAddress }),
    },
    { method: 'eth_getCode', params: ({ box }) => [box, 'latest'], result: data },
    {
      method: 'eth_newFilter',
      params: ({ box }) => [
        { address: [box], fromBlock: 'latest', toBlock: 'latest', topics: [[CHANGED], null] },
      ],
      result: text,
      as: 'filter',
    },
    {
      method: 'eth_sendTransaction',
      params: ({ from, box }) => [
        { from, to: box, gas: '0x1f4dc', gasPrice: '0x77359400', value: '0x0', data: SET_42 },
      ],
      result: data,
      as: 'changed',
    },
    { method: 'eth_getTransactionReceipt', params: ({ changed }) => [changed], result: RECEIPT },
    {
      method: 'eth_getTransactionReceipt',
      params: () => [`0x${'11'.repeat(32)}`],
      result: nullable(RECEIPT),
    },
    { method: 'eth_getTransactionByHash', params: ({ changed }) => [changed], result: TRANSACTION },
    {
      method: 'eth_call',
      params: ({ from, box }) => [{ from, to: box, data: VALUE }, 'latest'],
      result: data,
    },
    { method: 'eth_call', params: ({ box }) => [{ to: box, data: VALUE }, '0x2'], result: data },
    { method: 'eth_getFilterChanges', params: ({ filter }) => [filter], result: list(LOG) },
    { method: 'eth_getFilterChanges', params: ({ blocks }) => [blocks], result: list(text) },
    {
      method: 'eth_getLogs',
      params: ({ from, box }) => [
        {
          address: [box],
          fromBlock: '0x0',
          toBlock: 'latest',
          topics: [[CHANGED], [`0x${'00'.repeat(12)}${from?.slice(2)}`]],
        },
      ],
      result: list(LOG),
    },
    { method: 'eth_getBlockByNumber', params: () => ['0x2', true], result: block(TRANSACTION) },
    {
      method: 'eth_feeHistory',
      params: () => ['0x2', 'latest', [50]],
      result: object({ oldestBlock: number }),
    },
    { method: 'eth_uninstallFilter', params: ({ filter }) => [filter], result: flag },
    { method: 'evm_snapshot', params: () => [], result: text },
    {
      method: 'debug_traceTransaction',
      params: ({ changed }) => [changed, { tracer: 'callTracer' }],
      result: anything,
    },
  ],
};
