import { CHANGED, type Client, type Scene, SET_42, type Step, VALUE } from './replay.ts';
import {
  address,
  anything,
  bytes,
  data,
  either,
  flag,
  list,
  nullable,
  object,
  quantity,
  type Rule,
  record,
  text,
  upTo,
} from './rules.ts';

// The rules of web3/_utils/method_formatters.py (web3.py 8), and of its validation middleware: at most 32 bytes
// of extra data.

const hash = bytes(32);
const ACCESS_LIST = list(object({ address, storageKeys: list(hash) }, ['address', 'storageKeys']));

export const TRANSACTION = object(
  {
    blockHash: nullable(hash),
    blockNumber: nullable(quantity),
    transactionIndex: nullable(quantity),
    nonce: quantity,
    gas: quantity,
    gasPrice: quantity,
    maxFeePerGas: quantity,
    maxPriorityFeePerGas: quantity,
    value: quantity,
    from: address,
    to: nullable(address),
    hash,
    r: nullable(upTo(32)),
    s: nullable(upTo(32)),
    v: nullable(quantity),
    yParity: nullable(quantity),
    type: nullable(quantity),
    chainId: nullable(quantity),
    accessList: nullable(ACCESS_LIST),
    input: data,
  },
  ['hash', 'from', 'to', 'nonce', 'gas', 'value', 'input', 'blockNumber'],
);

const LOG = object(
  {
    blockHash: nullable(hash),
    blockNumber: nullable(quantity),
    transactionIndex: nullable(quantity),
    transactionHash: nullable(hash),
    logIndex: quantity,
    address,
    topics: list(hash),
    data,
  },
  [
    'address',
    'topics',
    'data',
    'logIndex',
    'transactionIndex',
    'transactionHash',
    'blockHash',
    'blockNumber',
  ],
);

const RECEIPT = object(
  {
    blockHash: nullable(hash),
    blockNumber: nullable(quantity),
    transactionIndex: nullable(quantity),
    transactionHash: hash,
    cumulativeGasUsed: quantity,
    status: quantity,
    gasUsed: quantity,
    contractAddress: nullable(address),
    logs: list(LOG),
    logsBloom: upTo(256),
    from: nullable(address),
    to: nullable(address),
    effectiveGasPrice: quantity,
    type: quantity,
  },
  ['status', 'gasUsed', 'contractAddress', 'logs', 'blockNumber', 'effectiveGasPrice'],
);

export const BLOCK = object(
  {
    baseFeePerGas: quantity,
    extraData: nullable(upTo(32)),
    gasLimit: quantity,
    gasUsed: quantity,
    size: quantity,
    timestamp: quantity,
    hash: nullable(hash),
    logsBloom: nullable(upTo(256)),
    miner: nullable(address),
    mixHash: nullable(hash),
    nonce: nullable(upTo(8)),
    number: nullable(quantity),
    parentHash: nullable(hash),
    sha3Uncles: nullable(hash),
    uncles: list(hash),
    difficulty: quantity,
    receiptsRoot: nullable(hash),
    stateRoot: nullable(hash),
    totalDifficulty: quantity,
    transactions: either(list(TRANSACTION), list(hash)),
    transactionsRoot: nullable(hash),
    withdrawals: nullable(list(object({}))),
    withdrawalsRoot: nullable(hash),
    blobGasUsed: quantity,
    excessBlobGas: quantity,
    parentBeaconBlockRoot: nullable(hash),
    requestsHash: nullable(hash),
  },
  ['number', 'hash', 'timestamp', 'transactions', 'gasLimit', 'miner'],
);

const PROOF = object(
  {
    address,
    accountProof: list(data),
    balance: quantity,
    codeHash: hash,
    nonce: quantity,
    storageHash: hash,
    storageProof: list(
      object({ key: upTo(32), value: upTo(32), proof: list(data) }, ['key', 'value', 'proof']),
    ),
  },
  ['accountProof', 'storageProof', 'codeHash', 'storageHash'],
);

const FEE_HISTORY = object(
  { baseFeePerGas: list(quantity), oldestBlock: quantity, reward: nullable(list(list(quantity))) },
  ['baseFeePerGas', 'gasUsedRatio', 'oldestBlock', 'reward'],
);

const POOL = object({ pending: record(record(TRANSACTION)), queued: record(record(TRANSACTION)) }, [
  'pending',
  'queued',
]);

const CALL_TRACE = object(
  {
    from: address,
    to: address,
    value: quantity,
    gas: quantity,
    gasUsed: quantity,
    input: data,
    output: data,
  },
  ['from', 'to', 'gas', 'gasUsed', 'input'],
);

const TRACES = list(
  object(
    {
      action: object({ from: address, to: address, input: data, value: quantity, gas: quantity, init: data }),
      result: nullable(object({ address, code: data, output: data, gasUsed: quantity })),
      blockHash: hash,
      transactionHash: hash,
    },
    ['action', 'traceAddress', 'type'],
  ),
);

/** A request with fixed parameters. */
function ask(method: string, params: readonly unknown[], result: Rule): Step {
  return { method, params: () => params, result };
}

function on(method: string, params: (scene: Scene) => readonly unknown[], result: Rule, as?: string): Step {
  return as === undefined ? { method, params, result } : { method, params, result, as };
}

const call = ({ from, box }: Scene, input: string) => ({ from, to: box, data: input });

/** The requests of a session that sends a transfer, deploys a contract, and reads everything back. */
export const SESSION: readonly Step[] = [
  ask('web3_clientVersion', [], text),
  ask('eth_accounts', [], list(address)),
  ask('eth_blockNumber', [], quantity),
  ask('eth_chainId', [], quantity),
  ask('eth_gasPrice', [], quantity),
  ask('eth_syncing', [], flag),
  ask('net_version', [], text),
  ask('net_listening', [], flag),
  ask('net_peerCount', [], quantity),
  ask('eth_getBlockByNumber', ['0x0', false], BLOCK),
  ask('eth_getBlockByNumber', ['earliest', false], BLOCK),
  on('eth_estimateGas', ({ from, to }) => [{ from, to, value: '0xde0b6b3a7640000' }, 'latest'], quantity),
  on(
    'eth_sendTransaction',
    ({ from, to }) => [{ from, to, value: '0xde0b6b3a7640000', gas: '0x1d8a8' }],
    hash,
    'transfer',
  ),
  on('eth_getTransactionReceipt', ({ transfer }) => [transfer], RECEIPT),
  on('eth_getTransactionByHash', ({ transfer }) => [transfer], TRANSACTION),
  on('eth_getRawTransactionByHash', ({ transfer }) => [transfer], data),
  ask('eth_getTransactionByBlockNumberAndIndex', ['0x1', '0x0'], TRANSACTION),
  ask('eth_getBlockTransactionCountByNumber', ['0x1'], quantity),
  ask('eth_getUncleCountByBlockNumber', ['0x1'], quantity),
  ask('eth_getBlockReceipts', ['0x1'], list(RECEIPT)),
  ask('eth_getBlockByNumber', ['latest', true], BLOCK),
  on('eth_estimateGas', ({ from, creation }) => [{ from, data: creation }, 'latest'], quantity),
  on(
    'eth_sendTransaction',
    ({ from, creation }) => [{ from, data: creation, gas: '0x6acfc' }],
    hash,
    'created',
  ),
  {
    method: 'eth_getTransactionReceipt',
    params: ({ created }) => [created],
    result: RECEIPT,
    reads: ({ contractAddress }: { contractAddress: string }) => ({ box: contractAddress }),
  },
  on('eth_call', ({ box }) => [{ to: box, data: VALUE }, 'latest'], data),
  on(
    'eth_call',
    (scene) => [
      call(scene, VALUE),
      'latest',
      { [scene.box ?? '']: { state: { [`0x${'00'.repeat(32)}`]: `0x${'00'.repeat(31)}63` } } },
    ],
    data,
  ),
  on(
    'eth_call',
    ({ from = '', to }) => [
      { from, to, data: '0x' },
      'latest',
      { [from]: { balance: '0x5', nonce: '0x3', code: '0x6001' } },
    ],
    data,
  ),
  on(
    'eth_createAccessList',
    (scene) => [call(scene, SET_42), 'latest'],
    object({ accessList: ACCESS_LIST, gasUsed: quantity }, ['accessList', 'gasUsed']),
  ),
  on(
    'eth_newFilter',
    ({ box }) => [{ topics: [CHANGED], fromBlock: '0x0', toBlock: 'latest', address: [box] }],
    text,
    'filter',
  ),
  ask('eth_newBlockFilter', [], text),
  ask('eth_newPendingTransactionFilter', [], text),
  on('eth_sendTransaction', (scene) => [{ ...call(scene, SET_42), gas: '0x1f4dc' }], hash, 'changed'),
  on('eth_getTransactionReceipt', ({ changed }) => [changed], RECEIPT),
  on('eth_getFilterChanges', ({ filter }) => [filter], list(LOG)),
  on('eth_getFilterLogs', ({ filter }) => [filter], list(LOG)),
  on('eth_uninstallFilter', ({ filter }) => [filter], flag),
  on('eth_getLogs', ({ box }) => [{ topics: [CHANGED], address: [box], fromBlock: '0x0' }], list(LOG)),
  on(
    'eth_getLogs',
    ({ box }) => [{ fromBlock: '0x0', toBlock: 'latest', address: [box], topics: [null] }],
    list(LOG),
  ),
  on('eth_getTransactionCount', ({ from }) => [from, 'pending'], quantity),
  on('eth_getCode', ({ box }) => [box, 'latest'], data),
  on('eth_getStorageAt', ({ box }) => [box, '0x0', 'latest'], data),
  on('eth_getBalance', ({ from }) => [from, '0x1'], quantity),
  on('eth_getProof', ({ box }) => [box, ['0x0'], 'latest'], PROOF),
  ask('eth_feeHistory', ['0x3', 'latest', [10, 90]], FEE_HISTORY),
  on('eth_sign', ({ from }) => [from, '0x68656c6c6f'], bytes(65)),
  on(
    'eth_simulateV1',
    ({ from = '', to }) => [
      {
        blockStateCalls: [
          {
            stateOverrides: { [from]: { balance: '0x8ac7230489e80000' } },
            calls: [{ from, to, value: '0x5' }],
          },
        ],
        traceTransfers: true,
      },
      'latest',
    ],
    list(
      object({
        number: quantity,
        calls: list(object({ returnData: data, status: quantity, logs: list(LOG) })),
      }),
    ),
  ),
  ask('txpool_status', [], object({ pending: anything, queued: anything }, ['pending', 'queued'])),
  ask('txpool_content', [], POOL),
  ask('txpool_inspect', [], object({ pending: record(record(text)) }, ['pending', 'queued'])),
  on('debug_traceTransaction', ({ changed }) => [changed, null], object({ structLogs: list(object({})) })),
  on('debug_traceTransaction', ({ changed }) => [changed, { tracer: 'callTracer' }], CALL_TRACE),
  on(
    'debug_traceTransaction',
    ({ changed }) => [changed, { tracer: 'callTracer', tracerConfig: { withLog: true } }],
    CALL_TRACE,
  ),
  on(
    'debug_traceTransaction',
    ({ changed }) => [changed, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }],
    object({ pre: record(object({ balance: quantity })), post: object({}) }, ['pre', 'post']),
  ),
  on('debug_traceTransaction', ({ changed }) => [changed, { tracer: '4byteTracer' }], record(anything)),
  on('trace_transaction', ({ changed }) => [changed], TRACES),
  ask('trace_block', ['0x3'], TRACES),
  on(
    'trace_call',
    (scene) => [call(scene, VALUE), ['trace', 'stateDiff'], 'latest'],
    object({ output: data }),
  ),
  on('trace_replayTransaction', ({ changed }) => [changed, ['trace']], object({ output: data }, ['trace'])),
  ask('trace_replayBlockTransactions', ['0x3', ['trace']], list(object({ transactionHash: hash }))),
  ask('evm_snapshot', [], text),
  ask('evm_mine', [], anything),
  ask('evm_increaseTime', [10], anything),
  ask('evm_revert', ['0x1'], flag),
];

export const WEB3_PY: Client = {
  name: 'web3.py',
  headers: {
    'Content-Type': 'application/json',
    'User-Agent': 'web3.py/8.0.0/web3.providers.rpc.rpc.HTTPProvider',
  },
  envelope: (method, params, id) => ({ jsonrpc: '2.0', method, params, id }),
  steps: SESSION,
};
