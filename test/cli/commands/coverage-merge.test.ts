import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/cli/main.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { type FakeHost, fakeHost } from '../support/fake-host.ts';

const FIRST = 'TN:\nSF:contracts/A.sol\nFN:2,A.a\nFNDA:0,A.a\nBRDA:3,0,0,-\nDA:3,0\nend_of_record\n';
const SECOND = 'TN:\nSF:contracts/A.sol\nFN:2,A.a\nFNDA:2,A.a\nBRDA:3,0,0,2\nDA:3,2\nDA:4,0\nend_of_record\n';

async function merge(files: Readonly<Record<string, string>>, ...options: string[]): Promise<FakeHost> {
  const workingDirectory = await temporaryDirectory();
  for (const [name, text] of Object.entries(files)) await writeFile(join(workingDirectory, name), text);
  const host = fakeHost({
    commandLine: ['coverage', 'merge', ...Object.keys(files), ...options],
    workingDirectory,
  });
  await runCommand(host);
  return host;
}

describe('coverage merge', () => {
  it('coverage merge prints the sum of the files', async () => {
    const host = await merge({ 'first.info': FIRST, 'second.info': SECOND });
    expect(host.exitCodes).toEqual([0]);
    expect(host.written.output.split('\n')).toEqual(
      [
        ['TN:', 'SF:contracts/A.sol', 'FN:2,A.a', 'FNDA:2,A.a', 'FNF:1', 'FNH:1'],
        ['BRDA:3,0,0,2', 'BRF:1', 'BRH:1', 'DA:3,2', 'DA:4,0', 'LF:2', 'LH:1', 'end_of_record', ''],
      ].flat(),
    );
  });

  it('coverage merge --coverage writes the sum to a file and prints a table', async () => {
    const host = await merge({ 'first.info': FIRST, 'second.info': SECOND }, '--coverage', 'new/sum.info');
    expect(host.exitCodes).toEqual([0]);
    const sum = await readFile(join(host.workingDirectory, 'new/sum.info'), 'utf8');
    expect(sum).toContain('DA:3,2\n');
    expect(host.written.output.split('\n')).toEqual([
      'File                    Lines      Functions       Branches',
      'contracts/A.sol  50.0 % (1/2)  100.0 % (1/1)  100.0 % (1/1)',
      'All files        50.0 % (1/2)  100.0 % (1/1)  100.0 % (1/1)',
      '',
    ]);
  });

  it('coverage merge reports the file and the line of a malformed record', async () => {
    const host = await merge({ 'first.info': FIRST, 'bad.info': 'SF:a\nhello\n' });
    expect(host.exitCodes).toEqual([1]);
    expect(host.written.errors).toBe(
      'node-cli: cannot read coverage file bad.info: line 2 is not an lcov record: hello\n',
    );
  });

  it('coverage merge reports a missing file', async () => {
    const host = await merge({}, 'missing.info');
    expect(host.exitCodes).toEqual([1]);
    expect(host.written.errors).toContain('cannot read coverage file missing.info: no such file');
  });

  it('coverage merge requires a file', async () => {
    const host = await merge({});
    expect(host.exitCodes).toEqual([2]);
    expect(host.written.errors).toContain(
      'coverage merge: missing <file...>; for example npx node-cli coverage merge',
    );
  });
});
