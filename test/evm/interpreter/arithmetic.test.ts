import { beforeAll, describe, expect, it } from 'vitest';
import { type ArithmeticModule, compileArithmetic, FREE_MEMORY } from './arithmetic-module.ts';
import { edgeBiasedValue, SeededNumbers } from './arithmetic-operands.ts';

/** Random operands for each instruction; `npm run tool -- test:arithmetic` uses a million. */
const ROUNDS = process.env.MODE === 'million-rounds' ? 1_000_000 : 20_000;
const SEED = 5;
/** The pool of values is refilled after this number of rounds, because the generation of values is slow. */
const ROUNDS_PER_POOL = 1_000;
const ROUNDS_PER_MODULUS = 4;
const POOL_SIZE = 300;
/** A wide margin for the slowest known machine. */
const TIMEOUT_MILLISECONDS = 60_000 + ROUNDS;

const unsigned = (value: bigint) => BigInt.asUintN(256, value);
const signed = (value: bigint) => BigInt.asIntN(256, value);
const truth = (value: boolean) => (value ? 1n : 0n);

function power(base: bigint, exponent: bigint): bigint {
  let product = 1n;
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) product = unsigned(product * square);
    square = unsigned(square * square);
  }
  return product;
}

function arithmeticShiftRight(shift: bigint, a: bigint): bigint {
  return unsigned(signed(a) >> (shift > 255n ? 255n : shift));
}

function signExtend(last: bigint, a: bigint): bigint {
  return last > 30n ? a : unsigned(BigInt.asIntN(8 * (Number(last) + 1), a));
}

type Definition = (...operands: [bigint, bigint, bigint]) => bigint;

/** The Yellow Paper's definitions of instructions that write their result, by number of operands. */
const UNARY: Record<string, Definition> = {
  not: (a) => unsigned(~a),
  negate: (a) => unsigned(-a),
};
const BINARY: Record<string, Definition> = {
  add: (a, b) => unsigned(a + b),
  sub: (a, b) => unsigned(a - b),
  mul: (a, b) => unsigned(a * b),
  div: (a, b) => (b === 0n ? 0n : a / b),
  mod: (a, b) => (b === 0n ? 0n : a % b),
  sdiv: (a, b) => (b === 0n ? 0n : unsigned(signed(a) / signed(b))),
  smod: (a, b) => (b === 0n ? 0n : unsigned(signed(a) % signed(b))),
  exp: power,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  shl: (shift, a) => (shift > 255n ? 0n : unsigned(a << shift)),
  shr: (shift, a) => (shift > 255n ? 0n : a >> shift),
  sar: arithmeticShiftRight,
  byte: (index, a) => (index > 31n ? 0n : (a >> (8n * (31n - index))) & 0xffn),
  signextend: signExtend,
};
const TERNARY: Record<string, Definition> = {
  addmod: (a, b, m) => (m === 0n ? 0n : (a + b) % m),
  mulmod: (a, b, m) => (m === 0n ? 0n : (a * b) % m),
};
/** Instructions that return a number or a truth value. */
const PREDICATES: Record<string, Definition> = {
  lt: (a, b) => truth(a < b),
  gt: (a, b) => truth(a > b),
  slt: (a, b) => truth(signed(a) < signed(b)),
  sgt: (a, b) => truth(signed(a) > signed(b)),
  eq: (a, b) => truth(a === b),
  isZero: (a) => truth(a === 0n),
  countLeadingZeros: (a) => BigInt(256 - (a === 0n ? 0 : a.toString(2).length)),
};
/** The first operand counts bits or bytes. Most rounds use a small one, so the second operand matters. */
const COUNTED_FIRST = new Set(['shl', 'shr', 'sar', 'byte', 'signextend']);

const OPERANDS = [0, 1, 2].map((index) => FREE_MEMORY + 32 * index);
const OUT = FREE_MEMORY + 96;

let module: ArithmeticModule;
let limbs: BigUint64Array;

beforeAll(async () => {
  module = await compileArithmetic();
  limbs = new BigUint64Array(module.memory.buffer);
});

function write(address: number, value: bigint): void {
  const first = address >> 3;
  limbs[first] = value;
  limbs[first + 1] = value >> 64n;
  limbs[first + 2] = value >> 128n;
  limbs[first + 3] = value >> 192n;
}

function read(address: number): bigint {
  const [l0 = 0n, l1 = 0n, l2 = 0n, l3 = 0n] = limbs.subarray(address >> 3, (address >> 3) + 4);
  return (l3 << 192n) | (l2 << 128n) | (l1 << 64n) | l0;
}

/** Calls `check` with random operands, `ROUNDS` times. */
function forRandomOperands(name: string, check: (operands: [bigint, bigint, bigint], round: number) => void) {
  const random = new SeededNumbers(SEED);
  const pool: bigint[] = [];
  let modulus = 0n;
  const draw = () => pool[random.below(pool.length)] ?? 0n;
  for (let round = 0; round < ROUNDS; round++) {
    if (round % ROUNDS_PER_POOL === 0) {
      pool.length = 0;
      while (pool.length < POOL_SIZE) pool.push(edgeBiasedValue(random, pool));
    }
    const isCount = COUNTED_FIRST.has(name) && round % 4 !== 0;
    // The modulus stays the same for several rounds, because the engine caches values of the last modulus.
    if (round % ROUNDS_PER_MODULUS === 0) modulus = draw();
    check([isCount ? BigInt(random.below(260)) : draw(), draw(), modulus], round);
  }
}

describe.each([
  ['one operand', 1, UNARY],
  ['two operands', 2, BINARY],
  ['three operands', 3, TERNARY],
] as const)('arithmetic instructions with %s', (_words, count, definitions) => {
  it.each(Object.entries(definitions))(
    '%s matches its definition, also if it overwrites an operand',
    (name, definition) => {
      const operation = module.operation(name);
      const addresses = OPERANDS.slice(0, count);
      forRandomOperands(name, (operands, round) => {
        OPERANDS.forEach((address, index) => {
          write(address, operands[index] ?? 0n);
        });
        const out = addresses[round % (count + 1)] ?? OUT;
        operation(...addresses, out);
        const result = read(out);
        if (result !== definition(...operands)) {
          expect({ name, operands, result }).toEqual({ name, operands, result: definition(...operands) });
        }
      });
    },
    TIMEOUT_MILLISECONDS,
  );

  it.each(Object.keys(definitions))('%s preserves the operands that it does not overwrite', (name) => {
    const operation = module.operation(name);
    const addresses = OPERANDS.slice(0, count);
    const operands = [-7n, 5n, -(1n << 80n)].map(unsigned);
    for (const out of [...addresses, OUT]) {
      OPERANDS.forEach((address, index) => {
        write(address, operands[index] ?? 0n);
      });
      operation(...addresses, out);
      const kept = OPERANDS.filter((address) => address !== out);
      expect(kept.map(read)).toEqual(kept.map((address) => operands[OPERANDS.indexOf(address)]));
    }
  });
});

describe('instructions that return a number', () => {
  it.each(Object.entries(PREDICATES))(
    '%s matches its definition',
    (name, definition) => {
      const operation = module.operation(name);
      const [first = 0, second = 0] = OPERANDS;
      forRandomOperands(name, (operands) => {
        write(first, operands[0]);
        write(second, operands[1]);
        const result = BigInt(operation(first, second) ?? -1);
        if (result !== definition(...operands)) {
          expect({ name, operands, result }).toEqual({ name, operands, result: definition(...operands) });
        }
      });
    },
    TIMEOUT_MILLISECONDS,
  );
});

describe('byte order', () => {
  it('readBigEndian and writeBigEndian convert words at any address', () => {
    const bytes = new Uint8Array(module.memory.buffer);
    const [value = 0, out = 0] = OPERANDS;
    const random = new SeededNumbers(SEED);
    for (let offset = 0; offset < 64; offset++) {
      const unaligned = FREE_MEMORY + 256 + offset;
      const expected = edgeBiasedValue(random, []);
      const text = expected.toString(16).padStart(64, '0');
      bytes.set(Buffer.from(text, 'hex'), unaligned);
      module.operation('readBigEndian')(unaligned, value);
      expect(read(value)).toBe(expected);
      bytes.fill(0, unaligned, unaligned + 32);
      module.operation('writeBigEndian')(value, unaligned);
      expect(Buffer.from(bytes.subarray(unaligned, unaligned + 32)).toString('hex')).toBe(text);
      module.operation('readBigEndian')(unaligned, out);
      expect(read(out)).toBe(expected);
    }
  });
});
