import type { Chain } from '../chain/chain.ts';
import type { CallToken } from '../chain/changes.ts';
import { setMining } from '../chain/controls.ts';
import type { BlockTime } from '../chain/settings/miner.ts';
import type { RevertReason } from '../evm/revert-reason.ts';
import type { Failure } from '../inspect/failure.ts';
import { type Hex, toQuantity } from '../primitives/hex.ts';
import { anvilHaltMessage } from './anvil-halts.ts';
import { ANVIL_ERRORS, type ErrorForm, HARDHAT_ERRORS, SERVICE_ERRORS } from './dialect-errors.ts';
import { hardhatFailureMessage, hardhatHaltMessage, hardhatRevertMessage } from './hardhat-failures.ts';
import { COMMON_POOL_VIEW, NETWORK_POOL_VIEW, type PoolView } from './views/pool.ts';

/** The node whose dialect is spoken where one answer cannot serve every client. */
export type CompatName = 'service' | 'anvil' | 'hardhat';

/** The compat modes of `--compat auto`. */
export interface CompatModes {
  /** For clients with Hardhat's User-Agent header. */
  readonly hardhat: CompatName;
  /** For all other clients, and for those without the header, for example in the same process. */
  readonly others: CompatName;
}

/** One compat mode for all clients, or a mode for each kind of client. */
export type CompatChoice = CompatName | CompatModes;

/** The effects of the methods that switch instant mining and the timer. */
export interface MiningSwitches {
  readonly setAutomine: (chain: Chain, enabled: boolean, call: CallToken | null) => Promise<void>;
  readonly setBlockTime: (chain: Chain, blockTime: BlockTime | null) => Promise<void>;
}

/** Instant mining and the timer are two switches: neither changes the other. What waits is mined on switching instant mining on. */
const TWO_SWITCHES: MiningSwitches = {
  setAutomine: (chain, automine, call) =>
    automine ? chain.mineInstantly(undefined, call) : chain.change(setMining({ automine })),
  setBlockTime: (chain, blockTime) => chain.change(setMining({ blockTime })),
};

/** As {@link TWO_SWITCHES}, but switching on mines nothing by itself: with Hardhat what waits is mined with the next transaction. */
const HARDHAT_SWITCHES: MiningSwitches = {
  ...TWO_SWITCHES,
  setAutomine: (chain, automine) => chain.change(setMining({ automine })),
};

/** Instant mining and the timer end each other, as Anvil has one mode of mining; what waits is mined on switching on. */
const ONE_MODE: MiningSwitches = {
  setAutomine: async (chain, automine, call) => {
    if (automine === chain.miner.automine) return;
    await (automine ? chain.mineInstantly(null, call) : chain.change(setMining({ automine })));
  },
  setBlockTime: (chain, blockTime) => chain.change(setMining({ automine: false, blockTime })),
};

/** The answers that differ between dialects. */
export interface Compat {
  readonly name: CompatName;
  /** The error code of an execution that reverted. */
  readonly executionErrorCode: number;
  /** The error code of an execution that halted (invalid opcode, out of gas). */
  readonly haltErrorCode: number;
  /** The forms of errors whose code or words the dialect has otherwise than their classes. */
  readonly errorForms: readonly ErrorForm[];
  /** True if errors without data have their name as data, `{ name }`. Hardhat's clients, ethers and viem read only hex data. */
  readonly namesErrors: boolean;
  /** The message of an execution that reverted. */
  readonly revertMessage: (reason: RevertReason) => string;
  /** The words of the log about a reverted execution besides its message; `undefined` for nothing. */
  readonly revertHint: (reason: RevertReason) => string | undefined;
  /** The message of an execution that halted for a reason, given in words. */
  readonly haltMessage: (reason: string) => string;
  /** The message of an estimate that needs more gas than there is; `null` for that of any other halt. */
  readonly outOfGasMessage: ((gas: bigint) => string) | null;
  /** The data of an error about an execution that halted. */
  readonly haltData: '0x' | undefined;
  /** True when a caller may leave out what the service document asks for and the peers do not. */
  readonly hasPeerDefaults: boolean;
  /** True when the methods that the service document flags answer for `pending` too. */
  readonly pendingServed: boolean;
  /** True when a call that offers a price or a value which its sender cannot pay is refused. */
  readonly callsNeedFunds: boolean;
  /**
   * True when an estimate has no more gas to try than the caller gives. The network's reference node looks for what a
   * transaction needs, whatever gas the caller gives (since its release 9.0.4).
   */
  readonly estimateKeepsToGas: boolean;
  /** True when the pending block is shown with hash, nonce and bloom, and its transactions as mined, before it is. */
  readonly pendingLooksMined: boolean;
  /** True when blocks that `anvil_reorg` replaced are found by their hashes, as the network finds blocks that lost. */
  readonly keepsReplacedBlocks: boolean;
  /** True when the receipt of a creation that failed names the address that the contract would have had. */
  readonly namesFailedCreations: boolean;
  /** True when a mined transaction that failed makes the send an error instead of a hash. */
  readonly failedSendIsError: boolean;
  /**
   * Returns the first line of an error if the node knows the failed contract; null for the line of the return data alone. The
   * stack trace follows below that line, because its clients print only the message. Null if messages have no stack trace.
   */
  readonly messageWithStack: ((failure: Failure) => string | null) | null;
  /** The answer of `evm_increaseTime` for a total offset in seconds. */
  readonly timeOffset: (seconds: number) => Hex | number | string;
  /** The answer of the setters `evm_…`, where the peers do not agree. */
  readonly setterResult: true | null;
  /** The answer of `evm_setNextBlockTimestamp` for seconds since 1970. */
  readonly timestampResult: (timestamp: number) => string | null;
  /** The unit of `evm_setIntervalMining` in seconds. */
  readonly intervalUnit: number;
  /** The effects of `evm_setAutomine`, `evm_setIntervalMining` and their aliases. */
  readonly mining: MiningSwitches;
  /** True when `eth_accounts` lists the accounts that are impersonated too. */
  readonly listsImpersonated: boolean;
  /** True when `hardhat_setNonce` may set the nonce of an account lower than it is. */
  readonly noncesMayFall: boolean;
  /** True when `eth_pendingTransactions` lists those of all senders, not only of the accounts that the node sends for. */
  readonly listsAllPending: boolean;
  /** The fork of a chain that has none in `hardhat_metadata`; clients recognize the dialect by it. */
  readonly noForkMetadata: { readonly forkedNetwork?: null };
  /** True if `null` among the alternatives of a topic matches any topic, as in geth. Rootstock ignores it. */
  readonly nullTopicMatchesAny: boolean;
  /** True if `evm_mine` continues after a full block, until the pool has no transaction that can be mined. */
  readonly mineDrainsPool: boolean;
  /** The answer of `evm_mine`. */
  readonly mineResult: string | null;
  /** True if a subscription to `syncing` begins with the status, `false`. */
  readonly sendsSyncing: boolean;
  /** True when a dump is a state file of Anvil's. */
  readonly dumpsForAnvil: boolean;
  /** The form in which the methods `txpool_…` list the pool. */
  readonly poolView: PoolView;
  /** The answer of `web3_clientVersion` for a version of this node, unless the node is hosted. */
  readonly clientVersion: (version: string) => string;
  /** `clientVersion` in `anvil_metadata`, for a version of this node. */
  readonly metadataVersion: (version: string) => string;
}

const PREFIX = 'VM Exception while processing transaction: ';
const LONGEST_DATA = 202;
const SECOND = 1;

function shortened(data: string): string {
  return data.length <= LONGEST_DATA ? data : `${data.slice(0, LONGEST_DATA)}…`;
}

function hexCode(panicCode: bigint): string {
  return `0x${panicCode.toString(16).padStart(2, '0')}`;
}

/**
 * The network's words and nothing behind them (service document, Errors): only the text of `Error(string)` stands in
 * them. Clients find the rest in the data, people in the log.
 */
function serviceRevertMessage(reason: RevertReason): string {
  return `${PREFIX}${reason.kind === 'text' ? `revert ${reason.text}` : 'transaction reverted'}`;
}

/** A panic or a custom error in words; `undefined` where the service's message says all there is. */
function serviceRevertHint(reason: RevertReason): string | undefined {
  if (reason.kind === 'panic') return `panic ${hexCode(reason.panicCode)}: ${reason.words}`;
  return reason.kind === 'custom'
    ? `custom error ${reason.selector}${shownArguments(reason.data)}`
    : undefined;
}

/** Returns the data behind the selector of a custom error, without `0x`. */
function shownArguments(data: Hex): string {
  const rest = data.slice('0x12345678'.length);
  return rest === '' ? '' : `: ${shortened(rest)}`;
}

/** The words of geth and of Anvil for a revert. */
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

/** The Anvil that the dialect follows. */
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
  // A QUANTITY cannot say that the clock was set back.
  timeOffset: (seconds) => toQuantity(Math.max(0, seconds)),
  setterResult: null,
  timestampResult: () => null,
  intervalUnit: SECOND,
  mining: TWO_SWITCHES,
  listsImpersonated: true,
  noncesMayFall: true,
  listsAllPending: false,
  noForkMetadata: { forkedNetwork: null },
  nullTopicMatchesAny: false,
  mineDrainsPool: false,
  mineResult: null,
  sendsSyncing: false,
  dumpsForAnvil: false,
  poolView: NETWORK_POOL_VIEW,
  // Tools for development refuse, or mistrust, a node whose version does not begin with a name that they know.
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
  listsAllPending: false,
  noForkMetadata: { forkedNetwork: null },
  nullTopicMatchesAny: true,
  mineDrainsPool: true,
  mineResult: '0x0',
  sendsSyncing: true,
  dumpsForAnvil: true,
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
  // Hardhat's matchers take an error without data for something else than a failed transaction.
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
  listsAllPending: true,
  noForkMetadata: {},
  nullTopicMatchesAny: true,
  mineDrainsPool: false,
  mineResult: '0',
  sendsSyncing: false,
  dumpsForAnvil: false,
  poolView: COMMON_POOL_VIEW,
  // Client libraries take the features of Hardhat for granted where the version begins like this.
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

/** Returns the dialect of that name. */
export function compatNamed(name: CompatName): Compat {
  return COMPATS[name];
}

/** Returns the compat mode for a client with that User-Agent header; undefined for a client without the header. */
export function compatNameFor(choice: CompatChoice, userAgent: string | undefined): CompatName {
  if (typeof choice === 'string') return choice;
  return userAgent !== undefined && HARDHAT_USER_AGENT.test(userAgent) ? choice.hardhat : choice.others;
}
