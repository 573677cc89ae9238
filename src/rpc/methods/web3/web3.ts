import { toHex } from '../../../primitives/hex.ts';
import { keccak256 } from '../../../primitives/keccak.ts';
import { data, hash32 } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, param } from '../../method.ts';

export const WEB3_WEB3: readonly Method[] = [
  /** The form depends on the compat mode. */
  defineMethod({
    name: 'web3_clientVersion',
    summary: 'The client version',
    priority: 'high',
    result: { description: 'The name and version of the node', schema: { type: 'string' } },
    handler: (context) => context.settings.clientVersion,
  }),
  /** Returns Keccak-256 of the data, not the standardized SHA3-256. */
  defineMethod({
    name: 'web3_sha3',
    summary: 'The Keccak-256 hash of data',
    priority: 'high',
    params: [param('data', data)],
    result: { description: 'The 32-byte Keccak-256 hash', schema: hash32.jsonSchema },
    handler: (_context, bytes) => toHex(keccak256(bytes)),
  }),
];
