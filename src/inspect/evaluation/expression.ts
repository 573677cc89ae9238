/** The syntax of expressions: Solidity's expressions without writes. */

/** A range of characters in the text of the expression; `end` is after the last one. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export type UnaryOperator = '-' | '!' | '~';

export type BinaryOperator =
  | '**'
  | '*'
  | '/'
  | '%'
  | '+'
  | '-'
  | '<<'
  | '>>'
  | '&'
  | '^'
  | '|'
  | '<'
  | '>'
  | '<='
  | '>='
  | '=='
  | '!='
  | '&&'
  | '||';

/** A number as it is written: an exact fraction in lowest terms. */
export interface NumberLiteral {
  readonly kind: 'number';
  readonly numerator: bigint;
  readonly denominator: bigint;
  /** The digits of a hexadecimal number; `null` for other numbers. */
  readonly hexDigits: string | null;
}

export type Expression = TextRange &
  (
    | NumberLiteral
    | { readonly kind: 'text'; readonly bytes: Uint8Array; readonly isHex: boolean }
    | { readonly kind: 'boolean'; readonly value: boolean }
    | { readonly kind: 'name'; readonly name: string }
    | {
        readonly kind: 'member';
        readonly object: Expression;
        readonly name: string;
        readonly nameStart: number;
      }
    | { readonly kind: 'index'; readonly object: Expression; readonly index: Expression }
    | {
        readonly kind: 'slice';
        readonly object: Expression;
        readonly from: Expression | null;
        readonly to: Expression | null;
      }
    | { readonly kind: 'call'; readonly callee: Expression; readonly arguments: readonly Expression[] }
    | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: Expression }
    | {
        readonly kind: 'binary';
        readonly operator: BinaryOperator;
        readonly operatorStart: number;
        readonly left: Expression;
        readonly right: Expression;
      }
    | {
        readonly kind: 'conditional';
        readonly condition: Expression;
        readonly yes: Expression;
        readonly no: Expression;
      }
    | { readonly kind: 'list'; readonly items: readonly Expression[] }
  );

/** Thrown if an expression has no value. It names the range and the reason. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';

  constructor(
    readonly range: TextRange,
    readonly reason: string,
  ) {
    super(reason);
  }
}
