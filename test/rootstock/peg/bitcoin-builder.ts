import { Transaction } from 'bitcoinjs-lib';
import { concatBytes, joinBytes } from '../../../src/primitives/bytes.ts';
import { fromHex } from '../../../src/primitives/hex.ts';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import { curve } from '../../../src/primitives/secp256k1/curve.ts';
import type { HashAddress } from '../../../src/rootstock/bitcoin/address.ts';
import {
  hash160,
  multisigScript,
  opReturnScript,
  p2pkhScript,
  p2shScript,
  push,
  sha256,
  witnessScript,
} from '../../../src/rootstock/bitcoin/script.ts';
import { publicKeyOfSeed } from '../bridge/bridge-scene.ts';

/** An input: the script, and the witness if it has one. */
export interface TestInput {
  readonly script: Uint8Array;
  readonly witness?: readonly Uint8Array[];
  /** The hash of the spent transaction: a byte that is repeated. */
  readonly from?: number;
}

export interface TestOutput {
  readonly script: Uint8Array;
  readonly value: bigint;
}

/** Builds a transaction of version 1. */
export function transactionOf(inputs: readonly TestInput[], outputs: readonly TestOutput[]): Transaction {
  const transaction = new Transaction();
  for (const [index, { script, witness, from }] of inputs.entries()) {
    transaction.addInput(new Uint8Array(32).fill(from ?? 1), index, 0xffff_ffff, script);
    if (witness !== undefined) transaction.setWitness(index, [...witness]);
  }
  for (const { script, value } of outputs) transaction.addOutput(script, value);
  return transaction;
}

export function key(seed: string): Uint8Array {
  return fromHex(publicKeyOfSeed(seed));
}

/** The account of the key of a seed on Rootstock. */
export function accountOf(publicKey: Uint8Array): Uint8Array {
  return keccak256(curve.pointOf(publicKey)).slice(12);
}

const SIGNATURE = new Uint8Array(71).fill(0x30);
const EMPTY = new Uint8Array(0);

/** The scripts of the multisig address of strangers. */
export const STRANGERS = multisigScript(2, [key('key1'), key('key2'), key('key3')].sort(Buffer.compare));

/** Inputs by the kind of their sender. */
export const INPUTS = {
  p2pkh: (publicKey = key('sender')): TestInput => ({
    script: concatBytes(push(SIGNATURE), push(publicKey)),
  }),
  p2shP2wpkh: (publicKey = key('sender')): TestInput => ({
    script: push(witnessScript(0, hash160(publicKey))),
    witness: [SIGNATURE, publicKey],
  }),
  p2wpkh: (publicKey = key('sender')): TestInput => ({ script: EMPTY, witness: [SIGNATURE, publicKey] }),
  multisig: (redeemScript = STRANGERS): TestInput => ({
    script: joinBytes([Uint8Array.of(0), push(SIGNATURE), push(SIGNATURE), push(redeemScript)]),
  }),
  witnessMultisig: (redeemScript = STRANGERS): TestInput => ({
    script: push(witnessScript(0, sha256(redeemScript))),
    witness: [EMPTY, SIGNATURE, SIGNATURE, redeemScript],
  }),
  /** A script with emergency keys needs an empty item that selects the members. */
  emergencyWitness: (redeemScript: Uint8Array): TestInput => ({
    script: push(witnessScript(0, sha256(redeemScript))),
    witness: [EMPTY, SIGNATURE, SIGNATURE, EMPTY, redeemScript],
  }),
  empty: (): TestInput => ({ script: EMPTY }),
} as const;

/** The output to a stranger, by the kind of the script. */
export const STRANGER = {
  p2pkh: p2pkhScript(hash160(key('stranger'))),
  p2sh: p2shScript(hash160(key('stranger'))),
  p2wpkh: witnessScript(0, hash160(key('stranger'))),
} as const;

/** The data output with the instructions of a pegin. */
export function instructions(
  receiver: Uint8Array,
  { version = 1, refund }: { version?: number; refund?: HashAddress } = {},
): TestOutput {
  const address =
    refund === undefined ? EMPTY : concatBytes(Uint8Array.of(refund.kind === 'key' ? 1 : 2), refund.hash);
  return customInstructions(version, concatBytes(receiver, address));
}

/** A data output with the prefix, a version and any bytes. */
export function customInstructions(version: number, payload: Uint8Array, prefix = 'RSKT'): TestOutput {
  const data = concatBytes(new TextEncoder().encode(prefix), Uint8Array.of(version), payload);
  return { script: opReturnScript(data), value: 0n };
}
