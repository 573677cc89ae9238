// The errors of the parent chain.

import { codedError } from '../../primitives/error-class.ts';

/** Base of all errors that a client of the parent chain can cause. */
export abstract class ParentChainError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** Thrown if a transaction is not accepted. The reasons have the texts of bitcoind. */
export class RejectedTransactionError extends ParentChainError {
  readonly reason: string;

  /** `details` are numbers or texts behind the reason; empty without details. */
  constructor(reason: string, details = '') {
    super(details === '' ? reason : `${reason}, ${details}`);
    this.reason = reason;
  }
}

/** Thrown if a block is not accepted. The reasons have the texts of bitcoind. */
export class RejectedBlockError extends ParentChainError {
  readonly reason: string;

  constructor(reason: string, details = '') {
    super(details === '' ? reason : `${reason}, ${details}`);
    this.reason = reason;
  }
}

/** Thrown if the time of a block does not fit into its header. */
export class BlockTimeError extends codedError({
  name: 'ParentBlockTime',
  code: -32000,
  message: 'the time of a block of the parent chain: expected at most 4294967295 seconds, got {time}',
  page: 'rootstock',
}) {
  constructor(time: number) {
    super({ time: String(time) });
  }
}
