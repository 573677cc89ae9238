/** Chooses the compat mode of `--compat auto` from the project that the node is started in. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isRecord } from '../primitives/record.ts';
import type { CompatChoice, CompatModes, CompatName } from '../rpc/compat.ts';

/** The value of `--compat`. */
export type CompatOption = CompatName | 'auto';

/** The compat mode of a node, and the reason for it. */
export interface ChosenCompat {
  readonly choice: CompatChoice;
  /** The evidence for mode `anvil`, such as `viem in package.json`; null if absent or with a fixed mode. */
  readonly evidence: string | null;
}

/** Packages of clients that do not decode reverts from Rootstock's error code -32015. */
const PACKAGES = ['viem', 'wagmi'];

const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

/** The name in node-cli's own package.json. Its repository does not count as a project. */
const OWN_NAME = 'node-cli';

/** Bytes of the largest package.json that is read. */
const MAX_PACKAGE = 1024 * 1024;

/** The modes of `createNode`, which ignores the project unless its option `compat` is given. */
export const LIBRARY_MODES: CompatModes = { hardhat: 'hardhat', others: 'service' };

/**
 * Returns the compat mode. With `auto`, Hardhat gets `hardhat`. Other clients get `anvil` in a project with
 * viem, wagmi or Foundry, and `service` elsewhere.
 */
export function chooseCompat(option: CompatOption, workingDirectory: string): ChosenCompat {
  if (option !== 'auto') return { choice: option, evidence: null };
  const evidence = projectEvidence(workingDirectory);
  return { choice: { hardhat: 'hardhat', others: evidence === null ? 'service' : 'anvil' }, evidence };
}

/**
 * Returns the first evidence of viem, wagmi or Foundry (`viem in package.json`, `../foundry.toml`); null if
 * absent. Searches for the nearest package.json upwards, and for foundry.toml up to the repository root.
 */
export function projectEvidence(workingDirectory: string): string | null {
  const start = resolve(workingDirectory);
  const packageFile = nearest(start, 'package.json');
  const manifest = packageFile === null ? null : readManifest(packageFile);
  if (manifest?.name === OWN_NAME) return null;
  const named = PACKAGES.find((name) => manifest?.dependencies.has(name));
  if (packageFile !== null && named !== undefined) return `${named} in ${relative(start, packageFile)}`;
  const foundryFile = nearest(start, 'foundry.toml', '.git');
  return foundryFile === null ? null : relative(start, foundryFile);
}

/** Returns the path of the nearest file upwards. The search ends in the folder that contains `end`. */
function nearest(directory: string, name: string, end?: string): string | null {
  for (let above = directory; ; above = dirname(above)) {
    const path = join(above, name);
    if (isFile(path)) return path;
    if (above === dirname(above) || (end !== undefined && existsSync(join(above, end)))) return null;
  }
}

/** True for a file. An unreadable path or a circular link counts as absent and must not abort the start. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Returns name and dependencies of a package.json; null if npm could not read it either. */
function readManifest(path: string): { name: unknown; dependencies: ReadonlySet<string> } | null {
  let manifest: unknown;
  try {
    if (statSync(path).size > MAX_PACKAGE) return null;
    manifest = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
  if (!isRecord(manifest)) return null;
  const names = DEPENDENCIES.flatMap((kind) => {
    const listed = manifest[kind];
    return isRecord(listed) ? Object.keys(listed) : [];
  });
  return { name: manifest.name, dependencies: new Set(names) };
}
