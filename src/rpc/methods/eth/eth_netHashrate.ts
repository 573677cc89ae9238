import { defineMethod } from '../../method.ts';

/** The difficulties of the last hour's blocks over an hour, rounded down: 0 unless blocks come every second. */
export const eth_netHashrate = defineMethod({
  name: 'eth_netHashrate',
  summary: 'The hashes per second of all miners of the network',
  params: [],
  result: { description: 'Hashes per second, as a JSON number', schema: { type: 'integer', minimum: 0 } },
  example: { params: [], result: 0 },
  handler: ({ chain }) => Number(chain.networkHashrate()),
});
