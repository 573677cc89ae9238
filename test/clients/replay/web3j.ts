import { CHANGED, type Client, SET_42, VALUE } from './replay.ts';
import {
  address,
  anything,
  data,
  either,
  flag,
  integer,
  list,
  nullable,
  object,
  quantity,
  text,
} from './rules.ts';

// The getters of web3j's response classes decode a QUANTITY with Numeric.decodeQuantity, which throws for null.
// Jackson ignores unknown fields. Any HTTP status but success is an exception without the JSON-RPC error.

const LOG = object({ address, data, topics: list(data), blockNumber: quantity, logIndex: quantity }, [
  'address',
  'topics',
  'data',
]);

const TRANSACTION = object(
  {
    hash: data,
    nonce: quantity,
    blockNumber: quantity,
    transactionIndex: quantity,
    from: address,
    to: nullable(address),
    value: quantity,
    gasPrice: quantity,
    gas: quantity,
    input: data,
    chainId: nullable(quantity),
    r: text,
    s: text,
    v: quantity,
    type: text,
  },
  ['hash', 'nonce', 'blockNumber', 'transactionIndex', 'value', 'gasPrice', 'gas', 'v'],
);

const RECEIPT = object(
  {
    transactionIndex: quantity,
    blockNumber: quantity,
    cumulativeGasUsed: quantity,
    gasUsed: quantity,
    contractAddress: nullable(address),
    status: quantity,
    logs: list(LOG),
    logsBloom: data,
    effectiveGasPrice: text,
  },
  ['transactionHash', 'transactionIndex', 'blockNumber', 'cumulativeGasUsed', 'gasUsed', 'status', 'logs'],
);

const block = (transactions: typeof anything) =>
  object(
    {
      number: quantity,
      nonce: quantity,
      difficulty: quantity,
      size: quantity,
      gasLimit: quantity,
      gasUsed: quantity,
      timestamp: quantity,
      uncles: list(data),
      transactions: list(transactions),
    },
    ['number', 'hash', 'nonce', 'difficulty', 'size', 'gasLimit', 'gasUsed', 'timestamp', 'transactions'],
  );

export const WEB3J: Client = {
  name: 'web3j',
  headers: {
    'Content-Type': 'application/json; charset=utf-8',
    'Accept-Encoding': 'gzip',
    'User-Agent': 'okhttp/4.9.0',
  },
  envelope: (method, params, id) => ({ jsonrpc: '2.0', method, params, id }),
  steps: [
    { method: 'web3_clientVersion', params: () => [], result: text },
    { method: 'net_version', params: () => [], result: text },
    { method: 'net_listening', params: () => [], result: flag },
    { method: 'net_peerCount', params: () => [], result: quantity },
    { method: 'eth_protocolVersion', params: () => [], result: text },
    { method: 'eth_chainId', params: () => [], result: quantity },
    { method: 'eth_coinbase', params: () => [], result: address },
    { method: 'eth_syncing', params: () => [], result: flag },
    { method: 'eth_mining', params: () => [], result: flag },
    { method: 'eth_hashrate', params: () => [], result: quantity },
    { method: 'eth_gasPrice', params: () => [], result: quantity },
    { method: 'eth_accounts', params: () => [], result: list(address) },
    { method: 'eth_blockNumber', params: () => [], result: quantity },
    { method: 'eth_getBalance', params: ({ from }) => [from, 'latest'], result: quantity },
    { method: 'eth_getTransactionCount', params: ({ from }) => [from, 'pending'], result: quantity },
    {
      method: 'eth_newFilter',
      params: () => [{ topics: [CHANGED], fromBlock: 'earliest', toBlock: 'latest', address: [] }],
      result: text,
      as: 'filter',
    },
    { method: 'eth_newBlockFilter', params: () => [], result: text, as: 'blocks' },
    {
      method: 'eth_estimateGas',
      params: ({ from, creation }) => [{ from, value: '0x0', data: creation }],
      result: quantity,
    },
    {
      method: 'eth_sendTransaction',
      params: ({ from, creation }) => [
        { from, gas: '0x6acfc', gasPrice: '0x77359400', value: '0x0', data: creation },
      ],
      result: data,
      as: 'created',
    },
    {
      method: 'eth_getTransactionReceipt',
      params: ({ created }) => [created],
      result: RECEIPT,
      reads: ({ contractAddress }: { contractAddress: string }) => ({ box: contractAddress }),
    },
    {
      method: 'eth_sendTransaction',
      params: ({ from, box }) => [{ from, to: box, gas: '0x1f4dc', gasPrice: '0x77359400', data: SET_42 }],
      result: data,
      as: 'changed',
    },
    { method: 'eth_getTransactionReceipt', params: ({ changed }) => [changed], result: RECEIPT },
    { method: 'eth_getTransactionByHash', params: ({ changed }) => [changed], result: TRANSACTION },
    {
      method: 'eth_call',
      params: ({ from, box }) => [{ from, to: box, data: VALUE }, 'latest'],
      result: data,
    },
    { method: 'eth_getFilterChanges', params: ({ filter }) => [filter], result: list(LOG) },
    { method: 'eth_getFilterChanges', params: ({ blocks }) => [blocks], result: list(data) },
    { method: 'eth_getFilterLogs', params: ({ filter }) => [filter], result: list(LOG) },
    { method: 'eth_uninstallFilter', params: ({ filter }) => [filter], result: flag },
    {
      method: 'eth_getLogs',
      params: ({ box }) => [
        { topics: [[CHANGED, null]], fromBlock: '0x1', toBlock: 'latest', address: [box] },
      ],
      result: list(LOG),
    },
    { method: 'eth_getBlockByNumber', params: () => ['0x1', false], result: block(data) },
    { method: 'eth_getBlockByNumber', params: () => ['latest', true], result: block(TRANSACTION) },
    { method: 'eth_getTransactionByBlockNumberAndIndex', params: () => ['0x1', '0x0'], result: TRANSACTION },
    { method: 'eth_getUncleCountByBlockNumber', params: () => ['0x1'], result: quantity },
    { method: 'eth_getUncleByBlockNumberAndIndex', params: () => ['0x1', '0x0'], result: nullable(anything) },
    { method: 'eth_getCode', params: ({ box }) => [box, 'latest'], result: data },
    { method: 'eth_getStorageAt', params: ({ box }) => [box, '0x0', 'latest'], result: data },
    { method: 'eth_getProof', params: ({ box }) => [box, ['0x0'], 'latest'], result: object({ address }) },
    {
      method: 'eth_feeHistory',
      params: () => ['0x2', 'latest', [10.5, 90]],
      result: object({ oldestBlock: quantity, baseFeePerGas: list(quantity), reward: list(list(quantity)) }),
    },
    { method: 'eth_sign', params: ({ from }) => [from, '0x6869'], result: data },
    {
      method: 'txpool_status',
      params: () => [],
      result: object({ pending: either(quantity, integer), queued: either(quantity, integer) }),
    },
  ],
};
