import { printable, UsageError } from '../../config/errors.ts';
import { openDumpFile } from '../../persistence/dump/dump-file.ts';
import type { DumpLimits } from '../../persistence/dump/dump-format.ts';
import { type ContentFork, type DumpContent, readContent } from '../../persistence/dump/read-content.ts';
import { bytesToBigInt } from '../../primitives/bytes.ts';
import { systemMessage } from '../../primitives/file-system.ts';
import { hexKey, toHex } from '../../primitives/hex.ts';
import { DEFAULT_FEDERATION } from '../../protocol/hardforks/rootstock.ts';
import type { Account } from '../../state/account.ts';
import { MissingStateError } from '../../state/state-source.ts';
import { type TrieDifference, trieDifferences } from '../../state/trie/trie-walks.ts';
import type { WorldState } from '../../state/world-state.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import { type Command, columns, EXIT_CODES, jsonText } from '../command.ts';
import type { FileSystem } from '../host.ts';
import { statePath } from '../state/state-path.ts';

/** A dump file and its content. */
export interface NamedContent {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  readonly content: DumpContent;
}

/** Reads the file of an operand, or the state file of a directory. Rejects with a {@link UsageError}. */
async function readNamedContent(files: FileSystem, operand: string): Promise<NamedContent> {
  let path = operand;
  try {
    path = await statePath(files, operand);
    const bytes = await files.read(path);
    if (bytes === null) throw new UsageError(`no file ${printable(path)}`);
    return { path, size: bytes.length, content: await readContent(await openDumpFile(bytes)) };
  } catch (error) {
    if (error instanceof InvalidDumpError) throw new UsageError(`${printable(path)}: ${error.fault}`);
    if (error instanceof Error && 'syscall' in error)
      throw new UsageError(`cannot read ${printable(path)}: ${systemMessage(error)}`);
    throw error;
  }
}

const FORMATS = { 'node-cli': 'node-cli dump', anvil: 'Anvil state file' } as const;

function limitRows({ networkLimits, codeSizeLimit, order }: DumpLimits): (readonly [string, string])[] {
  return [
    ['Network limits', networkLimits ? 'on' : 'off'],
    ['Code size limit', codeSizeLimit === null ? 'none' : `${codeSizeLimit} bytes`],
    ['Order', order],
  ];
}

function forkRows({ chainId, number, hash, urls, isComplete }: ContentFork): (readonly [string, string])[] {
  return [
    ['Fork', `chain ${chainId} at block #${number} ${hash}`],
    ['Fork URL', urls.map(printable).join(', ')],
    ['Fetched data', isComplete ? 'included' : 'not included'],
  ];
}

/** Prints a summary of a dump file. */
export const inspectState: Command = async ({ operands: [operand = ''], options }, host) => {
  const { path, size, content } = await readNamedContent(host.fileSystem, operand);
  const { state, answers: _, ...facts } = content;
  let [accounts, contracts] = [0, 0];
  for (const { code } of state.accounts()) {
    accounts++;
    if (code.bytes.length > 0) contracts++;
  }
  if (options.json) {
    await host.print(jsonText({ path, size, ...facts, accounts, contracts }));
    return EXIT_CODES.success;
  }
  const { format, version, head } = facts;
  const rows: (readonly [string, string])[] = [
    ['File', `${printable(path)}, ${size} bytes`],
    ['Format', version === null ? FORMATS[format] : `${FORMATS[format]}, version ${version}`],
    ...(facts.ruleSet === null ? [] : [['Hardfork', facts.ruleSet] as const]),
    ...(facts.federation === null || facts.federation === DEFAULT_FEDERATION
      ? []
      : [['Federation', facts.federation] as const]),
    ...(facts.chainId === null ? [] : [['Chain id', `${facts.chainId}`] as const]),
    ...(facts.limits === null ? [] : limitRows(facts.limits)),
    ...(facts.fork === null ? [] : forkRows(facts.fork)),
    ...(head === null ? [] : [['Head', `#${head.number} ${head.hash}`] as const]),
    ['Blocks', `${facts.blocks}`],
    ['Transactions', `${facts.transactions}`],
    ['Accounts', `${accounts} (contracts: ${contracts})`],
    ['Snapshots', `${facts.snapshots}`],
    ['Keys', `${facts.keys}`],
  ];
  await host.print(columns(rows));
  return EXIT_CODES.success;
};

/** A value that the file does not contain, because it belongs to the fork's upstream. */
const NOT_IN_FILE = 'not told';

/** A value in both files: `null` if absent, {@link NOT_IN_FILE} if only the upstream has it. */
export interface Pair<Value> {
  readonly left: Value | null | typeof NOT_IN_FILE;
  readonly right: Value | null | typeof NOT_IN_FILE;
}

/** An account that differs. Equal fields are absent. Addresses, hashes and slots are DATA. */
export interface AccountComparison {
  readonly address: string;
  /** The only side that has the account, or `both`. */
  readonly isIn: 'left' | 'right' | 'both';
  /** In wei. */
  readonly balance?: Pair<bigint>;
  readonly nonce?: Pair<bigint>;
  readonly codeHash?: Pair<string>;
  readonly storage: readonly (Pair<string> & { readonly slot: string })[];
}

export interface Comparison {
  /** The chain properties that differ, by name. */
  readonly chain: readonly (Pair<string> & { readonly name: string })[];
  readonly accounts: readonly AccountComparison[];
}

function chainFacts({
  ruleSet,
  federation,
  chainId,
  fork,
  head,
}: DumpContent): Readonly<Record<string, string | null>> {
  return {
    rules: ruleSet,
    federation,
    'chain id': chainId === null ? null : `${chainId}`,
    fork: fork === null ? null : `chain ${fork.chainId} #${fork.number} ${fork.hash}`,
    head: head === null ? null : `#${head.number} ${head.hash}`,
  };
}

/** Returns the limits of both files; empty unless both files contain limits. */
function limitPairs({ limits: left }: DumpContent, { limits: right }: DumpContent): Comparison['chain'] {
  if (left === null || right === null) return [];
  const names = {
    'network limits': 'networkLimits',
    'code size limit': 'codeSizeLimit',
    order: 'order',
  } as const;
  return Object.entries(names).map(([name, key]) => ({
    name,
    left: String(left[key] ?? 'off'),
    right: String(right[key] ?? 'off'),
  }));
}

function word(bytes: Uint8Array): string {
  return `0x${bytesToBigInt(bytes).toString(16).padStart(64, '0')}`;
}

function pairOf<Value, Name extends string>(
  name: Name,
  left: Pair<Value>['left'],
  right: Pair<Value>['right'],
): Partial<Record<Name, Pair<Value>>> {
  return left === right ? {} : ({ [name]: { left, right } } as Record<Name, Pair<Value>>);
}

/** Returns the read value: `null` if absent, {@link NOT_IN_FILE} if only the upstream has it. */
function told<Value>(read: () => Value | undefined): Value | null | typeof NOT_IN_FILE {
  try {
    return read() ?? null;
  } catch (error) {
    if (error instanceof MissingStateError) return NOT_IN_FILE;
    throw error;
  }
}

function fieldOf<Value>(
  account: Account | null | typeof NOT_IN_FILE,
  read: (account: Account) => Value,
): Value | null | typeof NOT_IN_FILE {
  return account === null || account === NOT_IN_FILE ? account : read(account);
}

function* comparedSlots(
  [left, right]: readonly [WorldState, WorldState],
  { before, after }: TrieDifference<Account>,
  address: Uint8Array,
): Generator<Pair<string> & { readonly slot: string }> {
  for (const entry of trieDifferences(before?.storage ?? null, after?.storage ?? null)) {
    const slot = (entry.after ?? entry.before)?.slot;
    if (slot === undefined) continue;
    const valueIn = (state: WorldState) => told(() => word(state.storageAt(address, slot)));
    const pair = { left: valueIn(left), right: valueIn(right) };
    if (pair.left !== pair.right) yield { slot: toHex(slot), ...pair };
  }
}

/** Compares every account that at least one file stores. On a fork, the other file may lack it. */
function* comparedAccounts(left: WorldState, right: WorldState): Generator<AccountComparison> {
  for (const entries of trieDifferences(left.trie, right.trie)) {
    const address = (entries.after ?? entries.before)?.address;
    if (address === undefined) continue;
    const [before, after] = [told(() => left.account(address)), told(() => right.account(address))];
    const pairFor = <Value, Name extends string>(name: Name, read: (account: Account) => Value) =>
      pairOf(name, fieldOf(before, read), fieldOf(after, read));
    const fields = {
      ...pairFor('balance', ({ balance }) => balance),
      ...pairFor('nonce', ({ nonce }) => nonce),
      ...pairFor('codeHash', ({ code }) => toHex(code.hash)),
    };
    const storage = [...comparedSlots([left, right], entries, address)];
    if (Object.keys(fields).length === 0 && storage.length === 0) continue;
    const isIn = before === null ? 'right' : after === null ? 'left' : 'both';
    yield { address: `0x${hexKey(address)}`, isIn, ...fields, storage };
  }
}

/** Shares the fetched data of both files if both chains fork the same block. */
function shareAnswers(left: DumpContent, right: DumpContent): void {
  if (left.answers === null || right.answers === null) return;
  if (left.fork?.hash !== right.fork?.hash || left.fork?.chainId !== right.fork?.chainId) return;
  const [ofLeft, ofRight] = [left.answers.all(), right.answers.all()];
  left.answers.give(new Map([...ofRight, ...ofLeft]));
  right.answers.give(new Map([...ofLeft, ...ofRight]));
}

/**
 * Returns how the right chain differs from the left: hardfork, limits, chain id, fork, head and the accounts
 * at the head. For forks, only accounts that at least one chain has stored are compared.
 */
function compareContents(left: DumpContent, right: DumpContent): Comparison {
  shareAnswers(left, right);
  const [before, after] = [chainFacts(left), chainFacts(right)];
  const chain = Object.keys(before).map((name) => ({
    name,
    left: before[name] ?? null,
    right: after[name] ?? null,
  }));
  return {
    chain: [...chain, ...limitPairs(left, right)].filter((pair) => pair.left !== pair.right),
    accounts: [...comparedAccounts(left.state, right.state)],
  };
}

function change(name: string, { left, right }: Pair<string | bigint>): string {
  const text = (value: typeof left): string =>
    value === NOT_IN_FILE ? 'not in the file' : String(value ?? 'none');
  return `${name}: ${text(left)} → ${text(right)}`;
}

function accountLines(account: AccountComparison, left: string, right: string): string[] {
  const { address, isIn, balance, nonce, codeHash, storage } = account;
  const only = isIn === 'both' ? '' : ` only in ${isIn === 'left' ? left : right}`;
  return [
    `${address}${only}`,
    ...(balance === undefined ? [] : [`  ${change('balance', balance)} wei`]),
    ...(nonce === undefined ? [] : [`  ${change('nonce', nonce)}`]),
    ...(codeHash === undefined ? [] : [`  ${change('code', codeHash)}`]),
    ...storage.map((entry) => `  ${change(`slot ${entry.slot}`, entry)}`),
  ];
}

/** Prints how two files differ at their heads. Like `diff`, exits with code 1 if they differ. */
export const diffStates: Command = async ({ operands: [one = '', other = ''], options }, host) => {
  const left = await readNamedContent(host.fileSystem, one);
  const right = await readNamedContent(host.fileSystem, other);
  const comparison = compareContents(left.content, right.content);
  const isSame = comparison.chain.length === 0 && comparison.accounts.length === 0;
  if (options.json) await host.print(jsonText({ isSame, ...comparison }));
  else {
    const [leftName, rightName] = [printable(left.path), printable(right.path)];
    const lines = [
      ...comparison.chain.map((pair) => change(pair.name, pair)),
      ...comparison.accounts.flatMap((account) => accountLines(account, leftName, rightName)),
    ];
    await host.print(lines.map((line) => `${line}\n`).join(''));
  }
  return isSame ? EXIT_CODES.success : EXIT_CODES.different;
};
