import type { Chain } from '../../src/chain/chain.ts';
import type { SendRequest } from '../../src/chain/mining/transaction-submitter.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import type { ForkPoint } from '../../src/chain/snapshots/snapshots.ts';
import { type OpenOwnChain, ownChainsOf } from '../../src/config/forking.ts';
import { settleOptions } from '../../src/config/option-values.ts';
import { type ForkConfig, NO_FORKING } from '../../src/fork/fork-handle.ts';
import { type ChainNode, createNode, type NodeDependencies } from '../../src/node/create-node.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { NO_BLOBS } from '../../src/protocol/transaction.ts';
import type { DevAccount } from '../../src/wallet/dev-accounts.ts';
import { accountFromSeed } from '../../src/wallet/dev-accounts.ts';
import { countingRandom } from './counting-random.ts';
import { createFakeTime, type FakeTime } from './fake-time.ts';

/** Start time of test chains, in milliseconds since 1970. */
export const TEST_START = 1_700_000_000_000;

/** Three funded accounts with fixed keys. */
export const TEST_ACCOUNTS: readonly DevAccount[] = ['one', 'two', 'three'].map(accountFromSeed);

/** The account at the index. Throws if absent. */
export function testAccount(index: number): DevAccount {
  const account = TEST_ACCOUNTS[index];
  if (account === undefined) throw new RangeError(`there is no test account ${index}`);
  return account;
}

/** The addresses of the accounts, as DATA. */
export const ALICE = toHex(testAccount(0).address);
export const BOB = toHex(testAccount(1).address);
export const CAROL = toHex(testAccount(2).address);

/** Default options of a test chain. */
export const TEST_DEFAULTS: ChainOptions = {
  chainId: 33,
  networkId: null,
  ruleSet: 'rootstock',
  federation: 'legacy',
  engine: 'wasm',
  shadow: false,
  networkLimits: false,
  gasLimit: 30_000_000n,
  gasLimitTarget: null,
  callGasLimit: null,
  transactionGasLimit: 'hardfork',
  minimumGasPrice: 0n,
  minimumGasPriceTarget: null,
  gasPrice: null,
  baseFee: null,
  coinbase: new Uint8Array(20).fill(0xcc),
  parentChain: null,
  remasc: false,
  genesisTimestamp: null,
  automine: true,
  blockTime: null,
  order: 'fees',
  codeSizeLimit: 24_576,
  difficulty: 1n,
  devAccounts: TEST_ACCOUNTS,
  fundedAccounts: [],
  balance: 10n ** 20n,
  funds: [],
  genesis: null,
  predeploys: false,
  autoImpersonate: false,
  dataDirectory: null,
  syncsData: true,
  poolTimeout: { blocks: null, seconds: null },
  allowsSameTimestamp: false,
  slotsInAnEpoch: 0,
  continuesStateFiles: false,
  maximumTransactions: null,
  checksPoolBalances: true,
  priorityFee: 1_000_000_000n,
  memoryLimit: 384 * 2 ** 20,
  genesisNumber: 0,
  repeatsGenesisBaseFee: false,
  replacesAtAnyIncrease: false,
  requiresValidRequests: false,
  keptBlocks: null,
  filterTimeout: 300,
};

/** The addresses of the machine for test nodes. */
const OWN_ADDRESSES = ['127.0.0.0/8', '::1', '192.168.1.5'] as const;

/** The environment of a test chain: fixed time, bytes that count up, and an immediate failure for bugs. */
export function testDependencies(time: FakeTime): NodeDependencies {
  return {
    clock: time.clock,
    timers: time.timers,
    random: countingRandom(),
    ownAddresses: () => OWN_ADDRESSES,
    onMiningError: (error) => {
      throw error;
    },
    onEngineDifference: (error) => {
      throw error;
    },
  };
}

const nodes = new WeakMap<Chain, ChainNode>();

function chainOf(node: ChainNode): Chain {
  nodes.set(node.chain, node);
  return node.chain;
}

/** The node of a test chain. */
export function nodeOf(chain: Chain): ChainNode {
  const node = nodes.get(chain);
  if (node === undefined) throw new Error('the chain was not made by the helpers of the tests');
  return node;
}

/** The chain of a fresh node; see {@link nodeOf}. */
export async function createChainWith(
  options: ChainOptions,
  dependencies: NodeDependencies,
  forking?: ForkConfig,
): Promise<Chain> {
  return chainOf(await createNode(options, dependencies, forking));
}

/** The chain of a node that continues from a point of another chain; see {@link nodeOf}. */
export async function branchOf(chain: Chain, point?: ForkPoint): Promise<Chain> {
  return chainOf(await nodeOf(chain).branch(point));
}

/** A chain on a manual clock, by default its own. */
export async function createTestChain(
  options: Partial<ChainOptions> = {},
  time: FakeTime = createFakeTime(TEST_START),
): Promise<{ readonly chain: Chain; readonly time: FakeTime }> {
  const chain = await createChainWith({ ...TEST_DEFAULTS, ...options }, testDependencies(time));
  return { chain, time };
}

/** A legacy transfer of one wei to the second account, changed by `fields`. */
export function transfer(fields: Partial<SendRequest> = {}): SendRequest {
  return {
    type: 0,
    chainId: 33n,
    nonce: null,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    gasLimit: 21_000n,
    to: testAccount(1).address,
    value: 1n,
    data: new Uint8Array(0),
    accessList: [],
    authorizationList: [],
    ...NO_BLOBS,
    ...fields,
  };
}

/** Creates independent lanes, like a node without options. */
export const testOwnChains: OpenOwnChain = ownChainsOf(settleOptions(new Map()), TEST_DEFAULTS, NO_FORKING);
