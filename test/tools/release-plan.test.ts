import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { planRelease, readChange, versionAfter } from './release-plan.ts';

const changeset = (head: string, text: string): string => `---\n${head}\n---\n\n${text}\n`;

describe('a changeset', () => {
  it('tells what kind of change it is, and what changes', () => {
    expect(readChange('a.md', changeset('"node-cli": minor', 'One.\n\nTwo.'))).toEqual({
      kind: 'minor',
      text: 'One.\n\nTwo.',
    });
  });

  it.each([
    ['of another package', changeset('"other": minor', 'One.')],
    ['of no kind', changeset('"node-cli": none', 'One.')],
    ['of two packages', changeset('"node-cli": minor\n"other": minor', 'One.')],
    ['without words', changeset('"node-cli": minor', '')],
  ])('%s is refused by its name', (_, content) => {
    expect(() => readChange('odd.md', content)).toThrow(/^odd\.md must /);
  });

  it('is well-formed, each that the project has', () => {
    const folder = new URL('../../.github/changesets/', import.meta.url);
    const names = readdirSync(folder);
    expect(names).toContain('README.md');
    for (const name of names.filter((one) => one !== 'README.md'))
      readChange(name, readFileSync(new URL(name, folder), 'utf8'));
  });

  it('is shown by the README as one that can be read', () => {
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
] as const)('after %s with changes %j comes %s', (version, kinds, next) => {
  expect(versionAfter(version, kinds)).toBe(next);
});

describe('the changelog of a release', () => {
  const HEAD = '# Changelog\n\nWords.\n\n';

  it('gets a section before all others, the gravest changes first', () => {
    const changes = [
      { kind: 'patch', text: 'Mended.' },
      { kind: 'minor', text: 'Added.\nMore of it.' },
    ] as const;
    expect(planRelease('1.0.0', `${HEAD}## 1.0.0 (2026-01-01)\n\n- Old.\n`, changes, '2026-02-02')).toEqual({
      version: '1.1.0',
      changelog: `${HEAD}## 1.1.0 (2026-02-02)\n\n### Added and changed\n\n- Added.\n  More of it.\n\n### Mended\n\n- Mended.\n\n## 1.0.0 (2026-01-01)\n\n- Old.\n`,
    });
  });

  it('takes the section that was not released yet, with its version, and adds what has changed', () => {
    const before = `${HEAD}## 0.1.0 (unreleased)\n\n- First.\n\n## 0.0.1 (2026-01-01)\n\n- Old.\n`;
    expect(planRelease('0.1.0', before, [{ kind: 'minor', text: 'Added.' }], '2026-02-02')).toEqual({
      version: '0.1.0',
      changelog: `${HEAD}## 0.1.0 (2026-02-02)\n\n- First.\n\n### Added and changed\n\n- Added.\n\n## 0.0.1 (2026-01-01)\n\n- Old.\n`,
    });
  });

  it('is not made of nothing', () => {
    expect(() => planRelease('1.0.0', `${HEAD}## 1.0.0 (2026-01-01)\n`, [], '2026-02-02')).toThrow(
      'nothing has changed',
    );
  });
});
