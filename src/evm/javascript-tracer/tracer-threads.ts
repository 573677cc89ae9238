import { ThreadSlots } from '../../scheduling/thread-slots.ts';

/** The shared parts of the threads of JavaScript tracers. */
export class TracerThreads {
  readonly slots: ThreadSlots;
  /**
   * QuickJS as the first thread compiled it; `null` before. Later threads use its machine code, so that a `debug_traceCall` takes half
   * the CPU time.
   */
  quickJs: WebAssembly.Module | null = null;

  /** `count`: the usual number of threads. */
  constructor(count: number) {
    this.slots = new ThreadSlots(count);
  }
}
