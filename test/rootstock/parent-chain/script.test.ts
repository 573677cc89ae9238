import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { curve } from '../../../src/primitives/secp256k1/curve.ts';
import {
  hash160,
  multisigScript,
  p2shP2wshScript,
  p2shScript,
  push,
} from '../../../src/rootstock/bitcoin/script.ts';
import {
  createTransaction,
  type ParentTransaction,
} from '../../../src/rootstock/parent-chain/parent-transaction.ts';
import { OP, pushOperation } from '../../../src/rootstock/parent-chain/script/opcodes.ts';
import { scriptText } from '../../../src/rootstock/parent-chain/script/script-text.ts';
import { encodeNumber } from '../../../src/rootstock/parent-chain/script/script-values.ts';
import {
  InputChecker,
  type ScriptRules,
  type ScriptVersion,
} from '../../../src/rootstock/parent-chain/script/signature-check.ts';
import { SignatureHashes } from '../../../src/rootstock/parent-chain/script/signature-hashes.ts';
import { p2wshScript, scriptForm } from '../../../src/rootstock/parent-chain/script/templates.ts';
import { verifyInput } from '../../../src/rootstock/parent-chain/script/verify-input.ts';
import { signHash } from '../../../src/rootstock/parent-chain/wallet/sign-transaction.ts';

const VALUE = 100_000n;
const SOURCE = '11'.repeat(32);
const EMPTY = new Uint8Array(0);

function code(...parts: readonly (number | Uint8Array)[]): Uint8Array {
  return concatBytes(...parts.map((part) => (typeof part === 'number' ? Uint8Array.of(part) : part)));
}

interface Spending {
  readonly script?: Uint8Array;
  readonly witness?: readonly Uint8Array[];
  readonly sequence?: number;
  readonly lockTime?: number;
}

function spending({
  script = EMPTY,
  witness = [],
  sequence = 0xffffffff,
  lockTime = 0,
}: Spending): ParentTransaction {
  return createTransaction({
    version: 2,
    inputs: [{ txid: SOURCE, index: 0, script, sequence, witness }],
    outputs: [{ value: VALUE - 1000n, script: code(OP.PUSH_1) }],
    lockTime,
  });
}

/** Returns 'valid', or the reason why the input does not satisfy the output. */
function outcome(output: Uint8Array, values: Spending, rules: ScriptRules = 'policy'): string {
  const transaction = spending(values);
  try {
    verifyInput(transaction, new SignatureHashes(transaction), 0, { script: output, value: VALUE }, rules);
    return 'valid';
  } catch (error) {
    return Object(error).message;
  }
}

function keyOf(index: number): Uint8Array {
  return new Uint8Array(32).fill(index + 1);
}

function publicKeys(start: number, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => curve.compressedPublicKey(keyOf(start + index)));
}

/** Returns signatures of the keys for an unsigned spending. */
function signatures(
  keys: readonly number[],
  script: Uint8Array,
  version: ScriptVersion,
  values: Spending,
): Uint8Array[] {
  const transaction = spending(values);
  const checker = new InputChecker(transaction, new SignatureHashes(transaction), 0, VALUE);
  return keys.map((key) => signHash(checker.signatureHash(script, 1, version), keyOf(key), 1));
}

describe('verifyInput', () => {
  it.each([
    ['true', code(OP.PUSH_1), 'valid'],
    ['addition', code(OP.PUSH_1 + 1, OP.PUSH_1 + 2, OP.ADD, OP.PUSH_1 + 4, OP.NUMEQUAL), 'valid'],
    ['branches', code(OP.PUSH_0, OP.IF, OP.RETURN, OP.ELSE, OP.PUSH_1, OP.ENDIF), 'valid'],
    [
      'false',
      code(OP.PUSH_0),
      'Script evaluated without error but finished with a false/empty top stack element',
    ],
    ['OP_RETURN', code(OP.RETURN), 'OP_RETURN was encountered'],
    ['an open branch', code(OP.PUSH_1, OP.IF), 'Invalid OP_IF construction'],
    ['a disabled operation', code(OP.PUSH_1, OP.PUSH_1, OP.CAT), 'Attempted to use a disabled opcode'],
    ['an unknown operation', code(0xff), 'Opcode missing or not understood'],
    ['a truncated push', code(5, 1), 'Opcode missing or not understood'],
    ['an empty stack', code(OP.DUP), 'Operation not valid with the current stack size'],
    ['a long push', code(OP.PUSH_1, 1, 1, OP.EQUAL), 'Data push larger than necessary'],
    ['two values at the end', code(OP.PUSH_1, OP.PUSH_1), 'Stack size must be exactly one after execution'],
  ])('runs a script with %s', (_, script, expected) => {
    expect(outcome(script, {})).toBe(expected);
  });

  it('limits the number of operations', () => {
    const script = code(OP.PUSH_1, ...new Array<number>(202).fill(OP.NOP));

    expect(outcome(script, {}, 'consensus')).toBe('Operation limit exceeded');
  });

  it('requires the redeem script of P2SH', () => {
    const output = p2shScript(hash160(code(OP.PUSH_1)));

    expect(outcome(output, { script: push(code(OP.PUSH_1)) })).toBe('valid');
    expect(outcome(output, { script: push(code(OP.PUSH_1 + 1)) })).toContain('false/empty');
  });

  it('requires the script of a witness program', () => {
    const output = p2wshScript(code(OP.PUSH_1));

    expect(outcome(output, { witness: [code(OP.PUSH_1)] })).toBe('valid');
    expect(outcome(output, { witness: [code(OP.PUSH_1 + 1)] })).toBe('Witness program hash mismatch');
    expect(outcome(output, {})).toBe('Witness program was passed an empty witness');
    expect(outcome(output, { script: code(OP.PUSH_1), witness: [code(OP.PUSH_1)] })).toBe(
      'Witness requires empty scriptSig',
    );
  });

  it('rejects a lock time that is not reached (BIP-65)', () => {
    const output = code(pushOperation(encodeNumber(100)), OP.CHECKLOCKTIMEVERIFY);

    expect(outcome(output, { lockTime: 100, sequence: 0 })).toBe('valid');
    expect(outcome(output, { lockTime: 99, sequence: 0 })).toBe('Locktime requirement not satisfied');
    expect(outcome(output, { lockTime: 100 })).toBe('Locktime requirement not satisfied');
  });

  it('rejects inputs that spend outputs of Taproot', () => {
    const output = code(OP.PUSH_1, 32, new Uint8Array(32).fill(1));

    expect(outcome(output, { witness: [new Uint8Array(64)] })).toBe(
      'Witness version reserved for soft-fork upgrades',
    );
  });
});

const MEMBERS = publicKeys(0, 3);
const EMERGENCY = publicKeys(10, 4);
const DELAY = 500;
/** The script of a federation with emergency keys (RSKIP-201). */
const FEDERATION = code(
  OP.NOTIF,
  multisigScript(2, MEMBERS).subarray(0, -1),
  OP.ELSE,
  pushOperation(encodeNumber(DELAY)),
  OP.CHECKSEQUENCEVERIFY,
  OP.DROP,
  multisigScript(3, EMERGENCY).subarray(0, -1),
  OP.ENDIF,
  OP.CHECKMULTISIG,
);
/** The script of a Flyover deposit (RSKIP-176). */
const FLYOVER = code(push(new Uint8Array(32).fill(7)), OP.DROP, FEDERATION);

describe("the federation's scripts", () => {
  it.each([
    ['with emergency keys', FEDERATION],
    ['of a Flyover deposit', FLYOVER],
  ])('%s are spent by the members in P2SH', (_, redeem) => {
    const [first = EMPTY, second = EMPTY] = signatures([0, 2], redeem, 'base', {});
    const script = code(OP.PUSH_0, push(first), push(second), OP.PUSH_0, push(redeem));

    expect(outcome(p2shScript(hash160(redeem)), { script })).toBe('valid');
  });

  it.each([
    ['with emergency keys', FEDERATION],
    ['of a Flyover deposit', FLYOVER],
  ])('%s are spent by the members in P2SH-P2WSH', (_, redeem) => {
    const witness = [EMPTY, ...signatures([0, 1], redeem, 'witness', {}), EMPTY, redeem];
    const script = push(p2wshScript(redeem));

    expect(outcome(p2shP2wshScript(redeem), { script, witness })).toBe('valid');
  });

  it('are spent by the emergency keys only after the delay', () => {
    const spend = (sequence: number): string => {
      const signed = signatures([10, 11, 13], FEDERATION, 'witness', { sequence });
      const witness = [EMPTY, ...signed, Uint8Array.of(1), FEDERATION];
      return outcome(p2shP2wshScript(FEDERATION), {
        script: push(p2wshScript(FEDERATION)),
        witness,
        sequence,
      });
    };

    expect(spend(DELAY)).toBe('valid');
    expect(spend(DELAY - 1)).toBe('Locktime requirement not satisfied');
  });

  it('need the signatures in the order of the keys', () => {
    const [first = EMPTY, second = EMPTY] = signatures([0, 1], FEDERATION, 'base', {});
    const script = code(OP.PUSH_0, push(second), push(first), OP.PUSH_0, push(FEDERATION));

    expect(outcome(p2shScript(hash160(FEDERATION)), { script })).toBe(
      'Signature must be zero for failed CHECK(MULTI)SIG operation',
    );
  });
});

describe('scriptForm', () => {
  it.each([
    ['pubkey', code(push(MEMBERS[0] ?? EMPTY), OP.CHECKSIG)],
    ['scripthash', p2shScript(new Uint8Array(20))],
    ['witness_v0_scripthash', p2wshScript(EMPTY)],
    ['witness_v1_taproot', code(OP.PUSH_1, 32, new Uint8Array(32))],
    ['witness_unknown', code(OP.PUSH_1 + 1, 2, 0, 0)],
    ['multisig', multisigScript(2, MEMBERS)],
    ['nulldata', code(OP.RETURN, push(new Uint8Array(40)))],
    ['nonstandard', code(OP.DUP)],
    ['nonstandard', code(OP.PUSH_0, 3, 1, 2, 3)],
  ])('returns %s', (type, script) => {
    expect(scriptForm(script).type).toBe(type);
  });
});

describe('scriptText', () => {
  it('prints operations, numbers and bytes', () => {
    const script = code(
      OP.DUP,
      OP.PUSH_0,
      OP.NEGATE_1,
      push(Uint8Array.of(0xe8, 3)),
      push(new Uint8Array(5)),
      0xba,
      9,
    );

    expect(scriptText(script)).toBe('OP_DUP 0 -1 1000 0000000000 OP_CHECKSIGADD [error]');
  });
});
