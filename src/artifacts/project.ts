/** Finds the artifacts of the project that the node is started in. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The configuration by which a tool is recognized, and the folders into which it compiles and deploys unless the configuration says otherwise. */
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
    folders: ['artifacts', join('ignition', 'deployments'), 'deployments'],
  },
  { name: 'Foundry', configurations: ['foundry.toml'], folders: ['out', 'broadcast'] },
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
 * Returns the folders in which the project around a directory keeps its artifacts and deployments, whether they are there yet or not; none
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

const FOUNDRY_FOLDER = /^\s*(?<setting>out|broadcast)\s*=\s*["'](?<path>[^"']+)["']/gm;

/** Comments, and texts, which are left as they are: `//` may stand in one. */
const COMMENT_OR_TEXT =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;
/** `paths: { sources: …, artifacts: "./build" }`: a text as it is written, not one that code makes. */
const HARDHAT_ARTIFACTS =
  /\bpaths["']?\s*:\s*\{[^{}]*?\bartifacts["']?\s*:\s*(["'`])(?<artifacts>[^"'`$\n]+)\1/;
/** The longest configuration, in characters, that is searched. */
const LONGEST_CONFIGURATION = 256 * 1024;

/**
 * Returns the folder that a configuration of Hardhat names for artifacts, where that is a plain text; `null` where none is named,
 * or code makes it. The configuration is not run.
 */
function hardhatArtifacts(configurations: readonly string[], directory: string): string | null {
  for (const file of configurations) {
    const path = join(directory, file);
    if (!existsSync(path)) continue;
    const text = readFileSync(path, 'utf8').slice(0, LONGEST_CONFIGURATION);
    const code = text.replace(COMMENT_OR_TEXT, (found) => (found.startsWith('/') ? '' : found));
    return HARDHAT_ARTIFACTS.exec(code)?.groups?.artifacts ?? null;
  }
  return null;
}

/** The folders of a tool, as its configuration says without being run; its own where the configuration says nothing. */
function foldersOf({ configurations, folders }: Tool, directory: string): readonly string[] {
  try {
    if (configurations.includes('hardhat.config.ts')) {
      const artifacts = hardhatArtifacts(configurations, directory);
      return artifacts === null ? folders : [artifacts, ...folders.slice(1)];
    }
    if (!configurations.includes('foundry.toml')) return folders;
    const text = readFileSync(join(directory, 'foundry.toml'), 'utf8').slice(0, LONGEST_CONFIGURATION);
    const named = [...text.matchAll(FOUNDRY_FOLDER)].map(
      ({ groups }) => [groups?.setting, groups?.path] as const,
    );
    // The first profile is the default one.
    return folders.map((folder) => named.find(([setting]) => setting === folder)?.[1] ?? folder);
  } catch {
    return folders;
  }
}
