// Errors of forks and their upstreams.

import { CodedError } from '../primitives/coded-error.ts';
import { systemWords } from '../primitives/file-system.ts';

/** The upstream of a fork failed. The code says that the request was not at fault (-32603). */
export class UpstreamError extends CodedError {
  readonly code = -32000;
}

/** The upstream refused one request. Its code and data are passed on to the caller, whose call may revert. */
export class UpstreamRefusalError extends CodedError {
  readonly code: number;
  override readonly data: unknown;

  constructor(refusal: { readonly code: number; readonly message: string; readonly data?: unknown }) {
    super(refusal.message);
    this.code = refusal.code;
    this.data = refusal.data;
  }
}

/** A call that an offline fork would have to ask its upstream. */
export class OfflineError extends CodedError {
  readonly code = -32000;

  constructor(method: string, params: readonly unknown[]) {
    super(
      `The fork is offline and holds no answer to ${method} ${JSON.stringify(params).slice(0, 200)}; start once with --fork-url and without --offline to fetch it`,
    );
  }
}

/** The cache directory of a fork cannot be used. */
export class ForkCacheError extends CodedError {
  readonly code = -32000;

  /** `cause`: the error of the file system. */
  constructor(cause: unknown) {
    const path = cause instanceof Error && 'path' in cause ? `${cause.path}: ` : '';
    super(
      `The cache of the fork cannot be used (${path}${systemWords(cause)}); name another directory with --fork-cache-dir, or keep nothing with --no-storage-caching`,
      { cause },
    );
  }
}

/** A file is no pack of answers (see `cache/cache-pack.ts`). The message is the reason, for the caller to add the path. */
export class PackError extends CodedError {
  readonly code = -32000;
}

/** A pack would have more bytes than a node reads. The message is a fact and a remedy, without the path. */
export class LargePackError extends CodedError {
  readonly code = -32000;

  constructor(most: number) {
    super(
      `the answers take more than ${most} bytes; pack one upstream with --fork-url, or remove cached answers with \`node-cli cache clean\``,
    );
  }
}

/** The record of a run cannot be written. */
export class RecordNotWrittenError extends CodedError {
  readonly code = -32000;

  /** `cause`: the error of the file system. */
  constructor(path: string, cause: unknown) {
    super(`--fork-record cannot write ${path}: ${systemWords(cause)}; name a file in a folder that is there`);
  }
}

/** A fork cannot begin at the requested block. */
export class ForkPointError extends CodedError {
  readonly code = -32000;
}

/** A dump of a fork begins with the block that it was made at, which was given up. */
export class PrunedForkError extends CodedError {
  readonly code = -32000;

  constructor() {
    super(
      'A fork that gave up its first blocks (--prune-history) cannot be saved: they tie it to the other chain',
    );
  }
}
