import { isUpstreamUrl } from '../../fork/fork-options.ts';
import { type Codec, leaf } from './codec.ts';

/** Reading a longer one takes long, and no service has such. */
const LONGEST = 8_192;

/** The URL of a node to fork, as it came: it may hold secrets, so errors tell its kind only. */
export const upstreamUrl: Codec<string> = leaf(
  `an HTTP or WebSocket URL of at most ${LONGEST} characters`,
  { type: 'string', format: 'uri' },
  (value) =>
    typeof value === 'string' && value.length <= LONGEST && isUpstreamUrl(value) ? value : undefined,
);
