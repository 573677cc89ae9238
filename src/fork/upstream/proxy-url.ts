/** The value of `--fork-proxy` for direct connections. */
export const DIRECT = 'none';

/** True for a URL of a supported proxy. */
export function isProxyUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
