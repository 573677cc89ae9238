import { percentDecoded } from './percent-decoded.ts';

/** Stands in a URL for what may be a secret. */
export const MASK = '***';

/** What stands in the path of a URL and is surely no secret; anything else may be a key, which can have any form. */
const PLAIN_SEGMENTS: ReadonlySet<string> = new Set([
  '',
  'api',
  'eth',
  'ethereum',
  'http',
  'json-rpc',
  'jsonrpc',
  'mainnet',
  'rootstock',
  'rpc',
  'rsk',
  'sepolia',
  'testnet',
  'v1',
  'v2',
  'v3',
  'ws',
]);

function isPlain(segment: string): boolean {
  return PLAIN_SEGMENTS.has(segment.toLowerCase());
}

/** A part of the query: what has no value may be one. */
function maskedParameter([name, value]: readonly [name: string, value: string]): string {
  return value === '' ? MASK : `${name}=${MASK}`;
}

/** The parts of a URL that may be secrets, as they stand there and on the wire: credentials, path, values in the query. */
function secretsOf(url: URL): string[] {
  const segments = url.pathname.split('/').filter((segment) => !isPlain(segment));
  const values = [...url.searchParams].map(([name, value]) => (value === '' ? name : value));
  const parts = [url.username, url.password, ...segments];
  const credentials = `${percentDecoded(url.username)}:${percentDecoded(url.password)}`;
  return [Buffer.from(credentials).toString('base64'), ...parts, ...parts.map(percentDecoded), ...values];
}

/** What may be secret in the value of an HTTP header: all of it, and what comes after a scheme such as `Bearer`. */
function secretsOfHeader(value: string): string[] {
  return [value, value.slice(value.indexOf(' ') + 1)];
}

/** The URL with what may be a secret starred out: user and password, the path but for well-known words, values in the query. */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return MASK;
  const url = new URL(text);
  const credentials = url.username === '' && url.password === '' ? '' : `${MASK}@`;
  const path = url.pathname
    .split('/')
    .map((segment) => (isPlain(segment) ? segment : MASK))
    .join('/');
  const query = [...url.searchParams].map(maskedParameter).join('&');
  return `${url.protocol}//${credentials}${url.host}${path === '/' ? '' : path}${query === '' ? '' : `?${query}`}`;
}

const SHORTEST_SECRET = 6;

/**
 * A text that came from the upstream, with the URL, what is secret in it, and the values of the HTTP headers starred out
 * wherever they stand.
 */
export function maskSecrets(text: string, urlText: string, headers: readonly string[]): string {
  if (!URL.canParse(urlText)) return text;
  let masked = text.replaceAll(urlText, maskUrl(urlText));
  const secrets = [...secretsOf(new URL(urlText)), ...headers.flatMap(secretsOfHeader)];
  // One can be part of another.
  for (const secret of secrets.sort((left, right) => right.length - left.length)) {
    // Short ones are words such as "true", whose stars would tell more than they hide.
    if (secret.length >= SHORTEST_SECRET) masked = masked.replaceAll(secret, MASK);
  }
  return masked;
}
