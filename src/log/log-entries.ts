import type { ParentTransaction } from '../inspect/parent-transaction.ts';
import type { StackFrame } from '../inspect/stack-trace.ts';
import { CodedError } from '../primitives/coded-error.ts';
import type { RuleSetName } from '../protocol/hardforks/registry.ts';
import { BitcoinRpcError } from '../rootstock/parent-chain/rpc/rpc-error.ts';
import type { ComingActivity } from '../rpc/activity.ts';
import type { CompatName } from '../rpc/compat.ts';
import { ExecutionError } from '../rpc/errors.ts';
import type { CallReport } from '../server/options.ts';

/** An execution with the names and values of the user's contracts. */
export interface ExplainedFacts {
  /** The decoded call or creation (`Token.transfer(to: 0x…, amount: 5)`); absent for an unknown contract. */
  readonly subject?: string | null;
  /** The stack trace of a failure; absent if there is none. */
  readonly stackTrace?: readonly StackFrame[];
  /** The stack trace as text, with one line per frame. */
  readonly stack?: string;
  /** Decoded events of known contracts. */
  readonly events?: readonly string[];
  /** The decisions that Rootstock's precompiles reported; absent if there are none. */
  readonly remarks?: readonly string[];
  /** The Bitcoin transactions in calls and events of Rootstock's Bridge; absent if there are none. */
  readonly parentTransactions?: readonly ParentTransaction[];
  /** All calls, events and console output as a tree; only in a verbose log. */
  readonly tree?: readonly string[];
}

/** A failed call with the names and values of the user's contracts. */
export interface FailedCallFacts extends ExplainedFacts {
  readonly failure: string;
}

export interface RequestEntry extends Partial<FailedCallFacts> {
  readonly method: string;
  /** The name of its lane; absent for the base chain. */
  readonly lane?: string;
  /** The URL path of the lane; absent for the base chain, and if the path is an API key. */
  readonly lanePath?: string;
  /** The number in `inspect_failures`; absent if nothing failed in the EVM. */
  readonly failureNumber?: number;
  /** Milliseconds from call to response. */
  readonly durationMs: number;
  readonly error: { readonly code: number; readonly message: string } | null;
  /** Warnings about ignored parameter fields; absent if there are none. */
  readonly warnings?: readonly string[];
}

export interface ConsoleMessageEntry {
  /** The address of the calling contract. */
  readonly contract: string;
  /** May contain line breaks and any other character. */
  readonly text: string;
}

/** The console output of an execution, in order. */
export interface ConsoleEntry {
  readonly messages: readonly ConsoleMessageEntry[];
  /** Number of further calls without a stored message. */
  readonly omitted: number;
}

export type TransactionKind = 'deployment' | 'call' | 'transfer';

/** A mined transaction. Hashes and addresses are hexadecimal, amounts are in wei or gas. */
export interface TransactionEntry extends ExplainedFacts {
  readonly kind: TransactionKind;
  readonly hash: string;
  readonly from: string;
  /** The label of the sender, if it has one. */
  readonly fromLabel?: string;
  readonly to: string | null;
  /** The label of the recipient, if it has one. */
  readonly toLabel?: string;
  readonly value: bigint;
  /** The first four bytes of the data of a call; `null` if shorter. */
  readonly selector: string | null;
  readonly contractAddress: string | null;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  /** The reason of the failure; `null` for a success. */
  readonly failure: string | null;
  /** The arguments of a custom error, in words of 32 bytes. */
  readonly errorArguments: readonly string[];
  /** Number of all argument words. `errorArguments` contains only the first ones of long data. */
  readonly errorArgumentCount: number;
  /** True if data was sent to an account without code. */
  readonly calledWithoutCode: boolean;
  /** `null` without console output, or if the log omits it. */
  readonly console: ConsoleEntry | null;
}

export interface BlockEntry {
  /** The name of its lane; absent for the base chain. */
  readonly lane?: string;
  /** See {@link RequestEntry.lanePath}. */
  readonly lanePath?: string;
  readonly number: number;
  readonly hash: string;
  /** In seconds since 1970. */
  readonly timestamp: number;
  readonly gasUsed: bigint;
  readonly transactions: readonly TransactionEntry[];
}

export interface AccountEntry {
  /** With EIP-55 checksum, which every client accepts. */
  readonly address: string;
  readonly privateKey: string;
}

export interface PredeployEntry {
  readonly name: string;
  readonly address: string;
}

export interface ArtifactFolderEntry {
  readonly path: string;
  /** The tool of its project; `null` for a folder of an option. */
  readonly tool: string | null;
  /** False if the folder does not exist yet. */
  readonly isThere: boolean;
}

/** The properties of a started node. */
export interface StartEntry {
  readonly version: string;
  /** The URL of the node, such as `http://127.0.0.1:8545`. */
  readonly url: string;
  readonly webSocketUrl: string;
  /** The path of the IPC socket; `null` without one. */
  readonly ipcPath: string | null;
  readonly accounts: readonly AccountEntry[];
  /** Initial balance of each account in wei; `null` for a loaded chain, whose balances differ. */
  readonly balance: bigint | null;
  /** The source of the accounts; `null` if they have no mnemonic. */
  readonly wallet: { readonly mnemonic: string; readonly derivationPath: string } | null;
  /** True if `wallet` has the default mnemonic and derivation path. */
  readonly hasDefaultWallet: boolean;
  /** True if the keys are public: keys of a default mnemonic or of Rootstock. */
  readonly areKeysPublic: boolean;
  /**
   * The fork: masked URL, block number, age of the block in seconds, and true if it follows new blocks of its chain.
   * `null` without a fork.
   */
  readonly fork: {
    readonly url: string;
    readonly number: number;
    readonly age: number;
    readonly isFollowing: boolean;
  } | null;
  /** The network of `--chain`, which sets other options; `null` if absent. */
  readonly preset: string | null;
  readonly chainId: number;
  readonly networkId: number;
  readonly ruleSet: RuleSetName;
  /** The script format of the Bridge's federation; `null` for the default. */
  readonly federation: string | null;
  /** True for a hardfork that is not final. */
  readonly isPreview: boolean;
  /** The value of `--compat`. */
  readonly dialect: CompatName | 'auto';
  /** The compat mode of clients other than Hardhat. */
  readonly compatOfOthers: CompatName;
  /** The evidence in the project for `compatOfOthers`; null if there is none, or with a fixed mode. */
  readonly compatEvidence: string | null;
  /** The gas limit of the next block, or the initial one if blocks approach a target. */
  readonly gasLimit: bigint;
  /** True if the limits of the live network apply. */
  readonly networkLimits: boolean;
  /** In wei per gas. */
  readonly minimumGasPrice: bigint;
  readonly predeploys: readonly PredeployEntry[];
  /** The mining mode in words. */
  readonly mining: string;
  /** The directory with the chain; `null` for a chain in memory. */
  readonly dataDirectory: string | null;
  /** The loaded file; `null` if none. */
  readonly loadedFrom: string | null;
  /** The file to save the chain to; `null` if none. */
  readonly savedTo: string | null;
  /** The URLs of the parent chain's Bitcoin RPC; empty without a parent chain. */
  readonly parentUrls: readonly string[];
  /** The federation that pegs on the parent chain use; `null` without a parent chain. */
  readonly pegs: { readonly address: string; readonly hasFederate: boolean } | null;
  /** The latest block of a continued chain; `null` for a new chain. */
  readonly continuedAfter: number | null;
  /** Folders that the node searches for build outputs. */
  readonly artifactFolders: readonly ArtifactFolderEntry[];
  /** True if the node searched for build outputs of a project and found no project. */
  readonly lacksProject: boolean;
  /** The configuration file; `null` if none. */
  readonly configFile: string | null;
  /** True if each URL path, or each API key, has its own chain. */
  readonly hasLanes: boolean;
  /** True if the URL path must be an API key. */
  readonly needsApiKey: boolean;
  /** True if other machines can reach the port and use the unlocked accounts. */
  readonly isExposed: boolean;
  /** True if the node serves the explorer to browsers. */
  readonly servesExplorer: boolean;
}

/** Long work with a file. */
export interface FileWork {
  readonly activity: 'load' | 'save';
  readonly path: string;
}

/** The progress of work with a file. `fraction` is from 0 to 1. */
export type FileWorkEntry = FileWork &
  (
    | { readonly stage: 'begun' | 'going'; readonly fraction: number }
    | { readonly stage: 'done'; readonly durationMs: number }
  );

/** The progress of requests to the fork URL. */
export type FetchEntry = {
  readonly activity: 'fetch';
  /** Host and port of the last response, or of the first request. */
  readonly host: string;
  /** Number of answered requests. */
  readonly answers: number;
} & ({ readonly stage: 'begun' | 'going' } | { readonly stage: 'done'; readonly durationMs: number });

export type WorkEntry = FileWorkEntry | FetchEntry;

/** Blocks that a revert removed, by their lowest and highest number. */
export interface RemovedEntry {
  /** The name of their lane; absent for the base chain. */
  readonly lane?: string;
  /** See {@link RequestEntry.lanePath}. */
  readonly lanePath?: string;
  readonly first: number;
  readonly last: number;
}

const INTERNAL_ERROR = -32603;

function errorOf(error: unknown): RequestEntry['error'] {
  if (error === undefined) return null;
  if (error instanceof ExecutionError) {
    const { code, shortMessage, hint } = error;
    return { code, message: hint === undefined ? shortMessage : `${shortMessage} (${hint})` };
  }
  if (error instanceof CodedError || error instanceof BitcoinRpcError)
    return { code: error.code, message: error.message };
  return { code: INTERNAL_ERROR, message: error instanceof Error ? error.message : String(error) };
}

export function requestEntry({ method, durationMs, error }: CallReport): RequestEntry {
  return { method, durationMs: durationMs ?? 0, error: errorOf(error) };
}

/** Returns a summary of the entry of an answered call. */
export function comingRequest(hasFailure: boolean, lane: string | undefined): ComingActivity {
  return { lane, hasFailure, counts: ONE_REQUEST };
}

const ONE_REQUEST = { request: 1 };

/** Returns the text of a bug, with its full stack trace. */
export function internalErrorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
}
