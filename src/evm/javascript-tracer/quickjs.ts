// The files of QuickJS, which the build puts into a separate library file.

import quickJs from '@jitl/quickjs-wasmfile-release-sync';
import quickJsBinary from '@jitl/quickjs-wasmfile-release-sync/wasm';
import bigIntegerSource from 'big-integer/BigInteger.min.js';

export const QUICKJS = {
  /** The JavaScript part of the compiled QuickJS. */
  variant: quickJs,
  /** The WebAssembly part. */
  binary: quickJsBinary,
  /** The source of the numbers that geth passes to tracers. It runs inside QuickJS. */
  bigInteger: bigIntegerSource,
};
