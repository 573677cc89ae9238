// Prepares a release: `npm run tool -- release [--dry-run]`. Moves the changesets into CHANGELOG.md and sets
// the version in package.json and its lock file. The commit and the tag are manual steps.
import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { planRelease, readChange } from './release-plan.ts';

const FOLDER = '.github/changesets';

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.md') && name !== 'README.md').sort();
const changes = await Promise.all(
  files.map(async (name) => readChange(name, await readFile(join(FOLDER, name), 'utf8'))),
);
const { version: current } = JSON.parse(await readFile('package.json', 'utf8'));
const date = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
const { version, changelog } = planRelease(current, await readFile('CHANGELOG.md', 'utf8'), changes, date);
process.stdout.write(`${current} -> ${version}, ${files.length} changesets\n`);
if (!values['dry-run']) {
  await writeFile('CHANGELOG.md', changelog);
  const options = ['version', '--no-git-tag-version', '--allow-same-version', '--ignore-scripts', version];
  execFileSync('npm', options, { stdio: 'ignore' });
  for (const name of files) await rm(join(FOLDER, name));
  process.stdout.write(
    `Now: git commit -am "Release ${version}" && git tag v${version} && git push --follow-tags\n`,
  );
}
