// The operations of scripts that do not push values of the script.

import { createHash } from 'node:crypto';
import { equalBytes } from '../../../primitives/bytes.ts';
import { doubleSha256 } from '../../../primitives/sha256.ts';
import { hash160 } from '../../bitcoin/script.ts';
import { OP, type Operation } from './opcodes.ts';
import { ScriptError } from './script-error.ts';
import type { ScriptRun } from './script-run.ts';
import { encodeBoolean, encodeNumber, isTrue, LOCK_TIME_SIZE } from './script-values.ts';

const MAX_MULTISIG_KEYS = 20;
/** Sequences and lock times with this bit have no effect in OP_CHECKSEQUENCEVERIFY. */
const SEQUENCE_DISABLED = 2 ** 31;

type Handler = (run: ScriptRun, operation: Operation) => void;

/** OP_IF and OP_NOTIF. */
function openBranch(run: ScriptRun, runsIf: boolean): void {
  if (run.branches.includes(false)) {
    run.branches.push(false);
    return;
  }
  if (run.stack.length === 0) throw new ScriptError('UNBALANCED_CONDITIONAL');
  const condition = run.pop();
  const isMinimal = condition.length === 0 || (condition.length === 1 && condition[0] === 1);
  if (run.isPolicy && run.context.version === 'witness' && !isMinimal) throw new ScriptError('MINIMALIF');
  run.branches.push(isTrue(condition) === runsIf);
}

function checkSignature(run: ScriptRun): void {
  run.require(2);
  const [key, signature] = [run.pop(), run.pop()];
  const { checker, version, rules } = run.context;
  const code = run.signedCode([signature]);
  const isValid = checker.isValid(signature, key, code, version, rules);
  if (!isValid && run.isPolicy && signature.length > 0) throw new ScriptError('SIG_NULLFAIL');
  run.stack.push(encodeBoolean(isValid));
}

function checkMultisig(run: ScriptRun): void {
  const keyCount = run.popNumber();
  if (keyCount < 0 || keyCount > MAX_MULTISIG_KEYS) throw new ScriptError('PUBKEY_COUNT');
  run.countOperations(keyCount);
  run.require(keyCount + 1);
  const keys = Array.from({ length: keyCount }, () => run.pop());
  const signatureCount = run.popNumber();
  if (signatureCount < 0 || signatureCount > keyCount) throw new ScriptError('SIG_COUNT');
  run.require(signatureCount + 1);
  const signatures = Array.from({ length: signatureCount }, () => run.pop());
  const isValid = areValid(run, signatures, keys);
  if (!isValid && run.isPolicy && signatures.some(({ length }) => length > 0))
    throw new ScriptError('SIG_NULLFAIL');
  // The original implementation removes one value too many (BIP-147).
  if (run.pop().length > 0) throw new ScriptError('SIG_NULLDUMMY');
  run.stack.push(encodeBoolean(isValid));
}

/** Returns true if the signatures are valid for some of the keys in the same order. */
function areValid(run: ScriptRun, signatures: readonly Uint8Array[], keys: readonly Uint8Array[]): boolean {
  const { checker, version, rules } = run.context;
  const code = run.signedCode(signatures);
  let [atSignature, atKey] = [0, 0];
  while (atSignature < signatures.length) {
    if (signatures.length - atSignature > keys.length - atKey) return false;
    const [signature, key] = [signatures[atSignature], keys[atKey]];
    if (signature === undefined || key === undefined) return false;
    if (checker.isValid(signature, key, code, version, rules)) atSignature++;
    atKey++;
  }
  return true;
}

function checkLockTime(run: ScriptRun): void {
  const time = run.number(run.peek(0), LOCK_TIME_SIZE);
  if (time < 0) throw new ScriptError('NEGATIVE_LOCKTIME');
  if (!run.context.checker.isLockedUntil(time)) throw new ScriptError('UNSATISFIED_LOCKTIME');
}

function checkSequence(run: ScriptRun): void {
  const sequence = run.number(run.peek(0), LOCK_TIME_SIZE);
  if (sequence < 0) throw new ScriptError('NEGATIVE_LOCKTIME');
  if (Math.floor(sequence / SEQUENCE_DISABLED) % 2 === 1) return;
  if (!run.context.checker.isLockedFor(sequence)) throw new ScriptError('UNSATISFIED_LOCKTIME');
}

function hashWith(algorithm: string): (bytes: Uint8Array) => Uint8Array {
  return (bytes) => new Uint8Array(createHash(algorithm).update(bytes).digest());
}

function hashing(hash: (bytes: Uint8Array) => Uint8Array): Handler {
  return (run) => void run.stack.push(hash(run.pop()));
}

function unary(compute: (value: number) => number): Handler {
  return (run) => void run.stack.push(encodeNumber(compute(run.popNumber())));
}

function binary(compute: (left: number, right: number) => number): Handler {
  return (run) => {
    run.require(2);
    const right = run.popNumber();
    run.stack.push(encodeNumber(compute(run.popNumber(), right)));
  };
}

/** Pushes copies of the values at these depths, the deepest first. */
function copying(...depths: readonly number[]): Handler {
  return (run) => {
    const values = depths.map((depth) => run.peek(depth));
    run.stack.push(...values);
  };
}

/** Moves `count` values at this depth to the top. */
function moving(depth: number, count: number): Handler {
  return (run) => {
    run.require(depth + 1);
    for (let moved = 0; moved < count; moved++) run.stack.push(run.remove(depth));
  };
}

function equal(run: ScriptRun): void {
  run.require(2);
  run.stack.push(encodeBoolean(equalBytes(run.pop(), run.pop())));
}

function isWithin(run: ScriptRun): void {
  run.require(3);
  const [maximum, minimum, value] = [run.popNumber(), run.popNumber(), run.popNumber()];
  run.stack.push(encodeBoolean(minimum <= value && value < maximum));
}

function upgradable(run: ScriptRun): void {
  if (run.isPolicy) throw new ScriptError('UPGRADABLE_NOPS');
}

const flag = (value: boolean): number => (value ? 1 : 0);
const numberEqual = binary((left, right) => flag(left === right));

/** The operations by code. */
export const OPERATIONS: ReadonlyMap<number, Handler> = new Map<number, Handler>([
  [OP.NOP, () => undefined],
  [OP.IF, (run) => openBranch(run, true)],
  [OP.NOTIF, (run) => openBranch(run, false)],
  [
    OP.ELSE,
    (run) => {
      const branch = run.branches.pop();
      if (branch === undefined) throw new ScriptError('UNBALANCED_CONDITIONAL');
      run.branches.push(!branch);
    },
  ],
  [
    OP.ENDIF,
    (run) => {
      if (run.branches.pop() === undefined) throw new ScriptError('UNBALANCED_CONDITIONAL');
    },
  ],
  [OP.VERIFY, (run) => run.verify('VERIFY')],
  [
    OP.RETURN,
    () => {
      throw new ScriptError('OP_RETURN');
    },
  ],
  [OP.TOALTSTACK, (run) => void run.altStack.push(run.pop())],
  [
    OP.FROMALTSTACK,
    (run) => {
      const value = run.altStack.pop();
      if (value === undefined) throw new ScriptError('INVALID_ALTSTACK_OPERATION');
      run.stack.push(value);
    },
  ],
  [
    OP.DROP2,
    (run) => {
      run.require(2);
      run.stack.length -= 2;
    },
  ],
  [OP.DUP2, copying(1, 0)],
  [OP.DUP3, copying(2, 1, 0)],
  [OP.OVER2, copying(3, 2)],
  [OP.ROT2, moving(5, 2)],
  [OP.SWAP2, moving(3, 2)],
  [
    OP.IFDUP,
    (run) => {
      const value = run.peek(0);
      if (isTrue(value)) run.stack.push(value);
    },
  ],
  [OP.DEPTH, (run) => void run.stack.push(encodeNumber(run.stack.length))],
  [OP.DROP, (run) => void run.pop()],
  [OP.DUP, copying(0)],
  [OP.NIP, (run) => void run.remove(1)],
  [OP.OVER, copying(1)],
  [
    OP.PICK,
    (run) => {
      run.require(2);
      run.stack.push(run.peek(stackDepth(run)));
    },
  ],
  [
    OP.ROLL,
    (run) => {
      run.require(2);
      run.stack.push(run.remove(stackDepth(run)));
    },
  ],
  [OP.ROT, moving(2, 1)],
  [OP.SWAP, moving(1, 1)],
  [
    OP.TUCK,
    (run) => {
      run.require(2);
      run.stack.splice(-2, 0, run.peek(0));
    },
  ],
  [OP.SIZE, (run) => void run.stack.push(encodeNumber(run.peek(0).length))],
  [OP.EQUAL, equal],
  [
    OP.EQUALVERIFY,
    (run) => {
      equal(run);
      run.verify('EQUALVERIFY');
    },
  ],
  [OP.ADD1, unary((value) => value + 1)],
  [OP.SUB1, unary((value) => value - 1)],
  [OP.NEGATE, unary((value) => -value)],
  [OP.ABS, unary(Math.abs)],
  [OP.NOT, unary((value) => flag(value === 0))],
  [OP.NOTEQUAL0, unary((value) => flag(value !== 0))],
  [OP.ADD, binary((left, right) => left + right)],
  [OP.SUB, binary((left, right) => left - right)],
  [OP.BOOLAND, binary((left, right) => flag(left !== 0 && right !== 0))],
  [OP.BOOLOR, binary((left, right) => flag(left !== 0 || right !== 0))],
  [OP.NUMEQUAL, numberEqual],
  [
    OP.NUMEQUALVERIFY,
    (run, operation) => {
      numberEqual(run, operation);
      run.verify('NUMEQUALVERIFY');
    },
  ],
  [OP.NUMNOTEQUAL, binary((left, right) => flag(left !== right))],
  [OP.LESSTHAN, binary((left, right) => flag(left < right))],
  [OP.GREATERTHAN, binary((left, right) => flag(left > right))],
  [OP.LESSTHANOREQUAL, binary((left, right) => flag(left <= right))],
  [OP.GREATERTHANOREQUAL, binary((left, right) => flag(left >= right))],
  [OP.MIN, binary(Math.min)],
  [OP.MAX, binary(Math.max)],
  [OP.WITHIN, isWithin],
  [OP.RIPEMD160, hashing(hashWith('ripemd160'))],
  [OP.SHA1, hashing(hashWith('sha1'))],
  [OP.SHA256, hashing(hashWith('sha256'))],
  [OP.HASH160, hashing(hash160)],
  [OP.HASH256, hashing(doubleSha256)],
  [
    OP.CODESEPARATOR,
    (run, { end }) => {
      run.codeStart = end;
    },
  ],
  [OP.CHECKSIG, checkSignature],
  [
    OP.CHECKSIGVERIFY,
    (run) => {
      checkSignature(run);
      run.verify('CHECKSIGVERIFY');
    },
  ],
  [OP.CHECKMULTISIG, checkMultisig],
  [
    OP.CHECKMULTISIGVERIFY,
    (run) => {
      checkMultisig(run);
      run.verify('CHECKMULTISIGVERIFY');
    },
  ],
  [OP.NOP1, upgradable],
  [OP.CHECKLOCKTIMEVERIFY, checkLockTime],
  [OP.CHECKSEQUENCEVERIFY, checkSequence],
  ...Array.from({ length: OP.NOP10 - OP.CHECKSEQUENCEVERIFY }, (_, index): [number, Handler] => [
    OP.CHECKSEQUENCEVERIFY + 1 + index,
    upgradable,
  ]),
]);

/** Pops the depth of OP_PICK and OP_ROLL. */
function stackDepth(run: ScriptRun): number {
  const depth = run.popNumber();
  if (depth < 0 || depth >= run.stack.length) throw new ScriptError('INVALID_STACK_OPERATION');
  return depth;
}
