/** The exports of the program's scripts, which the build creates (src/build/scripts.mjs). */

import type { ProcessStart } from './process-start.ts';

/** The parts of a start that the loader provides. The program itself contains the warm-up. */
export type LoadedStart = Omit<ProcessStart, 'warmUp'>;

/** Returns a module of a script by the path of its source. */
export type Modules = (path: string) => unknown;

/** The first script. Each entry is evaluated when it is called. */
export interface Program {
  commandLine(): {
    main(start: LoadedStart, importModule: (url: string) => Promise<unknown>): Promise<void>;
  };
  library(): { readonly createNode: (...options: unknown[]) => Promise<unknown> };
  /** The modules that the other script uses. */
  readonly modules: Modules;
}
