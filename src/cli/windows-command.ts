/** Finds and quotes commands on Windows, so that arguments reach the program unchanged. */

import { win32 } from 'node:path';
import type { Environment } from '../config/options.ts';

/** A program for `spawn`. */
export interface SpawnedCommand {
  readonly program: string;
  readonly parameters: readonly string[];
  /** True if the parameters are already quoted for Windows. */
  readonly isVerbatim: boolean;
}

/** The place of a command. */
export interface CommandPlace {
  readonly environment: Environment;
  readonly workingDirectory: string;
  isFile(path: string): boolean;
}

/** The endings without `PATHEXT`, the default of Windows without scripts. */
const PROGRAM_ENDINGS = '.COM;.EXE;.BAT;.CMD';
/** Files of cmd.exe. `spawn` rejects them without a shell. */
const BATCH_FILE = /\.(?:bat|cmd)$/i;
/** Characters with a meaning in cmd.exe. */
const SPECIAL = /[()[\]{}%!^"`<>&|;,=+'*? \t]/g;

/** Returns a variable. Windows ignores the case of names. */
function variable(environment: Environment, name: string): string | undefined {
  const key = Object.keys(environment).find((each) => each.toUpperCase() === name);
  return key === undefined ? undefined : environment[key];
}

/** Returns the path of a command, as cmd.exe finds it; `null` if absent. */
function pathOf(command: string, { environment, workingDirectory, isFile }: CommandPlace): string | null {
  const endings = (variable(environment, 'PATHEXT') ?? PROGRAM_ENDINGS).split(';').filter(Boolean);
  const isComplete = endings.some((ending) => command.toUpperCase().endsWith(ending.toUpperCase()));
  const names = isComplete ? [command] : endings.map((ending) => command + ending.toLowerCase());
  const hasFolder = /[\\/:]/.test(command);
  const others = hasFolder ? [] : (variable(environment, 'PATH') ?? '').split(';').filter(Boolean);
  for (const folder of [workingDirectory, ...others]) {
    for (const name of names) {
      const path = win32.resolve(workingDirectory, folder.replaceAll('"', ''), name);
      if (isFile(path)) return path;
    }
  }
  return null;
}

/** Quotes an argument for the C runtime: backslashes before a quote are doubled. */
function quoted(argument: string): string {
  return `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}

/**
 * Quotes an argument for a batch file. cmd.exe reads it twice: in the command line and in the batch file, which passes it on.
 * In the second reading, quotes protect special characters, unless the argument contains a quote.
 */
function quotedForBatch(argument: string): string {
  const once = quoted(argument).replace(SPECIAL, '^$&');
  return argument.includes('"') ? once.replace(SPECIAL, '^$&') : once;
}

/** Returns how to run a command on Windows; `null` if there is none. Batch files, as of npm, run in cmd.exe. */
export function windowsCommand(
  command: string,
  parameters: readonly string[],
  place: CommandPlace,
): SpawnedCommand | null {
  const path = pathOf(command, place);
  if (path === null) return null;
  if (!BATCH_FILE.test(path)) return { program: path, parameters, isVerbatim: false };
  const line = [`"${path}"`, ...parameters.map(quotedForBatch)].join(' ');
  return {
    program: variable(place.environment, 'COMSPEC') ?? 'cmd.exe',
    // /d: no AutoRun; /s: removes only the outer quotes.
    parameters: ['/d', '/s', '/c', `"${line}"`],
    isVerbatim: true,
  };
}
