import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { commandOf, listOfTools, TOOLS } from './tool-list.ts';

const project = fileURLToPath(new URL('../../..', import.meta.url));

/** The scripts that developers run often. All other commands are tools. */
const MAXIMUM_SCRIPTS = 22;

function tool(...options: string[]) {
  const [, ...script] = packageJson.scripts.tool.split(' ');
  return spawnSync(process.execPath, [...script, ...options], { cwd: project, encoding: 'utf8' });
}

/** Returns the tracked files that can mention a script. */
function pages(): string[] {
  const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: project,
    encoding: 'utf8',
  });
  return listed.stdout
    .split('\n')
    .filter((path) => /\.(?:md|ts|tsx|mjs|cjs|js|yml|sol)$|^\.ci\/run$|Dockerfile$/.test(path))
    .filter((path) => !path.startsWith('fixtures/examples/') && path !== 'CHANGELOG.md')
    .filter((path) => existsSync(`${project}/${path}`));
}

describe('package.json', () => {
  it(`has at most ${MAXIMUM_SCRIPTS} scripts`, () => {
    expect(Object.keys(packageJson.scripts).length).toBeLessThanOrEqual(MAXIMUM_SCRIPTS);
  });
});

describe('npm run tool', () => {
  it('lists each tool with its effect', () => {
    const { stdout, status } = tool();
    expect({ stdout, status }).toEqual({ stdout: listOfTools(), status: 0 });
    for (const [name, { summary }] of Object.entries(TOOLS)) {
      const line = stdout.split('\n').find((each) => each.startsWith(`  ${name} `));
      expect(line?.slice(2)).toMatch(new RegExp(`^${name} +\\S`));
      expect(line).toContain(summary);
    }
  });

  it('rejects an unknown tool', () => {
    expect(tool('paint')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `unknown tool "paint"\n\n${listOfTools()}`,
    });
  });

  it('returns the exit code of the tool', () => {
    const { stdout, status } = tool('record:anvil-traces');
    expect(stdout).toContain('Usage: npm run tool -- record:anvil-traces <path');
    expect(status).toBe(2);
  });

  it('passes arguments to the tool', () => {
    expect(commandOf({ summary: '', file: 'a.ts', options: ['--first'] }, ['--second', 'x'])).toEqual([
      'src/build/run-typescript.mjs',
      'a.ts',
      '--first',
      '--second',
      'x',
    ]);
    expect(commandOf({ summary: '', file: 'a.mjs', nodeFlags: ['--expose-gc'] }, ['x'])).toEqual([
      '--expose-gc',
      'a.mjs',
      'x',
    ]);
  });

  it.each(Object.entries(TOOLS))('finds the files of %s', (_name, entry) => {
    const paths = commandOf(entry, []).filter((part) => part.includes('/'));
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) expect(existsSync(`${project}/${path}`), path).toBe(true);
  });
});

describe('the pages and sources', () => {
  it('mention only existing scripts and tools', () => {
    const unknown = pages().flatMap((path) => {
      const text = readFileSync(`${project}/${path}`, 'utf8');
      const scripts = Array.from(
        text.matchAll(/npm run (?:--silent )?([\w-]+:[\w:-]+)/g),
        ([, name = '']) => name,
      );
      const tools = Array.from(
        text.matchAll(/npm run (?:--silent )?tool -- ([\w:-]+)/g),
        ([, name = '']) => name,
      );
      return [
        ...scripts.filter((name) => !(name in packageJson.scripts)),
        ...tools.filter((name) => !(name in TOOLS)),
      ].map((name) => `${path}: ${name}`);
    });
    expect(unknown).toEqual([]);
  });
});
