// Errors of messages, rejected requests, and failures to listen.

import {
  CodedError,
  type ErrorEntry,
  type ExitEntry,
  ExitError,
  type FilledEntry,
  fill,
} from '../primitives/coded-error.ts';
import { codedError, type ErrorBase, errorBase, exitError } from '../primitives/error-class.ts';
import { bodyRemedy } from './body-limit.ts';

/** The text is not JSON (JSON-RPC 2.0, section 5.1). */
export class ParseError extends codedError({
  name: 'ParseError',
  code: -32700,
  message: 'parse error: {reason}',
  page: 'server',
}) {
  constructor(reason: string) {
    super({ reason });
  }
}

/** The JSON is not a request (JSON-RPC 2.0, section 5.1). */
export class InvalidRequestError extends codedError({
  name: 'InvalidRequest',
  code: -32600,
  message: 'invalid request: {reason}',
  page: 'server',
}) {
  constructor(reason: string) {
    super({ reason });
  }
}

/** The entry of an error with an HTTP status. */
export interface RejectionEntry extends ErrorEntry {
  readonly status: number;
}

/** Rejects a request before its body is read. The response has an HTTP status and a JSON-RPC code. */
export abstract class RejectedError extends CodedError {
  readonly status: number;

  constructor(filled: FilledEntry<RejectionEntry>) {
    super(filled);
    this.status = filled.entry.status;
  }
}

/** Returns the base class of an error that rejects a request. */
export function rejectedError<const Entry extends RejectionEntry>(
  entry: Entry,
): ErrorBase<Entry, RejectedError> {
  return errorBase<Entry, RejectedError>(RejectedError, entry);
}

/** The path contains no valid API key. */
export class WrongApiKeyError extends rejectedError({
  name: 'Unauthorized',
  code: -32001,
  status: 401,
  message:
    'unauthorized: the URL path must be one of the API keys set with --api-key; for the Bitcoin RPC, the password must be one',
  page: 'server',
}) {}

/** The Host header does not name this node, for example because of DNS rebinding. */
export class HostNotAllowedError extends rejectedError({
  name: 'HostNotAllowed',
  code: -32001,
  status: 403,
  message: 'forbidden: host {host} is not allowed; allow it with --allow-host',
  page: 'server',
}) {
  constructor(host: string | undefined) {
    super({ host: shown(host) });
  }
}

/** The request names several hosts, so proxies may route it differently (RFC 9112, section 3.2). */
export class SeveralHostsError extends rejectedError({
  name: 'DuplicateHost',
  code: -32600,
  status: 400,
  message: 'bad request: more than one Host header',
  page: 'server',
}) {}

/** The address of the client is banned. */
export class BannedAddressError extends rejectedError({
  name: 'AddressBanned',
  code: -32001,
  status: 403,
  message: 'forbidden: address {address} is banned; sco_unbanAddress lifts the ban',
  page: 'server',
}) {
  constructor(address: string) {
    super({ address });
  }
}

/** A web page of another origin sent the request. */
export class OriginNotAllowedError extends rejectedError({
  name: 'OriginNotAllowed',
  code: -32001,
  status: 403,
  message: 'forbidden: origin {origin} is not allowed; {remedy}',
  page: 'server',
}) {
  constructor(origin: string, remedy = 'allow it with --allow-origin') {
    super({ origin: shown(origin), remedy });
  }
}

/** The path has more than one segment. */
export class PathNotFoundError extends rejectedError({
  name: 'PathNotFound',
  code: -32600,
  status: 404,
  message:
    'not found: send requests to / or to /<key> (an API key, or a lane other than eth); see --api-key and --lanes',
  page: 'server',
}) {}

/** The path of the parent chain, for a request that the parent chain cannot answer. */
export class ParentPathError extends rejectedError({
  name: 'ParentPathNotFound',
  code: -32600,
  status: 404,
  message:
    'not found: /parent serves the Bitcoin RPC of the parent chain over HTTP; start the node with --parent-chain',
  page: 'server',
}) {}

/** The lane does not exist, and the closing node creates no new lanes. */
export class NodeEndingError extends rejectedError({
  name: 'NodeClosing',
  code: -32005,
  status: 503,
  message: 'the node is closing and creates no new lanes; use another node',
  page: 'server',
}) {}

/** The HTTP verb is not POST. */
export class VerbNotAllowedError extends rejectedError({
  name: 'MethodNotAllowed',
  code: -32600,
  status: 405,
  message: '{verb} is not supported: {remedy}',
  page: 'server',
}) {
  constructor(verb: string, remedy = 'send JSON-RPC with POST, or open a WebSocket') {
    super({ verb, remedy });
  }
}

/** The body is longer than the limit. */
export class BodyTooLargeError extends rejectedError({
  name: 'BodyTooLarge',
  code: -32600,
  status: 413,
  message: 'the body exceeds the limit of {limit} bytes; {remedy}',
  page: 'server',
}) {
  constructor(limit: number) {
    super({ limit, remedy: bodyRemedy(limit) });
  }
}

/** The headers do not declare the body as uncompressed JSON. */
export class UnsupportedBodyError extends rejectedError({
  name: 'UnsupportedMediaType',
  code: -32600,
  status: 415,
  message: '{message}',
  page: 'server',
}) {
  constructor(message: string) {
    super({ message });
  }
}

/** The option that sets a port. */
type PortOption = '--port' | '--parent-port';

/** The server cannot listen on the given address. */
export abstract class ListenError extends ExitError {
  constructor(
    filled: FilledEntry<ExitEntry>,
    readonly host: string,
    readonly port: number,
    cause: unknown,
  ) {
    super(filled, { cause });
  }
}

/** Another program listens on the port. */
export class AddressInUseError extends ListenError {
  static readonly entry = {
    name: 'AddressInUse',
    exit: 1,
    message: 'port {port} on {host} is already in use; choose another with {option} (0 picks a free one)',
    page: 'server',
  } as const satisfies ExitEntry;

  constructor(host: string, port: number, option: PortOption, cause: unknown) {
    super(fill(AddressInUseError.entry, { host, port, option }), host, port, cause);
  }
}

/** The operating system does not let this user listen on the port. */
export class AddressForbiddenError extends ListenError {
  static readonly entry = {
    name: 'AddressForbidden',
    exit: 1,
    message: 'no permission to listen on port {port} of {host}; choose one above 1023 with {option}',
    page: 'server',
  } as const satisfies ExitEntry;

  constructor(host: string, port: number, option: PortOption, cause: unknown) {
    super(fill(AddressForbiddenError.entry, { host, port, option }), host, port, cause);
  }
}

/** The operating system reserves the port. Hyper-V and Docker reserve ranges of ports on Windows. */
export class ReservedPortError extends ListenError {
  static readonly entry = {
    name: 'ReservedPort',
    exit: 1,
    message:
      'the system reserves port {port} of {host}; choose another with {option} (0 picks a free one); Windows lists its ranges with: netsh interface ipv4 show excludedportrange tcp',
    page: 'server',
  } as const satisfies ExitEntry;

  constructor(host: string, port: number, option: PortOption, cause: unknown) {
    super(fill(ReservedPortError.entry, { host, port, option }), host, port, cause);
  }
}

/** The host is not a name or an address of this machine. */
export class UnknownHostError extends ListenError {
  static readonly entry = {
    name: 'UnknownHost',
    exit: 1,
    message: '{host} is not a name or an address of this machine; choose another with --host',
    page: 'server',
  } as const satisfies ExitEntry;

  constructor(host: string, port: number, cause: unknown) {
    super(fill(UnknownHostError.entry, { host }), host, port, cause);
  }
}

/** The server cannot listen on the IPC path. */
export class IpcPathError extends exitError({
  name: 'IpcPathUnusable',
  exit: 1,
  message: 'cannot listen on the IPC path {path}: {fault}',
  page: 'server',
}) {
  constructor(path: string, fault: string) {
    super({ path: shown(path), fault });
  }
}

/** Unix lets only the superuser listen on ports up to this one. */
const LAST_PRIVILEGED_PORT = 1_023;

/** Converts a system error of listening. Returns other errors unchanged. */
export function listenError(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  option: PortOption = '--port',
): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new AddressInUseError(host, port, option, error);
    case 'EACCES':
      return port <= LAST_PRIVILEGED_PORT
        ? new AddressForbiddenError(host, port, option, error)
        : new ReservedPortError(host, port, option, error);
    case 'EADDRNOTAVAIL':
    // A local IPv6 address without its interface, or an unavailable address family.
    case 'EINVAL':
    case 'EAFNOSUPPORT':
    case 'EAI_AGAIN':
    case 'ENOTFOUND':
      return new UnknownHostError(host, port, error);
    default:
      return error;
  }
}

/** Returns a header's value for a message, quoted and shortened. */
function shown(value: string | undefined): string {
  return value === undefined
    ? '(none)'
    : JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
}
