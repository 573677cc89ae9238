/** Parses an expression with Solidity's precedence of operators. */

import {
  type BinaryOperator,
  type Expression,
  ExpressionError,
  type NumberLiteral,
  type TextRange,
} from './expression.ts';
import { reduced } from './fractions.ts';
import { type Token, tokensOf } from './tokens.ts';

/** Maximum characters of an expression. */
export const MAX_EXPRESSION_LENGTH = 2_000;
/** Maximum nesting of an expression. */
const MAX_DEPTH = 64;
/** Maximum exponent in a number, as in `1e18`. */
const MAX_EXPONENT = 1_000n;

/** The operators by precedence. Later lists bind tighter. `**` binds tighter than all of them. */
const LEVELS: readonly (readonly BinaryOperator[])[] = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<', '>', '<=', '>='],
  ['|'],
  ['^'],
  ['&'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
];

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['wei', 1n],
  ['gwei', 10n ** 9n],
  ['szabo', 10n ** 12n],
  ['finney', 10n ** 15n],
  ['ether', 10n ** 18n],
  ['seconds', 1n],
  ['minutes', 60n],
  ['hours', 3_600n],
  ['days', 86_400n],
  ['weeks', 604_800n],
]);

const WRITES: ReadonlySet<string> = new Set([
  ...['=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=', '>>>=', '++', '--'],
]);
const WRITING_WORDS: ReadonlySet<string> = new Set(['delete', 'new']);

const DECIMAL = /^(?<whole>\d*)(?:\.(?<fraction>\d+))?(?:[eE](?<exponent>-?\d+))?$/;

type SymbolToken = Token & { readonly kind: 'symbol' };

function rangeOf({ start, end }: TextRange): TextRange {
  return { start, end };
}

/** Returns the value of a number. Throws {@link ExpressionError}. */
function numberOf(token: Token & { readonly kind: 'number' }): NumberLiteral {
  const { text } = token;
  const invalid = (reason: string): never => {
    throw new ExpressionError(rangeOf(token), reason);
  };
  if (/__|_$|_[.eE]|[.eE]_/.test(text)) invalid('unexpected underscore in a number');
  const digits = text.replaceAll('_', '');
  if (/^0x/i.test(digits)) {
    const hexDigits = digits.slice(2);
    if (hexDigits === '') invalid('expected hexadecimal digits after 0x');
    return { kind: 'number', numerator: BigInt(`0x${hexDigits}`), denominator: 1n, hexDigits };
  }
  const { whole = '', fraction = '', exponent = '0' } = DECIMAL.exec(digits)?.groups ?? {};
  if (whole.length > 1 && whole.startsWith('0')) invalid('a decimal number cannot start with 0');
  const power = BigInt(exponent);
  if (power > MAX_EXPONENT || power < -MAX_EXPONENT) invalid(`an exponent is at most ${MAX_EXPONENT}`);
  const scale = power - BigInt(fraction.length);
  const mantissa = BigInt(whole + fraction);
  const value = scale >= 0n ? reduced(mantissa * 10n ** scale, 1n) : reduced(mantissa, 10n ** -scale);
  return { kind: 'number', ...value, hexDigits: null };
}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  /** Returns the whole expression. */
  parse(): Expression {
    const parsed = this.#expression();
    const rest = this.#token;
    if (rest.kind !== 'end') throw unexpected(rest, 'the end of the expression');
    return parsed;
  }

  get #token(): Token {
    const token = this.#tokens[Math.min(this.#next, this.#tokens.length - 1)];
    if (token === undefined) throw new RangeError('an expression has no tokens');
    return token;
  }

  /** Returns the token and moves on if it is one of the symbols; otherwise `null`. */
  #symbol(...symbols: readonly string[]): SymbolToken | null {
    const token = this.#token;
    if (token.kind !== 'symbol' || !symbols.includes(token.text)) return null;
    this.#next++;
    return token;
  }

  #expect(symbol: string): Token {
    const token = this.#symbol(symbol);
    if (token === null) throw unexpected(this.#token, symbol);
    return token;
  }

  #expression(): Expression {
    if (++this.#depth > MAX_DEPTH)
      throw new ExpressionError(rangeOf(this.#token), `an expression has at most ${MAX_DEPTH} nested levels`);
    const condition = this.#binary(0);
    const parsed = this.#symbol('?') === null ? condition : this.#conditional(condition);
    this.#depth--;
    return parsed;
  }

  #conditional(condition: Expression): Expression {
    const yes = this.#expression();
    this.#expect(':');
    const no = this.#expression();
    return { kind: 'conditional', condition, yes, no, start: condition.start, end: no.end };
  }

  #binary(level: number): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#power();
    let left = this.#binary(level + 1);
    for (let token = this.#symbol(...operators); token !== null; token = this.#symbol(...operators))
      left = binary(token, left, this.#binary(level + 1));
    return left;
  }

  #power(): Expression {
    const base = this.#unary();
    const token = this.#symbol('**');
    if (token === null) return base;
    return binary(
      token,
      base,
      this.#nested(() => this.#power()),
    );
  }

  #unary(): Expression {
    const token = this.#symbol('-', '!', '~');
    if (token === null) return this.#postfix();
    const operand = this.#nested(() => this.#unary());
    const operator = token.text === '-' || token.text === '!' ? token.text : '~';
    return { kind: 'unary', operator, operand, start: token.start, end: operand.end };
  }

  #nested(parse: () => Expression): Expression {
    if (++this.#depth > MAX_DEPTH)
      throw new ExpressionError(rangeOf(this.#token), `an expression has at most ${MAX_DEPTH} nested levels`);
    const parsed = parse();
    this.#depth--;
    return parsed;
  }

  #postfix(): Expression {
    let object = this.#primary();
    for (let count = 0; count < MAX_EXPRESSION_LENGTH; count++) {
      const next = this.#part(object);
      if (next === null) return object;
      object = next;
    }
    return object;
  }

  #part(object: Expression): Expression | null {
    const { start } = object;
    if (this.#symbol('.') !== null) {
      const name = this.#token;
      if (name.kind !== 'name') throw unexpected(name, 'the name of a member');
      this.#next++;
      return { kind: 'member', object, name: name.text, nameStart: name.start, start, end: name.end };
    }
    if (this.#symbol('[') !== null) return this.#index(object);
    if (this.#symbol('(') !== null) {
      const [items, end] = this.#items(')');
      return { kind: 'call', callee: object, arguments: items, start, end };
    }
    const token = this.#token;
    if (token.kind === 'symbol' && token.text === '{')
      throw new ExpressionError(rangeOf(token), 'call options are not supported');
    return null;
  }

  #index(object: Expression): Expression {
    const { start } = object;
    const from = this.#isSymbol(':') ? null : this.#expression();
    if (this.#symbol(':') !== null) {
      const to = this.#isSymbol(']') ? null : this.#expression();
      return { kind: 'slice', object, from, to, start, end: this.#expect(']').end };
    }
    const { end } = this.#expect(']');
    if (from === null) throw unexpected(this.#token, 'an index');
    return { kind: 'index', object, index: from, start, end };
  }

  #isSymbol(text: string): boolean {
    const token = this.#token;
    return token.kind === 'symbol' && token.text === text;
  }

  /** Returns the items up to the closing symbol, and the end of the symbol. */
  #items(closing: string): readonly [items: readonly Expression[], end: number] {
    const items: Expression[] = [];
    const empty = this.#symbol(closing);
    if (empty !== null) return [items, empty.end];
    do items.push(this.#expression());
    while (this.#symbol(',') !== null);
    return [items, this.#expect(closing).end];
  }

  #primary(): Expression {
    const token = this.#token;
    this.#next++;
    switch (token.kind) {
      case 'number':
        return this.#number(token);
      case 'text': {
        const { bytes, isHex } = token;
        return { kind: 'text', bytes, isHex, ...rangeOf(token) };
      }
      case 'name':
        if (token.text === 'true' || token.text === 'false')
          return { kind: 'boolean', value: token.text === 'true', ...rangeOf(token) };
        if (WRITING_WORDS.has(token.text))
          throw new ExpressionError(rangeOf(token), `an expression cannot write (${token.text})`);
        return { kind: 'name', name: token.text, ...rangeOf(token) };
      case 'symbol':
        if (token.text === '(') {
          const inner = this.#expression();
          const { end } = this.#expect(')');
          return { ...inner, start: token.start, end };
        }
        if (token.text === '[') {
          const [items, end] = this.#items(']');
          return { kind: 'list', items, start: token.start, end };
        }
        throw unexpected(token, 'a value');
      case 'end':
        throw unexpected(token, 'a value');
    }
  }

  #number(token: Token & { readonly kind: 'number' }): Expression {
    const literal = numberOf(token);
    const unit = this.#token;
    const factor = unit.kind === 'name' ? UNITS.get(unit.text) : undefined;
    if (factor === undefined) return { ...literal, ...rangeOf(token) };
    this.#next++;
    if (literal.hexDigits !== null)
      throw new ExpressionError(rangeOf(unit), 'a hexadecimal number cannot have a unit');
    const value = reduced(literal.numerator * factor, literal.denominator);
    return { kind: 'number', ...value, hexDigits: null, start: token.start, end: unit.end };
  }
}

function binary(token: SymbolToken, left: Expression, right: Expression): Expression {
  const operator = LEVELS.flat().find((each) => each === token.text) ?? '**';
  return {
    kind: 'binary',
    operator,
    operatorStart: token.start,
    left,
    right,
    start: left.start,
    end: right.end,
  };
}

function unexpected(token: Token, expected: string): ExpressionError {
  const range = rangeOf(token);
  if (token.kind === 'symbol' && WRITES.has(token.text))
    return new ExpressionError(range, `an expression cannot write (${token.text})`);
  const got = token.kind === 'end' ? 'the end' : token.kind === 'text' ? 'a text' : token.text;
  return new ExpressionError(range, `expected ${expected}, got ${got}`);
}

/** Returns the syntax of an expression. Throws {@link ExpressionError}. */
export function parseExpression(text: string): Expression {
  if (text.length > MAX_EXPRESSION_LENGTH)
    throw new ExpressionError(
      { start: MAX_EXPRESSION_LENGTH, end: text.length },
      `an expression has at most ${MAX_EXPRESSION_LENGTH} characters`,
    );
  return new Parser(text).parse();
}
