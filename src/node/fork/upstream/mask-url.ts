const MASK = '***';

/** A path segment that is more than a word: providers put keys there. */
const KEY_SEGMENT = /^(?=.*\d)[A-Za-z0-9._~-]{16,}$|^[A-Za-z0-9._~-]{24,}$/;

/** The parts of a URL that may be secrets: credentials, keys in the path, values in the query. */
function secretsOf(url: URL): string[] {
  const segments = url.pathname.split('/').filter((segment) => KEY_SEGMENT.test(segment));
  const values = [...url.searchParams.values()];
  return [url.username, url.password, ...segments, ...values].filter((secret) => secret !== '');
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

/** A text that came from the upstream, with the URL and what is secret in it starred out wherever they stand. */
export function maskSecrets(text: string, urlText: string): string {
  if (!URL.canParse(urlText)) return text;
  let masked = text.replaceAll(urlText, maskUrl(urlText));
  for (const secret of secretsOf(new URL(urlText))) {
    // Short ones are words such as "true", whose stars would tell more than they hide.
    if (secret.length >= SHORTEST_SECRET) masked = masked.replaceAll(secret, MASK);
  }
  return masked;
}
