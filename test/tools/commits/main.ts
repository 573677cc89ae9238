// Checks the messages of the commits after the one in test/config/commit-base.json:
// `npm run tool -- check:commits`.
import { readFileSync } from 'node:fs';
import { type Base, foldersOf, historyAfter } from './commit-history.ts';
import { areasOf, faultsOf } from './message-rules.ts';

const base: Base = JSON.parse(readFileSync('test/config/commit-base.json', 'utf8'));
const { commits, note } = historyAfter('.', base);
if (note !== undefined) process.stdout.write(`commit messages: ${note}\n`);
const folders = commits.length === 0 ? [] : foldersOf('.', 'HEAD');
let faulty = 0;
for (const { hash, message } of commits) {
  if (faultsOf(message, areasOf(folders)).length === 0) continue;
  // The area can be a folder that exists no more.
  const faults = faultsOf(message, areasOf([...folders, ...foldersOf('.', hash)]));
  if (faults.length === 0) continue;
  faulty += 1;
  process.stdout.write(`${hash.slice(0, 8)} ${message.split('\n')[0]}\n`);
  for (const fault of faults) process.stdout.write(`  ${fault}\n`);
}
process.stdout.write(`commit messages: ${commits.length} checked, ${faulty} faulty\n`);
process.exitCode = faulty === 0 ? 0 : 1;
