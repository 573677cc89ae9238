// Checks the sentences of the project: `npm run tool -- lint:prose [--update | --all | <file>…]`.
// Without arguments it compares the findings of each file with test/config/prose-ceiling.json.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Ceiling, ceilingText, lowered } from './ceiling.ts';
import { findingsOf, kindsOf } from './checked-files.ts';
import { checkLines, countsOf, type Findings, findingLine, totalLine } from './report.ts';

const CEILING = 'test/config/prose-ceiling.json';

const { values: options, positionals: named } = parseArgs({
  options: { update: { type: 'boolean', default: false }, all: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const print = (lines: readonly string[]): void => {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
};

/** Returns the checked files among the files of git, or the named ones among them. */
function checkedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  const files = [...new Set(listed.split('\n'))].filter(
    (path) => kindsOf(path).length > 0 && existsSync(path),
  );
  if (named.length === 0) return files;
  return named.flatMap((name) => {
    const path = name.replace(/^\.\//, '').replace(/\/$/, '');
    const found = files.filter((file) => file === path || file.startsWith(`${path}/`));
    if (found.length > 0) return found;
    throw new Error(`${name}: no checked file; name a page, a script or a folder of the project`);
  });
}

const all: Findings = new Map(
  checkedFiles().map((path) => [
    path,
    { kinds: kindsOf(path), findings: findingsOf(path, readFileSync(path, 'utf8')) },
  ]),
);
if (named.length > 0 || options.all) {
  const shown = named.length > 0 ? ['text', 'comments'] : ['text'];
  for (const [file, { findings }] of all)
    print(findings.filter(({ kind }) => shown.includes(kind)).map((finding) => findingLine(file, finding)));
  print([totalLine(all)]);
} else {
  const counts = countsOf(all);
  const isFirst = options.update && !existsSync(CEILING);
  const recorded: Ceiling = isFirst ? counts : JSON.parse(readFileSync(CEILING, 'utf8'));
  const ceiling = options.update ? lowered(recorded, counts) : recorded;
  if (options.update) writeFileSync(CEILING, ceilingText(ceiling));
  const faults = checkLines(ceiling, all);
  print([...faults, totalLine(all)]);
  if (faults.length > 0) process.exitCode = 1;
}
