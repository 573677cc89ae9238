// Random expressions over known variables: the values equal the results of Solidity's own code.

import { decodeFunctionResult, encodeFunctionData } from 'viem';
import { describe, expect, it } from 'vitest';
import { Dice } from '../../fuzz/engines/dice.ts';
import { compiled, sceneOf } from './scene.ts';

/** The variables of the contract, by type. */
const VARIABLES = {
  uint256: ['big', 'zero', 'items[1]', 'held.amount', 'byKey[7]'],
  uint8: ['tiny', 'full'],
  int256: ['signed', 'lowest'],
  int16: ['low', 'high'],
  bool: ['yes', 'no'],
  bytes4: ['tag'],
  bytes32: ['hash'],
  address: ['account'],
} as const;

type Type = keyof typeof VARIABLES;

const SOURCE_VARIABLES = `
  struct Held { uint128 before; uint256 amount; }
  uint256 big = 2 ** 255 + 12345;
  uint256 zero;
  uint256[] items = [3, 5, 8];
  Held held = Held(1, 77);
  mapping(uint256 => uint256) byKey;
  uint8 tiny = 7;
  uint8 full = 255;
  int256 signed = -123456789;
  int256 lowest = type(int256).min;
  int16 low = -32768;
  int16 high = 1234;
  bool yes = true;
  bool no;
  bytes4 tag = 0xdeadbeef;
  bytes32 hash = keccak256("x");
  address account = address(0x1234);
  constructor() { byKey[7] = 99; }
`;

class RandomExpressions {
  readonly #dice: Dice;

  constructor(seed: number) {
    this.#dice = new Dice(seed);
  }

  /** Returns an expression of this type. */
  of(type: Type, depth: number): string {
    if (depth === 0 || this.#dice.below(6) === 0) return this.#leaf(type);
    const inner = depth - 1;
    switch (type) {
      case 'bool':
        return this.#condition(inner);
      case 'bytes4':
      case 'bytes32':
        return this.#bytes(type, inner);
      case 'address':
        return this.#dice.pick([
          () => `address(uint160(${this.of('uint256', inner)}))`,
          () => `(${this.of('bool', inner)} ? ${this.of('address', inner)} : ${this.of('address', inner)})`,
        ])();
      default:
        return this.#number(type, inner);
    }
  }

  #leaf(type: Type): string {
    const isNumber = type.startsWith('uint') || type.startsWith('int');
    return isNumber && this.#dice.below(3) === 0
      ? `${type}(${this.#dice.below(100)})`
      : this.#dice.pick(VARIABLES[type]);
  }

  #number(type: Type, depth: number): string {
    const operand = (): string => this.of(type, depth);
    const isSigned = type.startsWith('int');
    const unsigned = this.#dice.pick(['uint8', 'uint256'] as const);
    return this.#dice.pick([
      () => `(${operand()} ${this.#dice.pick(['+', '-', '*', '/', '%', '&', '|', '^'])} ${operand()})`,
      () => `(${operand()} ${this.#dice.pick(['+', '-', '*', '%'])} ${1 + this.#dice.below(20)})`,
      () => `(${operand()} ${this.#dice.pick(['<<', '>>'])} ${this.of(unsigned, depth)})`,
      () => `(${operand()} ** ${this.#dice.below(5)})`,
      () => `(${isSigned ? '-' : '~'}${operand()})`,
      () => `(${this.of('bool', depth)} ? ${operand()} : ${operand()})`,
      () => this.#converted(type, depth),
    ])();
  }

  #converted(type: Type, depth: number): string {
    if (type === 'uint256')
      return `uint256(${this.of(this.#dice.pick(['uint8', 'int256', 'bytes32'] as const), depth)})`;
    if (type === 'int256') return `int256(${this.of(this.#dice.pick(['int16', 'uint256'] as const), depth)})`;
    if (type === 'uint8') return `uint8(${this.of('uint256', depth)})`;
    return `int16(${this.of('int256', depth)})`;
  }

  #condition(depth: number): string {
    const numbers = this.#dice.pick(['uint256', 'uint8', 'int256', 'int16'] as const);
    const others = this.#dice.pick(['bytes4', 'bytes32', 'address'] as const);
    return this.#dice.pick([
      () =>
        `(${this.of(numbers, depth)} ${this.#dice.pick(['<', '>', '<=', '>=', '==', '!='])} ${this.of(numbers, depth)})`,
      () => `(${this.of('uint8', depth)} < ${this.of('uint256', depth)})`,
      () =>
        `(${this.of(others, depth)} ${this.#dice.pick(['==', '!=', '<', '>='])} ${this.of(others, depth)})`,
      () =>
        `(${this.of('bool', depth)} ${this.#dice.pick(['&&', '||', '==', '!='])} ${this.of('bool', depth)})`,
      () => `!${this.of('bool', depth)}`,
    ])();
  }

  #bytes(type: 'bytes4' | 'bytes32', depth: number): string {
    const operand = (): string => this.of(type, depth);
    return this.#dice.pick([
      () => `(${operand()} ${this.#dice.pick(['&', '|', '^'])} ${operand()})`,
      () => `(${operand()} ${this.#dice.pick(['<<', '>>'])} ${this.of('uint8', depth)})`,
      () => `(~${operand()})`,
      () =>
        type === 'bytes32' ? `bytes32(${this.of('uint256', depth)})` : `bytes4(${this.of('bytes32', depth)})`,
      () =>
        type === 'bytes32'
          ? `bytes32(${this.of('bytes4', depth)})`
          : `bytes4(uint32(${this.of('uint256', depth)}))`,
    ])();
  }
}

const TYPES = Object.keys(VARIABLES) as readonly Type[];
const COUNT = 240;

describe('random expressions', () => {
  it.each([1, 2])(
    'have the values of compiled functions (seed %i)',
    async (seed) => {
      const random = new RandomExpressions(seed);
      const expressions = Array.from({ length: COUNT }, (_, index) => {
        const type = TYPES[index % TYPES.length] ?? 'bool';
        return { type, text: random.of(type, 3) };
      });
      const functions = expressions.map(
        ({ type, text }, index) => `function f${index}() external view returns (${type}) { return ${text}; }`,
      );
      const source = `pragma solidity ^0.8.28;\ncontract Random {${SOURCE_VARIABLES}${functions.join('\n')}
      event Ran(); function run() external { emit Ran(); // @step run
      } }`;
      // The code of all functions is larger than the limit without the optimizer.
      const scene = await sceneOf(compiled('Random.sol', source, { optimizer: { enabled: true } }));
      const { address } = await scene.deploy('Random');
      const hash = await scene.invoke('Random', address, 'run', []);
      const step = await scene.stepOf(hash, 'run');
      const wrong: string[] = [];
      let failed = 0;
      for (const [index, { type, text }] of expressions.entries()) {
        const name = `f${index}`;
        const abi = [
          { type: 'function', name, inputs: [], outputs: [{ type }], stateMutability: 'view' },
        ] as const;
        const expected = await (
          scene.call('eth_call', [
            { to: address, data: encodeFunctionData({ abi, functionName: name }) },
            'latest',
          ]) as Promise<`0x${string}`>
        ).then(
          (data) => String(decodeFunctionResult({ abi, functionName: name, data })),
          () => 'failure',
        );
        const got = await scene.evaluate(hash, step, text).then(
          (result) => (result.type === type ? String(result.value) : `a ${result.type}`),
          (error: Error) => (/overflow|underflow|by zero/.test(error.message) ? 'failure' : error.message),
        );
        if (expected === 'failure') failed++;
        if (got !== expected) wrong.push(`${type} ${text}: ${got}, expected ${expected}`);
      }
      expect(wrong).toEqual([]);
      // Both results and failures occur.
      expect(failed).toBeGreaterThan(0);
      expect(failed).toBeLessThan(COUNT / 2);
    },
    120_000,
  );
});
