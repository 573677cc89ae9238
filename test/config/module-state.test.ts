import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The modules with state, as `.github/decisions/0021-state-in-modules.md` explains. */
const HOLDERS: Readonly<Record<string, string>> = {
  'evm/interpreter/interpreter-module.ts': 'interpreterModule',
  'primitives/bytes.ts': 'groups',
  'primitives/keccak.ts': 'compiledModule hasher',
  'primitives/secp256k1/curve.ts': 'curve',
  'primitives/sha256.ts': 'hasher',
  'protocol/hardforks/registry.ts': 'composedRuleSets',
  'protocol/intrinsic-gas.ts': 'zerosOfLongData',
  'rpc/rpc-service.ts': 'finder',
  'state/trie/ordered-trie.ts': 'hasher',
  'storage/log-criteria.ts': 'keysByList',
};

/**
 * The explorer is one program. The sources of the interpreter are compiled to a program that each machine
 * instantiates.
 */
const PROGRAMS = /^(?:explorer|evm\/interpreter\/assembly)\/|\/generated\//;

/**
 * Stateless objects, or objects that do not change after the module is loaded. A proxy has the state of its
 * target.
 */
const STATELESS = /^(?:Proxy|TextEncoder|TextDecoder|Uint8Array|RegExp|URL|Error|BlockList|Intl\.Collator)$/;

/** Returns the top-level names of a module with mutable state: variables and stateful objects. */
function stateOf(source: string): string[] {
  const variables = Array.from(source.matchAll(/^(?:export )?(?:let|var) (?<name>\w+)/gm));
  const objects = Array.from(
    source.matchAll(
      /^(?:export )?const (?<name>\w+)(?<type>: [^=\n]+)? =\s+new (?<made>[\w.]+)(?:<[^(]*>)?\((?<given>\)?)/gm,
    ),
  ).filter(({ groups: { type = '', made = '', given = '' } = {} }) => {
    // A set or map with initial members or a read-only type is a table.
    const isTable = /^(?:Set|Map)$/.test(made) && (given === '' || type.startsWith(': Readonly'));
    return !isTable && !STATELESS.test(made);
  });
  return [...variables, ...objects].map(({ groups: { name = '' } = {} }) => name).sort();
}

describe('the state of modules', () => {
  it('exists only in the modules that the decision names', () => {
    const found = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts') && !PROGRAMS.test(path))
      .map((path) => [path, stateOf(readFileSync(join('src', path), 'utf8')).join(' ')] as const)
      .filter(([, names]) => names !== '');
    expect(Object.fromEntries(found)).toEqual(HOLDERS);
  });

  it('appears in the decision with its path', () => {
    const decision = readFileSync('.github/decisions/0021-state-in-modules.md', 'utf8');
    for (const path of Object.keys(HOLDERS)) expect(decision).toContain(`src/${path}`);
  });

  it.each([
    ['let count = 0;', ['count']],
    ['export let count = 0;', ['count']],
    ['const seen = new WeakMap<object, string>();', ['seen']],
    ['const seen: Map<string, number> = new Map();', ['seen']],
    ['const registry = new Registry({ size: 1 });', ['registry']],
    ["const NAMES: ReadonlySet<string> = new Set(['a']);", []],
    ["const NAMES = new Map([\n  ['a', 1],\n]);", []],
    ['const NONE: ReadonlySet<number> = new Set();', []],
    ['const TEXT = new TextDecoder();', []],
    ['function f() {\n  let count = 0;\n}', []],
  ])('is detected in %j', (source, names) => {
    expect(stateOf(source)).toEqual(names);
  });
});
