// Masks secrets (credentials, API keys) of upstream URLs in all user-visible text.

/** Decodes percent-encoded characters. Returns text with a literal `%` unchanged. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Replaces a possible secret in a URL. */
export const MASK = '***';

/** Path segments that are certainly no secrets. Any other segment may be a key. */
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

/** A host name label that can only be a key. Some providers use key subdomains. */
const KEY_LABEL = /^(?=.*\d)(?=.*[a-z])[a-z\d_]{20,}$/i;

/** Returns host and port of a URL, with labels that look like keys masked. */
export function maskHost({ host }: URL): string {
  return host
    .split('.')
    .map((label) => (KEY_LABEL.test(label) ? MASK : label))
    .join('.');
}

/** Masks a query parameter. A parameter without a value may itself be the secret. */
function maskedParameter([name, value]: readonly [name: string, value: string]): string {
  return value === '' ? MASK : `${name}=${MASK}`;
}

/** Returns the possible secrets of a URL, as written and as sent: credentials, path and query values. */
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

/** Returns the possible secrets in a header value: all of it, and the part after a scheme (`Bearer`). */
function secretsOfHeader(value: string): string[] {
  return [value, value.slice(value.indexOf(' ') + 1)];
}

/** Masks possible secrets: credentials, unknown path segments, query values, and host labels like keys. */
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

/** Minimum length of a secret that is masked everywhere. Shorter ones can be part of any word. */
const LONG_SECRET = 6;
/** Minimum length of a masked secret. One or two characters occur in every message. */
const MIN_SECRET = 3;

function patternOf(secret: string): string {
  const literal = secret.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return secret.length >= LONG_SECRET ? literal : `(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`;
}

/** Returns a function that masks the secrets in a text, in any case; short ones as whole words only. */
export function maskOf(secrets: readonly string[]): (text: string) => string {
  const hidden = secrets.filter(({ length }) => length >= MIN_SECRET);
  if (hidden.length === 0) return (text) => text;
  // Longest first, because one can be part of another.
  const patterns = hidden.sort((left, right) => right.length - left.length).map(patternOf);
  const pattern = new RegExp(patterns.join('|'), 'giu');
  return (text) => text.replaceAll(pattern, MASK);
}

/** Masks the URL, its secrets and the HTTP header values in a text from the upstream. */
export function maskSecrets(text: string, urlText: string, headers: readonly string[]): string {
  if (!URL.canParse(urlText)) return text;
  const named = text.replaceAll(urlText, maskUrl(urlText));
  return maskOf([...secretsOf(new URL(urlText)), ...headers.flatMap(secretsOfHeader)])(named);
}
