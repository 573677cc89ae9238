import { describe, expect, it } from 'vitest';
import { ExpressionError } from '../../../src/inspect/evaluation/expression.ts';
import { mayDeclare } from '../../../src/inspect/evaluation/names.ts';
import { parseExpression } from '../../../src/inspect/evaluation/parser.ts';
import { toHex } from '../../../src/primitives/hex.ts';

/** Returns the syntax with all parentheses. */
function textOf(text: string): string {
  const shown = (expression: ReturnType<typeof parseExpression>): string => {
    switch (expression.kind) {
      case 'number':
        return expression.denominator === 1n
          ? `${expression.numerator}`
          : `${expression.numerator}/${expression.denominator}`;
      case 'text':
        return toHex(expression.bytes);
      case 'boolean':
        return String(expression.value);
      case 'name':
        return expression.name;
      case 'member':
        return `${shown(expression.object)}.${expression.name}`;
      case 'index':
        return `${shown(expression.object)}[${shown(expression.index)}]`;
      case 'slice':
        return `${shown(expression.object)}[${[expression.from, expression.to].map((each) => (each === null ? '' : shown(each))).join(':')}]`;
      case 'call':
        return `${shown(expression.callee)}(${expression.arguments.map(shown).join(', ')})`;
      case 'unary':
        return `(${expression.operator}${shown(expression.operand)})`;
      case 'binary':
        return `(${shown(expression.left)} ${expression.operator} ${shown(expression.right)})`;
      case 'conditional':
        return `(${shown(expression.condition)} ? ${shown(expression.yes)} : ${shown(expression.no)})`;
      case 'list':
        return `[${expression.items.map(shown).join(', ')}]`;
    }
  };
  return shown(parseExpression(text));
}

describe('parseExpression', () => {
  it.each([
    ['1 + 2 * 3 ** 2 ** 1', '(1 + (2 * (3 ** (2 ** 1))))'],
    ['-a ** 2', '((-a) ** 2)'],
    ['a | b ^ c & d << 1 + 2', '(a | (b ^ (c & (d << (1 + 2)))))'],
    ['a || b && c == d < e', '(a || (b && (c == (d < e))))'],
    ['a ? b : c ? d : e', '(a ? b : (c ? d : e))'],
    ['a - b - c', '((a - b) - c)'],
    ['!a.b[c](d, e).f', '(!a.b[c](d, e).f)'],
    ['msg.data[4:]', 'msg.data[4:]'],
    ['a[:b]', 'a[:b]'],
    ['[1, 2]', '[1, 2]'],
    ['1_000 + 0xFF + 1.5e2 + .5', '(((1000 + 255) + 150) + 1/2)'],
    ['1.5 ether', '1500000000000000000'],
    ['2 days + 1 weeks', '(172800 + 604800)'],
    ['"a\\n\\x41\\u00e9"', '0x610a41c3a9'],
    ['hex"00_ff"', '0x00ff'],
    ["unicode'é'", '0xc3a9'],
  ])('reads %s', (text, expected) => {
    expect(textOf(text)).toBe(expected);
  });

  it.each([
    ['', 0, 0, 'expected a value, got the end'],
    ['1 2', 2, 3, 'expected the end of the expression, got 2'],
    ['a..b', 2, 3, 'expected the name of a member, got .'],
    ['a[', 2, 2, 'expected a value, got the end'],
    ['f(1,)', 4, 5, 'expected a value, got )'],
    ['01', 0, 2, 'a decimal number cannot start with 0'],
    ['1__0', 0, 4, 'unexpected underscore in a number'],
    ['0x', 0, 2, 'expected hexadecimal digits after 0x'],
    ['0xfg', 3, 4, 'unexpected character in a number'],
    ['0xff ether', 5, 10, 'a hexadecimal number cannot have a unit'],
    ['hex"0"', 0, 6, 'expected pairs of hexadecimal digits'],
    ['"\\q"', 1, 3, 'unknown escape sequence \\q'],
    ['a += 1', 2, 4, 'an expression cannot write (+=)'],
    ['a++', 1, 3, 'an expression cannot write (++)'],
    ['delete a', 0, 6, 'an expression cannot write (delete)'],
    ['f{value: 1}()', 1, 2, 'call options are not supported'],
    ['a ? b', 5, 5, 'expected :, got the end'],
    ['a # b', 2, 3, 'unexpected character'],
  ])('rejects %s', (text, start, end, reason) => {
    const error = (() => {
      try {
        return parseExpression(text);
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toBeInstanceOf(ExpressionError);
    expect(error).toMatchObject({ range: { start, end }, reason });
  });
});

describe('mayDeclare', () => {
  const source = `function f(uint256 total, Order memory order) returns (bool) {
    // uint256 comment
    uint256[] calldata list = items; string memory text = "uint256 quoted";
    assembly { let a, word := mload(0) }
    return result;
  }`;
  it.each(['total', 'order', 'list', 'text', 'word'])('finds the declaration of %s', (name) => {
    expect(mayDeclare(source, name)).toBe(true);
  });
  it.each(['items', 'comment', 'quoted', 'result', 'mload'])('finds no declaration of %s', (name) => {
    expect(mayDeclare(source, name)).toBe(false);
  });
});
