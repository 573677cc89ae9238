import { readdirSync, readFileSync } from 'node:fs';
import { DECISIONS, EXCLUDED } from './decisions.ts';

/** Tests of Anvil in files for networks with other rules: monad.rs, optimism.rs and tempo.rs. */
const OTHER_NETWORKS = 40 + 11 + 141;

function readHere(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

/** The names of Anvil's tests of Ethereum, as `file::test`. */
export function namesOfAnvil(): string[] {
  const files = JSON.parse(readHere('tests.json')) as Readonly<Record<string, readonly string[]>>;
  return Object.entries(files).flatMap(([file, tests]) => tests.map((test) => `${file}::${test}`));
}

/** True if a test file of this folder contains the name. */
export function isPorted(): (name: string) => boolean {
  const files = readdirSync(new URL('.', import.meta.url)).filter((file) => file.endsWith('.test.ts'));
  const words = new Set(files.flatMap((file) => readHere(file).match(/\w+/g) ?? []));
  return (name) => words.has(name.replace(/^\w+::/, ''));
}

/** The section of the README with the counts and the decisions. */
export function ledger(): string {
  const all = namesOfAnvil();
  const excluded = Object.values(EXCLUDED).flat();
  const decided = DECISIONS.flatMap(({ tests }) => tests);
  const run = all.length - excluded.length;
  return [
    '| tests of Anvil | number |',
    '| --- | --- |',
    `| all | ${all.length + OTHER_NETWORKS} |`,
    `| not run: files for networks with other rules (monad.rs, optimism.rs, tempo.rs) | ${OTHER_NETWORKS} |`,
    ...Object.entries(EXCLUDED).map(([reason, tests]) => `| not run: ${reason} | ${tests.length} |`),
    `| run | ${run} |`,
    `| equal | ${run - decided.length} |`,
    `| different, by the decisions below | ${decided.length} |`,
    '',
    '| question | Anvil | node-cli with `--compat anvil` | reason | tests |',
    '| --- | --- | --- | --- | --- |',
    ...DECISIONS.map(
      ({ question, anvil, node, reason, tests }) =>
        `| ${question} | ${anvil} | ${node} | ${reason} | ${tests.length} |`,
    ),
  ].join('\n');
}

/** The README of this folder. */
export function readme(): string {
  return readHere('README.md');
}
