/** The five parts of a start. */

import type { NodeOptions } from '../config/options.ts';
import type { Timers } from '../primitives/clock.ts';
import type { CompatChoice } from '../rpc/compat.ts';

/** Progress of a process. After each step, more functions of the program are compiled. */
export type Milestone =
  /** The node listens. */
  | 'listening'
  /** The node has answered a client. */
  | 'called'
  /** The warm-up has ended. */
  | 'settled';

/** The warm-up of a node. */
export interface RunningWarmUp {
  /** Counts a call of a user, which pauses the warm-up. */
  onCall(): void;
  /** Stops the warm-up. Resolves when its chain is closed. */
  end(): Promise<void>;
}

export interface ProcessStart {
  /** Evaluates the scripts of the program, with their code cache. Throws if they are missing. */
  load(): Program;
  /** Reports progress. The code cache is written when the node has settled and at the exit, if it improves. */
  cache(milestone: Milestone): void;
  /** Reports a call of a client. Many calls make a settled node busy, and then V8 optimizes its code. */
  onCall(): void;
  /** Applies the tunings of a process that serves a node. */
  tune(): void;
  /** Makes typical calls on a separate chain while the node is idle. Calls `onEnd` when the warm-up ends. */
  warmUp(options: NodeOptions, compat: CompatChoice, timers: Timers, onEnd: () => void): RunningWarmUp;
}

/** The parts of a start that the loader provides. The program itself contains the warm-up. */
export type LoadedStart = Omit<ProcessStart, 'warmUp'>;

/** Returns a module of a script by the path of its source. */
export type Modules = (path: string) => unknown;

/** The exports of the first script (src/build/scripts.mjs). Each entry is evaluated when it is called. */
export interface Program {
  commandLine(): {
    main(start: LoadedStart, importModule: (url: string) => Promise<unknown>): Promise<void>;
    startInProcess(
      words: readonly string[],
      output: object,
      start: LoadedStart,
      importModule: (url: string) => Promise<unknown>,
    ): Promise<unknown>;
  };
  library(): { readonly createNode: (...options: unknown[]) => Promise<unknown> };
  /** The modules that the other script uses. */
  readonly modules: Modules;
}
