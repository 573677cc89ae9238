import { isUpstreamUrl } from '../../node/fork/fork-options.ts';
import { type Codec, leaf } from './codec.ts';

/** The URL of a node to fork, as it came: it may hold secrets, so errors tell its kind only. */
export const upstreamUrl: Codec<string> = leaf(
  'an HTTP or WebSocket URL',
  { type: 'string', format: 'uri' },
  (value) => (typeof value === 'string' && isUpstreamUrl(value) ? value : undefined),
);
