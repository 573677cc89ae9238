// Scripts as text, as bitcoind prints them.

import { opcodes } from 'bitcoinjs-lib';
import { hexKey } from '../../../primitives/hex.ts';
import { OP, type Operation, pushedValue, readOperations } from './opcodes.ts';
import { decodeNumber } from './script-values.ts';

const NUMBER_SIZE = 4;
/** The renamed operations, which have two names. */
const RENAMED = new Map<number, string>([
  [OP.CHECKLOCKTIMEVERIFY, 'OP_CHECKLOCKTIMEVERIFY'],
  [OP.CHECKSEQUENCEVERIFY, 'OP_CHECKSEQUENCEVERIFY'],
]);
const NAMES: ReadonlyMap<number, string> = new Map([
  ...Object.entries(opcodes).flatMap(([name, code]): [number, string][] =>
    typeof code === 'number' ? [[code, name]] : [],
  ),
  ...RENAMED,
]);
const HASH_TYPE_NAMES: ReadonlyMap<number, string> = new Map([
  [0x01, 'ALL'],
  [0x02, 'NONE'],
  [0x03, 'SINGLE'],
  [0x81, 'ALL|ANYONECANPAY'],
  [0x82, 'NONE|ANYONECANPAY'],
  [0x83, 'SINGLE|ANYONECANPAY'],
]);
const DER_SEQUENCE = 0x30;

/** Returns the number of the hash type with this name; `undefined` if there is none. */
export function hashTypeOf(name: string): number | undefined {
  if (name === 'DEFAULT') return 1;
  for (const [type, text] of HASH_TYPE_NAMES) if (text === name) return type;
  return undefined;
}

function pushText(value: Uint8Array, isUnlocking: boolean): string {
  if (value.length <= NUMBER_SIZE) return decodeNumber(value, NUMBER_SIZE, false).toString();
  const isSignature = isUnlocking && value[0] === DER_SEQUENCE && value[1] === value.length - 3;
  const type = isSignature ? HASH_TYPE_NAMES.get(value.at(-1) ?? 0) : undefined;
  return type === undefined ? hexKey(value) : `${hexKey(value.subarray(0, -1))}[${type}]`;
}

function operationText(operation: Operation | null, isUnlocking: boolean): string {
  if (operation === null) return '[error]';
  const value = pushedValue(operation);
  if (value !== undefined) return pushText(value, isUnlocking);
  return NAMES.get(operation.code) ?? 'OP_UNKNOWN';
}

/** Maximum number of operations in a text: longer scripts cannot be spent. */
const MAX_OPERATIONS = 10_000;

/**
 * Returns the operations of a script as text: at most 10,000, then `[more]`. In unlocking scripts, signatures
 * show their hash type.
 */
export function scriptText(script: Uint8Array, isUnlocking = false): string {
  const texts: string[] = [];
  for (const operation of readOperations(script)) {
    if (texts.length === MAX_OPERATIONS) {
      texts.push('[more]');
      break;
    }
    texts.push(operationText(operation, isUnlocking));
  }
  return texts.join(' ');
}
