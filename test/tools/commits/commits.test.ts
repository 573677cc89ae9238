import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foldersOf, historyAfter } from './commit-history.ts';
import { areasOf, faultsOf } from './message-rules.ts';

const AREAS = areasOf(['src/evm', 'src/evm/interpreter', 'test/tools', 'fixtures/container']);

describe('faultsOf', () => {
  it.each([
    'evm: add the opcode CLZ',
    'evm/interpreter: focus on one case',
    'interpreter, docs: seed the table of prices\n\nA reason, in a sentence. With a full stop.',
    `tools: ${'x'.repeat(65)}`,
  ])('accepts %j', (message) => {
    expect(faultsOf(message, AREAS)).toEqual([]);
  });

  it.each([
    ['evm add an opcode', 'expected "area: summary"'],
    ['Merge the branch', 'expected "area: summary"'],
    ['evm:add an opcode', 'expected "area: summary"'],
    ['container: add an image', 'unknown area "container"'],
    ['evm, oven: add heat', 'unknown area "oven"'],
    ['Evm: add an opcode', 'unknown area "Evm"'],
    ['evm: add an opcode.', 'expected no full stop at the end'],
    ['evm: Add an opcode', 'expected a verb in lower case, got "Add"'],
    ['evm: adds an opcode', 'expected a verb in the imperative ("add", not "adds" or "added"), got "adds"'],
    ['evm: added an opcode', 'expected a verb in the imperative ("add", not "adds" or "added"), got "added"'],
    [
      'evm: adding an opcode',
      'expected a verb in the imperative ("add", not "adds" or "added"), got "adding"',
    ],
    ['evm: wrote a table', 'expected a verb in the imperative ("add", not "adds" or "added"), got "wrote"'],
    ['evm: the opcode CLZ', 'expected a verb, got "the"'],
    ['evm: add an opcode\nand a table', 'expected an empty line after the subject'],
    [`tools: ${'x'.repeat(66)}`, 'expected at most 72 characters, got 73'],
  ])('rejects %j', (message, fault) => {
    expect(faultsOf(message, AREAS)).toEqual([expect.stringContaining(fault)]);
  });

  it('returns all faults of a message', () => {
    expect(faultsOf(`Added ${'x'.repeat(70)}.`, AREAS)).toHaveLength(3);
  });
});

describe('historyAfter', () => {
  let folder: string;
  let clock: number;
  const absent = '0123456789abcdef0123456789abcdef01234567';

  function git(cwd: string, ...options: string[]): string {
    const date = `2030-01-01T00:00:${String(clock).padStart(2, '0')}Z`;
    const env = {
      ...process.env,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    };
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@localhost', '-c', 'protocol.file.allow=always'];
    return execFileSync('git', [...author, ...options], { cwd, env, encoding: 'utf8', stdio: 'pipe' }).trim();
  }

  /** Commits a file. Each commit is one second later than the commit before. */
  function commit(subject: string, path = 'file'): string {
    clock += 1;
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), subject);
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', subject);
    return git(folder, 'rev-parse', 'HEAD');
  }

  const messages = (where: string, hash: string, date: string): string[] =>
    historyAfter(where, { commit: hash, date }).commits.map(({ message }) => message);

  beforeEach(() => {
    clock = 0;
    folder = mkdtempSync(join(tmpdir(), 'node-cli-commits-'));
    git(folder, 'init', '-q', '-b', 'main');
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('returns the commits after the base, without merges', () => {
    commit('first');
    const base = commit('second');
    git(folder, 'checkout', '-q', '-b', 'side');
    commit('evm: add a\n\nReason.', 'a');
    git(folder, 'checkout', '-q', 'main');
    commit('evm: add b', 'b');
    git(folder, 'merge', '-q', '--no-ff', '-m', 'Merge side', 'side');
    const history = historyAfter(folder, { commit: base, date: '' });
    expect(history.commits.map(({ message }) => message)).toEqual(['evm: add b', 'evm: add a\n\nReason.']);
    expect(history.note).toBeUndefined();
  });

  it('returns the newer commits of a shallow clone', () => {
    const base = commit('first');
    for (const name of ['a', 'b', 'c']) commit(`evm: add ${name}`);
    const clone = join(folder, 'clone');
    git(folder, 'clone', '-q', '--depth', '2', pathToFileURL(folder).href, clone);
    const history = historyAfter(clone, { commit: base, date: '2030-01-01T00:00:01Z' });
    expect(history.commits.map(({ message }) => message)).toEqual(['evm: add c', 'evm: add b']);
    expect(history.note).toContain('the shallow clone lacks the commit');
    expect(messages(clone, base, '2030-01-01T00:00:04Z')).toEqual(['evm: add c']);
  });

  it('returns the newer commits of a history without the base, except for the import of the files', () => {
    commit('Import the files');
    commit('evm: add a');
    const history = historyAfter(folder, { commit: absent, date: '2029-12-31T00:00:00Z' });
    expect(history.commits.map(({ message }) => message)).toEqual(['evm: add a']);
    expect(history.note).toBe('the history lacks the commit 01234567, so only its newer commits are checked');
  });

  it('returns no commit without a history', () => {
    expect(historyAfter(folder, { commit: absent, date: '' })).toEqual({
      commits: [],
      note: 'no git history',
    });
    rmSync(join(folder, '.git'), { recursive: true });
    expect(historyAfter(folder, { commit: absent, date: '' })).toEqual({
      commits: [],
      note: 'no git history',
    });
  });

  it('returns no commit for a folder inside another repository', () => {
    commit('Import the files', 'inner/file');
    expect(historyAfter(join(folder, 'inner'), { commit: absent, date: '' })).toEqual({
      commits: [],
      note: 'no git history of its own',
    });
  });

  it('lists the folders of a commit and of its parent', () => {
    commit('first', 'src/old/file');
    git(folder, 'rm', '-q', '-r', 'src/old');
    const hash = commit('old: move the module to new', 'src/new/file');
    expect(areasOf(foldersOf(folder, hash))).toEqual(areasOf(['src/old', 'src/new']));
  });
});
