import { describe, expect, it } from 'vitest';
import type { RuleSetName } from '../../../src/protocol/hardforks/registry.ts';
import type { Method } from '../../../src/rpc/method.ts';
import { createForkScene } from '../../fork/fork-scene.ts';
import { minedParentBlock, type PoolWork } from '../../support/pool.ts';
import { ALICE, BOB } from '../../support/test-chain.ts';
import { createExampleChain } from '../example-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { BASIC_METHODS, forkedMethods, upstreamServing } from './service-upstream.ts';

const EXECUTION = 'executes at an older block';
const REPLAY = 'executes an older transaction again';
const STATE = 'requires the whole state, or the trie of a block';

/** The methods that are executed or not derived, with the reason. */
const NOT_DERIVED: Readonly<Record<string, string>> = {
  eth_getBlockAccessList: REPLAY,
  eth_getBlockAccessListByBlockHash: REPLAY,
  eth_getBlockAccessListByBlockNumber: REPLAY,
  eth_getBlockAccessListRaw: REPLAY,
  debug_getRawBlockAccessList: REPLAY,
  eth_callMany: EXECUTION,
  eth_callBundle: EXECUTION,
  eth_createAccessList: EXECUTION,
  eth_simulateV1: EXECUTION,
  debug_traceCall: EXECUTION,
  debug_traceCallMany: EXECUTION,
  inspect_call: EXECUTION,
  inspect_storage: EXECUTION,
  mev_simBundle: EXECUTION,
  tenderly_simulateBundle: EXECUTION,
  tenderly_simulateTransaction: EXECUTION,
  trace_call: EXECUTION,
  trace_callMany: EXECUTION,
  trace_rawTransaction: EXECUTION,
  debug_accountInfoAt: REPLAY,
  debug_traceBlock: REPLAY,
  debug_traceBlockByHash: REPLAY,
  debug_traceBlockByNumber: REPLAY,
  debug_traceTransaction: REPLAY,
  inspect_transaction: REPLAY,
  inspect_steps: REPLAY,
  inspect_compare: REPLAY,
  inspect_profile: REPLAY,
  inspect_evaluate: REPLAY,
  inspect_state: REPLAY,
  inspect_frames: REPLAY,
  inspect_breakpoints: REPLAY,
  ots_getInternalOperations: REPLAY,
  ots_getTransactionError: REPLAY,
  ots_traceTransaction: REPLAY,
  trace_block: REPLAY,
  trace_filter: REPLAY,
  trace_get: REPLAY,
  trace_transaction: REPLAY,
  trace_blockOpcodeGas: REPLAY,
  trace_transactionOpcodeGas: REPLAY,
  trace_replayBlockTransactions: REPLAY,
  trace_replayTransaction: REPLAY,
  debug_accountRange: STATE,
  debug_codeByHash: STATE,
  debug_dbGet: STATE,
  debug_dumpBlock: STATE,
  debug_storageRangeAt: STATE,
  debug_getModifiedAccountsByHash: STATE,
  debug_getModifiedAccountsByNumber: STATE,
  debug_executionWitness: STATE,
  debug_intermediateRoots: STATE,
};

/** The methods of ranges that derive their results in their own rule. */
const DERIVED_RANGES = new Set(['eth_feeHistory', 'eth_getBlocksByNumber', 'chain_getStorageBytesAt']);

/** These methods are left to their own tests: their parameter is a filter. */
const FILTERS = new Set(['eth_getLogs', 'eth_getFilterLogs']);

const derived = forkedMethods().filter(
  ({ name, fork }) => DERIVED_RANGES.has(name) || (fork !== undefined && 'derive' in fork),
);

interface Place {
  readonly block: string;
  readonly blockHash: string;
  /** Of the last transaction; `undefined` for an empty block. */
  readonly transactionHash: string | undefined;
  readonly sender: string | undefined;
  readonly nonce: string | undefined;
  readonly contract: string;
}

/** The value of a parameter of a derived method. A method with a nonce searches a sender. */
function parameterOf(method: Method, name: string, place: Place): unknown {
  const { block, blockHash, transactionHash, sender, nonce, contract } = place;
  const isSearch = method.params.some((parameter) => parameter.name === 'nonce');
  const values: Readonly<Record<string, unknown>> = {
    block,
    number: block,
    newestBlock: block,
    blockHash,
    transactionHash,
    index: '0x0',
    page: 0,
    pageSize: 2,
    address: isSearch ? sender : contract,
    nonce,
    position: '0x0',
    requests: { [contract]: ['0x0', '0x1'], [ALICE]: ['0x0'] },
    blockCount: '0x3',
    rewardPercentiles: [10, 50, 90],
    fullTransactions: false,
  };
  if (!Object.hasOwn(values, name)) throw new Error(`the test has no value for the parameter ${name}`);
  return values[name];
}

/** Every call of a derived method about a block of the node. */
async function callsAt(node: RpcHarness, number: number, contract: string): Promise<[string, unknown[]][]> {
  const block = `0x${number.toString(16)}`;
  const found = (await node.call('eth_getBlockByNumber', [block, true])) as {
    readonly hash: string;
    readonly transactions: readonly {
      readonly hash: string;
      readonly from: string;
      readonly nonce: string;
    }[];
  };
  const last = found.transactions.at(-1);
  const place = {
    block,
    blockHash: found.hash,
    transactionHash: last?.hash,
    sender: last?.from,
    nonce: last?.nonce,
    contract,
  };
  const isPossible = ({ params }: Method): boolean =>
    last !== undefined || !params.some(({ name }) => name === 'transactionHash' || name === 'nonce');
  return derived
    .filter(isPossible)
    .map((method) => [method.name, method.params.map(({ name }) => parameterOf(method, name, place))]);
}

/** A node with two accounts that sends several transactions per block. */
async function ethereumNode(ruleSet: RuleSetName): Promise<RpcHarness> {
  const node = await createRpcHarness({}, { ruleSet, chainId: 31_337 });
  const init = '0x6001600055602a60005260206000f3';
  for (const count of [1, 3, 0, 2]) {
    await node.call('evm_setAutomine', [false]);
    for (let index = 0; index < count; index++) {
      await node.call('eth_sendTransaction', [
        {
          from: ALICE,
          to: BOB,
          value: '0x1',
          gas: '0x10000',
          maxFeePerGas: '0x77359400',
          maxPriorityFeePerGas: `0x${(index + 1).toString(16)}`,
        },
      ]);
      await node.call('eth_sendTransaction', [
        { from: BOB, data: init, gas: '0x20000', gasPrice: '0x77359400' },
      ]);
    }
    await node.call('evm_mine');
  }
  return node;
}

/** A node whose second block has uncles. */
async function uncleNode(): Promise<RpcHarness> {
  const node = await createRpcHarness({}, { automine: false, difficulty: 20n });
  await node.call('eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x1', gasPrice: '0x1' }]);
  const work = (await node.call('mnr_getWork')) as PoolWork;
  for (let extraNonce = 0; extraNonce < 3; extraNonce++)
    await node.call('mnr_submitBitcoinBlock', [minedParentBlock(work, { extraNonce }).toHex()]);
  for (let count = 0; count < 2; count++) await node.call('evm_mine');
  return node;
}

async function remascNode(): Promise<RpcHarness> {
  const node = await createRpcHarness({}, { remasc: true });
  for (let index = 0; index < 4; index++)
    await node.call('eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x1', gasPrice: '0x5' }]);
  return node;
}

/** The first created contract of a node; BOB without one. */
async function contractOf(node: RpcHarness, head: number): Promise<string> {
  for (let number = 1; number <= head; number++) {
    const receipts = (await node.call('eth_getBlockReceipts', [`0x${number.toString(16)}`])) as {
      readonly contractAddress: string | null;
    }[];
    const created = receipts.find(({ contractAddress }) => contractAddress !== null)?.contractAddress;
    if (created !== undefined && created !== null) return created;
  }
  return BOB;
}

describe('the derived results of a fork', () => {
  it('cover every method with a fork rule, unless a reason is given', () => {
    const rest = forkedMethods()
      .map(({ name }) => name)
      .filter((name) => !derived.some((method) => method.name === name))
      .filter((name) => !BASIC_METHODS.has(name) && !FILTERS.has(name));
    expect(rest.sort()).toEqual(Object.keys(NOT_DERIVED).sort());
  });

  it.each([
    ['Rootstock', createExampleChain],
    ['Rootstock with REMASC', remascNode],
    ['Rootstock with uncles', uncleNode],
    ['Ethereum', () => ethereumNode('prague')],
    ['Ethereum without withdrawals and blobs', () => ethereumNode('london')],
  ])('equal the results of the node: %s', async (_, create) => {
    const node = await create();
    const head = Number(await node.call('eth_blockNumber'));
    const contract = await contractOf(node, head);
    const upstream = upstreamServing(BASIC_METHODS, node);
    const scene = await createForkScene(upstream);
    const differences: unknown[] = [];
    for (let number = 0; number <= head; number++) {
      for (const [method, params] of await callsAt(node, number, contract)) {
        const isState = forkedMethods().find(({ name }) => name === method)?.fork?.kind === 'state';
        if (isState && number === head) continue;
        const answer = await node.call(method, params);
        // A fork does not know the side blocks of the upstream.
        const expected = method === 'eth_getBlocksByNumber' ? (answer as unknown[]).slice(0, 1) : answer;
        const found = await scene.call(method, params).catch((error: Error) => error.message);
        if (JSON.stringify(sorted(found)) !== JSON.stringify(sorted(expected)))
          differences.push({ method, params, found, expected });
      }
    }
    expect(differences).toEqual([]);
  });

  it('include at most 1,024 blocks in a fee history, as the node does', async () => {
    const node = await createRpcHarness();
    await node.call('hardhat_mine', ['0x420']);
    const upstream = upstreamServing(BASIC_METHODS, node);
    const scene = await createForkScene(upstream);
    await scene.call('evm_mine');

    const history = await scene.call('eth_feeHistory', ['0xffffff', 'latest']);

    // The newest block is local.
    expect(history).toMatchObject({ oldestBlock: '0x22' });
    expect(history).toHaveProperty('gasUsedRatio.length', 1_024);
    expect(upstream.count('eth_getBlockByNumber')).toBeLessThan(1_030);
  });
});

/** Sorts members by name, because derived objects may have another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
