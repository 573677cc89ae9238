import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../../src/cli/command.ts';
import { fill } from '../../src/primitives/coded-error.ts';
import { REPOSITORY } from '../support/repository.ts';
import { catalogue, ERROR_MODULES, entriesOf } from './error-catalogue.ts';
import { errorTable } from './readme-tables.ts';

/** The TypeScript files of the source, from the folder of the repository. */
const FILES = readdirSync(join(REPOSITORY, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => join('src', file).replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'));

interface DeclaredClass {
  readonly file: string;
  readonly name: string;
  readonly base: string;
  readonly isAbstract: boolean;
}

/** The base classes, and the functions that return one with an entry. */
const BASES: readonly string[] = [
  'CodedError',
  'ExitError',
  'codedError',
  'exitError',
  'rejectedError',
  'rejectedTransaction',
  'dataDirectoryError',
  'blockSubmissionError',
];

/** All classes of the source that extend another class. */
const CLASSES: readonly DeclaredClass[] = FILES.flatMap((file) => {
  const text = readFileSync(join(REPOSITORY, file), 'utf8');
  const declarations = text.matchAll(/^(?:export )?(abstract )?class (\w+)(?:<[^{]*?>)? extends (\w+)/gm);
  return Array.from(declarations, ([, abstract, name = '', base = '']) => ({
    file,
    name,
    base,
    isAbstract: abstract !== undefined,
  }));
});

function isCatalogued(name: string): boolean {
  if (BASES.includes(name)) return true;
  return CLASSES.some((declared) => declared.name === name && isCatalogued(declared.base));
}

const CATALOGUED = CLASSES.filter(({ base }) => isCatalogued(base));

function classNamed({ file, name }: DeclaredClass): object {
  return ERROR_MODULES[file]?.[name] as object;
}

describe('the catalogue of errors', () => {
  it('has every errors.ts', () => {
    const paths = FILES.filter((file) => file.endsWith('/errors.ts'));
    expect(Object.keys(ERROR_MODULES).toSorted()).toEqual(paths.toSorted());
  });

  it('has every class of coded errors in an errors.ts', () => {
    expect(CATALOGUED.length).toBeGreaterThan(130);
    expect(CATALOGUED.filter(({ file }) => !Object.hasOwn(ERROR_MODULES, file))).toEqual([]);
  });

  it('has an entry for each class, its own or the entry of its base', () => {
    const exported = CATALOGUED.filter(({ isAbstract }) => !isAbstract);
    // This class has the entry of the error that it replaces.
    const lacking = exported.filter(
      (declared) => !('entry' in classNamed(declared)) && !('entries' in classNamed(declared)),
    );
    expect(lacking.map(({ name }) => name)).toEqual(['CompatError']);
  });

  it('has unique names', () => {
    const names = catalogue().map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    for (const name of names) expect(name).toMatch(/^[A-Z][A-Za-z0-9]+$/);
  });

  it('names pages that exist', () => {
    const pages = new Set(catalogue().map(({ page }) => page));
    expect(
      Array.from(pages).filter((page) => !existsSync(join(REPOSITORY, `src/${page}/README.md`))),
    ).toEqual([]);
  });

  it('has exit codes of the program', () => {
    const codes: readonly number[] = Object.values(EXIT_CODES);
    for (const entry of catalogue()) if ('exit' in entry) expect(codes).toContain(entry.exit);
  });

  it('is complete in the generated table', () => {
    const rows = errorTable().split('\n');
    for (const declared of CATALOGUED)
      for (const entry of entriesOf(classNamed(declared)))
        expect(
          rows.filter((row) => row.includes(`| \`${entry.name}\` |`)),
          entry.name,
        ).toHaveLength(1);
  });
});

describe('fill', () => {
  const entry = {
    name: 'Sample',
    code: -32000,
    message: 'cannot {action} {path}: {path}',
    page: 'rpc',
  } as const;

  it('replaces each placeholder by its value', () => {
    expect(fill(entry, { action: 'read', path: '/x' }).message).toBe('cannot read /x: /x');
  });

  it('keeps braces and dollar signs of values', () => {
    expect(fill(entry, { action: '{path}', path: '$&' }).message).toBe('cannot {path} $&: $&');
  });

  it('requires a value for each placeholder', () => {
    // @ts-expect-error The value of path is missing.
    fill(entry, { action: 'read' });
    // @ts-expect-error The template has no placeholder of this name.
    fill(entry, { action: 'read', path: '/x', reason: '' });
    // @ts-expect-error All values are missing.
    fill(entry);
    // @ts-expect-error The template has no placeholder.
    fill({ ...entry, message: 'no placeholder' }, { path: '/x' });
  });
});
