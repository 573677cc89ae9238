import { rejectedError } from '../errors.ts';

/** Too many clients read the event stream of MEV-Share. */
export class TooManyStreamsError extends rejectedError({
  name: 'TooManyStreams',
  code: -32005,
  status: 503,
  message: 'limit exceeded: at most {limit} clients can read the event stream; close other streams',
  page: 'server',
}) {
  constructor(limit: number) {
    super({ limit });
  }
}
