import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { PROTOCOL_VERSION } from '../../discovery.ts';
import { defineMethod } from '../../method.ts';

/** The version of the peer-to-peer protocol that the network speaks. */
export const eth_protocolVersion = defineMethod({
  name: 'eth_protocolVersion',
  summary: 'The protocol version',
  params: [],
  result: { description: 'The protocol version', schema: QUANTITY_JSON_SCHEMA },
  example: { params: [], result: '0x3e' },
  handler: () => PROTOCOL_VERSION,
});
