import { printable } from '../../config/printable.ts';
import type { DumpLimits } from '../../persistence/dump/dump-heading.ts';
import type { ContentFork } from '../../persistence/dump/read-content.ts';
import { EXIT_CODES } from '../exit.ts';
import { readNamedContent } from './read-named-content.ts';
import { columns, jsonText, type SmallCommand } from './small-command.ts';

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
export const inspectState: SmallCommand = async ({ operands: [operand = ''], options }, host) => {
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
