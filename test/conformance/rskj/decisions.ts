/** A request with different replies from rskj and this node. The reference page lists all of them. */
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
    question: '`topics` as a string instead of an array',
    rskj: 'read as one topic',
    node: '-32602',
    reason: 'the service document defines an array; geth and Anvil reject a string',
  },
  missingPrefix: {
    question: 'hashes, addresses, topics and data without `0x`, or data with an odd number of digits',
    rskj: 'accepted',
    node: '-32602; `personal_importRawKey` accepts a key without `0x`',
    reason: 'in the service document, DATA starts with `0x` and contains whole bytes',
  },
  nullBesideTopic: {
    question: '`null` next to a topic T in a list of alternatives (`[[T, null]]`)',
    rskj: '`null` is ignored: only T matches',
    node: 'with `service`, only T matches; with `anvil` and `hardhat`, any topic matches',
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
    reason: 'in the service document, the result is DATA; the other state methods of rskj return -32600 too',
  },
  traceOfUnknown: {
    question:
      '`debug_traceTransaction`, `debug_traceBlockByHash` or `debug_traceBlockByNumber` of an unknown hash or number',
    rskj: '`null`',
    node: '-32000 for a transaction, -32600 for a block',
    reason:
      'tools read the members of a trace, so they fail on `null`; geth, Anvil and Hardhat return errors',
  },
  countInUnknownBlock: {
    question: '`eth_getBlockTransactionCountByNumber` of an unknown block',
    rskj: '-32600',
    node: '`null`',
    reason:
      'the service document defines `null` for the same method with a block hash; geth, Anvil and Hardhat return `null`',
  },
  indexBeyondLast: {
    question: 'the index of a transaction or uncle, if the index is 2^31 or more',
    rskj: '-32602',
    node: '`null`',
    reason:
      'for a missing item with an index below 2^31, rskj returns `null` too; the error comes from the integer type of Java',
  },
  decimalIndex: {
    question: 'an index as a decimal string, such as `"123"`',
    rskj: '-32602',
    node: 'read as a decimal number',
    reason: 'both nodes accept decimal strings for quantities and block numbers',
  },
  traceGet: {
    question: '`trace_get` with (1) the indexes `["0x0"]`, (2) indexes without a trace',
    rskj: '(1) trace 0 of the block, (2) -32603',
    node: '(1) the first call inside the transaction, (2) `null`',
    reason: 'OpenEthereum, Erigon and Anvil read the indexes as a trace address: a path in the call tree',
  },
  reversedTraceFilter: {
    question:
      '`trace_filter` with a reversed range (`fromBlock` above `toBlock`), if both numbers are above the head',
    rskj: '`[]`',
    node: '-32602',
    reason: 'for a reversed range below the head, rskj returns -32602 too',
  },
  precompileOverride: {
    question: 'a state override of the balance, nonce, code or storage of a precompiled contract',
    rskj: '-32602',
    node: 'applied',
    reason: 'geth and Anvil apply the override; tests replace the Bridge with overrides',
  },
  clientVersion: {
    question: '`web3_clientVersion`',
    rskj: '`RskJ/…`',
    node: '`anvil/…/node-cli/…`; with `--compat hardhat`, `HardhatNetwork/…`; with `--hosted`, `node-cli/…`. No value contains "rsk"',
    reason: 'tools detect a development node by the name `anvil` or `HardhatNetwork`',
  },
  defaultGas: {
    question: 'the gas of a plain transfer in `eth_sendTransaction` without `gas`',
    rskj: '90,000',
    node: '21,000 (for other transactions: the larger of 90,000 and the estimate)',
    reason: 'a transfer uses 21,000; wallets and tests compare the gas of transfers',
  },
  gasAndGasLimit: {
    question: '`gas` and `gasLimit` with different values in `eth_sendTransaction`',
    rskj: 'uses `gas`',
    node: '-32602',
    reason: 'the request contradicts itself; a silent choice would hide the mistake',
  },
  optionalParameters: {
    question: 'omitted optional parameters',
    rskj: 'an error: the number of parameters must match exactly',
    node: 'accepted, as in the service document',
    reason: 'clients omit optional parameters',
  },
  compilers: {
    question: '`eth_getCompilers`',
    rskj: '`["solidity"]`',
    node: '-32601; the message contains the reason',
    reason: 'the service document lists the method as unsupported',
  },
  traceForm: {
    question: '`debug_traceTransaction` without a tracer, or with `tracer: null`',
    rskj: 'the form of rskj without a tracer; an error with `tracer: null`',
    node: 'the struct logs of geth (to get the form of rskj, set `tracer: "rskTracer"`)',
    reason: 'Foundry, Hardhat and viem expect the form of geth',
  },
  haltedCall: {
    question: '`eth_call` that halts without a revert (out of gas, invalid opcode)',
    rskj: '`0x`',
    node: '-32015 with the reason (with `--hosted`: `0x`)',
    reason: NO_SILENCE,
  },
  pendingBlock: {
    question:
      'the block tag `pending` in `eth_getBlockByNumber` and four other methods (see [Compat modes](#compat-modes))',
    rskj: 'accepted',
    node: 'with `service`, -32602; with `anvil` and `hardhat`, accepted',
    reason: 'the service document does not support `pending` in these methods',
  },
  peers: {
    question: '`sco_peerList`',
    rskj: 'the peers of the node',
    node: 'the addresses that sent transactions to the node',
    reason: 'a local node has no peers; its bans apply to client addresses',
  },
} as const satisfies Readonly<Record<string, Decision>>;

export type DecisionName = keyof typeof DECISIONS;
