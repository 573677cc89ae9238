// Transactions and calls whose traces are compared with Anvil's, and the requests for these traces.

import { getCreateAddress, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** Requests the result of a method from a node. */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

/**
 * Replies of a node by request; an error as its code and message. Block hashes are replaced by block numbers.
 */
export type TraceAnswers = Readonly<Record<string, unknown>>;

const SENDER = privateKeyToAccount(`0x${'7'.repeat(64)}`);
const COINBASE = `0x${'cc'.repeat(20)}`;
const BENEFICIARY = `0x${'be'.repeat(20)}`;
const GWEI = 10n ** 9n;
export const SCENE_CHAIN_ID = 31_337;
/** The sender of all transactions. */
export const SCENE_SENDER = SENDER.address.toLowerCase();

/** Initcode for code of less than 256 bytes. */
function initcode(code: string): Hex {
  const length = (code.length / 2).toString(16).padStart(2, '0');
  return `0x60${length}80600a5f395ff3fe${code}`;
}

const addressOf = (nonce: number): Hex => getCreateAddress({ from: SENDER.address, nonce: BigInt(nonce) });
const push = (address: string): string => `73${address.slice(2).toLowerCase()}`;

/** Stores the word of the data in slot 0, logs it with topic 1, and returns it. */
const STORING = '5f35 5f55 5f54 5f52 6001 6020 5f a1 6020 5f f3'.replaceAll(' ', '');
/** Reverts with the selector 0xdeadbeef. */
const REVERTING = '63deadbeef 60e0 1b 5f52 6004 5f fd'.replaceAll(' ', '');
/** Runs until it is out of gas. */
const ENDLESS = '5b5f56';
/** Sends its whole balance away. */
const ENDING = `${push(BENEFICIARY)}ff`;

/** CALL (f1) or CALLCODE (f2) with 32 bytes of data and a value, or DELEGATECALL (f4) or STATICCALL (fa). */
function callTo(address: string, opcode: 'f1' | 'f2' | 'f4' | 'fa', value = 0): string {
  const amount = opcode === 'f1' || opcode === 'f2' ? `60${value.toString(16).padStart(2, '0')}` : '';
  return `60205f60205f${amount}${push(address)}61ffff${opcode}50`;
}

/**
 * Calls all other contracts in each way, a precompile and an account without code. Creates two contracts; the
 * second one reverts.
 */
function calling(): string {
  const identity = `0x${'0'.repeat(39)}4`;
  const nobody = `0x${'ab'.repeat(20)}`;
  return [
    '602a5f52',
    callTo(addressOf(0), 'f1'),
    callTo(addressOf(1), 'f1'),
    callTo(addressOf(0), 'f4'),
    callTo(addressOf(0), 'fa'),
    callTo(identity, 'fa'),
    callTo(nobody, 'f1', 1),
    // CREATE2 with initcode that returns one zero, CREATE with one that reverts: PUSH1 1 PUSH0 RETURN, PUSH0 PUSH0 REVERT.
    '6360015ff3 60e0 1b 5f52 6007 6004 5f 5f f5 50'.replaceAll(' ', ''),
    '625f5ffd 60e8 1b 5f52 6003 5f 5f f0 50'.replaceAll(' ', ''),
    '00',
  ].join('');
}

/** Transactions by name, in order, each in its own block. */
const TRANSACTIONS: Readonly<
  Record<string, { to?: Hex; data?: Hex; value?: bigint; gas: bigint; lists?: true }>
> = {
  'creation of storing': { data: initcode(STORING), gas: 200_000n },
  'creation of reverting': { data: initcode(REVERTING), gas: 200_000n },
  'creation of endless': { data: initcode(ENDLESS), gas: 200_000n },
  'creation of ending': { data: initcode(ENDING), gas: 200_000n },
  'creation of calling': { data: initcode(calling()), gas: 400_000n },
  transfer: { to: BENEFICIARY as Hex, value: 5n, gas: 21_000n },
  storing: { to: addressOf(0), data: `0x${'07'.padStart(64, '0')}`, gas: 100_000n, lists: true },
  reverting: { to: addressOf(1), gas: 50_000n },
  endless: { to: addressOf(2), gas: 22_000n },
  calling: { to: addressOf(4), value: 10n, gas: 900_000n },
  'creation that reverts': { data: '0x5f5ffd', gas: 100_000n },
  ending: { to: addressOf(3), value: 3n, gas: 100_000n },
};

async function signed(nonce: number, name: string): Promise<Hex> {
  const { lists, ...fields } = TRANSACTIONS[name] ?? { gas: 0n };
  const common = { chainId: SCENE_CHAIN_ID, nonce, gasPrice: 10n * GWEI, ...fields };
  if (lists !== true) return SENDER.signTransaction({ ...common, type: 'legacy' });
  const accessList = [{ address: addressOf(0), storageKeys: [`0x${'0'.repeat(64)}` as Hex] }];
  return SENDER.signTransaction({ ...common, type: 'eip2930', accessList });
}

const TRACERS = {
  callTracer: { tracer: 'callTracer', tracerConfig: { withLog: true } },
  'callTracer of the top': { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } },
  prestateTracer: { tracer: 'prestateTracer' },
  'prestateTracer with differences': { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  '4byteTracer': { tracer: '4byteTracer' },
  flatCallTracer: { tracer: 'flatCallTracer' },
  muxTracer: { tracer: 'muxTracer', tracerConfig: { callTracer: {}, '4byteTracer': {} } },
  noopTracer: { tracer: 'noopTracer' },
} as const;

/** Transactions whose steps are compared too. */
const STEPPED = ['storing', 'reverting', 'endless'];
const PARTS = ['trace', 'vmTrace', 'stateDiff'];

type Question = readonly [method: string, ...params: unknown[]];

function questionsAbout(name: string, hash: string, block: string): Record<string, Question> {
  const questions: Record<string, Question> = {};
  for (const [tracer, options] of Object.entries(TRACERS))
    questions[`debug_traceTransaction ${name}, ${tracer}`] = ['debug_traceTransaction', hash, options];
  if (STEPPED.includes(name)) {
    questions[`debug_traceTransaction ${name}, steps`] = ['debug_traceTransaction', hash, {}];
    questions[`debug_traceTransaction ${name}, steps with all`] = [
      'debug_traceTransaction',
      hash,
      { enableMemory: true, enableReturnData: true },
    ];
  }
  questions[`trace_transaction ${name}`] = ['trace_transaction', hash];
  questions[`trace_block ${name}`] = ['trace_block', block];
  questions[`trace_replayTransaction ${name}`] = ['trace_replayTransaction', hash, PARTS];
  questions[`trace_replayBlockTransactions ${name}`] = ['trace_replayBlockTransactions', block, ['trace']];
  questions[`ots_traceTransaction ${name}`] = ['ots_traceTransaction', hash];
  questions[`ots_getInternalOperations ${name}`] = ['ots_getInternalOperations', hash];
  questions[`ots_getTransactionError ${name}`] = ['ots_getTransactionError', hash];
  return questions;
}

function questionsAtEnd(
  hashes: readonly string[],
  firstBlock: number,
  lastBlock: string,
): Record<string, Question> {
  const call = { from: SENDER.address, to: addressOf(4), value: '0x1', gas: '0xdbba0' };
  const [hash = ''] = hashes;
  const range = { fromBlock: `0x${firstBlock.toString(16)}`, toBlock: lastBlock };
  const questions: Record<string, Question> = {
    'debug_traceBlockByNumber, callTracer': ['debug_traceBlockByNumber', lastBlock, TRACERS.callTracer],
    'trace_filter, all': ['trace_filter', range],
    'trace_filter by sender': ['trace_filter', { ...range, fromAddress: [SENDER.address] }],
    'trace_filter by receiver': ['trace_filter', { ...range, toAddress: [addressOf(0)] }],
    trace_get: ['trace_get', hash, []],
    trace_call: ['trace_call', call, PARTS, 'latest'],
    trace_callMany: [
      'trace_callMany',
      [
        [call, ['trace']],
        [call, ['stateDiff']],
      ],
      'latest',
    ],
    trace_transactionOpcodeGas: ['trace_transactionOpcodeGas', hash],
    trace_blockOpcodeGas: ['trace_blockOpcodeGas', lastBlock],
    'debug_traceCall, steps': ['debug_traceCall', { to: addressOf(1), gas: '0xc350' }, 'latest', {}],
    debug_traceCallMany: [
      'debug_traceCallMany',
      [{ transactions: [call] }],
      { blockNumber: 'latest' },
      TRACERS['callTracer of the top'],
    ],
  };
  for (const [tracer, options] of Object.entries(TRACERS))
    questions[`debug_traceCall, ${tracer}`] = ['debug_traceCall', call, 'latest', options];
  return questions;
}

async function answerOf(ask: Ask, [method, ...params]: Question): Promise<unknown> {
  try {
    return await ask(method, params);
  } catch (error) {
    const { code, message } = error as { readonly code: number; readonly message: string };
    return { error: { code, message } };
  }
}

/** Resolves to the block with the transaction. Anvil mines it shortly after its reply. */
async function blockOf(ask: Ask, hash: string): Promise<{ readonly hash: string; readonly number: string }> {
  for (;;) {
    const receipt = await ask('eth_getTransactionReceipt', [hash]);
    if (receipt === null) continue;
    const { blockHash, blockNumber } = receipt as {
      readonly blockHash: string;
      readonly blockNumber: string;
    };
    return { hash: blockHash, number: blockNumber };
  }
}

/** Sends the transactions to a fresh node. Resolves to its replies about them. */
export async function playTraceScene(ask: Ask): Promise<TraceAnswers> {
  await ask('anvil_setBalance', [SENDER.address, '0x56bc75e2d63100000']);
  await ask('anvil_setCoinbase', [COINBASE]);
  const blockNames = new Map<string, string>();
  const hashes: string[] = [];
  const questions: Record<string, Question> = {};
  let block = { hash: '', number: '0x0' };
  for (const [nonce, name] of Object.keys(TRANSACTIONS).entries()) {
    await ask('anvil_setNextBlockBaseFeePerGas', [`0x${GWEI.toString(16)}`]);
    const hash = String(await ask('eth_sendRawTransaction', [await signed(nonce, name)]));
    block = await blockOf(ask, hash);
    blockNames.set(block.hash, `block ${Number(block.number)}`);
    hashes.push(hash);
    Object.assign(questions, questionsAbout(name, hash, block.number));
  }
  const first = Number(block.number) - hashes.length + 1;
  Object.assign(questions, questionsAtEnd(hashes, first, block.number));
  const answers: Record<string, unknown> = {};
  for (const [name, question] of Object.entries(questions)) {
    const text = JSON.stringify(await answerOf(ask, question), (_key, value: unknown) =>
      typeof value === 'string' ? (blockNames.get(value) ?? value) : value,
    );
    answers[name] = text === undefined ? null : JSON.parse(text);
  }
  return answers;
}
