import type {
  BlockEntry,
  ConsoleEntry,
  RemovedEntry,
  RequestEntry,
  StartEntry,
  WorkEntry,
} from './log-entries.ts';

/** Where the node tells the person in front of it what happens. */
export interface LogWriter {
  banner(entry: StartEntry): void;
  listening(url: string): void;
  request(entry: RequestEntry): void;
  /** A mined block; `isBelowItsRequest` when the line above is the request that made it, so that it needs no heading. */
  block(entry: BlockEntry, isBelowItsRequest: boolean): void;
  /**
   * What a call told the console of contracts; `isBelowItsRequest` when the line above is the request of the call. `lane` is
   * the name of the lane that was called; absent for the base chain.
   */
  console(entry: ConsoleEntry, isBelowItsRequest: boolean, lane?: string): void;
  removed(entry: RemovedEntry): void;
  /** Something the person should know. */
  notice(text: string): void;
  /** Something that went wrong around the node, which goes on. */
  problem(text: string): void;
  /** Work that takes long. */
  work(entry: WorkEntry): void;
  /** A bug of the node. */
  internalError(error: unknown): void;
  /** Writes what is still held back. */
  flush(): void;
}

/** A stream of text. */
export interface TextOutput {
  write(text: string): void;
}
