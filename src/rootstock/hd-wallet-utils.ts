import { createHmac } from 'node:crypto';
import { type PrecompiledFunction, PrecompileError } from '../evm/precompiles/precompiled-contract.ts';
import { bigIntToFixedBytes, bytesToBigInt, compareBytes, concatBytes } from '../primitives/bytes.ts';
import { curve } from '../primitives/secp256k1/curve.ts';
import type { RootstockPrecompileGas } from '../protocol/hardforks/precompiles.ts';
import { decodeBase58Check, encodeBase58Check } from './bitcoin/base58-check.ts';
import { hash160, multisigScript } from './bitcoin/script.ts';
import { precompileMethod, rootstockPrecompile } from './rootstock-precompile.ts';

const UNCOMPRESSED_SIZE = 65;
const HYBRID = 6;

/** Compresses a point (64 bytes) to a public key of 33 bytes. */
export function compressedKey(point: Uint8Array): Uint8Array {
  const isOdd = ((point[63] ?? 0) & 1) === 1;
  return concatBytes(Uint8Array.of(isOdd ? 3 : 2), point.subarray(0, 32));
}

/** Returns the point (64 bytes) of a public key (33 or 65 bytes). Throws `PrecompileError` if invalid. */
export function pointOfKey(key: Uint8Array): Uint8Array {
  // The first byte of the hybrid form (SEC 1, 2.3.3) also contains the parity of the last byte.
  const isHybrid = key.length === UNCOMPRESSED_SIZE && key[0] === HYBRID + ((key[64] ?? 0) & 1);
  const plain = isHybrid ? concatBytes(Uint8Array.of(4), key.subarray(1)) : key;
  const isPlain = plain.length === UNCOMPRESSED_SIZE ? plain[0] === 4 : plain.length === 33;
  if (!isPlain) throw new PrecompileError('the public key is malformed');
  try {
    return curve.pointOf(plain);
  } catch {
    // The only possible reason is that no point has these coordinates.
    throw new PrecompileError('the public key is not on the curve');
  }
}

/** The version bytes of extended public keys on Bitcoin's main and test network, by text prefix. */
const VERSIONS: ReadonlyMap<string, number> = new Map([
  ['xpub', 0x0488b21e],
  ['tpub', 0x043587cf],
]);
const SIZE = 78;
const HARDENED = 2 ** 31;
const MAX_STEPS = 10;

/** An extended public key (BIP-32). */
export interface ExtendedPublicKey {
  /** Identifies the network. */
  readonly version: number;
  readonly depth: number;
  /** The first four bytes of the hash of the parent key. */
  readonly parentFingerprint: Uint8Array;
  readonly index: number;
  readonly chainCode: Uint8Array;
  /** 33 bytes. */
  readonly publicKey: Uint8Array;
}

/** Decodes an extended public key. Throws `PrecompileError` if it is invalid. */
function readExtendedPublicKey(text: string): ExtendedPublicKey {
  const version = VERSIONS.get(text.slice(0, 4));
  const bytes = version === undefined ? undefined : decodeBase58Check(text, SIZE);
  if (version === undefined || bytes === undefined || numberIn(bytes, 0) !== version) {
    throw new PrecompileError('the extended public key is malformed');
  }
  return {
    version,
    depth: bytes[4] ?? 0,
    parentFingerprint: bytes.subarray(5, 9),
    index: numberIn(bytes, 9),
    chainCode: bytes.subarray(13, 45),
    publicKey: compressedKey(pointOfKey(bytes.subarray(45))),
  };
}

function writeExtendedPublicKey(key: ExtendedPublicKey): string {
  return encodeBase58Check(
    concatBytes(
      fourBytes(key.version),
      Uint8Array.of(key.depth),
      key.parentFingerprint,
      fourBytes(key.index),
      key.chainCode,
      key.publicKey,
    ),
  );
}

/**
 * Derives the key at a path: up to ten numbers below 2^31, separated by slashes. All numbers except the first
 * may have a sign. Throws `PrecompileError` for an invalid path.
 */
function deriveAlong(key: ExtendedPublicKey, path: string): ExtendedPublicKey {
  const steps = path.split('/');
  const isPath = /^\d/.test(path) && steps.length <= MAX_STEPS && steps.every(isStep);
  if (!isPath) throw new PrecompileError('the path is malformed');
  return steps.reduce((parent, step) => childOf(parent, Number(step)), key);
}

function isStep(step: string): boolean {
  if (!/^[+-]?\d+$/.test(step)) return false;
  const index = Number(step);
  return index >= 0 && index < HARDENED;
}

/** Derives the child key (CKDpub of BIP-32). */
function childOf(parent: ExtendedPublicKey, index: number): ExtendedPublicKey {
  const hmac = createHmac('sha512', parent.chainCode).update(parent.publicKey).update(fourBytes(index));
  const digest = new Uint8Array(hmac.digest());
  const tweak = curve.publicKey(digest.subarray(0, 32));
  return {
    version: parent.version,
    depth: (parent.depth + 1) % 256,
    parentFingerprint: hash160(parent.publicKey).subarray(0, 4),
    index,
    chainCode: digest.subarray(32),
    publicKey: compressedKey(curve.addPoints(tweak, pointOfKey(parent.publicKey))),
  };
}

function fourBytes(value: number): Uint8Array {
  return bigIntToFixedBytes(BigInt(value), 4);
}

function numberIn(bytes: Uint8Array, start: number): number {
  return Number(bytesToBigInt(bytes.subarray(start, start + 4)));
}

const HASH_SIZE = 20;
const MIN_KEYS = 2;
/** More keys do not fit into the 520 bytes of a script (BIP-16). */
const MAX_KEYS = 15;

function toBase58Check(hash: Uint8Array, version: bigint): string {
  if (hash.length !== HASH_SIZE) throw new PrecompileError(`expected a hash of 20 bytes, got ${hash.length}`);
  if (version < 0n || version > 255n)
    throw new PrecompileError(`expected a version from 0 to 255, got ${version}`);
  return encodeBase58Check(concatBytes(Uint8Array.of(Number(version)), hash));
}

function multisigScriptHash(required: bigint, keys: readonly Uint8Array[]): Uint8Array {
  if (required < 1n) throw new PrecompileError('at least one signature must be required');
  if (keys.length < MIN_KEYS) throw new PrecompileError('at least two keys are required');
  if (required > keys.length) throw new PrecompileError('fewer keys than required signatures');
  if (keys.length > MAX_KEYS) throw new PrecompileError('at most 15 keys are allowed');
  const inOrder = keys.map((key) => compressedKey(pointOfKey(key))).sort(compareBytes);
  return hash160(multisigScript(Number(required), inOrder));
}

/** Creates HDWalletUtils (RSKIP-106): Bitcoin addresses, extended public keys, multisig scripts. */
export function hdWalletUtilsContract(price: RootstockPrecompileGas['hdWalletUtils']): PrecompiledFunction {
  const { base, furtherKey } = price.multisigScriptHash;
  return rootstockPrecompile(() => [
    precompileMethod({
      name: 'toBase58Check',
      inputs: ['bytes', 'int256'],
      output: 'string',
      gas: () => price.toBase58Check,
      run: ([hash, version]) => toBase58Check(hash, version),
    }),
    precompileMethod({
      name: 'deriveExtendedPublicKey',
      inputs: ['string', 'string'],
      output: 'string',
      gas: () => price.deriveExtendedPublicKey,
      run: ([key, path]) => writeExtendedPublicKey(deriveAlong(readExtendedPublicKey(key), path)),
    }),
    precompileMethod({
      name: 'extractPublicKeyFromExtendedPublicKey',
      inputs: ['string'],
      output: 'bytes',
      gas: () => price.extractPublicKey,
      run: ([key]) => readExtendedPublicKey(key).publicKey,
    }),
    precompileMethod({
      name: 'getMultisigScriptHash',
      inputs: ['int256', 'bytes[]'],
      output: 'bytes',
      gas: ([, keys]) => base + furtherKey * Math.max(0, keys.length - MIN_KEYS),
      run: ([required, keys]) => multisigScriptHash(required, keys),
    }),
  ]);
}
