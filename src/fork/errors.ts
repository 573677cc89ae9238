import { CodedError } from '../primitives/coded-error.ts';
import { systemWords } from '../primitives/file-system.ts';

/** The upstream of a fork does not give what is needed. The code says that this is no fault of this node (-32603). */
export class UpstreamError extends CodedError {
  readonly code = -32000;
}

/** The upstream refused one request. Its code and data go on to the caller, who may have asked for a call that reverts. */
export class UpstreamRefusalError extends CodedError {
  readonly code: number;
  override readonly data: unknown;

  constructor(refusal: { readonly code: number; readonly message: string; readonly data?: unknown }) {
    super(refusal.message);
    this.code = refusal.code;
    this.data = refusal.data;
  }
}

/** What a fork that may not ask its upstream would have to ask it. */
export class OfflineError extends CodedError {
  readonly code = -32000;

  constructor(method: string, params: readonly unknown[]) {
    super(
      `The fork is offline and holds no answer to ${method} ${JSON.stringify(params).slice(0, 200)}; start once with --fork-url and without --offline to fetch it`,
    );
  }
}

/** The directory in which a fork keeps what its upstream answers cannot be used. */
export class ForkCacheError extends CodedError {
  readonly code = -32000;

  /** `cause`: what the file system says. */
  constructor(cause: unknown) {
    const path = cause instanceof Error && 'path' in cause ? `${cause.path}: ` : '';
    super(
      `The cache of the fork cannot be used (${path}${systemWords(cause)}); name another directory with --fork-cache-dir, or keep nothing with --no-storage-caching`,
    );
  }
}

/** A fork that cannot begin where it is told to. */
export class ForkPointError extends CodedError {
  readonly code = -32000;
}

/** A fork is to be dumped in the form of Anvil's state files, or their blocks to be loaded in its place. */
export class ForkDumpError extends CodedError {
  readonly code = -32000;

  constructor() {
    super(
      "A fork of another chain does not go into Anvil's state files, nor do their blocks take its place: use dumps of node-cli",
    );
  }
}
