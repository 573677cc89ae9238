// The standard forms of output scripts, and their addresses on regtest.

import { createHash } from 'node:crypto';
import { address as addresses, networks } from 'bitcoinjs-lib';
import { concatBytes } from '../../../primitives/bytes.ts';
import { hash160 } from '../../bitcoin-script.ts';
import { isPushOnly, OP, type Operation, operationsOf, pushOperation } from './opcodes.ts';

const KEY_HASH_SIZE = 20;
const SCRIPT_HASH_SIZE = 32;
const MAX_PROGRAM_SIZE = 40;
const WITNESS_V0_NAMES = new Map([
  [KEY_HASH_SIZE, 'witness_v0_keyhash'],
  [SCRIPT_HASH_SIZE, 'witness_v0_scripthash'],
]);

/** The form of an output script, with the names of bitcoind. */
export type ScriptForm =
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
  const operations = operationsOf(script);
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

export function p2pkhScript(hash: Uint8Array): Uint8Array {
  return concatBytes(
    Uint8Array.of(OP.DUP, OP.HASH160),
    pushOperation(hash),
    Uint8Array.of(OP.EQUALVERIFY, OP.CHECKSIG),
  );
}

export function p2shScript(redeem: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(OP.HASH160), pushOperation(hash160(redeem)), Uint8Array.of(OP.EQUAL));
}

export function p2wpkhScript(hash: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(OP.PUSH_0), pushOperation(hash));
}

export function p2wshScript(script: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(OP.PUSH_0), pushOperation(sha256(script)));
}

export function p2pkScript(key: Uint8Array): Uint8Array {
  return concatBytes(pushOperation(key), Uint8Array.of(OP.CHECKSIG));
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest());
}

/** Returns the regtest address of an output script; `undefined` if it has none. */
export function addressOfScript(script: Uint8Array): string | undefined {
  const form = scriptForm(script);
  const { regtest } = networks;
  switch (form.type) {
    case 'pubkeyhash':
      return addresses.toBase58Check(form.hash, regtest.pubKeyHash);
    case 'scripthash':
      return addresses.toBase58Check(form.hash, regtest.scriptHash);
    case 'witness_v0_keyhash':
    case 'witness_v0_scripthash':
    case 'witness_v1_taproot':
    case 'witness_unknown':
      return addresses.toBech32(form.hash, witnessProgram(script)?.version ?? 0, regtest.bech32);
    default:
      return undefined;
  }
}

/** Maximum length of an address (BIP-173). */
const MAX_ADDRESS_LENGTH = 90;

/** Returns the output script of a regtest address; `undefined` for any other text. */
export function scriptOfAddress(address: string): Uint8Array | undefined {
  if (address.length > MAX_ADDRESS_LENGTH) return undefined;
  return base58Script(address) ?? bech32Script(address);
}

function base58Script(address: string): Uint8Array | undefined {
  const { regtest } = networks;
  try {
    const { hash, version } = addresses.fromBase58Check(address);
    if (version === regtest.pubKeyHash) return p2pkhScript(hash);
    if (version !== regtest.scriptHash) return undefined;
    return concatBytes(Uint8Array.of(OP.HASH160), pushOperation(hash), Uint8Array.of(OP.EQUAL));
  } catch {
    return undefined;
  }
}

function bech32Script(address: string): Uint8Array | undefined {
  try {
    const { prefix, version, data } = addresses.fromBech32(address);
    const isValidSize =
      version === 0 ? WITNESS_V0_NAMES.has(data.length) : data.length >= 2 && data.length <= MAX_PROGRAM_SIZE;
    if (prefix !== networks.regtest.bech32 || version > 16 || !isValidSize) return undefined;
    const code = version === 0 ? OP.PUSH_0 : OP.PUSH_1 + version - 1;
    return concatBytes(Uint8Array.of(code, data.length), data);
  } catch {
    return undefined;
  }
}
