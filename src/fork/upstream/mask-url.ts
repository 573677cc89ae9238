// Masking secrets (credentials, API keys) of upstream URLs in everything that users see.

/** Returns the text with percent-encoded characters decoded; unchanged when `%` stands for itself, which URLs allow. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Replaces a possible secret in a URL. */
export const MASK = '***';

/** Path segments that are certainly no secrets; any other may be a key, which can have any form. */
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

/** A label of a host name that can only be a key: providers have such subdomains. */
const KEY_LABEL = /^(?=.*\d)(?=.*[a-z])[a-z\d_]{20,}$/i;

/** Returns host and port of a URL, with labels that look like keys masked. */
export function maskHost({ host }: URL): string {
  return host
    .split('.')
    .map((label) => (KEY_LABEL.test(label) ? MASK : label))
    .join('.');
}

/** Returns a masked query parameter; one without a value may itself be the secret. */
function maskedParameter([name, value]: readonly [name: string, value: string]): string {
  return value === '' ? MASK : `${name}=${MASK}`;
}

/**
 * Returns the parts of a URL that may be secrets, in their spelling there and on the wire: credentials, path, values in
 * the query.
 */
function secretsOf(url: URL): string[] {
  const labels = url.hostname.split('.').filter((label) => KEY_LABEL.test(label));
  const segments = url.pathname.split('/').filter((segment) => !isPlain(segment));
  const values = [...url.searchParams].map(([name, value]) => (value === '' ? name : value));
  const queried = url.search.slice(1).split('&');
  const writtenValues = queried.map((pair) => pair.slice(pair.indexOf('=') + 1));
  const parts = [url.username, url.password, ...labels, ...segments, ...writtenValues];
  const credentials = `${percentDecoded(url.username)}:${percentDecoded(url.password)}`;
  const basic = credentials === ':' ? [] : [Buffer.from(credentials).toString('base64')];
  return [...basic, ...parts, ...parts.map(percentDecoded), ...values];
}

/**
 * Returns the possible secrets in the value of an HTTP header: all of it, and the part after a scheme such as `Bearer`.
 */
function secretsOfHeader(value: string): string[] {
  return [value, value.slice(value.indexOf(' ') + 1)];
}

/**
 * Returns the URL with possible secrets masked: user and password, the path except for well-known words, values in the
 * query, and labels of the host that look like keys.
 */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return MASK;
  const url = new URL(text);
  const credentials = url.username === '' && url.password === '' ? '' : `${MASK}@`;
  const path = url.pathname
    .split('/')
    .map((segment) => (isPlain(segment) ? segment : MASK))
    .join('/');
  const query = [...url.searchParams].map(maskedParameter).join('&');
  return `${url.protocol}//${credentials}${maskHost(url)}${path === '/' ? '' : path}${query === '' ? '' : `?${query}`}`;
}

/** From this length on a secret is masked wherever it occurs; shorter ones can be part of any word. */
const LONG_SECRET = 6;
/** Secrets below this length are not masked: one or two digits occur in every message. */
const SHORTEST_SECRET = 3;

function patternOf(secret: string): string {
  const literal = secret.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return secret.length >= LONG_SECRET ? literal : `(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`;
}

/**
 * Returns a function that masks the secrets in a text wherever they occur, in upper or lower case; short ones only as
 * whole words.
 */
export function maskOf(secrets: readonly string[]): (text: string) => string {
  const hidden = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
  if (hidden.length === 0) return (text) => text;
  // Longest first, because one can be part of another.
  const patterns = hidden.sort((left, right) => right.length - left.length).map(patternOf);
  const pattern = new RegExp(patterns.join('|'), 'giu');
  return (text) => text.replaceAll(pattern, MASK);
}

/** Returns a text from the upstream with the URL, its secrets, and the values of the HTTP headers masked. */
export function maskSecrets(text: string, urlText: string, headers: readonly string[]): string {
  if (!URL.canParse(urlText)) return text;
  const named = text.replaceAll(urlText, maskUrl(urlText));
  return maskOf([...secretsOf(new URL(urlText)), ...headers.flatMap(secretsOfHeader)])(named);
}
