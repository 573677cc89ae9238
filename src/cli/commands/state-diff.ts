import { printable } from '../../config/printable.ts';
import { EXIT_CODES } from '../exit.ts';
import { type AccountComparison, compareContents, type Pair } from './compare-contents.ts';
import { readNamedContent } from './read-named-content.ts';
import { jsonText, type SmallCommand } from './small-command.ts';

function change(name: string, { left, right }: Pair<string | bigint>): string {
  return `${name}: ${left ?? 'none'} → ${right ?? 'none'}`;
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

/** Prints how two files differ at their heads; ends as `diff` does, with 1 if they do. */
export const diffStates: SmallCommand = async ({ operands: [one = '', other = ''], options }, host) => {
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
