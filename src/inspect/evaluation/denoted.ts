/** The meaning of a name or a member: a value, a type, a function, or a name of the language. */

import type { StorageType } from '../../artifacts/layout/storage-type.ts';
import type { ScopedContract } from './scope.ts';
import type { ScalarType } from './value-types.ts';
import type { Scalar, Value } from './values.ts';

export type Denoted =
  | { readonly kind: 'value'; readonly value: Value }
  /** A type that the language defines, as in `uint8(x)`. */
  | { readonly kind: 'scalarType'; readonly type: ScalarType }
  | { readonly kind: 'bytesType'; readonly isText: boolean }
  /** An enum, a struct or a user-defined value type. */
  | { readonly kind: 'declaredType'; readonly name: string; readonly type: StorageType }
  /** `scope` is `null` for a contract of another compilation. */
  | { readonly kind: 'contract'; readonly name: string; readonly scope: ScopedContract | null }
  /** `msg`, `block` or `tx`. */
  | { readonly kind: 'global'; readonly name: string }
  /** A function of the language, such as `keccak256`. */
  | { readonly kind: 'builtin'; readonly name: string }
  /** `type(T)`, whose members are the bounds of the type. */
  | { readonly kind: 'typeInfo'; readonly type: ScalarType }
  | { readonly kind: 'wrap' | 'unwrap'; readonly type: ScalarType & { readonly kind: 'named' } }
  /** A function of the running contract. `isBare` is true without an object before it. */
  | { readonly kind: 'ownFunction'; readonly name: string; readonly isBare: boolean }
  | { readonly kind: 'otherFunction'; readonly name: string; readonly on: Scalar }
  /** A function named by its contract (`IERC20.transfer`), which only has a selector. */
  | { readonly kind: 'contractFunction'; readonly name: string; readonly contract: string };

/** Describes a name that is not a value. */
export function denotedText(denoted: Exclude<Denoted, { kind: 'value' }>): string {
  switch (denoted.kind) {
    case 'scalarType':
    case 'typeInfo':
      return `the type ${denoted.type.label}`;
    case 'bytesType':
      return `the type ${denoted.isText ? 'string' : 'bytes'}`;
    case 'declaredType':
      return `the type ${denoted.name}`;
    case 'contract':
      return `the contract ${denoted.name}`;
    case 'global':
      return `the name ${denoted.name}; name one of its members`;
    case 'wrap':
    case 'unwrap':
      return `the function ${denoted.kind}; call it with a value`;
    default:
      return `the function ${denoted.name}; call it: ${denoted.name}(…)`;
  }
}
