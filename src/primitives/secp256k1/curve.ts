import { javascriptSecp256k1 } from './javascript.ts';
import { nativeSecp256k1 } from './native.ts';
import type { Secp256k1, Signature } from './secp256k1.ts';

/** Where implementations come from. Each gives the same for the same, as far as {@link Secp256k1} says. */
export interface Secp256k1Sources {
  /** The native one, or `undefined` where there is none. */
  readonly native: () => Secp256k1 | undefined;
  /** The one in WebAssembly; rejects where it cannot be loaded. */
  readonly wasm: () => Promise<Secp256k1>;
  /** The one that is always there. */
  readonly javascript: () => Secp256k1;
}

/**
 * The best implementation there is, looked for when it is first asked: loading the native one takes some ten
 * milliseconds. Without it the one in JavaScript computes until the one in WebAssembly is compiled, so that nobody waits.
 */
export class Secp256k1AtFirstUse implements Secp256k1 {
  readonly #sources: Secp256k1Sources;
  #found: Secp256k1 | undefined;
  #settled: Promise<void> = Promise.resolve();

  /** `sources` are asked at the first use, the native one first, and not again. */
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
      // Where it cannot be loaded, the one in JavaScript gives the same, later.
      () => undefined,
    );
    return this.#sources.javascript();
  }

  /**
   * Looks for the implementation now, so that who asks first need not wait for it. Returns the name of the one that
   * stays.
   */
  async prepare(): Promise<Secp256k1['name']> {
    void this.#implementation;
    await this.#settled;
    return this.name;
  }

  get name(): Secp256k1['name'] {
    return this.#implementation.name;
  }

  sign(hash: Uint8Array, privateKey: Uint8Array): Signature {
    return this.#implementation.sign(hash, privateKey);
  }

  recover(hash: Uint8Array, signature: Signature): Uint8Array {
    return this.#implementation.recover(hash, signature);
  }

  publicKey(privateKey: Uint8Array): Uint8Array {
    return this.#implementation.publicKey(privateKey);
  }

  compressedPublicKey(privateKey: Uint8Array): Uint8Array {
    return this.#implementation.compressedPublicKey(privateKey);
  }

  isPrivateKey(bytes: Uint8Array): boolean {
    return this.#implementation.isPrivateKey(bytes);
  }

  pointOf(publicKey: Uint8Array): Uint8Array {
    return this.#implementation.pointOf(publicKey);
  }

  addPoints(left: Uint8Array, right: Uint8Array): Uint8Array {
    return this.#implementation.addPoints(left, right);
  }

  multiplyPoint(point: Uint8Array, factor: Uint8Array): Uint8Array {
    return this.#implementation.multiplyPoint(point, factor);
  }
}

/** The curve this process computes with: native where that is installed, WebAssembly elsewhere, else JavaScript. */
export const curve = new Secp256k1AtFirstUse({
  native: nativeSecp256k1,
  wasm: async () => (await import('./wasm.ts')).wasmSecp256k1(),
  javascript: javascriptSecp256k1,
});
