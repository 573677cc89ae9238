import { fill } from '../../primitives/coded-error.ts';
import { RejectedError, type RejectionEntry } from '../errors.ts';

/** Too many clients read the event stream of MEV-Share. */
export class TooManyStreamsError extends RejectedError {
  static readonly entry = {
    name: 'TooManyStreams',
    code: -32005,
    status: 503,
    message: 'limit exceeded: at most {limit} clients can read the event stream; close other streams',
    page: 'server',
  } as const satisfies RejectionEntry;

  constructor(limit: number) {
    super(fill(TooManyStreamsError.entry, { limit }));
  }
}
