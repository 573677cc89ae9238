/** A question that rskj and this node answer differently. The reference page lists all of them. */
export interface Decision {
  readonly question: string;
  readonly rskj: string;
  readonly node: string;
  readonly reason: string;
}

const NO_SILENCE = 'an empty result looks valid';

/** The decisions: service.md first, then the design, then rskj, unless rskj is hostile to tools. */
export const DECISIONS = {
  bareTopic: {
    question: '`topics` as a text instead of an array',
    rskj: 'one topic',
    node: '-32602',
    reason: 'the service document defines an array; geth and Anvil reject a text',
  },
  missingPrefix: {
    question: 'hashes, addresses, topics and data without `0x`, or data with an odd number of digits',
    rskj: 'taken',
    node: '-32602; `personal_importRawKey` takes a key without `0x`',
    reason: 'DATA has `0x` and whole bytes in the service document',
  },
  nullBesideTopic: {
    question: '`null` beside topics in a list, `[[T, null]]`',
    rskj: 'ignored: matches T',
    node: 'ignored with `service`; matches any topic with `anvil` and `hardhat`',
    reason: 'geth and Anvil read `null` as any topic',
  },
  logsOfUnknownHash: {
    question: '`eth_getLogs` with an unknown `blockHash`',
    rskj: '`[]`',
    node: '-32600',
    reason: `EIP-234 requires an error; ${NO_SILENCE}`,
  },
  codeAtUnknownBlock: {
    question: '`eth_getCode` at the number of an unknown block',
    rskj: '`null`',
    node: '-32600',
    reason: 'the result is DATA in the service document; the other state methods of rskj return this error',
  },
  traceOfUnknown: {
    question:
      '`debug_traceTransaction`, `debug_traceBlockByHash` or `debug_traceBlockByNumber` of an unknown hash or number',
    rskj: '`null`',
    node: '-32000 for a transaction, -32600 for a block',
    reason: 'tools read the members of a trace and fail on `null`; geth, Anvil and Hardhat return errors',
  },
  countInUnknownBlock: {
    question: '`eth_getBlockTransactionCountByNumber` of an unknown block',
    rskj: '-32600',
    node: '`null`',
    reason: 'as by hash in the service document; geth, Anvil and Hardhat return `null`',
  },
  indexBeyondLast: {
    question: 'an index beyond the last transaction or uncle that exceeds 31 bits',
    rskj: '-32602',
    node: '`null`',
    reason: 'rskj returns `null` for a smaller index beyond the last; its limit is the integer type of Java',
  },
  decimalIndex: {
    question: 'an index in decimal digits, `"123"`',
    rskj: '-32602',
    node: 'taken as decimal',
    reason: 'numbers and blocks are taken in decimal by both nodes',
  },
  traceGet: {
    question: '`trace_get(hash, ["0x0"])`, and a path without a trace',
    rskj: 'trace 0 of the block; -32603',
    node: 'the first call inside the transaction; `null`',
    reason: 'the indexes are a path in OpenEthereum, Erigon and Anvil',
  },
  reversedTraceFilter: {
    question: '`trace_filter` of numbers beyond the head with `fromBlock` above `toBlock`',
    rskj: '`[]`',
    node: '-32602',
    reason: 'the same range below the head is -32602 on rskj',
  },
  precompileOverride: {
    question: 'a state override of the balance, nonce, code or storage of a precompiled contract',
    rskj: '-32602',
    node: 'applied',
    reason: 'geth and Anvil apply it; tests replace the Bridge by it',
  },
  clientVersion: {
    question: '`web3_clientVersion`',
    rskj: '`RskJ/…`',
    node: '`anvil/…/node-cli/…`, without "rsk"; `HardhatNetwork/…` with `hardhat`; `node-cli/…` with `--hosted`',
    reason: 'tools enable their development features by these names',
  },
  defaultGas: {
    question: 'the gas of a plain transfer in `eth_sendTransaction` without `gas`',
    rskj: '90,000',
    node: '21,000; otherwise 90,000 or the estimate if that is larger',
    reason: 'a transfer needs 21,000; wallets and tests compare the gas of transfers',
  },
  gasAndGasLimit: {
    question: '`gas` and `gasLimit` with different values in `eth_sendTransaction`',
    rskj: '`gas` counts',
    node: '-32602',
    reason: 'the client contradicts itself; a silent choice hides that',
  },
  optionalParameters: {
    question: 'optional parameters',
    rskj: 'the number of parameters must match exactly',
    node: 'as in the service document',
    reason: 'clients leave them out',
  },
  compilers: {
    question: '`eth_getCompilers`',
    rskj: '`["solidity"]`',
    node: '-32601 with the reason',
    reason: 'unsupported in the service document',
  },
  traceForm: {
    question: '`debug_traceTransaction` without a tracer, or with `tracer: null`',
    rskj: 'its own form; an error for `null`',
    node: 'geth\'s struct logs; `tracer: "rskTracer"` returns rskj\'s form',
    reason: 'Foundry, Hardhat and viem read the form of geth',
  },
  haltedCall: {
    question: '`eth_call` that halts without a revert (out of gas, invalid opcode)',
    rskj: '`0x`',
    node: '-32015 with the reason; `0x` with `--hosted`',
    reason: NO_SILENCE,
  },
  pendingBlock: {
    question: '`pending` in `eth_getBlockByNumber` and four other methods',
    rskj: 'served',
    node: '-32602 with `service`; served with `anvil` and `hardhat`',
    reason: 'not supported in the service document',
  },
  peers: {
    question: '`sco_peerList`',
    rskj: 'the peers of the node',
    node: 'the addresses that sent transactions to the node',
    reason: 'a local node has no peers; bans concern its clients',
  },
} as const satisfies Readonly<Record<string, Decision>>;

export type DecisionName = keyof typeof DECISIONS;
