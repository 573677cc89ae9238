interface FailureFacts {
  /** False if a retry at this endpoint cannot help. Default: true. */
  readonly mayPass?: boolean;
  /** The upstream's requested delay in milliseconds, or `null`. */
  readonly retryAfter?: number | null;
  /** True if no server was reached. */
  readonly isUnreachable?: boolean;
  /** True if the server was reached, but no usable response arrived. The request may be too large for it. */
  readonly isSilent?: boolean;
  readonly isRateLimited?: boolean;
}

/** Thrown without a usable response. */
export class EndpointFailure extends Error {
  override readonly name = 'EndpointFailure';
  readonly mayPass: boolean;
  readonly retryAfter: number | null;
  readonly isUnreachable: boolean;
  readonly isSilent: boolean;
  readonly isRateLimited: boolean;

  constructor(reason: string, facts: FailureFacts = {}) {
    super(reason);
    this.mayPass = facts.mayPass ?? true;
    this.retryAfter = facts.retryAfter ?? null;
    this.isUnreachable = facts.isUnreachable ?? false;
    this.isSilent = facts.isSilent ?? false;
    this.isRateLimited = facts.isRateLimited ?? false;
  }
}
