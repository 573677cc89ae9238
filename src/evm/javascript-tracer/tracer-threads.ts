import { ThreadSlots } from '../../scheduling/thread-slots.ts';

/** The shared parts of the threads of JavaScript tracers. */
export class TracerThreads {
  readonly slots: ThreadSlots;
  /** The QuickJS module compiled by the first thread; `null` before. Later threads reuse its machine code. */
  quickJs: WebAssembly.Module | null = null;

  /** `count`: the usual number of threads. */
  constructor(count: number) {
    this.slots = new ThreadSlots(count);
  }
}
