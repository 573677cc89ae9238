import type { SendRequest } from '../../src/chain/pool/transaction-submitter.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import type { Chain } from '../../src/node/chain.ts';
import { type ChainDependencies, createChain } from '../../src/node/create-chain.ts';
import type { DevAccount } from '../../src/wallet/dev-accounts.ts';
import { accountOfSeed } from '../../src/wallet/dev-accounts.ts';
import { countingRandom } from './counting-random.ts';
import { createFakeTime, type FakeTime } from './fake-time.ts';

/** Milliseconds since 1970 at which test chains start. */
export const TEST_START = 1_700_000_000_000;

/** Three funded accounts with fixed keys. */
export const TEST_ACCOUNTS: readonly DevAccount[] = ['one', 'two', 'three'].map(accountOfSeed);

/** The account at that place, or an error when there is none. */
export function testAccount(index: number): DevAccount {
  const account = TEST_ACCOUNTS[index];
  if (account === undefined) throw new RangeError(`there is no test account ${index}`);
  return account;
}

/** The options of a test chain that says nothing else. */
export const TEST_DEFAULTS: ChainOptions = {
  chainId: 33,
  networkId: null,
  ruleSet: 'rootstock',
  engine: 'wasm',
  shadow: false,
  networkLimits: false,
  gasLimit: 30_000_000n,
  gasLimitTarget: null,
  minimumGasPrice: 0n,
  minimumGasPriceTarget: null,
  gasPrice: null,
  baseFee: null,
  coinbase: new Uint8Array(20).fill(0xcc),
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
  filterTimeout: 300,
};

/** What a test chain takes from its surroundings: that time, random bytes that count up, and no patience with bugs. */
export function testDependencies(time: FakeTime): ChainDependencies {
  return {
    clock: time.clock,
    timers: time.timers,
    random: countingRandom(),
    onMiningError: (error) => {
      throw error;
    },
    onEngineDifference: (error) => {
      throw error;
    },
  };
}

/** A chain on a clock that only the test moves: one of its own, unless the test has one. */
export async function createTestChain(
  options: Partial<ChainOptions> = {},
  time: FakeTime = createFakeTime(TEST_START),
): Promise<{ readonly chain: Chain; readonly time: FakeTime }> {
  const chain = await createChain({ ...TEST_DEFAULTS, ...options }, testDependencies(time));
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
    ...fields,
  };
}
