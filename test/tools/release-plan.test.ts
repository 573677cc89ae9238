import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { planRelease, readChange, versionAfter } from './release-plan.ts';

const changeset = (head: string, text: string): string => `---\n${head}\n---\n\n${text}\n`;

describe('a changeset', () => {
  it('has the size of a change and its text', () => {
    expect(readChange('a.md', changeset('"node-cli": minor', 'One.'))).toEqual({
      kind: 'minor',
      text: 'One.',
    });
  });

  it('accepts 120 characters', () => {
    const text = 'a'.repeat(120);
    expect(readChange('a.md', changeset('"node-cli": patch', text)).text).toBe(text);
  });

  it.each([
    ['of another package', changeset('"other": minor', 'One.')],
    ['of an unknown size', changeset('"node-cli": none', 'One.')],
    ['of two packages', changeset('"node-cli": minor\n"other": minor', 'One.')],
    ['without a text', changeset('"node-cli": minor', '')],
    ['of two lines', changeset('"node-cli": minor', 'One.\nTwo.')],
    ['of 121 characters', changeset('"node-cli": minor', 'a'.repeat(121))],
  ])('%s is rejected with its file name', (_, content) => {
    expect(() => readChange('odd.md', content)).toThrow(/^odd\.md: expected /);
  });

  it('is valid in every file of the project', () => {
    const folder = new URL('../../.github/changesets/', import.meta.url);
    const names = readdirSync(folder);
    expect(names).toContain('README.md');
    for (const name of names.filter((one) => one !== 'README.md'))
      readChange(name, readFileSync(new URL(name, folder), 'utf8'));
  });

  it('is valid in the example of the README', () => {
    const page = readFileSync(new URL('../../.github/changesets/README.md', import.meta.url), 'utf8');
    const [, example = ''] = /```md\n([\s\S]*?)```/.exec(page) ?? [];
    expect(readChange('example', example).kind).toBe('minor');
  });
});

it.each([
  ['1.2.3', ['patch'], '1.2.4'],
  ['1.2.3', ['patch', 'minor', 'patch'], '1.3.0'],
  ['1.2.3', ['major', 'minor'], '2.0.0'],
  ['0.2.3', ['major'], '0.3.0'],
] as const)('the version after %s with changes %j is %s', (version, kinds, next) => {
  expect(versionAfter(version, kinds)).toBe(next);
});

describe('the changelog of a release', () => {
  const HEAD = '# Changelog\n\nWords.\n\n';

  it('starts with the new section, and lists the largest changes first', () => {
    const changes = [
      { kind: 'patch', text: 'Fixed.' },
      { kind: 'minor', text: 'Added.' },
    ] as const;
    expect(planRelease('1.0.0', `${HEAD}## 1.0.0 (2026-01-01)\n\n- Old.\n`, changes, '2026-02-02')).toEqual({
      version: '1.1.0',
      changelog: `${HEAD}## 1.1.0 (2026-02-02)\n\n### Added and changed\n- Added.\n\n### Fixed\n- Fixed.\n\n## 1.0.0 (2026-01-01)\n\n- Old.\n`,
    });
  });

  it('keeps the version of an unreleased section and adds the changes to it', () => {
    const before = `${HEAD}## 0.1.0 (unreleased)\n\n- First.\n\n## 0.0.1 (2026-01-01)\n\n- Old.\n`;
    expect(planRelease('0.1.0', before, [{ kind: 'minor', text: 'Added.' }], '2026-02-02')).toEqual({
      version: '0.1.0',
      changelog: `${HEAD}## 0.1.0 (2026-02-02)\n\n- First.\n\n### Added and changed\n- Added.\n\n## 0.0.1 (2026-01-01)\n\n- Old.\n`,
    });
  });

  it('is rejected without changes', () => {
    expect(() => planRelease('1.0.0', `${HEAD}## 1.0.0 (2026-01-01)\n`, [], '2026-02-02')).toThrow(
      'nothing has changed',
    );
  });
});

it('CHANGELOG.md has one line of at most 120 characters for each change', () => {
  const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
  const lists = changelog.slice(changelog.indexOf('\n### '));
  for (const line of lists.split('\n').filter(Boolean)) expect(line).toMatch(/^(?:##.*|- .{1,120})$/);
});
