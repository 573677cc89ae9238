import { type CancelCheck, unlessCancelled } from '../scheduling/cancel-check.ts';
import { type Task, waitFor } from '../scheduling/task.ts';
import { MissingStateError } from '../state/state-source.ts';

/**
 * Fetches all state that the reads miss, in parallel, because sequential reads would wait several times. After
 * it, the reads do not throw `MissingStateError`. Throws the errors of the fetches and of `checkCancelled`.
 */
export function* fetchReads(
  reads: readonly (() => unknown)[],
  checkCancelled: CancelCheck | undefined,
): Task<void> {
  for (;;) {
    const missing: MissingStateError[] = [];
    for (const read of reads) {
      try {
        read();
      } catch (error) {
        if (!(error instanceof MissingStateError)) throw error;
        missing.push(error);
      }
    }
    if (missing.length === 0) return;
    const fetches = Promise.all(missing.map((error) => error.fetch()));
    yield* waitFor(unlessCancelled(fetches, checkCancelled));
  }
}
