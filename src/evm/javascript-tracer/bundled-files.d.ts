// Files that esbuild adds to the bundle of the thread (src/build/bundle.mjs): QuickJS as bytes, big-integer
// as source text.

declare module '@jitl/quickjs-wasmfile-release-sync/wasm' {
  const bytes: Uint8Array<ArrayBuffer>;
  export = bytes;
}

declare module 'big-integer/BigInteger.min.js' {
  const source: string;
  export = source;
}
