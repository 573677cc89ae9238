/** Finds the artifact folders of the project around the working directory. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** A tool with its configuration files and its default output folders. */
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
 * Returns the artifact and deployment folders of the project around a directory, including folders that do
 * not exist yet. Empty without a project. The nearest directory with a configuration counts; it may have
 * several tools.
 */
export function projectFolders(directory: string): ProjectFolder[] {
  const root = projectRoot(directory);
  if (root === null) return [];
  return toolsIn(root).flatMap((tool) =>
    foldersOf(tool, root).map((folder) => ({ tool: tool.name, path: resolve(root, folder) })),
  );
}

/** Returns the nearest directory with a tool's configuration, upwards from this one; `null` for none. */
export function projectRoot(directory: string): string | null {
  return new ProjectRoots().around(directory);
}

/** Finds the projects around many directories. Reads each directory once. */
export class ProjectRoots {
  readonly #isRoot: (directory: string) => boolean;
  readonly #known = new Map<string, string | null>();

  constructor(isRoot = (directory: string): boolean => toolsIn(directory).length > 0) {
    this.#isRoot = isRoot;
  }

  /** Returns the same as {@link projectRoot}. */
  around(directory: string): string | null {
    const path = resolve(directory);
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const above = dirname(path);
    const root = this.#isRoot(path) ? path : above === path ? null : this.around(above);
    this.#known.set(path, root);
    return root;
  }
}

function toolsIn(directory: string): Tool[] {
  return TOOLS.filter(({ configurations }) =>
    configurations.some((file) => existsSync(join(directory, file))),
  );
}

const FOUNDRY_FOLDER = /^\s*(?<setting>out|broadcast)\s*=\s*["'](?<path>[^"']+)["']/gm;

/** Matches comments, to remove them, and string literals, to keep them: a string may contain `//`. */
const COMMENT_OR_TEXT =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;
/** Matches `paths: { sources: …, artifacts: "./build" }` if the folder is a string literal. */
const HARDHAT_ARTIFACTS =
  /\bpaths["']?\s*:\s*\{[^{}]*?\bartifacts["']?\s*:\s*(["'`])(?<artifacts>[^"'`$\n]+)\1/;
/** Maximum characters of a configuration to search. */
const MAX_CONFIGURATION_LENGTH = 256 * 1024;

/**
 * Returns the artifact folder in a Hardhat configuration if it is a string literal; otherwise `null`. The
 * configuration is not executed.
 */
function hardhatArtifacts(configurations: readonly string[], directory: string): string | null {
  for (const file of configurations) {
    const path = join(directory, file);
    if (!existsSync(path)) continue;
    const text = readFileSync(path, 'utf8').slice(0, MAX_CONFIGURATION_LENGTH);
    const code = text.replace(COMMENT_OR_TEXT, (found) => (found.startsWith('/') ? '' : found));
    return HARDHAT_ARTIFACTS.exec(code)?.groups?.artifacts ?? null;
  }
  return null;
}

/** Returns the folders in the tool's configuration, without executing it; otherwise the default folders. */
function foldersOf({ configurations, folders }: Tool, directory: string): readonly string[] {
  try {
    if (configurations.includes('hardhat.config.ts')) {
      const artifacts = hardhatArtifacts(configurations, directory);
      return artifacts === null ? folders : [artifacts, ...folders.slice(1)];
    }
    if (!configurations.includes('foundry.toml')) return folders;
    const text = readFileSync(join(directory, 'foundry.toml'), 'utf8').slice(0, MAX_CONFIGURATION_LENGTH);
    const named = [...text.matchAll(FOUNDRY_FOLDER)].map(
      ({ groups }) => [groups?.setting, groups?.path] as const,
    );
    // The first profile is the default one.
    return folders.map((folder) => named.find(([setting]) => setting === folder)?.[1] ?? folder);
  } catch {
    return folders;
  }
}
