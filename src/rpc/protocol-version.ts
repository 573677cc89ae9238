/** The version of the peer-to-peer protocol that the network speaks, as a QUANTITY. */
export const PROTOCOL_VERSION = '0x3e';
