import { printable, UsageError } from '../../config/errors.ts';
import { openDump } from '../../persistence/dump/dump-file.ts';
import type { DumpLimits } from '../../persistence/dump/dump-heading.ts';
import { type ContentFork, type DumpContent, readContent } from '../../persistence/dump/read-content.ts';
import { systemWords } from '../../primitives/file-system.ts';
import { InvalidDumpError } from '../../wire/strict-value.ts';
import { EXIT_CODES } from '../exit.ts';
import type { FileSystem } from '../host.ts';
import { statePath } from '../state/state-path.ts';
import { type Command, columns, jsonText } from './accounts.ts';

/** A file and what is in it. */
export interface NamedContent {
  readonly path: string;
  /** Bytes of the file. */
  readonly size: number;
  readonly content: DumpContent;
}

/** Reads the file that an operand names, in a directory its state file. Rejects with a {@link UsageError} when that is not possible. */
export async function readNamedContent(files: FileSystem, operand: string): Promise<NamedContent> {
  let path = operand;
  try {
    path = await statePath(files, operand);
    const bytes = await files.read(path);
    if (bytes === null) throw new UsageError(`there is no file ${printable(path)}`);
    return { path, size: bytes.length, content: await readContent(await openDump(bytes)) };
  } catch (error) {
    if (error instanceof InvalidDumpError) throw new UsageError(`${printable(path)}: ${error.fault}`);
    if (error instanceof Error && 'syscall' in error)
      throw new UsageError(`cannot read ${printable(path)}: ${systemWords(error)}`);
    throw error;
  }
}

const FORMATS = { 'node-cli': 'node-cli chain', anvil: 'state file of Anvil' } as const;

function limitRows({ networkLimits, codeSizeLimit, order }: DumpLimits): (readonly [string, string])[] {
  return [
    ['Network limits', networkLimits ? 'on' : 'off'],
    ['Code size', codeSizeLimit === null ? 'no limit' : `at most ${codeSizeLimit} bytes`],
    ['Order', order],
  ];
}

function forkRows({ chainId, number, hash, urls, isComplete }: ContentFork): (readonly [string, string])[] {
  return [
    ['Fork', `of chain ${chainId} after #${number} ${hash}`],
    ['Upstream', urls.map(printable).join(', ')],
    ['Fetched', isComplete ? 'in the file' : 'not in the file'],
  ];
}

/** Prints what is in a file. */
export const inspectState: Command = async ({ operands: [operand = ''], options }, host) => {
  const { path, size, content } = await readNamedContent(host.fileSystem, operand);
  const { state, upstream: _, ...facts } = content;
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
    ...(facts.ruleSet === null ? [] : [['Rules', facts.ruleSet] as const]),
    ...(facts.chainId === null ? [] : [['Chain id', `${facts.chainId}`] as const]),
    ...(facts.limits === null ? [] : limitRows(facts.limits)),
    ...(facts.fork === null ? [] : forkRows(facts.fork)),
    ...(head === null ? [] : [['Head', `#${head.number} ${head.hash}`] as const]),
    ['Blocks', `${facts.blocks}`],
    ['Transactions', `${facts.transactions}`],
    ['Accounts', `${accounts}, ${contracts} of them contracts`],
    ['Snapshots', `${facts.snapshots}`],
    ['Keys', `${facts.keys}`],
  ];
  await host.print(columns(rows));
  return EXIT_CODES.success;
};
