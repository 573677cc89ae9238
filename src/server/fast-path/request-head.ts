/** The head of an ordinary call: an HTTP/1.1 POST whose body has a length, on a connection that is kept. */
export interface RequestHead {
  /** The request target: a plain path. */
  readonly url: string;
  /**
   * The headers that decide whether and how the call is answered; the first of several user agents, as in node:http.
   */
  readonly headers: {
    readonly host: string;
    readonly 'content-type': string | undefined;
    readonly 'content-length': string;
    readonly 'user-agent': string | undefined;
  };
  /** The value of Content-Length, in bytes. */
  readonly bodyLength: number;
}

const REQUEST_LINE = /^POST (\/[\w.~%/-]*) HTTP\/1\.1$/;
const HEADER = /^([\w-]+): ?([!-~](?:[ -~]*[!-~])?)$/;
const LENGTH = /^\d{1,15}$/;

/**
 * Headers that change how a message or its connection is read (RFC 9112; RFC 9110, sections 7.6.1, 7.8 and 10.1.1), or
 * that make the call refused or its answer different. `connection` is not among them: most clients send `keep-alive`.
 */
const UNUSUAL_HEADERS: ReadonlySet<string> = new Set([
  'content-encoding',
  'expect',
  'origin',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads a head, given without the blank line at its end and with one character for each byte. Returns `undefined` for
 * anything but an ordinary call written in the usual way: such a head is left to node:http, a complete HTTP parser.
 * Nothing may be read differently here than there, because request smuggling relies on such differences.
 */
export function readRequestHead(text: string): RequestHead | undefined {
  const lines = text.split('\r\n');
  const url = REQUEST_LINE.exec(lines[0] ?? '')?.[1];
  if (url === undefined) return undefined;
  let host: string | undefined;
  let type: string | undefined;
  let length: string | undefined;
  let userAgent: string | undefined;
  for (let index = 1; index < lines.length; index++) {
    const [, name, value] = HEADER.exec(lines[index] ?? '') ?? [];
    if (name === undefined || value === undefined) return undefined;
    switch (name.toLowerCase()) {
      case 'host':
        if (host !== undefined) return undefined;
        host = value;
        break;
      case 'content-type':
        if (type !== undefined) return undefined;
        type = value;
        break;
      case 'content-length':
        if (length !== undefined || !LENGTH.test(value)) return undefined;
        length = value;
        break;
      case 'user-agent':
        userAgent ??= value;
        break;
      case 'connection':
        if (value.toLowerCase() !== 'keep-alive') return undefined;
        break;
      default:
        if (UNUSUAL_HEADERS.has(name.toLowerCase())) return undefined;
    }
  }
  if (host === undefined || length === undefined) return undefined;
  return {
    url,
    headers: { host, 'content-type': type, 'content-length': length, 'user-agent': userAgent },
    bodyLength: Number(length),
  };
}
