// Addresses of Bitcoin.

import { bech32, bech32m } from '@scure/base';
import { concatBytes } from '../../primitives/bytes.ts';
import { decodeBase58Check, encodeBase58Check } from './base58-check.ts';
import { outputScriptOf, p2pkhScript, p2shScript, witnessScript } from './script.ts';

/** The constants of addresses: the version bytes by the kind of the hash, and the prefix of witness addresses. */
export interface BitcoinNetwork {
  readonly key: number;
  readonly script: number;
  readonly witnessPrefix: string;
}

export const BITCOIN_NETWORKS = {
  mainnet: { key: 0x00, script: 0x05, witnessPrefix: 'bc' },
  testnet: { key: 0x6f, script: 0xc4, witnessPrefix: 'tb' },
  regtest: { key: 0x6f, script: 0xc4, witnessPrefix: 'bcrt' },
} as const satisfies Record<string, BitcoinNetwork>;

const { regtest } = BITCOIN_NETWORKS;

/** An address with the hash of a public key or of a script (20 bytes). */
export interface HashAddress {
  readonly kind: 'key' | 'script';
  readonly hash: Uint8Array;
}

const HASH_SIZE = 20;
const LONGEST_PROGRAM = 40;

/** Returns the address of a public key or script with this hash (20 bytes). */
export function parentChainAddress(
  kind: HashAddress['kind'],
  hash: Uint8Array,
  network: BitcoinNetwork = regtest,
): string {
  return encodeBase58Check(concatBytes(Uint8Array.of(network[kind]), hash));
}

/** Decodes the version byte and the hash; `undefined` if the network has no such address. */
export function hashAddressOf(bytes: Uint8Array, network: BitcoinNetwork = regtest): HashAddress | undefined {
  if (bytes.length !== 1 + HASH_SIZE) return undefined;
  const kind = bytes[0] === network.key ? 'key' : bytes[0] === network.script ? 'script' : undefined;
  return kind === undefined ? undefined : { kind, hash: bytes.subarray(1) };
}

/** Decodes an address with a hash; `undefined` for any other text. */
export function decodeAddress(address: string, network: BitcoinNetwork = regtest): HashAddress | undefined {
  const bytes = decodeBase58Check(address, 1 + HASH_SIZE);
  return bytes === undefined ? undefined : hashAddressOf(bytes, network);
}

export function scriptOfHashAddress({ kind, hash }: HashAddress): Uint8Array {
  return kind === 'key' ? p2pkhScript(hash) : p2shScript(hash);
}

/** Returns the output script of an address, including witness addresses; `undefined` for any other text. */
export function scriptOfAddress(address: string, network: BitcoinNetwork = regtest): Uint8Array | undefined {
  const decoded = decodeAddress(address, network);
  return decoded === undefined ? scriptOfWitnessAddress(address, network) : scriptOfHashAddress(decoded);
}

function scriptOfWitnessAddress(address: string, { witnessPrefix }: BitcoinNetwork): Uint8Array | undefined {
  for (const codec of [bech32, bech32m]) {
    const decoded = codec.decodeUnsafe(address);
    if (decoded === undefined || decoded.prefix !== witnessPrefix) continue;
    const [version = 0, ...words] = decoded.words;
    const program = codec.fromWordsUnsafe(words);
    // BIP-350: version 0 uses bech32, all higher versions use bech32m.
    if (!(program instanceof Uint8Array) || (version === 0) !== (codec === bech32)) return undefined;
    const isRightSize = version === 0 ? [20, 32].includes(program.length) : program.length >= 2;
    if (version > 16 || program.length > LONGEST_PROGRAM || !isRightSize) return undefined;
    return witnessScript(version, program);
  }
  return undefined;
}

/** Returns the address of an output script; `undefined` if it has none. */
export function addressOfScript(script: Uint8Array, network: BitcoinNetwork = regtest): string | undefined {
  const output = outputScriptOf(script);
  if (output === null) return undefined;
  if (output.kind !== 'witness') {
    return parentChainAddress(output.kind === 'p2pkh' ? 'key' : 'script', output.hash, network);
  }
  const { version, program } = output;
  if (version === 0 && ![20, 32].includes(program.length)) return undefined;
  const codec = version === 0 ? bech32 : bech32m;
  return codec.encode(network.witnessPrefix, [version, ...codec.toWords(program)]);
}
