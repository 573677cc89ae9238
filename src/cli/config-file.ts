import { register } from 'node:module';
import { basename, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { printable, UsageError } from '../config/errors.ts';
import { optionsByKey, unknownKey } from '../config/local-options.ts';
import type { OptionInput } from '../config/option-values.ts';
import { keysFor, OPTION_ENTRIES, type OptionKey } from '../config/options.ts';
import { optionText, repeatedOption } from '../config/usage-messages.ts';
import { parseShallowJson } from '../json/json-reader.ts';
import { systemMessage } from '../primitives/file-system.ts';
import type { Host } from './host.ts';

/** The names of the configuration file in the working directory. */
const CONFIG_FILES = ['json', 'js', 'mjs', 'ts'].map((ending) => `node-cli.config.${ending}`);

const ENDINGS = ['.json', '.js', '.mjs', '.cjs', '.ts', '.mts'];
const TYPESCRIPT = ['.ts', '.mts'];

declare const TYPESCRIPT_HOOKS_FILE: string | undefined;

/** The hooks that load TypeScript. In the sources, this is the built file. */
const TYPESCRIPT_HOOKS = new URL(
  typeof TYPESCRIPT_HOOKS_FILE === 'undefined' ? '../../dist/cli/typescript-hooks.js' : TYPESCRIPT_HOOKS_FILE,
  import.meta.url,
);

export interface ConfigFile {
  /** The options as the command line would give them. The file itself is the option `config`. */
  readonly given: ReadonlyMap<OptionKey, OptionInput>;
}

/** The part of {@link Host} that reads configuration files. */
export type ConfigHost = Pick<Host, 'workingDirectory' | 'fileSystem' | 'importModule'>;

/** Options that a configuration file cannot set, in addition to the options of single commands. */
const NOT_OF_FILES: readonly OptionKey[] = ['help', 'version', 'config', 'noConfig'];

const KEYS = OPTION_ENTRIES.filter(
  ([key, { isOfCommand }]) => isOfCommand !== true && !NOT_OF_FILES.includes(key),
).map(([key]) => key);

/** Finds the file in the working directory; `null` if absent. Rejects with {@link UsageError} for two. */
async function findConfigFile({ workingDirectory, fileSystem }: ConfigHost): Promise<string | null> {
  const facts = await Promise.all(CONFIG_FILES.map((name) => fileSystem.stat(join(workingDirectory, name))));
  const [first, second] = CONFIG_FILES.filter((_, index) => facts[index]?.isFile);
  if (first === undefined || second === undefined) return first ?? null;
  throw new UsageError(`found both ${first} and ${second}; remove one of them or pass --config`);
}

function failure(name: string, words: string): UsageError {
  return new UsageError(`cannot read ${name}: ${printable(words)}`);
}

/** True for a `SyntaxError` of any realm. */
function isSyntaxError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'SyntaxError';
}

/** True for Node's error about a missing module. */
function isNotFound(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  );
}

/** True if this version of Node loads TypeScript itself (22.18 and later). */
function readsTypeScript(): boolean {
  return typeof Reflect.get(process.features, 'typescript') === 'string';
}

async function importFile(path: string, { importModule }: ConfigHost): Promise<unknown> {
  const name = basename(path);
  const isTypeScript = TYPESCRIPT.includes(extname(path));
  if (isTypeScript && !readsTypeScript()) register(TYPESCRIPT_HOOKS);
  const module = await importModule(pathToFileURL(path).href).catch((error: unknown) => {
    const isScript = isSyntaxError(error) && extname(path) === '.js';
    const hint = isScript ? '; rename it to .mjs or set "type": "module" in package.json' : '';
    const isMissing = isTypeScript && isNotFound(error);
    const ending = isMissing ? '; import files with their extension, as in import "./accounts.ts"' : '';
    throw failure(name, `${String(error)}${hint}${ending}`);
  });
  const { default: options } = module as { readonly default?: unknown };
  if (options === undefined)
    throw new UsageError(
      `${name}: missing default export; write export default { ${optionText('port', '8545')} }`,
    );
  return options;
}

/** The maximum nesting of a JSON configuration file. */
const NESTING_LIMIT = 20;

async function contentOf(path: string, named: string, host: ConfigHost): Promise<unknown> {
  const name = basename(path);
  if (!ENDINGS.includes(extname(path))) {
    throw new UsageError(
      `--config: expected a file that ends in ${ENDINGS.join(', ')}, got ${printable(name)}`,
    );
  }
  const bytes = await host.fileSystem.read(path).catch((error: unknown) => {
    throw failure(name, systemMessage(error));
  });
  if (bytes === null) throw new UsageError(`--config: no file ${printable(named)}`);
  if (extname(path) !== '.json') return importFile(path, host);
  try {
    return parseShallowJson(Buffer.from(bytes).toString(), NESTING_LIMIT);
  } catch (error) {
    throw failure(name, String(error));
  }
}

/**
 * Reads the file `named`; if `null`, the file in the working directory. Resolves to `null` if there is none.
 * Rejects with {@link UsageError} for unreadable files, unknown keys and values of wrong types.
 */
export async function readConfigFile(named: string | null, host: ConfigHost): Promise<ConfigFile | null> {
  const found = named ?? (await findConfigFile(host));
  if (found === null) return null;
  const path = resolve(host.workingDirectory, found);
  const name = printable(basename(path));
  const content = await contentOf(path, found, host);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new UsageError(`${name}: expected an object of options, such as { ${optionText('port', '8545')} }`);
  }
  const given = new Map<OptionKey, OptionInput>();
  for (const [key, found] of optionsIn(content, name)) if (found !== null) given.set(key, found);
  return { given: given.set('config', { texts: [found], source: '--config' }) };
}

/**
 * Returns the options of an object, by key. `null` means that the option is switched off. `place` is the name
 * of the object in errors. Throws {@link UsageError} for unknown keys and values of wrong types.
 */
export function optionsIn(content: object, place: string): Map<OptionKey, OptionInput | null> {
  const given = new Map<OptionKey, OptionInput | null>();
  for (const [written, value] of Object.entries(content)) {
    const entry = OPTION_ENTRIES.find((known) => KEYS.includes(known[0]) && keysFor(known).includes(written));
    if (entry === undefined) throw unknownKey(written, KEYS, place);
    const [key] = entry;
    const found = value === undefined ? undefined : optionsByKey(entry, value, `${written} in ${place}`);
    const before = given.get(key);
    if (found !== undefined && before) throw repeatedOption(before.source, found.source);
    if (found !== undefined || !before) given.set(key, found ?? null);
  }
  return given;
}
