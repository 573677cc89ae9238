/** Finds the artifacts of the project that the node is started in. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** How a tool is known by its configuration, and where it writes what it compiles unless its configuration says otherwise. */
interface Tool {
  readonly name: string;
  readonly configurations: readonly string[];
  readonly folders: readonly string[];
}

const TOOLS: readonly Tool[] = [
  {
    name: 'Hardhat',
    configurations: [
      'hardhat.config.ts',
      'hardhat.config.js',
      'hardhat.config.cjs',
      'hardhat.config.mjs',
      'hardhat.config.cts',
      'hardhat.config.mts',
    ],
    folders: ['artifacts', join('ignition', 'deployments')],
  },
  { name: 'Foundry', configurations: ['foundry.toml'], folders: ['out'] },
  {
    name: 'Truffle',
    configurations: ['truffle-config.js', 'truffle.js'],
    folders: [join('build', 'contracts')],
  },
];

/** A folder of artifacts, and the tool that writes it. */
export interface ProjectFolder {
  readonly tool: string;
  readonly path: string;
}

/**
 * Returns the folders in which the project around a directory keeps its artifacts, whether they are there yet or not; none
 * where no project is found. The nearest directory with a configuration counts; several tools may share it.
 */
export function projectFolders(directory: string): ProjectFolder[] {
  const root = projectRoot(directory);
  if (root === null) return [];
  return toolsIn(root).flatMap((tool) =>
    foldersOf(tool, root).map((folder) => ({ tool: tool.name, path: resolve(root, folder) })),
  );
}

/** Returns the nearest directory with a tool's configuration, from this one up; `null` for none. */
export function projectRoot(directory: string): string | null {
  for (let above = resolve(directory); ; above = dirname(above)) {
    if (toolsIn(above).length > 0) return above;
    if (above === dirname(above)) return null;
  }
}

function toolsIn(directory: string): Tool[] {
  return TOOLS.filter(({ configurations }) =>
    configurations.some((file) => existsSync(join(directory, file))),
  );
}

const FOUNDRY_OUT = /^\s*out\s*=\s*["'](?<out>[^"']+)["']/m;

/** The folders of a tool. Of the configurations only Foundry's can be read without running it. */
function foldersOf({ configurations, folders }: Tool, directory: string): readonly string[] {
  if (!configurations.includes('foundry.toml')) return folders;
  try {
    const out = FOUNDRY_OUT.exec(readFileSync(join(directory, 'foundry.toml'), 'utf8'))?.groups?.out;
    return out === undefined ? folders : [out];
  } catch {
    return folders;
  }
}
