// The standard forms of output scripts.

import { concatBytes } from '../../../primitives/bytes.ts';
import { hash160, p2shScript, push, sha256, witnessScript } from '../../bitcoin/script.ts';
import { isPushOnly, OP, type Operation, operationsOf } from './opcodes.ts';

const KEY_HASH_SIZE = 20;
const SCRIPT_HASH_SIZE = 32;
const MAX_PROGRAM_SIZE = 40;
/** The size of the longest standard script without data: a multisig script with 16 uncompressed keys. */
const MAX_FORM_SIZE = 3 + 16 * 66;
const WITNESS_V0_NAMES = new Map([
  [KEY_HASH_SIZE, 'witness_v0_keyhash'],
  [SCRIPT_HASH_SIZE, 'witness_v0_scripthash'],
]);

/** The form of an output script, with the names of bitcoind. */
type ScriptForm =
  | { readonly type: 'pubkey'; readonly key: Uint8Array }
  | { readonly type: 'pubkeyhash' | 'scripthash'; readonly hash: Uint8Array }
  | {
      readonly type:
        | 'witness_v0_keyhash'
        | 'witness_v0_scripthash'
        | 'witness_v1_taproot'
        | 'witness_unknown';
      readonly hash: Uint8Array;
    }
  | { readonly type: 'multisig'; readonly required: number; readonly keys: readonly Uint8Array[] }
  | { readonly type: 'nulldata' | 'nonstandard' };

/** Returns the version and program of a witness output (BIP-141); `undefined` for other scripts. */
export function witnessProgram(script: Uint8Array): { version: number; program: Uint8Array } | undefined {
  const [code = 0, length = 0] = script;
  const isVersion = code === OP.PUSH_0 || (code >= OP.PUSH_1 && code <= OP.PUSH_16);
  if (!isVersion || length < 2 || length > MAX_PROGRAM_SIZE || script.length !== length + 2) return undefined;
  return { version: code === OP.PUSH_0 ? 0 : code - OP.PUSH_1 + 1, program: script.subarray(2) };
}

function isPublicKey(key: Uint8Array): boolean {
  const prefix = key[0] ?? 0;
  return (key.length === 33 && (prefix === 2 || prefix === 3)) || (key.length === 65 && prefix === 4);
}

function smallNumber({ code }: Operation): number | undefined {
  return code >= OP.PUSH_1 && code <= OP.PUSH_16 ? code - OP.PUSH_1 + 1 : undefined;
}

function multisigForm(operations: readonly Operation[]): ScriptForm | undefined {
  const [first, count] = [operations[0], operations.at(-2)];
  if (operations.at(-1)?.code !== OP.CHECKMULTISIG || first === undefined || count === undefined)
    return undefined;
  const [required, total] = [smallNumber(first), smallNumber(count)];
  const keys = operations.slice(1, -2).map(({ data }) => data ?? new Uint8Array(0));
  const isValid =
    required !== undefined && keys.length === total && required <= keys.length && keys.every(isPublicKey);
  return isValid ? { type: 'multisig', required, keys } : undefined;
}

/** Returns the form of an output script. */
export function scriptForm(script: Uint8Array): ScriptForm {
  const witness = witnessProgram(script);
  if (witness !== undefined) return witnessForm(witness.version, witness.program);
  if (script[0] === OP.RETURN && isPushOnly(script.subarray(1))) return { type: 'nulldata' };
  const operations = script.length > MAX_FORM_SIZE ? undefined : operationsOf(script);
  if (operations === undefined) return { type: 'nonstandard' };
  const codes = operations.map(({ code }) => code);
  if (
    script.length === 23 &&
    codes[0] === OP.HASH160 &&
    codes[1] === KEY_HASH_SIZE &&
    codes[2] === OP.EQUAL
  ) {
    return { type: 'scripthash', hash: script.subarray(2, 22) };
  }
  const isKeyHash =
    script.length === 25 &&
    codes[0] === OP.DUP &&
    codes[1] === OP.HASH160 &&
    codes[2] === KEY_HASH_SIZE &&
    codes[3] === OP.EQUALVERIFY &&
    codes[4] === OP.CHECKSIG;
  if (isKeyHash) return { type: 'pubkeyhash', hash: script.subarray(3, 23) };
  const key = operations[0]?.data;
  if (operations.length === 2 && codes[1] === OP.CHECKSIG && key != null && isPublicKey(key)) {
    return { type: 'pubkey', key };
  }
  return multisigForm(operations) ?? { type: 'nonstandard' };
}

function witnessForm(version: number, program: Uint8Array): ScriptForm {
  if (version === 0) {
    const type = WITNESS_V0_NAMES.get(program.length);
    if (type === undefined) return { type: 'nonstandard' };
    return {
      type: program.length === KEY_HASH_SIZE ? 'witness_v0_keyhash' : 'witness_v0_scripthash',
      hash: program,
    };
  }
  const isTaproot = version === 1 && program.length === SCRIPT_HASH_SIZE;
  return { type: isTaproot ? 'witness_v1_taproot' : 'witness_unknown', hash: program };
}

export function p2wpkhScript(key: Uint8Array): Uint8Array {
  return witnessScript(0, hash160(key));
}

export function p2wshScript(script: Uint8Array): Uint8Array {
  return witnessScript(0, sha256(script));
}

export function p2pkScript(key: Uint8Array): Uint8Array {
  return concatBytes(push(key), Uint8Array.of(OP.CHECKSIG));
}

/** Returns the P2SH script around a P2WPKH script. */
export function p2shP2wpkhScript(key: Uint8Array): Uint8Array {
  return p2shScript(hash160(p2wpkhScript(key)));
}
