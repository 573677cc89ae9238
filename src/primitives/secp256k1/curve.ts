import { createRequire } from 'node:module';
import { keccak256 } from '../keccak.ts';
import { javascriptSecp256k1 } from './javascript.ts';
import { opensslSignature } from './openssl-signing.ts';
import { keyOfPoint, pointsWithInfinity, type Secp256k1, type Signature } from './secp256k1.ts';

interface NativeBinding {
  ecdsaSign(hash: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
  ecdsaRecover(signature: Uint8Array, recovery: number, hash: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array;
  privateKeyVerify(key: Uint8Array): boolean;
  publicKeyConvert(key: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyCombine(keys: readonly Uint8Array[], compressed: boolean): Uint8Array;
  publicKeyTweakMul(key: Uint8Array, factor: Uint8Array, compressed: boolean): Uint8Array;
}

/** Returns the native implementation; `undefined` if its binary is not installed. */
export function nativeSecp256k1(): Secp256k1 | undefined {
  let binding: NativeBinding;
  try {
    // The package's main module falls back to a slow library. Its bindings throw without the binary.
    binding = createRequire(import.meta.url)('secp256k1/bindings');
  } catch {
    return undefined;
  }
  return {
    name: 'native',
    sign(hash, privateKey) {
      const { signature, recid } = binding.ecdsaSign(hash, privateKey);
      return { compact: signature, recovery: recid };
    },
    recover: (hash, { compact, recovery }) =>
      binding.ecdsaRecover(compact, recovery, hash, false).subarray(1),
    publicKey: (privateKey) => binding.publicKeyCreate(privateKey, false).subarray(1),
    compressedPublicKey: (privateKey) => binding.publicKeyCreate(privateKey, true),
    isPrivateKey: (bytes) => bytes.length === 32 && binding.privateKeyVerify(bytes),
    ...pointsWithInfinity({
      pointOf: (publicKey) => binding.publicKeyConvert(publicKey, false).subarray(1),
      sum: (left, right) =>
        binding.publicKeyCombine([keyOfPoint(left), keyOfPoint(right)], false).subarray(1),
      product: (point, factor) => binding.publicKeyTweakMul(keyOfPoint(point), factor, false).subarray(1),
    }),
  };
}

/** The available implementations. All give the same results within the limits of {@link Secp256k1}. */
export interface Secp256k1Sources {
  /** The native one; `undefined` if not installed. */
  readonly native: () => Secp256k1 | undefined;
  /** The WebAssembly one; rejects if it cannot be loaded. */
  readonly wasm: () => Promise<Secp256k1>;
  /** The JavaScript one; always available. */
  readonly javascript: () => Secp256k1;
  /** Signs before an implementation is loaded; returns `null` if it cannot. */
  readonly signBefore: (hash: Uint8Array, privateKey: Uint8Array) => Signature | null;
}

/** Loading an implementation pays off after this number of signatures. Tests often send fewer. */
const FIRST_SIGNATURES = 16;

/** Keys per generation of {@link RecoveredKeys}. */
const GENERATION = 1024;

/**
 * A cache of recovered public keys. A message is often run several times (estimate, call, send, trace), and
 * tests that revert to a snapshot send the same signed transactions again. A recovery takes a hundred times
 * as long as a lookup.
 */
class RecoveredKeys {
  #recent = new Map<string, Uint8Array>();
  #older: ReadonlyMap<string, Uint8Array> = new Map();

  /** Returns the cached key of the signature, otherwise the result of `recover`. Errors are not cached. */
  of(hash: Uint8Array, signature: Signature, recover: Secp256k1['recover']): Uint8Array {
    const name = `${signature.recovery}${latin1(hash)}${latin1(signature.compact)}`;
    const known = this.#recent.get(name);
    if (known !== undefined) return known;
    const key = this.#older.get(name) ?? recover(hash, signature);
    if (this.#recent.size >= GENERATION) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(name, key);
    return key;
  }
}

function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

/**
 * The best available implementation, chosen at its first use. Loading the native one takes about 10 ms, and
 * the first signatures do not need it. Without the native one, JavaScript is used until the WebAssembly one
 * is compiled.
 */
export class Secp256k1AtFirstUse implements Secp256k1 {
  readonly #sources: Secp256k1Sources;
  #found: Secp256k1 | undefined;
  #settled: Promise<void> = Promise.resolve();
  readonly #recovered = new RecoveredKeys();
  #signatures = 0;

  /** `sources` are called at most once each, at the first use, the native one first. */
  constructor(sources: Secp256k1Sources) {
    this.#sources = sources;
  }

  get #implementation(): Secp256k1 {
    this.#found ??= this.#sources.native() ?? this.#javascriptUntilCompiled();
    return this.#found;
  }

  #javascriptUntilCompiled(): Secp256k1 {
    this.#settled = this.#sources.wasm().then(
      (compiled) => {
        this.#found = compiled;
      },
      // If it cannot be loaded, JavaScript gives the same results, but slower.
      () => undefined,
    );
    return this.#sources.javascript();
  }

  /** Chooses the implementation in advance, so that the first caller does not wait. Resolves to its name. */
  async prepare(): Promise<Secp256k1['name']> {
    void this.#implementation;
    await this.#settled;
    return this.name;
  }

  get name(): Secp256k1['name'] {
    return this.#implementation.name;
  }

  readonly sign: Secp256k1['sign'] = (hash, privateKey) => {
    const isEarly = this.#found === undefined && this.#signatures++ < FIRST_SIGNATURES;
    const signature = isEarly ? this.#sources.signBefore(hash, privateKey) : null;
    return signature ?? this.#implementation.sign(hash, privateKey);
  };
  readonly recover: Secp256k1['recover'] = (hash, signature) =>
    this.#recovered.of(hash, signature, this.#implementation.recover);
  readonly publicKey: Secp256k1['publicKey'] = (privateKey) => this.#implementation.publicKey(privateKey);
  readonly compressedPublicKey: Secp256k1['compressedPublicKey'] = (privateKey) =>
    this.#implementation.compressedPublicKey(privateKey);
  readonly isPrivateKey: Secp256k1['isPrivateKey'] = (bytes) => this.#implementation.isPrivateKey(bytes);
  readonly pointOf: Secp256k1['pointOf'] = (publicKey) => this.#implementation.pointOf(publicKey);
  readonly addPoints: Secp256k1['addPoints'] = (left, right) => this.#implementation.addPoints(left, right);
  readonly multiplyPoint: Secp256k1['multiplyPoint'] = (point, factor) =>
    this.#implementation.multiplyPoint(point, factor);
}

/** The curve implementation of this process: native if installed, else WebAssembly, else JavaScript. */
export const curve = new Secp256k1AtFirstUse({
  native: nativeSecp256k1,
  wasm: async () => (await import('./wasm.ts')).wasmSecp256k1(),
  javascript: javascriptSecp256k1,
  signBefore: opensslSignature,
});

/** Returns the address (20 bytes) of a 64-byte public key. */
export function addressOfPublicKey(publicKey: Uint8Array): Uint8Array {
  return keccak256(publicKey).subarray(12);
}

/** Returns the address (20 bytes) of a private key. */
export function addressOfPrivateKey(privateKey: Uint8Array): Uint8Array {
  return addressOfPublicKey(curve.publicKey(privateKey));
}
