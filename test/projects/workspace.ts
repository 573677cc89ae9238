import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { runToSuccess } from './run-program.ts';

export type ProjectKind = 'hardhat-2' | 'hardhat-3' | 'foundry';

/** A copy of a checkout, with its dependencies. */
export interface Workspace {
  readonly name: string;
  readonly directory: string;
  readonly kind: ProjectKind;
  /** The file name of Hardhat's config; undefined for Foundry. */
  readonly config: string | undefined;
}

const CONFIGS = ['ts', 'js', 'cts', 'cjs', 'mts', 'mjs'].map((ending) => `hardhat.config.${ending}`);
const LEFT_OUT = new Set(['.git', 'node_modules']);

/** The install command for the lock file of a project. Install scripts do not run, as many download programs. */
function installCommand(directory: string): readonly [string, ...string[]] {
  if (existsSync(join(directory, 'pnpm-lock.yaml')))
    return ['npx', '-y', 'pnpm', 'install', '--ignore-scripts'];
  if (existsSync(join(directory, 'yarn.lock')))
    return ['npx', '-y', 'yarn@1', 'install', '--ignore-scripts', '--ignore-engines'];
  const command = existsSync(join(directory, 'package-lock.json')) ? 'ci' : 'install';
  return ['npm', command, '--ignore-scripts', '--legacy-peer-deps'];
}

/** The main version of the installed Hardhat. */
function hardhatVersion(directory: string): number {
  const manifest = readFileSync(join(directory, 'node_modules/hardhat/package.json'), 'utf8');
  return Number.parseInt(JSON.parse(manifest).version, 10);
}

/**
 * Copies a checkout to `root`, unless an earlier run has copied it. Uses the installed dependencies of the
 * checkout, and otherwise installs them in the copy. Throws if the folder is not a Hardhat or Foundry project.
 */
export async function openWorkspace(checkout: string, root: string): Promise<Workspace> {
  const source = resolve(checkout);
  const name = basename(source);
  const directory = join(root, name);
  const config = CONFIGS.find((file) => existsSync(join(source, file)));
  if (config === undefined && !existsSync(join(source, 'foundry.toml')))
    throw new Error(`${source}: expected a hardhat.config file or a foundry.toml`);
  if (!existsSync(directory)) {
    mkdirSync(root, { recursive: true });
    cpSync(source, directory, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
  }
  const modules = join(directory, 'node_modules');
  if (config !== undefined && !existsSync(modules)) {
    const installed = join(source, 'node_modules');
    if (existsSync(installed)) symlinkSync(installed, modules, 'dir');
    else {
      const [program, ...args] = installCommand(directory);
      await runToSuccess(program, args, { directory });
    }
  }
  const kind = config === undefined ? 'foundry' : hardhatVersion(directory) >= 3 ? 'hardhat-3' : 'hardhat-2';
  return { name, directory, kind, config };
}

/**
 * Copies a compiled workspace for one run, so that files that another run wrote (such as addresses of deployed
 * contracts) do not change outcomes. Returns the folder of the copy.
 */
export function copyForRun({ directory }: Workspace, run: string): string {
  const copy = `${directory}-${run}`;
  rmSync(copy, { recursive: true, force: true });
  cpSync(directory, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
  symlinkSync(join(directory, 'node_modules'), join(copy, 'node_modules'), 'dir');
  return copy;
}

/** Installs compilers as npm packages `solc-<version>` in a folder, unless they are installed. */
export async function installCompilers(folder: string, versions: readonly string[]): Promise<void> {
  const missing = [...new Set(versions)].filter(
    (version) => !existsSync(join(folder, 'node_modules', `solc-${version}`)),
  );
  if (missing.length === 0) return;
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n');
  const packages = missing.map((version) => `solc-${version}@npm:solc@${version}`);
  await runToSuccess('npm', ['install', '--ignore-scripts', ...packages], { directory: folder });
}
