import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const SOURCES = fileURLToPath(new URL('../../../src/evm/interpreter/assembly/', import.meta.url));

/** The exports of the module under test, by source file. */
const EXPORTS = {
  u256: [
    'add',
    'sub',
    'negate',
    'lt',
    'gt',
    'slt',
    'sgt',
    'eq',
    'isZero',
    'countLeadingZeros',
    'and',
    'or',
    'xor',
    'not',
    'readBigEndian',
    'writeBigEndian',
  ],
  multiplication: ['mul', 'exp'],
  division: ['div', 'mod', 'sdiv', 'smod'],
  modular: ['addmod', 'mulmod'],
  shifts: ['shl', 'shr', 'sar', 'byte', 'signextend'],
  keccak: ['keccak256'],
};

type Operation = (...addresses: number[]) => number | bigint | undefined;

/** The arithmetic of the engine, compiled as a separate module. */
export interface ArithmeticModule {
  /** Callers may use the memory from `FREE_MEMORY` on. */
  readonly memory: WebAssembly.Memory;
  /** Returns an exported function. Throws if it does not exist. */
  operation(name: string): Operation;
}

/** The first address that the module does not use. */
export const FREE_MEMORY = 65_536;

/** Compiles and starts the arithmetic module. Throws the errors of the compiler. */
export async function compileArithmetic(): Promise<ArithmeticModule> {
  const entry = Object.entries(EXPORTS)
    .map(([file, names]) => `export { ${names.join(', ')} } from './${file}';`)
    .join('\n');
  let binary: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [
      'entry.ts',
      '--outFile',
      'out.wasm',
      '-O3',
      '--runtime',
      'stub',
      '--initialMemory',
      '2',
      '--enable',
      'simd',
    ],
    {
      readFile: (name) => (name === 'entry.ts' ? entry : readSource(name)),
      writeFile: (_name, contents) => {
        if (typeof contents !== 'string') binary = contents;
      },
      listFiles: () => [],
    },
  );
  if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
  if (!binary) throw new Error('The compiler wrote nothing');
  const { exports } = new WebAssembly.Instance(await WebAssembly.compile(new Uint8Array(binary)), {
    env: {
      abort: () => {
        throw new Error('The module gave up');
      },
    },
  });
  const { memory } = exports;
  if (!(memory instanceof WebAssembly.Memory)) throw new Error('The module exports no memory');
  return {
    memory,
    operation(name) {
      const operation = exports[name];
      if (typeof operation !== 'function') throw new Error(`The module exports no ${name}`);
      return operation as Operation;
    },
  };
}

async function readSource(name: string): Promise<string | null> {
  try {
    return await readFile(`${SOURCES}${name}`, 'utf8');
  } catch {
    // The compiler tries several names for each import.
    return null;
  }
}
