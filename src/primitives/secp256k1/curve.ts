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

/** Returns the native implementation, or `undefined` when its binary is not installed. */
export function nativeSecp256k1(): Secp256k1 | undefined {
  let binding: NativeBinding;
  try {
    // The package's main module would fall back to a slow library; its bindings alone show whether the binary is
    // installed.
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

/** The available implementations. All give the same results, within the limits that {@link Secp256k1} states. */
export interface Secp256k1Sources {
  /** The native one, or `undefined` where there is none. */
  readonly native: () => Secp256k1 | undefined;
  /** The one in WebAssembly; rejects when it cannot be loaded. */
  readonly wasm: () => Promise<Secp256k1>;
  /** The one that is always available. */
  readonly javascript: () => Secp256k1;
  /** Signs before any of them is loaded; returns `null` where it cannot. */
  readonly signBefore: (hash: Uint8Array, privateKey: Uint8Array) => Signature | null;
}

/** Signatures after which it takes less time to load an implementation. Tests that make a chain in their process often send fewer. */
const FIRST_SIGNATURES = 16;

/** Keys of one generation of {@link RecoveredKeys}. */
const GENERATION = 1024;

/**
 * The public keys that were recovered last. The same message is run several times, to be estimated, called, sent and traced, and tests that
 * begin at a snapshot send the same signed transactions again; a recovery takes a hundred times as long as to find it here.
 */
class RecoveredKeys {
  #recent = new Map<string, Uint8Array>();
  #older: ReadonlyMap<string, Uint8Array> = new Map();

  /** Returns the key that was recovered of the signature, or what `recover` returns. What throws is not kept. */
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
 * The best available implementation, chosen at first use because loading the native one takes some ten milliseconds; the first signatures
 * need none. Without the native one, JavaScript computes until the WebAssembly one is compiled, so that no caller waits.
 */
export class Secp256k1AtFirstUse implements Secp256k1 {
  readonly #sources: Secp256k1Sources;
  #found: Secp256k1 | undefined;
  #settled: Promise<void> = Promise.resolve();
  readonly #recovered = new RecoveredKeys();
  #signatures = 0;

  /** Each of the implementations is called once, at the first use, the native one first. */
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
      // When it cannot be loaded, the JavaScript one gives the same results, more slowly.
      () => undefined,
    );
    return this.#sources.javascript();
  }

  /** Chooses the implementation now, so that the first caller need not wait. Returns the name of the chosen one. */
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

/**
 * The curve implementation of this process: native when that is installed, otherwise WebAssembly, otherwise JavaScript.
 */
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
