import { keccak256 } from '../keccak.ts';
import { javascriptSecp256k1 } from './javascript.ts';
import { nativeSecp256k1 } from './native.ts';
import type { Secp256k1 } from './secp256k1.ts';

/** The available implementations. All give the same results, within the limits that {@link Secp256k1} states. */
export interface Secp256k1Sources {
  /** The native one, or `undefined` where there is none. */
  readonly native: () => Secp256k1 | undefined;
  /** The one in WebAssembly; rejects when it cannot be loaded. */
  readonly wasm: () => Promise<Secp256k1>;
  /** The one that is always available. */
  readonly javascript: () => Secp256k1;
}

/**
 * The best available implementation, chosen at first use because loading the native one takes some ten milliseconds.
 * Without the native one, JavaScript computes until the WebAssembly one is compiled, so that no caller waits.
 */
export class Secp256k1AtFirstUse implements Secp256k1 {
  readonly #sources: Secp256k1Sources;
  #found: Secp256k1 | undefined;
  #settled: Promise<void> = Promise.resolve();

  /** `sources` are called once, at the first use, the native one first. */
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

  readonly sign: Secp256k1['sign'] = (hash, privateKey) => this.#implementation.sign(hash, privateKey);
  readonly recover: Secp256k1['recover'] = (hash, signature) => this.#implementation.recover(hash, signature);
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
});

/** Returns the address (20 bytes) of a 64-byte public key. */
export function addressOfPublicKey(publicKey: Uint8Array): Uint8Array {
  return keccak256(publicKey).subarray(12);
}

/** Returns the address (20 bytes) of a private key. */
export function addressOfPrivateKey(privateKey: Uint8Array): Uint8Array {
  return addressOfPublicKey(curve.publicKey(privateKey));
}
