import { leaf } from './codec.ts';

/** An IP address or a range; what it names is read where bans are kept. */
export const peerAddress = leaf('an IP address, or a range like 10.0.0.0/8', { type: 'string' }, (value) =>
  typeof value === 'string' ? value : undefined,
);
