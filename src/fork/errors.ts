// Errors of forks and their upstreams.

import { CodedError, type ErrorEntry, fill } from '../primitives/coded-error.ts';
import { codedError } from '../primitives/error-class.ts';
import { systemMessage } from '../primitives/file-system.ts';

/** The upstream of a fork failed. */
export class UpstreamError extends codedError({
  name: 'UpstreamFailed',
  code: -32000,
  message: '{message}',
  page: 'fork',
}) {
  constructor(message: string) {
    super({ message });
  }
}

/** A chain with a simulated parent chain cannot become a fork. */
export class ParentChainForkError extends codedError({
  name: 'ParentChainFork',
  code: -32000,
  message:
    'a chain with a parent chain cannot become a fork: the Bridge of a fork follows another parent chain; start the node without --parent-chain',
  page: 'rootstock',
}) {}

/** The upstream rejected a request. Its code and data are passed to the client, as for a revert. */
export class UpstreamRejectionError extends CodedError {
  static readonly entry = {
    name: 'UpstreamRejected',
    code: -32000,
    message: '{message}',
    page: 'fork',
  } as const satisfies ErrorEntry;

  override readonly data: unknown;

  /** `refusal` has the upstream's code. */
  constructor(refusal: { readonly code: number; readonly message: string; readonly data?: unknown }) {
    const { code, message, data } = refusal;
    super(fill({ ...UpstreamRejectionError.entry, code }, { message }));
    this.data = data;
  }
}

/** The upstream does not serve a method, and this node cannot derive its result from other methods. */
export class UnservedMethodError extends codedError({
  name: 'MethodNotServed',
  code: -32004,
  message:
    'the fork URL {urls} does not serve {method}{reason}; pass a --fork-url whose node serves {method}',
  page: 'fork',
}) {
  /** `urls` are masked. `needed` is the method of the client if it needs `method`. */
  constructor(urls: readonly string[], method: string, needed = method) {
    const reason = needed === method ? '' : `, which ${needed} requires`;
    super({ urls: urls.join(', '), method, reason });
  }
}

/** Data that was derived from responses of the upstream does not have the hash in these responses. */
export class DerivedHashError extends codedError({
  name: 'DerivedHashDiffers',
  code: -32000,
  message:
    'cannot derive {method}: {subject} of the fork URL does not hash to {hash}; pass a --fork-url whose node serves {method}',
  page: 'fork',
}) {
  /** `subject` is the data, as text. `hash` is hex text. */
  constructor(method: string, subject: string, hash: string) {
    super({ method, subject, hash });
  }
}

/** The option that names the upstream, for remedies. The URL itself may contain secrets. */
export const FORK_URL_OPTION = '--fork-url <url>';

/** An offline fork requires data that are not cached. */
export class OfflineError extends codedError({
  name: 'NotCached',
  code: -32000,
  message:
    'the fork is offline and has no cached {missing}; start once with {options} and without --offline to fetch it',
  page: 'fork',
}) {
  /** The options of a start that fetches the data. */
  readonly options: string;

  /** `missing` is the data, as text after "no cached". */
  constructor(missing: string, options: string) {
    super({ missing, options });
    this.options = options;
  }

  /** Returns the error for an upstream request without a cached response. */
  static ofCall(method: string, params: readonly unknown[], options: string): OfflineError {
    return new OfflineError(`response to ${method} ${JSON.stringify(params).slice(0, 200)}`, options);
  }
}

/** The cache directory of a fork cannot be used. */
export class ForkCacheError extends codedError({
  name: 'ForkCacheUnusable',
  code: -32000,
  message:
    'cannot use the fork cache ({path}{cause}); choose another directory with --fork-cache-dir, or pass --no-storage-caching',
  page: 'fork',
}) {
  /** `cause` is the file system error. */
  constructor(cause: unknown) {
    const path = cause instanceof Error && 'path' in cause ? `${cause.path}: ` : '';
    super({ path, cause: systemMessage(cause) }, { cause });
  }
}

/** An invalid pack (see `cache/cache-pack.ts`). The message is the reason; the caller adds the path. */
export class PackError extends codedError({
  name: 'InvalidPack',
  code: -32000,
  message: '{message}',
  page: 'fork',
}) {
  constructor(message: string) {
    super({ message });
  }
}

/** A pack would exceed the maximum size. The message has a fact and a remedy, without the path. */
export class LargePackError extends codedError({
  name: 'PackTooLarge',
  code: -32000,
  message:
    'the pack would exceed {most} bytes; pack the responses of one URL with --fork-url, or remove cached responses with `npx node-cli cache clean`',
  page: 'fork',
}) {
  constructor(most: number) {
    super({ most });
  }
}

/** The record of a run cannot be written. */
export class RecordNotWrittenError extends codedError({
  name: 'RecordNotWritten',
  code: -32000,
  message: '--fork-record: cannot write {path}: {cause}; choose a file in an existing directory',
  page: 'fork',
}) {
  /** `cause` is the file system error. */
  constructor(path: string, cause: unknown) {
    super({ path, cause: systemMessage(cause) });
  }
}

/** A fork cannot start at the requested block. */
export class ForkPointError extends codedError({
  name: 'ForkFailed',
  code: -32000,
  message: '{message}',
  page: 'fork',
}) {
  constructor(message: string) {
    super({ message });
  }
}

/** The chain cannot follow a forked chain. */
export class UnfollowableForkError extends codedError({
  name: 'ForkCannotFollow',
  code: -32602,
  message: 'cannot follow the forked chain: {reason}',
  page: 'fork',
}) {
  /** `reason` is a fact and a remedy, as text. */
  constructor(reason: string) {
    super({ reason });
  }
}

/** Another URL of a fork must be a node of the same chain. */
export class OtherChainError extends codedError({
  name: 'ForkChainDiffers',
  code: -32602,
  message: 'invalid params: url: expected a node with the chain id {own} of the fork, got chain id {found}',
  page: 'fork',
}) {
  constructor(own: number, found: number) {
    super({ own, found });
  }
}

/** A dump of a fork requires the fork block, but it is pruned. */
export class PrunedForkError extends codedError({
  name: 'ForkPruned',
  code: -32000,
  message: 'cannot save this fork: --prune-history removed its first block, which a saved fork requires',
  page: 'fork',
}) {}
