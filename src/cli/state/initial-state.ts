import type { ChainOptions, GenesisFile } from '../../chain/settings/chain-options.ts';
import { printable, StartError } from '../../config/errors.ts';
import { devAccountsOf } from '../../config/node-settings.ts';
import { flagOf, type NodeOptions, OPTIONS, type OptionKey } from '../../config/options.ts';
import type { ChainDump } from '../../persistence/dump/chain-dump.ts';
import type { OnProgress } from '../../persistence/dump/dump-bytes.ts';
import { type DumpFacts, type DumpFile, openDumpFile, readFacts } from '../../persistence/dump/dump-file.ts';
import {
  type GenesisParameters,
  readGenesisFile,
  readGenesisParameters,
} from '../../persistence/genesis-file.ts';
import { hexKey, toHex } from '../../primitives/hex.ts';
import { ruleSetNamed } from '../../protocol/hardforks/registry.ts';
import type { DevAccount } from '../../wallet/dev-accounts.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import type { FileFacts, FileSystem } from '../host.ts';
import { adjustmentTo, mergeDumpOptions, noticesOf } from './merge-dump-options.ts';
import { readNamedFile, statePath } from './state-path.ts';
import type { SavedFile } from './state-saver.ts';

/** Options that a genesis file can also set. */
const SHARED = { chainId: 'config.chainId', timestamp: 'timestamp', gasLimit: 'gasLimit' } as const;

/**
 * Merges the genesis file into the options. Given options take precedence, with a notice for each. Throws a
 * {@link StartError} for invalid values.
 */
function mergeGenesisOptions(
  options: NodeOptions,
  genesis: GenesisFile,
  file: string,
): { readonly options: NodeOptions; readonly notices: readonly string[] } {
  const taken: Record<string, unknown> = {};
  const notices: string[] = [];
  for (const key of ['chainId', 'timestamp', 'gasLimit'] as const) {
    const found = genesis[key];
    if (found === null) continue;
    if (options.given.has(key)) {
      if (options[key] !== found)
        notices.push(
          `${flagOf(key)} overrides ${file}: the value is ${options[key]} (in the file: ${found})`,
        );
      continue;
    }
    const { form } = OPTIONS[key];
    if (form.parse(String(found)) === undefined) {
      throw new StartError(`--init ${file}: ${SHARED[key]}: expected ${form.allowed}, got ${found}`);
    }
    taken[key] = found;
  }
  return { options: { ...options, ...taken }, notices };
}

/** Returns notices about parameters of the genesis file that the hardfork overrides. */
function passedOver(parameters: GenesisParameters, { hardfork }: NodeOptions, file: string): string[] {
  const { blobs, depositContract } = ruleSetNamed(hardfork);
  const notices: string[] = [];
  if (parameters.blobs !== null && blobs !== null) {
    const { target, maximum, baseFeeUpdateFraction } = blobs;
    const own = [target, maximum, baseFeeUpdateFraction].map(String).join(', ');
    const found = [parameters.blobs.target, parameters.blobs.max, parameters.blobs.baseFeeUpdateFraction];
    const theirs = found.map(String).join(', ');
    if (theirs !== own)
      notices.push(
        `config.blobSchedule.${hardfork} of ${file} is ignored: the hardfork sets target, max and baseFeeUpdateFraction to ${own} (in the file: ${printable(theirs)})`,
      );
  }
  const address = depositContract === null ? null : toHex(depositContract);
  const asked = parameters.depositContract?.toLowerCase() ?? null;
  if (address !== null && asked !== null && asked !== address)
    notices.push(
      `config.depositContractAddress of ${file} is ignored: the hardfork sets the deposit contract to ${address} (in the file: ${printable(asked)})`,
    );
  return notices;
}

const ACCOUNT_KEYS = ['accounts', 'mnemonic', 'derivationPath', 'devAccounts'];

/** A file with a saved chain. */
export interface StateFile {
  /** The option that names the file. */
  readonly key: OptionKey;
  readonly path: string;
  readonly dump: DumpFile;
  /** `null` for a state file of Anvil. It is applied to a chain made from the options. */
  readonly facts: DumpFacts | null;
  /** The file before it was read; `null` if the system did not tell. */
  readonly read: Pick<FileFacts, 'size' | 'version'> | null;
}

/** The initial state of a chain, from the options and their files. */
export interface InitialState {
  /** The options, completed with values of the files. */
  readonly options: NodeOptions;
  /** The accounts of the file; `null` to use the accounts of the options. */
  readonly accounts: readonly DevAccount[] | null;
  readonly genesis: GenesisFile | null;
  readonly file: StateFile | null;
  /** Notices for the user, one line each. */
  readonly notices: readonly string[];
}

/** Returns the initial state without a file. */
function plainBeginning(options: NodeOptions): InitialState {
  return { options, accounts: null, genesis: null, file: null, notices: [] };
}

/** Converts an {@link InvalidDumpError} of `read` into a {@link StartError} with the option and the file. */
async function namingFile<Result>(
  { key, path }: Pick<StateFile, 'key' | 'path'>,
  read: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof InvalidDumpError)
      throw new StartError(`${flagOf(key)} ${printable(path)}: ${error.fault}`);
    throw error;
  }
}

async function openStateFile(files: FileSystem, key: OptionKey, given: string): Promise<StateFile | null> {
  const path = await statePath(files, given);
  // A change after this call gives another version.
  const read = await files.stat(path).catch(() => null);
  const bytes = await readNamedFile(files, key, path);
  if (bytes === null) return null;
  return namingFile({ key, path }, async () => {
    const dump = await openDumpFile(bytes);
    const facts = dump.kind === 'own' ? await readFacts(dump) : null;
    return { key, path, dump, facts, read };
  });
}

async function openNamedState(
  { state, loadState }: NodeOptions,
  files: FileSystem,
): Promise<StateFile | null> {
  if (state !== null) return openStateFile(files, 'state', state);
  if (loadState === null) return null;
  const file = await openStateFile(files, 'loadState', loadState);
  if (file === null) throw new StartError(`--load-state: no file ${printable(loadState)}`);
  return file;
}

/** Returns the initial accounts whose keys are in the file. */
function accountsIn({ keys }: DumpFacts): DevAccount[] {
  return keys.flatMap(({ address, isInitial, stored }) =>
    isInitial && 'privateKey' in stored ? [{ address, privateKey: stored.privateKey }] : [],
  );
}

function addressesOf(accounts: readonly DevAccount[]): string {
  return accounts.map(({ address }) => hexKey(address)).join();
}

async function beginWithFile(options: NodeOptions, file: StateFile): Promise<InitialState> {
  const { facts, path } = file;
  if (facts === null) return { ...plainBeginning(options), file };
  const name = printable(path);
  if (facts.fork === null && options.forkUrl.length > 0) {
    throw new StartError(`--fork-url: the chain of ${name} is not a fork; remove --fork-url`);
  }
  const found = accountsIn(facts);
  const wished = await devAccountsOf(options);
  const isWished = ACCOUNT_KEYS.some((key) => options.given.has(key));
  const isSame = addressesOf(found) === addressesOf(wished);
  const notices = noticesOf(options, facts, name);
  if (isWished && !isSame)
    notices.push(
      `the accounts from --accounts, --mnemonic, --derivation-path or --dev-accounts get no new funds; their balances come from ${name}`,
    );
  return {
    options: mergeDumpOptions(options, facts, name),
    accounts: isWished || isSame || found.length === 0 ? null : found,
    genesis: null,
    file,
    notices,
  };
}

async function beginWithGenesis(
  options: NodeOptions,
  path: string,
  files: FileSystem,
): Promise<InitialState> {
  const bytes = await readNamedFile(files, 'init', path);
  if (bytes === null) throw new StartError(`--init: no file ${printable(path)}`);
  const genesis = await namingFile({ key: 'init', path }, () => readGenesisFile(bytes));
  const settled = mergeGenesisOptions(options, genesis, printable(path));
  const parameters = readGenesisParameters(bytes, options.hardfork);
  const notices = [...settled.notices, ...passedOver(parameters, options, printable(path))];
  return { ...plainBeginning(settled.options), notices, genesis };
}

/** Rejects with a {@link StartError} for unusable files. */
export async function readInitialState(options: NodeOptions, files: FileSystem): Promise<InitialState> {
  const file = await openNamedState(options, files);
  const { init } = options;
  if (file === null) return init === null ? plainBeginning(options) : beginWithGenesis(options, init, files);
  const beginning = await beginWithFile(options, file);
  if (init === null) return beginning;
  const notice = `${printable(init)} is ignored, because ${printable(file.path)} exists`;
  return { ...beginning, notices: [...beginning.notices, notice] };
}

/** A state file that was loaded into a chain. */
export interface LoadedFile {
  /** True if no option overrode the file. */
  readonly isAsSaved: boolean;
  /** The file for the next save; `null` if its bytes are not the dump itself. */
  readonly file: SavedFile | null;
}

/** Loads the file into the chain. Options take precedence. Rejects with a {@link StartError}. */
export async function loadInitialState(
  chainDump: ChainDump,
  { options, file }: InitialState & { readonly file: StateFile },
  chainOptions: ChainOptions,
  onProgress: OnProgress,
): Promise<LoadedFile> {
  const { facts, dump, path, read } = file;
  const adjust = adjustmentTo(options, chainOptions);
  const takesKeys = !options.hosted;
  const layout = await namingFile(file, () =>
    chainDump.loadFile(dump, { adjust, takesKeys, onProgress, isUnobserved: true }),
  );
  const isDump = layout !== null && read !== null && layout.size === read.size;
  const loaded = isDump ? { layout, version: read.version } : null;
  if (facts === null || !takesKeys) return { isAsSaved: false, file: loaded };
  const isAsComplete = facts.fork === null || facts.fork.answers !== null || !options.forkComplete;
  return { isAsSaved: isAsComplete && noticesOf(options, facts, path).length === 0, file: loaded };
}
