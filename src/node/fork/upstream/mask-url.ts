import { percentDecoded } from './percent-decoded.ts';

/** Stands in a URL for what may be a secret. */
export const MASK = '***';

/** A path segment that is more than a word: providers put keys there. */
const KEY_SEGMENT = /^(?=.*\d)[A-Za-z0-9._~-]{16,}$|^[A-Za-z0-9._~-]{24,}$/;

/** The parts of a URL that may be secrets, as they stand there and on the wire: credentials, keys in the path, values in the query. */
function secretsOf(url: URL): string[] {
  const segments = url.pathname.split('/').filter((segment) => KEY_SEGMENT.test(segment));
  const values = [...url.searchParams.values()];
  const names = [url.username, url.password, ...[url.username, url.password].map(percentDecoded)];
  const credentials = `${percentDecoded(url.username)}:${percentDecoded(url.password)}`;
  return [Buffer.from(credentials).toString('base64'), ...names, ...segments, ...values];
}

/** What may be secret in the value of an HTTP header: all of it, and what comes after a scheme such as `Bearer`. */
function secretsOfHeader(value: string): string[] {
  return [value, value.slice(value.indexOf(' ') + 1)];
}

/** The URL with its secrets starred out: user and password, keys in the path, values in the query. */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return MASK;
  const url = new URL(text);
  const credentials = url.username === '' && url.password === '' ? '' : `${MASK}@`;
  const path = url.pathname
    .split('/')
    .map((segment) => (KEY_SEGMENT.test(segment) ? MASK : segment))
    .join('/');
  const query = [...url.searchParams.keys()].map((key) => `${key}=${MASK}`).join('&');
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
  for (const secret of [...secretsOf(new URL(urlText)), ...headers.flatMap(secretsOfHeader)]) {
    // Short ones are words such as "true", whose stars would tell more than they hide.
    if (secret.length >= SHORTEST_SECRET) masked = masked.replaceAll(secret, MASK);
  }
  return masked;
}
