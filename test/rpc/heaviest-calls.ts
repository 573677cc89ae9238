// The heaviest legal input of each method of the node with a scalable size, and the methods without one.

import { wideLayout } from '../artifacts/hostile-layouts.ts';
import { ALICE } from '../support/test-chain.ts';
import { word } from '../support/words.ts';

export type Ask = (method: string, params?: readonly unknown[]) => Promise<unknown>;

/** A call whose work grows with a size. */
export interface HeaviestCall {
  readonly method: string;
  /** Distinguishes calls of one method; absent if there is only one. */
  readonly of?: string;
  /** The number of parts of the input: items, bytes, steps, blocks. */
  readonly size: number;
  /** The maximum number of parts that one time slice may handle. */
  readonly perSlice: number;
  /** Prepares the chain. Returns a value for {@link params}. */
  readonly before?: (ask: Ask, size: number) => Promise<unknown>;
  readonly params: (size: number, prepared: unknown) => readonly unknown[];
  readonly ruleSet?: 'rootstock' | 'prague' | 'amsterdam';
  /** True for work that yields after counted steps, without reading the clock. */
  readonly isCounted?: true;
}
export const CONTRACT = `0x${'c0'.repeat(20)}`;
const call = { from: ALICE, to: CONTRACT };
const MUCH_GAS = '0x5f5e100';
const addressOf = (index: number): string => `0x${(index + 0x1000).toString(16).padStart(40, '0')}`;
const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const slots = (size: number): object => Object.fromEntries(times(size, (at) => [word(at), word(at + 1)]));
const manyAccounts = (size: number): object =>
  Object.fromEntries(times(size, (at) => [addressOf(at), { nonce: 0, balance: '0x1' }]));

const overriddenBalances = (size: number): object =>
  Object.fromEntries(times(size, (at) => [addressOf(at), { balance: '0x1' }]));

/** Code that runs `body` with each number from `count` down to 1 on the stack. */
const withEach = (count: number, body: string): string =>
  `0x62${count.toString(16).padStart(6, '0')}5b80${body}600190038060045700`;
const WRITE_EACH = '8055';
const LOG_EACH = '505f5fa0';
const READ_EACH = '5450';
const CALL_EACH = `5f5f5f5f5f73${'cd'.repeat(20)}5af15050`;
const STEP_EACH = '50';

const typedData = (size: number): object => ({
  types: { List: [{ name: 'items', type: 'uint8[]' }] },
  primaryType: 'List',
  domain: {},
  message: { items: times(size, (index) => index % 256) },
});

/** Typed data with a struct of `size` members. */
const wideType = (size: number): object => ({
  types: { Wide: times(size, (index) => ({ name: `m${index}`, type: 'bool' })) },
  primaryType: 'Wide',
  domain: {},
  message: Object.fromEntries(times(size, (index) => [`m${index}`, true])),
});

const withAccessList = (size: number): object => ({
  ...call,
  type: '0x1',
  nonce: '0x0',
  gas: '0x1',
  gasPrice: '0x3b9aca00',
  accessList: times(size, (at) => ({ address: addressOf(at), storageKeys: [] })),
});

const setCode = (code: string) => (ask: Ask) => ask('anvil_setCode', [CONTRACT, code]);

/** Mines a transaction that runs the code. Returns its hash. */
const run =
  (body: string) =>
  async (ask: Ask, size: number): Promise<unknown> => {
    await ask('anvil_setCode', [CONTRACT, withEach(size, body)]);
    return ask('eth_sendTransaction', [{ ...call, gas: MUCH_GAS }]);
  };

/** Mines `size` blocks with one transaction each. */
const transfers = async (ask: Ask, size: number): Promise<void> => {
  for (let block = 0; block < size; block++)
    await ask('eth_sendTransaction', [{ from: ALICE, to: ALICE, gas: '0x5208' }]);
};

/** Signs `size` transactions of Alice. */
const signedTransfers = async (ask: Ask, size: number, gasPrice = '0x0'): Promise<unknown> => {
  const signed: unknown[] = [];
  for (let nonce = 0; nonce < size; nonce++) {
    const fields = { from: ALICE, to: ALICE, gas: '0x5208', nonce, gasPrice };
    signed.push(await ask('eth_signTransaction', [fields]));
  }
  return signed;
};

const mevBundle = (txs: unknown): object => ({
  inclusion: { block: '0x1' },
  body: (txs as readonly unknown[]).map((tx) => ({ tx, canRevert: false })),
});

/** Mines one block with `size` transactions. Returns its hash. */
const fullBlock = async (ask: Ask, size: number): Promise<unknown> => {
  await waiting(ask, size);
  await ask('evm_mine');
  const { hash } = (await ask('eth_getBlockByNumber', ['latest', false])) as { readonly hash: string };
  return hash;
};

/** Adds `size` transactions to the pool. */
const waiting = async (ask: Ask, size: number): Promise<void> => {
  await ask('evm_setAutomine', [false]);
  await transfers(ask, size);
};

const load = async (ask: Ask, accounts: object): Promise<unknown> =>
  ask('anvil_loadState', [JSON.stringify({ accounts })]);
const loadAccounts = (ask: Ask, size: number): Promise<unknown> => load(ask, manyAccounts(size));
const accountWithSlots = (size: number): object => ({
  [CONTRACT]: { nonce: 0, balance: '0x1', storage: slots(size) },
});
const loadSlots = (ask: Ask, size: number): Promise<unknown> => load(ask, accountWithSlots(size));

/** Mines `size` blocks, one by one. */
const emptyBlocks = (ask: Ask, size: number): Promise<unknown> =>
  ask('evm_mine_detailed', [{ blocks: size }]);

const overridden = (size: number, body: string): object => ({ [CONTRACT]: { code: withEach(size, body) } });
const traced = (size: number, tracer: string | null, body: string, config: object = {}) => [
  { ...call, gas: MUCH_GAS },
  'latest',
  { ...(tracer === null ? {} : { tracer }), ...config, stateOverrides: overridden(size, body) },
];
const manyCalls = (size: number): object[] => times(size, () => call);

/** PUSH0, PUSH0, REVERT, with the source index of each instruction. */
const REVERTING = { object: '5f5ffd', sourceMap: '0:1:0:-;;' };

/** Gives CONTRACT code that reverts, with this ABI and this source. */
const described = async (ask: Ask, abi: readonly object[], content: string): Promise<void> => {
  const evm = { bytecode: REVERTING, deployedBytecode: REVERTING };
  const output = { contracts: { 'A.sol': { C: { abi, evm } } }, sources: { 'A.sol': { id: 0 } } };
  await ask('inspect_addArtifacts', [{ language: 'Solidity', sources: { 'A.sol': { content } } }, output]);
  await ask('anvil_setCode', [CONTRACT, `0x${REVERTING.object}`]);
};

const reads = (method: string, params: readonly unknown[], perSlice: number): HeaviestCall => ({
  method,
  size: 8_000,
  perSlice,
  before: loadSlots,
  params: () => params,
});

/** The calls, with the number of parts that a time slice may handle. */
export const HEAVIEST_CALLS: readonly HeaviestCall[] = [
  // Signing of long data and of lists.
  {
    method: 'eth_signTypedData_v4',
    size: 8_000,
    perSlice: 3_000,
    params: (size) => [ALICE, typedData(size)],
  },
  {
    method: 'eth_signTransaction',
    size: 5_000,
    perSlice: 950,
    params: (size) => [withAccessList(size)],
    ruleSet: 'prague',
  },
  {
    method: 'eth_signRawTransaction',
    size: 5_000,
    perSlice: 1_600,
    before: async (ask, size) =>
      ((await ask('eth_fillTransaction', [withAccessList(size)])) as { raw: string }).raw,
    params: (_, raw) => [raw, ALICE],
    ruleSet: 'prague',
  },
  {
    method: 'eth_fillTransaction',
    size: 5_000,
    perSlice: 650,
    params: (size) => [withAccessList(size)],
    ruleSet: 'prague',
  },
  {
    method: 'personal_signTransaction',
    size: 5_000,
    perSlice: 650,
    params: (size) => [withAccessList(size), ''],
    ruleSet: 'prague',
  },
  {
    method: 'eth_signTypedData_v4',
    of: 'text',
    size: 8_000,
    perSlice: 3_000,
    params: (size) => [ALICE, JSON.stringify(typedData(size))],
  },
  {
    method: 'eth_signTypedData_v4',
    of: 'members of a struct',
    size: 4_000,
    perSlice: 400,
    params: (size) => [ALICE, wideType(size)],
  },
  {
    method: 'eth_call',
    of: 'bytes of code',
    size: 1_000_000,
    perSlice: 500_000,
    params: (size) => [call, 'latest', { [CONTRACT]: { code: `0x00${'5b'.repeat(size)}` } }],
  },
  {
    method: 'eth_estimateGas',
    of: 'overridden slots',
    size: 4_000,
    perSlice: 500,
    params: (size) => [call, 'latest', { [CONTRACT]: { state: slots(size) } }],
  },
  {
    method: 'eth_createAccessList',
    of: 'overridden slots',
    size: 4_000,
    perSlice: 500,
    params: (size) => [call, 'latest', { [CONTRACT]: { state: slots(size) } }],
  },
  {
    method: 'eth_getLogs',
    of: 'addresses',
    size: 8_000,
    perSlice: 2_000,
    params: (size) => [{ address: times(size, addressOf) }],
  },
  {
    method: 'anvil_loadState',
    isCounted: true,
    of: 'slots',
    size: 4_000,
    perSlice: 570,
    params: (size) => [JSON.stringify({ accounts: accountWithSlots(size) })],
  },
  {
    method: 'anvil_loadState',
    isCounted: true,
    of: 'accounts of an object',
    size: 4_000,
    perSlice: 500,
    params: (size) => [{ accounts: manyAccounts(size) }],
  },
  {
    method: 'debug_dumpBlock',
    of: 'accounts',
    size: 4_000,
    perSlice: 600,
    before: loadAccounts,
    params: () => ['latest'],
  },
  {
    method: 'debug_dumpBlock',
    of: 'bytes of code',
    size: 1_000_000,
    perSlice: 500_000,
    before: (ask, size) => setCode(`0x${'5b'.repeat(size)}`)(ask),
    params: () => ['latest'],
  },
  {
    method: 'inspect_addArtifacts',
    of: 'functions of an ABI',
    isCounted: true,
    size: 12_000,
    perSlice: 3_000,
    params: (size) => {
      const abi = times(size, (at) => ({ type: 'function', name: `f${at}`, inputs: [], outputs: [] }));
      const evm = { bytecode: { object: '6001' }, deployedBytecode: { object: '6002' } };
      return [{ sources: {} }, { contracts: { 'A.sol': { C: { abi, evm } } } }];
    },
  },
  {
    method: 'inspect_addArtifacts',
    of: 'contracts',
    isCounted: true,
    size: 400,
    perSlice: 4,
    params: (size) => {
      const code = (at: number) => ({ object: `60${word(at).slice(-8)}` });
      const contracts = times(size, (at) => [
        `C${at}`,
        { abi: [], evm: { bytecode: code(at), deployedBytecode: code(at) } },
      ]);
      return [{ sources: {} }, { contracts: { 'A.sol': Object.fromEntries(contracts) } }];
    },
  },
  {
    method: 'debug_traceCall',
    of: 'prestateTracer: bytes of code',
    size: 1_000_000,
    perSlice: 300_000,
    before: (ask, size) => setCode(`0x00${'5b'.repeat(size)}`)(ask),
    params: () => [call, 'latest', { tracer: 'prestateTracer' }],
  },
  {
    method: 'trace_call',
    of: 'bytes of code',
    size: 1_000_000,
    perSlice: 300_000,
    before: (ask, size) => setCode(`0x00${'5b'.repeat(size)}`)(ask),
    params: () => [call, ['vmTrace']],
  },
  {
    method: 'trace_call',
    of: 'frames',
    size: 1_000,
    perSlice: 100,
    params: (size) => [{ ...call, gas: MUCH_GAS }, ['trace'], 'latest', overridden(size, CALL_EACH)],
  },
  // Calls.
  {
    method: 'eth_call',
    size: 100_000,
    perSlice: 100_000,
    params: (size) => [{ ...call, gas: MUCH_GAS }, 'latest', overridden(size, STEP_EACH)],
  },
  {
    method: 'eth_call',
    of: 'overridden accounts',
    size: 4_000,
    perSlice: 350,
    params: (size) => [call, 'latest', overriddenBalances(size)],
  },
  {
    method: 'eth_call',
    of: 'overridden slots',
    size: 4_000,
    perSlice: 450,
    params: (size) => [call, 'latest', { [CONTRACT]: { stateDiff: slots(size) } }],
  },
  {
    method: 'eth_estimateGas',
    size: 50_000,
    perSlice: 50_000,
    params: (size) => [{ ...call, gas: MUCH_GAS }, 'latest', overridden(size, STEP_EACH)],
  },
  {
    method: 'eth_createAccessList',
    size: 300,
    perSlice: 6,
    params: (size) => [{ ...call, gas: MUCH_GAS }, 'latest', overridden(size, READ_EACH)],
  },
  {
    method: 'eth_callMany',
    size: 120,
    perSlice: 8,
    params: (size) => [[{ transactions: manyCalls(size) }]],
  },
  {
    method: 'eth_simulateV1',
    size: 100,
    perSlice: 8,
    params: (size) => [{ blockStateCalls: [{ calls: manyCalls(size) }] }],
  },
  {
    method: 'eth_simulateV1',
    of: 'blocks',
    size: 60,
    perSlice: 8,
    params: (size) => [{ blockStateCalls: times(size, () => ({})) }],
  },
  {
    method: 'tenderly_simulateBundle',
    size: 100,
    perSlice: 8,
    params: (size) => [manyCalls(size)],
  },
  {
    method: 'tenderly_simulateTransaction',
    size: 2_000,
    perSlice: 200,
    before: (ask, size) => ask('anvil_setCode', [CONTRACT, withEach(size, LOG_EACH)]),
    params: () => [{ ...call, gas: MUCH_GAS }],
  },
  {
    method: 'testing_buildBlockV1',
    ruleSet: 'prague',
    size: 50,
    perSlice: 8,
    before: async (ask, size) => {
      const { hash } = (await ask('eth_getBlockByNumber', ['latest', false])) as { readonly hash: string };
      return [hash, await signedTransfers(ask, size, '0x2540be400')];
    },
    params: (_size, prepared) => {
      const [hash, txs] = prepared as readonly unknown[];
      return [hash, { timestamp: '0xffffffff', suggestedFeeRecipient: CONTRACT }, txs];
    },
  },
  {
    method: 'eth_callBundle',
    size: 50,
    perSlice: 8,
    before: signedTransfers,
    params: (_size, txs) => [{ txs, blockNumber: '0x1' }],
  },
  {
    method: 'eth_sendBundle',
    size: 50,
    perSlice: 8,
    before: signedTransfers,
    params: (_size, txs) => [{ txs, blockNumber: '0x1' }],
  },
  {
    method: 'mev_sendBundle',
    size: 50,
    perSlice: 8,
    before: signedTransfers,
    params: (_size, txs) => [mevBundle(txs)],
  },
  {
    method: 'mev_simBundle',
    size: 50,
    perSlice: 8,
    before: signedTransfers,
    params: (_size, txs) => [mevBundle(txs)],
  },
  // Logs and filters.
  {
    method: 'eth_newFilter',
    size: 8_000,
    perSlice: 2_000,
    params: (size) => [{ topics: [times(size, word)] }],
  },
  {
    method: 'eth_getLogs',
    size: 12_000,
    perSlice: 8_000,
    before: run(LOG_EACH),
    params: () => [{ fromBlock: '0x0' }],
  },
  {
    method: 'eth_getFilterLogs',
    size: 12_000,
    perSlice: 8_000,
    before: async (ask, size) => {
      const id = await ask('eth_newFilter', [{ fromBlock: '0x0' }]);
      await run(LOG_EACH)(ask, size);
      return id;
    },
    params: (_size, id) => [id],
  },
  // Blocks and receipts.
  {
    method: 'eth_getBlockReceipts',
    size: 4_000,
    perSlice: 250,
    before: run(LOG_EACH),
    params: () => ['latest'],
  },
  {
    method: 'eth_getTransactionReceipt',
    size: 8_000,
    perSlice: 250,
    before: run(LOG_EACH),
    params: (_size, hash) => [hash],
  },
  {
    method: 'eth_getBlockByNumber',
    size: 500,
    perSlice: 150,
    before: fullBlock,
    params: () => ['latest', true],
  },
  {
    method: 'eth_getBlockByHash',
    size: 500,
    perSlice: 150,
    before: fullBlock,
    params: (_size, hash) => [hash, true],
  },
  { method: 'debug_getRawBlock', size: 3_000, perSlice: 2_000, before: fullBlock, params: () => ['latest'] },
  { method: 'debug_getRawReceipts', size: 500, perSlice: 65, before: fullBlock, params: () => ['latest'] },
  {
    method: 'debug_getRawTransactions',
    size: 500,
    perSlice: 65,
    before: fullBlock,
    params: () => ['latest'],
  },
  {
    method: 'chain_getRawTransactionReceiptByHash',
    size: 4_000,
    perSlice: 1_500,
    before: run(LOG_EACH),
    params: (_size, hash) => [hash],
  },
  {
    method: 'ots_getBlockTransactions',
    size: 500,
    perSlice: 40,
    before: fullBlock,
    params: () => ['0x1', '0x0', 1_000],
  },
  {
    method: 'eth_feeHistory',
    size: 100,
    perSlice: 8,
    before: emptyBlocks,
    params: (size) => [`0x${size.toString(16)}`, 'latest', times(100, (at) => at)],
  },
  // The state.
  reads('debug_dumpBlock', ['latest'], 1_500),
  reads('debug_accountRange', ['latest'], 1_500),
  reads('anvil_dumpState', [], 900),
  { ...reads('inspect_storage', [CONTRACT, 'latest'], 4), size: 600 },
  {
    method: 'inspect_storage',
    of: 'variables of a layout',
    size: 800,
    perSlice: 10,
    before: async (ask, size) => {
      const code = { object: '00' };
      const contract = {
        abi: [],
        evm: { bytecode: code, deployedBytecode: code },
        storageLayout: wideLayout(size),
      };
      await ask('inspect_addArtifacts', [{ sources: {} }, { contracts: { 'A.sol': { C: contract } } }]);
      await ask('anvil_setCode', [CONTRACT, '0x00']);
    },
    params: () => [CONTRACT, 'latest'],
  },
  {
    method: 'anvil_loadState',
    isCounted: true,
    of: 'accounts',
    size: 4_000,
    perSlice: 500,
    params: (size) => [JSON.stringify({ accounts: manyAccounts(size) })],
  },
  // Traces.
  ...[
    null,
    'callTracer',
    'flatCallTracer',
    'prestateTracer',
    'erc7562Tracer',
    'muxTracer',
    '4byteTracer',
    'noopTracer',
  ].map(
    (tracer): HeaviestCall => ({
      method: 'debug_traceCall',
      of: tracer ?? 'structLogs',
      size: 1_000,
      perSlice: 250,
      params: (size) =>
        traced(
          size,
          tracer,
          tracer === 'prestateTracer' ? READ_EACH : CALL_EACH,
          tracer === 'muxTracer' ? { tracerConfig: { callTracer: {}, flatCallTracer: {} } } : {},
        ),
    }),
  ),
  {
    method: 'debug_traceCall',
    of: 'memory',
    size: 5,
    perSlice: 1,
    params: (size) => traced(size, null, `61ffe05150${STEP_EACH}`, { enableMemory: true }),
  },
  {
    method: 'debug_traceCall',
    of: 'return data',
    size: 5,
    perSlice: 1,
    params: (size) => [
      { ...call, gas: MUCH_GAS },
      'latest',
      {
        enableReturnData: true,
        stateOverrides: {
          [CONTRACT]: {
            code: `0x5f5f61ffff5f60045afa50${withEach(size, STEP_EACH).slice(2)}`.replace(
              '6004570',
              '600f570',
            ),
          },
        },
      },
    ],
  },
  {
    method: 'debug_traceTransaction',
    size: 400,
    perSlice: 1,
    before: run(STEP_EACH),
    params: (_size, hash) => [hash],
  },
  {
    method: 'debug_traceCallMany',
    size: 100,
    perSlice: 8,
    params: (size) => [[{ transactions: manyCalls(size) }], null, { tracer: 'callTracer' }],
  },
  {
    method: 'debug_traceBlockByNumber',
    size: 100,
    perSlice: 8,
    before: fullBlock,
    params: () => ['latest', { tracer: 'callTracer' }],
  },
  {
    method: 'debug_traceBlockByHash',
    size: 100,
    perSlice: 8,
    before: fullBlock,
    params: (_size, hash) => [hash, { tracer: 'callTracer' }],
  },
  {
    method: 'debug_traceBlock',
    size: 100,
    perSlice: 8,
    before: async (ask, size) => {
      await fullBlock(ask, size);
      return ask('debug_getRawBlock', ['latest']);
    },
    params: (_size, raw) => [raw, { tracer: 'callTracer' }],
  },
  {
    method: 'debug_intermediateRoots',
    size: 100,
    perSlice: 8,
    before: fullBlock,
    params: (_size, hash) => [hash],
  },
  {
    method: 'debug_executionWitness',
    size: 200,
    perSlice: 4,
    before: run(WRITE_EACH),
    params: () => ['latest'],
  },
  {
    method: 'debug_codeByHash',
    size: 1_500,
    perSlice: 75,
    before: loadAccounts,
    params: () => [word(1)],
  },
  {
    method: 'debug_dbGet',
    size: 1_500,
    perSlice: 75,
    before: loadAccounts,
    params: () => [`0x63${word(1).slice(2)}`],
  },
  {
    method: 'debug_accountInfoAt',
    size: 100,
    perSlice: 8,
    before: fullBlock,
    params: (size) => ['latest', size - 1, CONTRACT],
  },
  {
    method: 'debug_getModifiedAccountsByNumber',
    size: 1_500,
    perSlice: 75,
    before: async (ask, size) => {
      await ask('evm_mine');
      await loadAccounts(ask, size);
    },
    params: () => ['0x0', 'latest'],
  },
  {
    method: 'trace_call',
    size: 400,
    perSlice: 1,
    params: (size) => [
      { ...call, gas: MUCH_GAS },
      ['trace', 'vmTrace', 'stateDiff'],
      'latest',
      overridden(size, WRITE_EACH),
    ],
  },
  {
    method: 'trace_callMany',
    size: 120,
    perSlice: 8,
    params: (size) => [times(size, () => [call, ['trace', 'stateDiff']])],
  },
  { method: 'trace_block', size: 100, perSlice: 8, before: fullBlock, params: () => ['latest'] },
  {
    method: 'trace_filter',
    size: 300,
    perSlice: 100,
    before: transfers,
    params: () => [{ fromBlock: '0x0', toAddress: [addressOf(1)] }],
  },
  {
    method: 'trace_transaction',
    size: 4_000,
    perSlice: 150,
    before: run(CALL_EACH),
    params: (_size, hash) => [hash],
  },
  {
    method: 'trace_get',
    size: 4_000,
    perSlice: 150,
    before: run(CALL_EACH),
    params: (_size, hash) => [hash, ['0x1']],
  },
  {
    method: 'trace_replayTransaction',
    size: 400,
    perSlice: 1,
    before: run(STEP_EACH),
    params: (_size, hash) => [hash, ['vmTrace']],
  },
  {
    method: 'trace_replayBlockTransactions',
    size: 100,
    perSlice: 8,
    before: fullBlock,
    params: () => ['latest', ['trace', 'stateDiff']],
  },
  { method: 'trace_blockOpcodeGas', size: 100, perSlice: 8, before: fullBlock, params: () => ['latest'] },
  {
    method: 'trace_transactionOpcodeGas',
    size: 400,
    perSlice: 1,
    before: run(STEP_EACH),
    params: (_size, hash) => [hash],
  },
  {
    method: 'ots_traceTransaction',
    size: 4_000,
    perSlice: 150,
    before: run(CALL_EACH),
    params: (_size, hash) => [hash],
  },
  {
    method: 'ots_getInternalOperations',
    size: 4_000,
    perSlice: 300,
    before: run(CALL_EACH),
    params: (_size, hash) => [hash],
  },
  {
    method: 'ots_getTransactionError',
    size: 4_000,
    perSlice: 300,
    before: run(CALL_EACH),
    params: (_size, hash) => [hash],
  },
  {
    method: 'ots_searchTransactionsBefore',
    size: 300,
    perSlice: 150,
    before: transfers,
    params: () => [addressOf(1), 0, 25],
  },
  {
    method: 'ots_searchTransactionsAfter',
    size: 300,
    perSlice: 150,
    before: transfers,
    params: () => [addressOf(1), 0, 25],
  },
  // Inspections.
  {
    method: 'inspect_call',
    size: 400,
    perSlice: 4,
    params: (size) => [{ ...call, gas: MUCH_GAS }, 'latest', overridden(size, CALL_EACH)],
  },
  {
    method: 'inspect_transaction',
    size: 400,
    perSlice: 4,
    before: run(CALL_EACH),
    params: (_size, hash) => [hash],
  },
  {
    method: 'inspect_steps',
    size: 400,
    perSlice: 1,
    before: run(STEP_EACH),
    params: (_size, hash) => [hash],
  },
  {
    method: 'inspect_evaluate',
    size: 400,
    perSlice: 1,
    before: run(STEP_EACH),
    params: (_size, hash) => [hash, '0x100', 'msg.sender'],
  },
  {
    method: 'inspect_state',
    size: 400,
    perSlice: 1,
    before: run(STEP_EACH),
    params: (_size, hash) => [hash, '0x100'],
  },
  {
    method: 'inspect_frames',
    size: 400,
    perSlice: 1,
    before: run(STEP_EACH),
    params: (size, hash) => [hash, Math.floor(size / 2)],
  },
  {
    method: 'inspect_profile',
    size: 400,
    perSlice: 1,
    before: run(STEP_EACH),
    params: (_size, hash) => [hash],
  },
  {
    method: 'inspect_compare',
    size: 400,
    perSlice: 2,
    before: (ask, size) => setCode(withEach(size, CALL_EACH))(ask),
    params: () => [{ ...call, gas: MUCH_GAS }, ['prague', 'osaka']],
  },
  {
    method: 'inspect_call',
    of: 'functions of an ABI',
    isCounted: true,
    size: 12_000,
    perSlice: 3_000,
    before: (ask, size) =>
      described(
        ask,
        times(size, (at) => ({ type: 'function', name: `f${at}`, inputs: [], outputs: [] })),
        'contract C {}',
      ),
    params: () => [call, 'latest'],
  },
  {
    method: 'inspect_call',
    of: 'line breaks of a source',
    isCounted: true,
    size: 400_000,
    perSlice: 100_000,
    before: (ask, size) => described(ask, [], '\n'.repeat(size)),
    params: () => [call, 'latest'],
  },
  // The pool, mining and the chain.
  { method: 'txpool_content', size: 500, perSlice: 150, before: waiting, params: () => [] },
  { method: 'txpool_inspect', size: 500, perSlice: 150, before: waiting, params: () => [] },
  { method: 'txpool_contentFrom', size: 500, perSlice: 150, before: waiting, params: () => [ALICE] },
  { method: 'eth_pendingTransactions', size: 500, perSlice: 150, before: waiting, params: () => [] },
  { method: 'evm_mine', size: 100, perSlice: 6, before: waiting, params: () => [] },
  { method: 'evm_mine_detailed', size: 100, perSlice: 6, params: (size) => [{ blocks: size }] },
  { method: 'anvil_mine', size: 100, perSlice: 6, before: waiting, params: () => [3] },
  { method: 'hardhat_mine', size: 100, perSlice: 6, before: waiting, params: () => ['0x3'] },
  { method: 'anvil_reorg', size: 100, perSlice: 6, before: transfers, params: (size) => [size, []] },
  { method: 'anvil_rollback', size: 300, perSlice: 50, before: transfers, params: (size) => [size] },
  { method: 'debug_setHead', size: 300, perSlice: 50, before: transfers, params: () => ['0x0'] },
  {
    method: 'evm_revert',
    size: 300,
    perSlice: 50,
    before: async (ask, size) => {
      const id = await ask('evm_snapshot');
      await transfers(ask, size);
      return id;
    },
    params: (_size, id) => [id],
  },
  { method: 'evm_reset', size: 300, perSlice: 50, before: transfers, params: () => [] },
  {
    method: 'eth_sendTransaction',
    size: 1_500,
    perSlice: 150,
    before: (ask, size) => setCode(withEach(size, WRITE_EACH))(ask),
    params: () => [{ ...call, gas: MUCH_GAS }],
  },
  {
    method: 'eth_sendTransactionSync',
    size: 1_500,
    perSlice: 150,
    before: (ask, size) => setCode(withEach(size, WRITE_EACH))(ask),
    params: () => [{ ...call, gas: MUCH_GAS }],
  },
];

/** Code that returns, reverts with or logs `size` bytes of zeros. */
const pushed = (size: number): string => `63${size.toString(16).padStart(8, '0')}`;
const returning = (size: number): string => `0x${pushed(size)}5ff3`;
const reverting = (size: number): string => `0x${pushed(size)}5ffd`;
/** Reverts with a text. */
const revertingWithText = (size: number): string =>
  `0x6308c379a060e01b5f526020600452${pushed(size)}602452${pushed(size)}5ffd`;
const logging = (size: number): string => `0x${pushed(size)}5fa0`;
const message = { ...call, gas: MUCH_GAS };
const withCode = (code: string) => ({ [CONTRACT]: { code } });
const simulated = (code: string) => [
  { blockStateCalls: [{ stateOverrides: withCode(code), calls: [message] }] },
];
const ofMegabytes = (
  method: string,
  of: string,
  perSlice: number,
  params: HeaviestCall['params'],
  before?: HeaviestCall['before'],
): HeaviestCall => ({
  method,
  of,
  size: 2 ** 20,
  perSlice,
  params,
  ...(before === undefined ? {} : { before }),
});
/** Mines a creation that logs `size` bytes. Returns its hash. */
const logged = (ask: Ask, size: number): Promise<unknown> =>
  ask('eth_sendTransaction', [{ from: ALICE, data: logging(size), gas: MUCH_GAS }]);
const inRules = (of: string, perSlice: number, body: string): HeaviestCall => ({
  method: 'debug_traceCall',
  of: `erc7562Tracer: ${of}`,
  size: 8_000,
  perSlice,
  params: (size) => traced(size, 'erc7562Tracer', body),
});

/** Logs N transfers of 0 from the caller to itself. N is the call data. */
const TRANSFERS =
  '0x5f355b33337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60205fa360019003806002570000';

/**
 * Requests with heavy text, from parsing to the response. Their clock does not advance, so only counted work
 * yields: 2^18 units per time slice.
 */
export const COUNTED_REQUESTS: readonly HeaviestCall[] = [
  ofMegabytes('eth_call', 'output', 52_000, (size) => [message, 'latest', withCode(returning(size))]),
  ofMegabytes('eth_call', 'output of a revert', 52_000, (size) => [
    message,
    'latest',
    withCode(reverting(size)),
  ]),
  ofMegabytes('eth_call', 'text of a revert', 52_000, (size) => [
    message,
    'latest',
    withCode(revertingWithText(size)),
  ]),
  ofMegabytes('eth_estimateGas', 'output of a revert', 52_000, (size) => [
    message,
    'latest',
    withCode(reverting(size)),
  ]),
  ofMegabytes('eth_simulateV1', 'output of a revert', 52_000, (size) => simulated(reverting(size))),
  ofMegabytes('eth_simulateV1', 'log', 42_000, (size) => simulated(logging(size))),
  ...['callTracer', 'flatCallTracer', null].map((tracer) =>
    ofMegabytes('debug_traceCall', `output: ${tracer ?? 'struct logs'}`, 52_000, (size) => [
      message,
      'latest',
      { ...(tracer === null ? {} : { tracer }), stateOverrides: withCode(returning(size)) },
    ]),
  ),
  ofMegabytes('eth_getTransactionReceipt', 'log', 49_000, (_size, hash) => [hash], logged),
  ofMegabytes('eth_getBlockReceipts', 'log', 49_000, () => ['latest'], logged),
  ofMegabytes('eth_getLogs', 'log', 139_000, () => [{ fromBlock: 'latest' }], logged),
  ofMegabytes('inspect_events', 'log', 49_000, () => [], logged),
  ofMegabytes('debug_getRawReceipts', 'log', 49_000, () => ['latest'], logged),
  ofMegabytes(
    'evm_mine_detailed',
    'output',
    52_000,
    () => [],
    async (ask, size) => {
      await setCode(returning(size))(ask);
      await ask('evm_setAutomine', [false]);
      await ask('eth_sendTransaction', [message]);
    },
  ),
  ofMegabytes('web3_sha3', 'escaped characters', 139_000, (size) => ['"'.repeat(size)]),
  inRules('slots that are read', 850, '5c50'),
  inRules('slots that are written', 850, '805d'),
  inRules('hashes', 460, '5f5260205f2050'),
  {
    method: 'debug_executionWitness',
    of: 'accounts',
    size: 4_000,
    perSlice: 65,
    before: run('3b50'),
    params: () => ['latest'],
  },
  {
    method: 'inspect_transaction',
    of: 'events',
    size: 1_000,
    perSlice: 33,
    before: async (ask, size) => {
      await setCode(TRANSFERS)(ask);
      return ask('eth_sendTransaction', [{ ...message, data: word(size) }]);
    },
    params: (_size, hash) => [hash, { count: '0x1', changes: false }],
  },
];

/**
 * The methods without a heaviest call, by the reason. A method that is in neither list fails the test. Find
 * its heaviest input and add a row above. If no input makes it work long, add its name here.
 */
export const CONSTANT_CALLS: Readonly<Record<string, readonly string[]>> = {
  'returns a few fields of the chain, the pool or the settings': names(`
    eth_blockNumber eth_baseFee eth_gasPrice eth_maxPriorityFeePerGas eth_blobBaseFee eth_coinbase eth_mining eth_hashrate
    eth_netHashrate eth_chainId eth_protocolVersion eth_syncing eth_config eth_capabilities eth_supportedEntryPoints
    eth_bridgeState anvil_getAutomine anvil_getIntervalMining anvil_getGenesisTime anvil_getLastBlockWallTime anvil_metadata
    anvil_nodeInfo chain_protocolVersion debug_freeOSMemory debug_getBadBlocks debug_wireProtocolQueueSize
    hardhat_getIntervalMining hardhat_getStackTraceFailuresCount hardhat_metadata inspect_hardforks net_listening net_peerCount
    net_version ots_getApiLevel rpc.discover rpc_modules txpool_status wallet_getPermissions web3_clientVersion`),
  'changes a few fields of the settings, the clock or the miner': names(`
    eth_submitHashrate anvil_autoImpersonateAccount anvil_setIntervalMining anvil_setBlockTimestampInterval
    anvil_removeBlockTimestampInterval anvil_setCoinbase anvil_setMinGasPrice anvil_setNextBlockBaseFeePerGas
    anvil_setNextBlockPrevRandao anvil_setNextBlockParentBeaconBlockRoot anvil_setChainId anvil_setLoggingEnabled
    anvil_setRpcUrl evm_setAutomine evm_setBlockGasLimit evm_setIntervalMining evm_startMining evm_stopMining
    evm_increaseTime evm_setNextBlockTimestamp evm_setTime hardhat_setIntervalMining hardhat_setBlockTimestampInterval
    miner_setExtra miner_setGasPrice wallet_addEthereumChain wallet_requestPermissions wallet_switchEthereumChain`),
  'reads or changes one entry by its key': names(`
    eth_getBalance eth_getTransactionCount eth_getStorageAt eth_getAccount eth_uninstallFilter eth_unsubscribe
    anvil_setBalance anvil_addBalance anvil_setNonce hardhat_setNonce anvil_setStorageAt anvil_impersonateAccount
    tenderly_setStorageAt     anvil_impersonateSignature hardhat_stopImpersonatingAccount anvil_dropTransaction hardhat_dropTransaction
    evm_removeAccount evm_snapshot evm_deleteSnapshot inspect_label lane_create lane_drop lane_label lane_rename
    lane_reset ots_hasCode ots_getTransactionBySenderAndNonce eth_getTransactionBySenderAndNonce sco_banAddress
    sco_unbanAddress wallet_getCallsStatus wallet_showCallsStatus wallet_getCapabilities eth_getUserOperationByHash
    eth_getUserOperationReceipt debug_bundler_clearReputation eth_newBlockFilter eth_newPendingTransactionFilter
    chain_getStorageBytesAt debug_accountTransactionQuota sco_clearPeerScoring`),
  'waits for the disk, without work of its own': names('chain_flush'),
  'reads one header, transaction or uncle, of a block that is decoded as a whole: at most 30 M gas of transactions by default':
    names(`
    eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber eth_getHeaderByHash eth_getHeaderByNumber
    eth_getUncleByBlockHashAndIndex eth_getUncleByBlockNumberAndIndex eth_getUncleCountByBlockHash
    eth_getUncleCountByBlockNumber eth_getBlocksByNumber eth_getTransactionByHash eth_getTransactionByBlockHashAndIndex
    eth_getTransactionByBlockNumberAndIndex eth_getRawTransactionByHash eth_getRawTransactionByBlockHashAndIndex
    eth_getRawTransactionByBlockNumberAndIndex chain_getRawBlockHeaderByHash chain_getRawBlockHeaderByNumber
    chain_getTransactionReceiptNodesByHash debug_getRawHeader ots_getBlockDetails ots_getBlockDetailsByHash
    anvil_getBlobByHash anvil_getBlobsByTransactionHash anvil_getBlobsByBlockId`),
  'reads or hashes the bytes of a message once, which holds at most 5 MB': names(`
    eth_sign eth_getCode eth_getAccountInfo anvil_setCode tenderly_setCode web3_sha3 personal_sign personal_ecRecover
    eth_sendRawTransaction eth_sendPrivateTransaction eth_sendPrivateRawTransaction eth_sendRawTransactionSync
    eth_sendUnsignedTransaction mnr_submitBitcoinBlock
    mnr_submitBitcoinBlockPartialMerkle mnr_submitBitcoinBlockTransactions`),
  'has a limit of at most 1,024 entries': names(`
    eth_sendRawTransactionConditional eth_cancelBundle eth_cancelPrivateTransaction eth_getStorageValues eth_getProof debug_storageRangeAt inspect_lanes inspect_failures inspect_events
    inspect_names`),
  'looks at a limited number of blocks, in slices': names(
    'inspect_transactions inspect_deployments inspect_timeline',
  ),
  'collects logs that the server writes in slices, as for eth_getLogs': names('eth_getFilterChanges'),
  'makes one key or signature': names(`
    evm_addAccount personal_dumpRawKey personal_importRawKey personal_lockAccount personal_newAccount
    personal_newAccountWithSeed personal_unlockAccount`),
  'makes one proof of work or reads it': names('eth_getWork eth_submitWork mnr_getWork'),
  'lists entries that were each made by a call': names(`
    eth_accounts evm_listSnapshots lane_list personal_listAccounts sco_bannedAddresses sco_peerList sco_reputationSummary
    net_peerList inspect_impersonation debug_bundler_dumpReputation debug_bundler_setReputation inspect_gasReport
    inspect_coverage peg_status`),
  'removes at most 64 numbers from a map': names('inspect_release'),
  'drops transactions of the pool in some microseconds each': names(`
    anvil_dropAllTransactions anvil_removePoolTransactions debug_clearTxpool`),
  'reads the artifacts of the user, whose slices are tested in test/artifacts': names(`
    hardhat_addCompilationResult inspect_artifact inspect_attach inspect_breakpoints inspect_contracts inspect_find
    inspect_source inspect_sourcePaths`),
  'sends or runs a transaction as eth_sendTransaction and eth_call do': names(`
    eth_resend personal_sendTransaction wallet_sendCalls anvil_dealERC20 anvil_setERC20Allowance eth_sendUserOperation
    eth_estimateUserOperationGas trace_rawTransaction`),
  'finds a block by its first change, and reads it as trace_block does': names('ots_getContractCreator'),
  'reads the access list of a block, which eth_getBlockByNumber also reads': names(`
    eth_getBlockAccessList eth_getBlockAccessListByBlockHash eth_getBlockAccessListByBlockNumber
    eth_getBlockAccessListRaw debug_getRawBlockAccessList`),
  'changes an entry by its key for each address of the request, with a yield after each': names(
    'tenderly_setBalance tenderly_addBalance tenderly_setErc20Balance',
  ),
  'reads two states as debug_getModifiedAccountsByNumber does': names('debug_getModifiedAccountsByHash'),
  'moves the local blocks of a fork in slices, and makes requests to the fork URL': names(
    'fork_follow fork_pause fork_step',
  ),
  'sends notifications in slices, which notification-queue.test.ts tests': names('eth_subscribe'),
  'mines a limited number of blocks for one transfer, with a yield between blocks': names('peg_in peg_out'),
};

function names(list: string): string[] {
  return list.trim().split(/\s+/);
}
