// Random expressions with literals and mixed types: the values equal solc's, if solc accepts the expression.

import { createRequire } from 'node:module';
import { decodeAbiParameters, encodeFunctionData } from 'viem';
import { describe, expect, it } from 'vitest';
import { Dice } from '../../fuzz/engines/dice.ts';
import { compiled, sceneOf } from './scene.ts';

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };

const VARIABLES = `
  uint8 u8 = 200; uint16 u16 = 60000; uint256 u256 = 2 ** 200; int8 i8 = -100; int256 i256 = -5;
  bool yes = true; bytes1 b1 = 0xf0; bytes4 b4 = 0x01020304; bytes32 b32 = bytes32(uint256(7)); address who = address(9);
`;
const LEAVES = [
  ...['u8', 'u16', 'u256', 'i8', 'i256', 'yes', 'b1', 'b4', 'b32', 'who'],
  ...[
    '0',
    '1',
    '2',
    '3',
    '7',
    '255',
    '256',
    '1e3',
    '(0.5 * 4)',
    '(7 / 2 * 2)',
    '0xff',
    '0x01020304',
    '2 gwei',
    '1 days',
    '-1',
    '-128',
    '-129',
  ],
  ...['"ab"', 'hex"01"', 'true'],
];
const BINARY = ['+', '-', '*', '/', '%', '**', '<<', '>>', '&', '|', '^', '<', '>=', '==', '!=', '&&', '||'];
const CONVERSIONS = [
  'uint8',
  'int8',
  'uint256',
  'int256',
  'uint160',
  'bytes1',
  'bytes4',
  'bytes32',
  'address',
  'uint32',
];

class Expressions {
  constructor(readonly dice: Dice) {}

  one(depth: number): string {
    const { dice } = this;
    if (depth === 0) return dice.pick(LEAVES);
    const inner = (): string => this.one(dice.below(depth));
    switch (dice.below(8)) {
      case 0:
        return `${dice.pick(CONVERSIONS)}(${inner()})`;
      case 1:
        return `(${dice.pick(['-', '~', '!'])}${inner()})`;
      case 2:
        return `(${dice.pick(['yes', 'u8 > 3', '!yes'])} ? ${inner()} : ${inner()})`;
      default:
        return `(${inner()} ${dice.pick(BINARY)} ${inner()})`;
    }
  }
}

function sourceOf(expressions: readonly (string | null)[]): {
  readonly text: string;
  readonly lines: readonly number[];
} {
  const lines = ['pragma solidity ^0.8.28;', 'contract Literals {', ...VARIABLES.split('\n')];
  const first = lines.length;
  for (const [index, text] of expressions.entries())
    lines.push(
      text === null
        ? ''
        : `function f${index}() external view returns (bytes memory) { return abi.encode(${text}); }`,
    );
  lines.push('event Ran(); function run() external { emit Ran(); // @step run', '} }');
  return { text: lines.join('\n'), lines: expressions.map((_, index) => first + index) };
}

/** Returns the expressions that solc accepts, and `null` for each other one. */
function accepted(expressions: readonly string[]): readonly (string | null)[] {
  let left: readonly (string | null)[] = expressions;
  for (;;) {
    const { text, lines } = sourceOf(left);
    const input = {
      language: 'Solidity',
      sources: { 'Literals.sol': { content: text } },
      settings: { outputSelection: { '*': { '*': ['abi'] } } },
    };
    const { errors = [] } = JSON.parse(solc.compile(JSON.stringify(input))) as {
      errors?: readonly { readonly severity: string; readonly sourceLocation?: { readonly start: number } }[];
    };
    const wrong = new Set(
      errors
        .filter(({ severity }) => severity === 'error')
        .map(({ sourceLocation }) => text.slice(0, sourceLocation?.start ?? 0).split('\n').length - 1),
    );
    if (wrong.size === 0) return left;
    left = left.map((each, index) => (wrong.has(lines[index] ?? -1) ? null : each));
  }
}

const COUNT = 400;

describe('random expressions with literals', () => {
  it.each([1, 2])(
    'have the values of compiled functions (seed %i)',
    async (seed) => {
      const made = new Expressions(new Dice(seed));
      const expressions = Array.from({ length: COUNT }, () => made.one(2));
      const valid = accepted(expressions);
      const project = compiled('Literals.sol', sourceOf(valid).text, { optimizer: { enabled: true } });
      const scene = await sceneOf(project);
      const { address } = await scene.deploy('Literals');
      const hash = await scene.invoke('Literals', address, 'run', []);
      const step = await scene.stepOf(hash, 'run');
      const differences: string[] = [];
      const counts = { value: 0, failure: 0 };
      for (const [index, text] of expressions.entries()) {
        const name = `f${index}`;
        const data = encodeFunctionData({
          abi: [{ type: 'function', name, inputs: [], outputs: [], stateMutability: 'view' }],
        });
        const ran = (): Promise<string> =>
          (scene.call('eth_call', [{ to: address, data }, 'latest']) as Promise<`0x${string}`>).then(
            (returned) => decodeAbiParameters([{ type: 'bytes' }], returned)[0],
            () => 'failure',
          );
        const wanted = valid[index] === null ? 'invalid' : await ran();
        const got = await scene.evaluate(hash, step, text).then(
          ({ type, value, raw }) =>
            type.startsWith('int_const')
              ? `0x${BigInt.asUintN(256, BigInt(String(value)))
                  .toString(16)
                  .padStart(64, '0')}`
              : (raw ?? 'invalid'),
          (error: Error) =>
            /: (?:overflow|underflow|division|.* out of range)/.test(error.message) ? 'failure' : 'invalid',
        );
        if (wanted === 'invalid') continue;
        counts[wanted === 'failure' ? 'failure' : 'value']++;
        if (got !== wanted) differences.push(`${text}: ${got}, expected ${wanted}`);
      }
      expect(differences).toEqual([]);
      expect(counts.value).toBeGreaterThan(COUNT / 10);
      expect(counts.failure).toBeGreaterThan(0);
    },
    120_000,
  );
});
