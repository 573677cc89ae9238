import type { StackFrame } from '../inspect/stack-trace.ts';
import { CodedError } from '../primitives/coded-error.ts';
import type { ComingActivity } from '../rpc/activity.ts';
import type { CompatName } from '../rpc/compat.ts';
import { ExecutionError } from '../rpc/errors.ts';
import type { CallReport } from '../server/options.ts';

/** An execution in the names and values of the user's contracts. */
export interface ExplainedFacts {
  /** The call or creation in names and values (`Token.transfer(to: 0x…, amount: 5)`); absent for a contract that is not known. */
  readonly subject?: string | null;
  /** The stack trace of a failure, as errors and inspections have it; absent when there is none. */
  readonly stackTrace?: readonly StackFrame[];
  /** The stack trace as text, a line for each place. */
  readonly stack?: string;
  /** The events of contracts that are known, decoded. */
  readonly events?: readonly string[];
  /** All calls, events and console output as a tree, where the log shows everything. */
  readonly tree?: readonly string[];
}

/** A call that failed, in the names and values of the user's contracts. */
export interface FailedCallFacts extends ExplainedFacts {
  readonly failure: string;
}

/** One answered call. */
export interface RequestEntry extends Partial<FailedCallFacts> {
  readonly method: string;
  /** The name of the lane that it asked; absent for the base chain. */
  readonly lane?: string;
  /** The URL path of that lane; absent for the base chain, and if the path is an API key. */
  readonly lanePath?: string;
  /** The number of the failed call or estimate in `inspect_failures`; absent if nothing failed in the EVM. */
  readonly failureNumber?: number;
  /** Milliseconds from call to answer. */
  readonly durationMs: number;
  readonly error: { readonly code: number; readonly message: string } | null;
  /** Slips in its parameters that were ignored, in words; absent for none. */
  readonly warnings?: readonly string[];
}

/** One call of the console of contracts. */
export interface ConsoleMessageEntry {
  /** The address of the contract that called. */
  readonly contract: string;
  /** The text of the call; may contain line ends and anything else. */
  readonly text: string;
}

/** The console output of contracts in an execution, in order. */
export interface ConsoleEntry {
  readonly messages: readonly ConsoleMessageEntry[];
  /** The number of further calls, which are not kept. */
  readonly omitted: number;
}

export type TransactionKind = 'deployment' | 'call' | 'transfer';

/** One mined transaction. Hashes and addresses are hexadecimal, amounts wei or gas. */
export interface TransactionEntry extends ExplainedFacts {
  readonly kind: TransactionKind;
  readonly hash: string;
  readonly from: string;
  /** The label of the sender; absent where it has none. */
  readonly fromLabel?: string;
  readonly to: string | null;
  /** The label of the recipient; absent where it has none. */
  readonly toLabel?: string;
  readonly value: bigint;
  /** The first four bytes of the data of a call; `null` when there are fewer. */
  readonly selector: string | null;
  readonly contractAddress: string | null;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  /** The reason why it failed; `null` when it succeeded. */
  readonly failure: string | null;
  /** The arguments of the custom error that it failed with, in words of 32 bytes; else empty. */
  readonly errorArguments: readonly string[];
  /** The number of words that it failed with: of megabytes `errorArguments` has the first ones only. */
  readonly errorArgumentCount: number;
  /** True when data was sent to an account that has no code. */
  readonly calledWithoutCode: boolean;
  /** `null` when its code wrote nothing to the console, or the log does not show it. */
  readonly console: ConsoleEntry | null;
}

/** One mined block. */
export interface BlockEntry {
  /** The name of the lane that has it; absent for the base chain. */
  readonly lane?: string;
  /** See {@link RequestEntry.lanePath}. */
  readonly lanePath?: string;
  readonly number: number;
  readonly hash: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly gasUsed: bigint;
  readonly transactions: readonly TransactionEntry[];
}

/** An account to show at the start. */
export interface AccountEntry {
  /** With the checksum of EIP-55, which every client accepts. */
  readonly address: string;
  readonly privateKey: string;
}

/** A contract that the chain starts with. */
export interface PredeployEntry {
  readonly name: string;
  readonly address: string;
}

/** A folder with build outputs. */
export interface ArtifactFolderEntry {
  readonly path: string;
  /** The tool whose project it was found in; `null` for one that an option names. */
  readonly tool: string | null;
  /** False where nothing is yet. */
  readonly isThere: boolean;
}

/** The facts that the node prints when it has started. */
export interface StartEntry {
  readonly version: string;
  /** The URL at which the node listens: `http://127.0.0.1:8545`. */
  readonly url: string;
  readonly webSocketUrl: string;
  readonly accounts: readonly AccountEntry[];
  /** Wei of each account; `null` for a chain that was loaded, where each has its own. */
  readonly balance: bigint | null;
  /** The words and the path that the accounts come from; `null` when they do not. */
  readonly wallet: { readonly mnemonic: string; readonly derivationPath: string } | null;
  /** True if `wallet` has the default mnemonic and derivation path. */
  readonly hasDefaultWallet: boolean;
  /** True if the keys are public: keys of a default mnemonic or of Rootstock. */
  readonly areKeysPublic: boolean;
  /** The forked chain: the URL without secrets, the block, and the age of the block in seconds; `null` for no fork. */
  readonly fork: { readonly url: string; readonly number: number; readonly age: number } | null;
  /** The network that the options were taken from; `null` for none. */
  readonly preset: string | null;
  readonly chainId: number;
  readonly networkId: number;
  readonly ruleSet: string;
  /** True for rules of a hardfork that is not final. */
  readonly isPreview: boolean;
  /** The value of `--compat`. */
  readonly dialect: CompatName | 'auto';
  /** The compat mode of clients other than Hardhat. */
  readonly compatOfOthers: CompatName;
  /** The evidence in the project for `compatOfOthers`; null if there is none, or with a fixed mode. */
  readonly compatEvidence: string | null;
  /** Gas of the next block, or the one that blocks began with where they come nearer to a target. */
  readonly gasLimit: bigint;
  /** True when the network's own limits hold. */
  readonly networkLimits: boolean;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
  readonly predeploys: readonly PredeployEntry[];
  /** The occasions on which blocks are mined, in words. */
  readonly mining: string;
  /** The directory that the chain is kept in; `null` for one that is gone with the process. */
  readonly dataDirectory: string | null;
  /** The file that the chain was loaded from; `null` for none. */
  readonly loadedFrom: string | null;
  /** The file that the chain is saved to; `null` for none. */
  readonly savedTo: string | null;
  /** The newest block of a chain that goes on from a file or a directory; `null` for a chain that begins. */
  readonly continuedAfter: number | null;
  /** The folders in which build outputs of compilers are looked for. */
  readonly artifactFolders: readonly ArtifactFolderEntry[];
  /** True if the node searched for build outputs of a project and found no project. */
  readonly lacksProject: boolean;
  /** The file that options were taken from; `null` for none. */
  readonly configFile: string | null;
  /** True when each path of the URL, or each API key, is a chain of its own. */
  readonly hasLanes: boolean;
  /** True when callers must have an API key as the path of the URL. */
  readonly needsApiKey: boolean;
  /** True when other machines may reach the port and so the unlocked accounts. */
  readonly isExposed: boolean;
  /** True where a browser that opens the URL gets the page of the chain. */
  readonly servesPage: boolean;
}

/** Something that can take long, with a file. */
export interface FileWork {
  readonly activity: 'load' | 'save';
  readonly path: string;
}

/** The progress of work with a file. `fraction` is how much of it is done, from 0 to 1. */
export type FileWorkEntry = FileWork &
  (
    | { readonly stage: 'begun' | 'going'; readonly fraction: number }
    | { readonly stage: 'done'; readonly durationMs: number }
  );

/** The progress of questions to the upstream of a fork. */
export type FetchEntry = {
  readonly activity: 'fetch';
  /** Host and port that answered last, or is asked first. */
  readonly host: string;
  /** The number of calls that have their answer. */
  readonly answers: number;
} & ({ readonly stage: 'begun' | 'going' } | { readonly stage: 'done'; readonly durationMs: number });

/** The progress of work that takes long. */
export type WorkEntry = FileWorkEntry | FetchEntry;

/** Blocks that left the chain because a snapshot was reverted to: from the lowest to the highest number. */
export interface RemovedEntry {
  /** The name of the lane that they were on; absent for the base chain. */
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
  if (error instanceof CodedError) return { code: error.code, message: error.message };
  return { code: INTERNAL_ERROR, message: error instanceof Error ? error.message : String(error) };
}

/** Returns the log entry of a call that the server reports. */
export function requestEntry({ method, durationMs, error }: CallReport): RequestEntry {
  return { method, durationMs: durationMs ?? 0, error: errorOf(error) };
}

/** Returns what the entry of an answered call would be. */
export function comingRequest(hasFailure: boolean, lane: string | undefined): ComingActivity {
  return { lane, hasFailure, counts: ONE_REQUEST };
}

const ONE_REQUEST = { request: 1 };

/** Returns the text about a bug of the node: its whole trace, which is needed to fix it. */
export function internalErrorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
}
