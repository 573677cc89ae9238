// Errors of messages, refusals of requests and failures to listen.

import { CodedError } from '../primitives/coded-error.ts';

/** The text is not JSON (JSON-RPC 2.0, section 5.1). */
export class ParseError extends CodedError {
  readonly code = -32700;

  constructor(reason: string) {
    super(`parse error: ${reason}`);
  }
}

/** The JSON is not a request (JSON-RPC 2.0, section 5.1). */
export class InvalidRequestError extends CodedError {
  readonly code = -32600;

  constructor(reason: string) {
    super(`invalid request: ${reason}`);
  }
}

/** A request that is refused before its body is read: the answer has an HTTP status and a JSON-RPC code. */
export abstract class RefusedError extends CodedError {
  abstract readonly status: number;
}

/** The path has none of the API keys. */
export class WrongApiKeyError extends RefusedError {
  readonly status = 401;
  readonly code = -32001;

  constructor() {
    super('unauthorized: the path must be one of the API keys set with --api-key');
  }
}

/** The Host header names a host that is not this node, as after DNS rebinding. */
export class HostNotAllowedError extends RefusedError {
  readonly status = 403;
  readonly code = -32001;

  constructor(host: string | undefined) {
    super(`forbidden: host ${shown(host)} is not served; allow it with --allow-host`);
  }
}

/** The request names several hosts, so that proxies may route it differently (RFC 9112, section 3.2). */
export class SeveralHostsError extends RefusedError {
  readonly status = 400;
  readonly code = -32600;

  constructor() {
    super('bad request: more than one Host header');
  }
}

/** The caller's address is banned. */
export class BannedAddressError extends RefusedError {
  readonly status = 403;
  readonly code = -32001;

  constructor(address: string) {
    super(`forbidden: address ${address} is banned here; sco_unbanAddress lifts the ban`);
  }
}

/** A web page of another origin calls. */
export class OriginNotAllowedError extends RefusedError {
  readonly status = 403;
  readonly code = -32001;

  constructor(origin: string) {
    super(`forbidden: pages from origin ${shown(origin)} may not call; allow it with --allow-origin`);
  }
}

/** The path has more than one segment. */
export class PathNotFoundError extends RefusedError {
  readonly status = 404;
  readonly code = -32600;

  constructor() {
    super('not found: requests go to / or to /<key>, an API key or a lane; see --api-key and --lanes');
  }
}

/** The path names a lane that is not there, and the node ends when its lanes have. */
export class NodeEndingError extends RefusedError {
  readonly status = 503;
  readonly code = -32005;

  constructor() {
    super('this node is ending and makes no new lanes; call another one');
  }
}

/** The HTTP verb is not POST. */
export class VerbNotAllowedError extends RefusedError {
  readonly status = 405;
  readonly code = -32600;

  constructor(verb: string) {
    super(`${verb} is not served here: send JSON-RPC with POST, or open a WebSocket`);
  }
}

/** The body is longer than the limit. */
export class BodyTooLargeError extends RefusedError {
  readonly status = 413;
  readonly code = -32600;

  constructor(limit: number) {
    super(`the body exceeds the limit of ${limit} bytes; raise it with --body-limit`);
  }
}

/** The headers do not say that the body is plain JSON. */
export class UnsupportedBodyError extends RefusedError {
  readonly status = 415;
  readonly code = -32600;
}

/** The server cannot listen on the given address; the message is one line for a person. */
export abstract class ListenError extends Error {
  constructor(
    readonly host: string,
    readonly port: number,
    message: string,
    cause: unknown,
  ) {
    super(message, { cause });
  }

  override get name(): string {
    return this.constructor.name;
  }
}

/** Another program listens on the port. */
export class AddressInUseError extends ListenError {
  constructor(host: string, port: number, cause: unknown) {
    super(
      host,
      port,
      `port ${port} on ${host} is already in use; choose another with --port (0 picks a free one)`,
      cause,
    );
  }
}

/** The operating system does not let this user listen on the port. */
export class AddressForbiddenError extends ListenError {
  constructor(host: string, port: number, cause: unknown) {
    super(
      host,
      port,
      `no permission to listen on port ${port} of ${host}; choose one above 1023 with --port`,
      cause,
    );
  }
}

/** The host is not a name or an address of this machine. */
export class UnknownHostError extends ListenError {
  constructor(host: string, port: number, cause: unknown) {
    super(
      host,
      port,
      `${host} is not a name or an address of this machine; choose another with --host`,
      cause,
    );
  }
}

/** Returns the error for the operating system's refusal to listen; other errors unchanged. */
export function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new AddressInUseError(host, port, error);
    case 'EACCES':
      return new AddressForbiddenError(host, port, error);
    case 'EADDRNOTAVAIL':
    // A local IPv6 address without its interface, or an address family that the machine does not have.
    case 'EINVAL':
    case 'EAFNOSUPPORT':
    case 'EAI_AGAIN':
    case 'ENOTFOUND':
      return new UnknownHostError(host, port, error);
    default:
      return error;
  }
}

/** Returns a header's value for a message: quoted and shortened. */
function shown(value: string | undefined): string {
  return value === undefined
    ? '(none)'
    : JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
}
