import { type Hex, toQuantity } from '../primitives/hex.ts';
import { COMMON_POOL_VIEW, NETWORK_POOL_VIEW, type PoolView } from './views/pool.ts';
import type { RevertReason } from './views/revert-reason.ts';

/** Whose dialect the node speaks where one answer cannot serve every client. */
export type CompatName = 'service' | 'anvil' | 'hardhat';

/** The answers that differ between dialects. */
export interface Compat {
  readonly name: CompatName;
  /** The error code of an execution that reverted or halted. */
  readonly executionErrorCode: number;
  /** The error code of a transaction that the pool does not take. */
  readonly rejectionCode: number;
  /** The message of an execution that reverted. */
  readonly revertMessage: (reason: RevertReason) => string;
  /** The message of an execution that halted for a reason, given in words. */
  readonly haltMessage: (reason: string) => string;
  /** True when the methods that the service document flags answer for `pending` too. */
  readonly pendingServed: boolean;
  /** True when a mined transaction that failed makes the send an error instead of a hash. */
  readonly failedSendIsError: boolean;
  /** What `evm_increaseTime` answers for a total offset in seconds. */
  readonly timeOffset: (seconds: number) => Hex | number | string;
  /** What the setters `evm_…` answer, where the peers do not agree. */
  readonly setterResult: true | null;
  /** What `evm_setNextBlockTimestamp` answers for seconds since 1970. */
  readonly timestampResult: (timestamp: number) => string | null;
  /** The unit of `evm_setIntervalMining` in seconds. */
  readonly intervalUnit: number;
  /** True when `eth_accounts` lists the accounts that are impersonated too. */
  readonly listsImpersonated: boolean;
  /** What `hardhat_metadata` says of the fork of a chain that has none; clients tell the dialect by it. */
  readonly noForkMetadata: { readonly forkedNetwork?: null };
  /** What `evm_mine` answers. */
  readonly mineResult: string | null;
  /** How the methods `txpool_…` list the pool. */
  readonly poolView: PoolView;
  /** What `web3_clientVersion` answers for a version of this node. */
  readonly clientVersion: (version: string) => string;
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
 * The service's words. Clients that do not know the service's code recognise a revert by the words `execution
 * reverted` (viem) or `revert` (ethers), so both stand in every one of these messages.
 */
function serviceRevertMessage(reason: RevertReason): string {
  switch (reason.kind) {
    case 'none':
      return `${PREFIX}transaction reverted (execution reverted)`;
    case 'text':
      return `${PREFIX}revert ${reason.text} (execution reverted)`;
    case 'panic':
      return `${PREFIX}revert panic ${hexCode(reason.panicCode)}: ${reason.words} (execution reverted)`;
    case 'custom':
      return `${PREFIX}transaction reverted with custom error ${reason.selector} (execution reverted, data ${shortened(reason.data)})`;
  }
}

function anvilRevertMessage(reason: RevertReason): string {
  switch (reason.kind) {
    case 'none':
      return 'execution reverted';
    case 'text':
      return `execution reverted: ${reason.text}`;
    case 'panic':
      return `execution reverted: panic: ${reason.words} (${hexCode(reason.panicCode)})`;
    case 'custom':
      return `execution reverted: custom error ${reason.selector}: ${shortened(reason.data)}`;
  }
}

function hardhatRevertMessage(reason: RevertReason): string {
  switch (reason.kind) {
    case 'none':
      return 'Transaction reverted without a reason string';
    case 'text':
      return `${PREFIX}reverted with reason string '${reason.text}'`;
    case 'panic':
      return `${PREFIX}reverted with panic code ${hexCode(reason.panicCode)} (${reason.words})`;
    case 'custom':
      return `${PREFIX}reverted with an unrecognized custom error (return data: ${reason.data})`;
  }
}

const SERVICE: Compat = {
  name: 'service',
  executionErrorCode: -32015,
  rejectionCode: -32010,
  revertMessage: serviceRevertMessage,
  haltMessage: (reason) => `${PREFIX}${reason}`,
  pendingServed: false,
  failedSendIsError: false,
  // A QUANTITY cannot say that the clock was set back.
  timeOffset: (seconds) => toQuantity(Math.max(0, seconds)),
  setterResult: null,
  timestampResult: () => null,
  intervalUnit: SECOND,
  listsImpersonated: true,
  noForkMetadata: { forkedNetwork: null },
  mineResult: null,
  poolView: NETWORK_POOL_VIEW,
  clientVersion: (version) => `node-cli/${version}/${process.platform}/node${process.versions.node}`,
};

const ANVIL: Compat = {
  name: 'anvil',
  executionErrorCode: 3,
  rejectionCode: -32003,
  revertMessage: anvilRevertMessage,
  haltMessage: (reason) => `EVM error: ${reason}`,
  pendingServed: true,
  failedSendIsError: false,
  timeOffset: (seconds) => seconds,
  setterResult: null,
  timestampResult: () => null,
  intervalUnit: SECOND,
  listsImpersonated: true,
  noForkMetadata: { forkedNetwork: null },
  mineResult: '0x0',
  poolView: COMMON_POOL_VIEW,
  clientVersion: (version) => `anvil/v1.7.1/node-cli/${version}`,
};

const HARDHAT: Compat = {
  name: 'hardhat',
  executionErrorCode: 3,
  rejectionCode: -32000,
  revertMessage: hardhatRevertMessage,
  haltMessage: (reason) => `${PREFIX}${reason}`,
  pendingServed: true,
  failedSendIsError: true,
  timeOffset: String,
  setterResult: true,
  timestampResult: String,
  intervalUnit: SECOND / 1000,
  listsImpersonated: false,
  noForkMetadata: {},
  mineResult: '0',
  poolView: COMMON_POOL_VIEW,
  // Client libraries take the features of Hardhat for granted where the version begins like this.
  clientVersion: (version) => `HardhatNetwork/2.29.1/@ethereumjs/vm/10.1.3/node-cli/${version}`,
};

const COMPATS: Readonly<Record<CompatName, Compat>> = { service: SERVICE, anvil: ANVIL, hardhat: HARDHAT };

/** The dialect of that name. */
export function compatNamed(name: CompatName): Compat {
  return COMPATS[name];
}
