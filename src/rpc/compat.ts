import type { Chain } from '../chain/chain.ts';
import type { CallToken } from '../chain/changes.ts';
import { setMining } from '../chain/mining-controls.ts';
import type { BlockTime } from '../chain/settings/miner.ts';
import type { RevertReason } from '../evm/revert-reason.ts';
import type { Failure } from '../inspect/failure.ts';
import { type Hex, toQuantity } from '../primitives/hex.ts';
import { anvilHaltMessage } from './anvil-halts.ts';
import {
  ANVIL_ERRORS,
  ANVIL_SIMULATION_BASE_ERROR,
  type ErrorForm,
  HARDHAT_ERRORS,
  SERVICE_ERRORS,
  UNCHANGED,
} from './compat-errors.ts';
import { hardhatFailureMessage, hardhatHaltMessage, hardhatRevertMessage } from './hardhat-failures.ts';
import { COMMON_POOL_VIEW, NETWORK_POOL_VIEW, type PoolView } from './views/pool.ts';

/** The node whose results and errors are used if nodes differ. */
export type CompatName = 'service' | 'anvil' | 'hardhat';

/** The compat modes of `--compat auto`. */
export interface CompatModes {
  /** For clients with Hardhat's User-Agent header. */
  readonly hardhat: CompatName;
  /** For all other clients, and for calls without the header, for example in the same process. */
  readonly others: CompatName;
}

/** One compat mode for all clients, or a mode for each kind of client. */
export type CompatChoice = CompatName | CompatModes;

/** The effects of the methods that switch automining and interval mining. */
export interface MiningSwitches {
  readonly setAutomine: (chain: Chain, enabled: boolean, call: CallToken | null) => Promise<void>;
  readonly setBlockTime: (chain: Chain, blockTime: BlockTime | null) => Promise<void>;
}

/** Automining and interval mining are independent. Switching automining on mines the pool. */
const TWO_SWITCHES: MiningSwitches = {
  setAutomine: (chain, automine, call) =>
    automine ? chain.mineInstantly(undefined, call) : chain.change(setMining({ automine })),
  setBlockTime: (chain, blockTime) => chain.change(setMining({ blockTime })),
};

/** As {@link TWO_SWITCHES}, but Hardhat mines the pool only with the next transaction. */
const HARDHAT_SWITCHES: MiningSwitches = {
  ...TWO_SWITCHES,
  setAutomine: (chain, automine) => chain.change(setMining({ automine })),
};

/** Automining and interval mining exclude each other, as in Anvil. Switching automining on mines the pool. */
const ONE_MODE: MiningSwitches = {
  setAutomine: async (chain, automine, call) => {
    if (automine === chain.miner.automine) return;
    await (automine ? chain.mineInstantly(null, call) : chain.change(setMining({ automine })));
  },
  setBlockTime: (chain, blockTime) => chain.change(setMining({ automine: false, blockTime })),
};

/** The results and errors that differ between compat modes. */
export interface Compat {
  readonly name: CompatName;
  /** The error code of a reverted execution. */
  readonly executionErrorCode: number;
  /** The error code of a halted execution (invalid opcode, out of gas). */
  readonly haltErrorCode: number;
  /** The errors whose code or message differs from the default of their class. */
  readonly errorForms: readonly ErrorForm[];
  /** True if errors without data have their name as data, `{ name }`. Clients read only hex data. */
  readonly namesErrors: boolean;
  /** The message of a reverted execution. */
  readonly revertMessage: (reason: RevertReason) => string;
  /** Text that the log adds to the message of a reverted execution; `undefined` for no text. */
  readonly revertHint: (reason: RevertReason) => string | undefined;
  /** The message of a halted execution; `reason` is text. */
  readonly haltMessage: (reason: string) => string;
  /** The message of an estimate that needs more gas than allowed; `null` for the message of other halts. */
  readonly outOfGasMessage: ((gas: bigint) => string) | null;
  /** The error data of a halted execution. */
  readonly haltData: '0x' | undefined;
  /** True if parameters that the service document requires are optional, as in Anvil and Hardhat. */
  readonly hasPeerDefaults: boolean;
  /** True if the methods that the service document flags also accept `pending`. */
  readonly pendingServed: boolean;
  /** True if a call is rejected unless its sender can pay gas price and value. */
  readonly callsNeedFunds: boolean;
  /** True if the call's gas caps an estimate. rskj ignores the call's gas since release 9.0.4. */
  readonly estimateKeepsToGas: boolean;
  /** True if the pending block and its transactions are returned with hash, nonce and bloom, as if mined. */
  readonly pendingLooksMined: boolean;
  /** True if blocks that `anvil_reorg` replaced can be read by hash, like orphans on Rootstock. */
  readonly keepsReplacedBlocks: boolean;
  /** True if the receipt of a failed creation contains the address that the contract would have had. */
  readonly namesFailedCreations: boolean;
  /** True if a send returns an error instead of a hash after the mined transaction failed. */
  readonly failedSendIsError: boolean;
  /**
   * Returns the first line of the error message if the node has artifacts of the failed contract, else `null`
   * for the plain line. The stack trace follows that line, because Hardhat's clients print only the message.
   * `null` if messages have no stack trace.
   */
  readonly messageWithStack: ((failure: Failure) => string | null) | null;
  /** The result of `evm_increaseTime` for a total offset in seconds. */
  readonly timeOffset: (seconds: number) => Hex | number | string;
  /** The result of the `evm_…` setters, which differs between Anvil and Hardhat. */
  readonly setterResult: true | null;
  /** The result of `evm_setNextBlockTimestamp` for a Unix time in seconds. */
  readonly timestampResult: (timestamp: number) => string | null;
  /** The unit of `evm_setIntervalMining` in seconds. */
  readonly intervalUnit: number;
  /** The effects of `evm_setAutomine`, `evm_setIntervalMining` and their aliases. */
  readonly mining: MiningSwitches;
  /** True if `eth_accounts` includes impersonated accounts. */
  readonly listsImpersonated: boolean;
  /** True if `hardhat_setNonce` may decrease a nonce. */
  readonly noncesMayFall: boolean;
  /**
   * The transactions of `eth_pendingTransactions`: of the node's accounts, of all senders, or of all senders
   * without queued transactions.
   */
  readonly listedPending: 'own' | 'all' | 'executable';
  /** Maximum blocks between the head and the end of a `trace_filter`; `null` for no limit. */
  readonly traceRangeAhead: number | null;
  /** The form of the error of a simulation on an unknown block. */
  readonly simulationBaseError: ErrorForm;
  /** True if simulations follow Anvil if it differs from geth. See `SimulationOptions`. */
  readonly simulatesAsAnvil: boolean;
  /** True if `trace_get` reads one index into the traces of the transaction, not a trace address. */
  readonly getsTraceByIndex: boolean;
  /** True if the `ots_…` methods follow Anvil. Otherwise they follow Erigon. */
  readonly otterscanOfAnvil: boolean;
  /** True if methods with raw or changed data of an unknown block return an empty result, not an error. */
  readonly emptyForUnknownBlock: boolean;
  /** The fork fields of `hardhat_metadata` without a fork. Clients detect the compat mode by them. */
  readonly noForkMetadata: { readonly forkedNetwork?: null };
  /** True if `null` among the alternatives of a topic matches any topic, as in geth. Rootstock ignores it. */
  readonly nullTopicMatchesAny: boolean;
  /** True if `evm_mine` continues after a full block, until the pool has no transaction that can be mined. */
  readonly mineDrainsPool: boolean;
  /** The answer of `evm_mine`. */
  readonly mineResult: string | null;
  /** True if a subscription to `syncing` first sends the status, `false`. */
  readonly sendsSyncing: boolean;
  /** True if a dump is an Anvil state file. */
  readonly dumpsForAnvil: boolean;
  /**
   * True if a reset without parameters ends a fork, and an empty `forking` object moves it to the newest block.
   * Otherwise, both resets return to the initial state.
   */
  readonly resetsMoveForks: boolean;
  /** The form of the pool in the results of `txpool_…`. */
  readonly poolView: PoolView;
  /** The result of `web3_clientVersion` for a version of this node, unless in hosted-node mode. */
  readonly clientVersion: (version: string) => string;
  /** `clientVersion` in `anvil_metadata`, for a version of this node. */
  readonly metadataVersion: (version: string) => string;
}

const PREFIX = 'VM Exception while processing transaction: ';
const MAX_DATA_LENGTH = 202;
const SECOND = 1;

function shortened(data: string): string {
  return data.length <= MAX_DATA_LENGTH ? data : `${data.slice(0, MAX_DATA_LENGTH)}…`;
}

function hexCode(panicCode: bigint): string {
  return `0x${panicCode.toString(16).padStart(2, '0')}`;
}

/**
 * Rootstock's message (service document, Errors): it contains only the text of `Error(string)`. Clients read
 * other reasons from the data; the log prints them.
 */
function serviceRevertMessage(reason: RevertReason): string {
  return `${PREFIX}${reason.kind === 'text' ? `revert ${reason.text}` : 'transaction reverted'}`;
}

/** Describes a panic or a custom error; `undefined` if the message is complete. */
function serviceRevertHint(reason: RevertReason): string | undefined {
  if (reason.kind === 'panic') return `panic ${hexCode(reason.panicCode)}: ${reason.words}`;
  return reason.kind === 'custom'
    ? `custom error ${reason.selector}${shownArguments(reason.data)}`
    : undefined;
}

/** Returns the encoded arguments of a custom error, without `0x`. */
function shownArguments(data: Hex): string {
  const rest = data.slice('0x12345678'.length);
  return rest === '' ? '' : `: ${shortened(rest)}`;
}

/** The revert message of geth and Anvil. */
export function executionRevertedMessage(reason: RevertReason): string {
  switch (reason.kind) {
    case 'none':
      return 'execution reverted';
    case 'text':
      return `execution reverted: ${reason.text}`;
    case 'panic':
      return `execution reverted: panic: ${reason.words} (${hexCode(reason.panicCode)})`;
    case 'custom':
      return `execution reverted: custom error ${reason.selector}${shownArguments(reason.data)}`;
  }
}

/** The Anvil version that the compat mode follows. */
const ANVIL_VERSION = 'anvil/v1.7.1';

function anvilVersion(version: string): string {
  return `${ANVIL_VERSION}/node-cli/${version}`;
}

function ownVersion(version: string): string {
  return `node-cli/v${version}`;
}

const SERVICE: Compat = {
  name: 'service',
  executionErrorCode: -32015,
  haltErrorCode: -32015,
  errorForms: SERVICE_ERRORS,
  namesErrors: false,
  revertMessage: serviceRevertMessage,
  revertHint: serviceRevertHint,
  haltMessage: (reason) => `${PREFIX}${reason}`,
  outOfGasMessage: null,
  haltData: undefined,
  hasPeerDefaults: false,
  pendingServed: false,
  callsNeedFunds: false,
  estimateKeepsToGas: false,
  pendingLooksMined: false,
  keepsReplacedBlocks: true,
  namesFailedCreations: false,
  failedSendIsError: false,
  messageWithStack: null,
  // A QUANTITY cannot be negative, but the clock may be set back.
  timeOffset: (seconds) => toQuantity(Math.max(0, seconds)),
  setterResult: null,
  timestampResult: () => null,
  intervalUnit: SECOND,
  mining: TWO_SWITCHES,
  listsImpersonated: true,
  noncesMayFall: true,
  listedPending: 'own',
  traceRangeAhead: null,
  simulationBaseError: UNCHANGED,
  simulatesAsAnvil: false,
  getsTraceByIndex: false,
  otterscanOfAnvil: false,
  emptyForUnknownBlock: false,
  noForkMetadata: { forkedNetwork: null },
  nullTopicMatchesAny: false,
  mineDrainsPool: false,
  mineResult: null,
  sendsSyncing: false,
  dumpsForAnvil: false,
  resetsMoveForks: false,
  poolView: NETWORK_POOL_VIEW,
  // Development tools reject a node if its version does not start with a name that they support.
  clientVersion: anvilVersion,
  metadataVersion: ownVersion,
};

const ANVIL: Compat = {
  name: 'anvil',
  executionErrorCode: 3,
  haltErrorCode: -32003,
  errorForms: ANVIL_ERRORS,
  namesErrors: false,
  revertMessage: executionRevertedMessage,
  revertHint: () => undefined,
  haltMessage: anvilHaltMessage,
  outOfGasMessage: (gas) => `Out of gas: gas required exceeds allowance: ${gas}`,
  haltData: undefined,
  hasPeerDefaults: true,
  pendingServed: true,
  callsNeedFunds: true,
  estimateKeepsToGas: true,
  pendingLooksMined: true,
  keepsReplacedBlocks: false,
  namesFailedCreations: true,
  failedSendIsError: false,
  messageWithStack: null,
  timeOffset: (seconds) => seconds,
  setterResult: null,
  timestampResult: () => null,
  intervalUnit: SECOND,
  mining: ONE_MODE,
  listsImpersonated: true,
  noncesMayFall: true,
  listedPending: 'executable',
  traceRangeAhead: 300,
  simulationBaseError: ANVIL_SIMULATION_BASE_ERROR,
  simulatesAsAnvil: true,
  getsTraceByIndex: true,
  otterscanOfAnvil: true,
  emptyForUnknownBlock: true,
  noForkMetadata: { forkedNetwork: null },
  nullTopicMatchesAny: true,
  mineDrainsPool: true,
  mineResult: '0x0',
  sendsSyncing: true,
  dumpsForAnvil: true,
  resetsMoveForks: true,
  poolView: COMMON_POOL_VIEW,
  clientVersion: anvilVersion,
  metadataVersion: anvilVersion,
};

const HARDHAT: Compat = {
  name: 'hardhat',
  executionErrorCode: 3,
  haltErrorCode: 3,
  errorForms: HARDHAT_ERRORS,
  namesErrors: true,
  revertMessage: hardhatRevertMessage,
  revertHint: () => undefined,
  haltMessage: hardhatHaltMessage,
  outOfGasMessage: null,
  // Hardhat's matchers do not treat an error without data as a failed transaction.
  haltData: '0x',
  hasPeerDefaults: true,
  pendingServed: true,
  callsNeedFunds: false,
  estimateKeepsToGas: true,
  pendingLooksMined: false,
  keepsReplacedBlocks: true,
  namesFailedCreations: false,
  failedSendIsError: true,
  messageWithStack: hardhatFailureMessage,
  timeOffset: String,
  setterResult: true,
  timestampResult: String,
  intervalUnit: SECOND / 1000,
  mining: HARDHAT_SWITCHES,
  listsImpersonated: false,
  noncesMayFall: false,
  listedPending: 'all',
  traceRangeAhead: null,
  simulationBaseError: UNCHANGED,
  simulatesAsAnvil: false,
  getsTraceByIndex: false,
  otterscanOfAnvil: false,
  emptyForUnknownBlock: false,
  noForkMetadata: {},
  nullTopicMatchesAny: true,
  mineDrainsPool: false,
  mineResult: '0',
  sendsSyncing: false,
  dumpsForAnvil: false,
  resetsMoveForks: true,
  poolView: COMMON_POOL_VIEW,
  // Client libraries enable Hardhat's features if the version starts like this.
  clientVersion: (version) => `HardhatNetwork/2.29.1/@ethereumjs/vm/10.1.3/node-cli/${version}`,
  metadataVersion: ownVersion,
};

const COMPATS: Readonly<Record<CompatName, Compat>> = { service: SERVICE, anvil: ANVIL, hardhat: HARDHAT };

/** The User-Agent header of Hardhat 2 (`hardhat 2.29.1`) and of Hardhat 3 (`Hardhat 3.17.0`). */
const HARDHAT_USER_AGENT = /^hardhat[ /]/i;

const HARDHAT_2_USER_AGENT = /^hardhat[ /]2\./i;

/** True for the User-Agent header of Hardhat 2, whose own stack traces have `at` before each frame. */
export function isHardhat2(userAgent: string | undefined): boolean {
  return userAgent !== undefined && HARDHAT_2_USER_AGENT.test(userAgent);
}

export function compatNamed(name: CompatName): Compat {
  return COMPATS[name];
}

/** Returns the compat mode of a client by its User-Agent header, `undefined` if the client sent none. */
export function compatNameFor(choice: CompatChoice, userAgent: string | undefined): CompatName {
  if (typeof choice === 'string') return choice;
  return userAgent !== undefined && HARDHAT_USER_AGENT.test(userAgent) ? choice.hardhat : choice.others;
}
