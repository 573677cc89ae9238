// Signs the inputs of transactions.

import { concatBytes, EMPTY_BYTES } from '../../../primitives/bytes.ts';
import { curve } from '../../../primitives/secp256k1/curve.ts';
import type { Steps } from '../../../primitives/steps.ts';
import { p2pkhScript } from '../../bitcoin/script.ts';
import { encodeDer, signatureOfBytes } from '../../bitcoin/signature.ts';
import type { Coin } from '../chain-index.ts';
import { createTransaction, type ParentInput, type ParentTransaction } from '../parent-transaction.ts';
import { operationsOf, pushedValue, pushOperation } from '../script/opcodes.ts';
import { ScriptError } from '../script/script-error.ts';
import { InputChecker, type ScriptVersion } from '../script/signature-check.ts';
import { SignatureHashes } from '../script/signature-hashes.ts';
import { scriptForm } from '../script/templates.ts';
import { verifyInput } from '../script/verify-input.ts';
import type { KeyRing } from './key-ring.ts';

/** Work units to sign an input. */
const INPUT_WORK = 2 ** 13;

export type SpentOutput = Pick<Coin, 'script' | 'value'>;

/** The values that unlock an output. */
interface Unlocking {
  readonly script: Uint8Array;
  readonly witness: readonly Uint8Array[];
}

/** The signature of an input for a public key and script; `undefined` without the private key. */
type Sign = (publicKey: Uint8Array, script: Uint8Array, version: ScriptVersion) => Uint8Array | undefined;

/** Returns the values that satisfy a script; `undefined` if it is not solvable. A missing signature is left out. */
function solve(
  script: Uint8Array,
  version: ScriptVersion,
  ring: KeyRing,
  sign: Sign,
): Uint8Array[] | undefined {
  const form = scriptForm(script);
  if (form.type === 'pubkey') return present([sign(form.key, script, version)]);
  if (form.type === 'pubkeyhash') {
    const key = ring.preimage(form.hash);
    const signature = key === undefined ? undefined : sign(key, script, version);
    return key === undefined || signature === undefined ? undefined : [signature, key];
  }
  if (form.type !== 'multisig') return undefined;
  const signatures = present(form.keys.map((key) => sign(key, script, version)));
  return signatures === undefined ? undefined : [EMPTY_BYTES, ...signatures.slice(0, form.required)];
}

function present(values: readonly (Uint8Array | undefined)[]): Uint8Array[] | undefined {
  const found = values.filter((value) => value !== undefined);
  return found.length === 0 ? undefined : found;
}

function solveWitness(program: Uint8Array, ring: KeyRing, sign: Sign): Uint8Array[] | undefined {
  const form = scriptForm(program);
  if (form.type === 'witness_v0_keyhash') return solve(p2pkhScript(form.hash), 'witness', ring, sign);
  const script = form.type === 'witness_v0_scripthash' ? ring.preimage(form.hash) : undefined;
  const values = script === undefined ? undefined : solve(script, 'witness', ring, sign);
  return script === undefined || values === undefined ? undefined : [...values, script];
}

function pushes(values: readonly Uint8Array[]): Uint8Array {
  return concatBytes(...values.map(pushOperation));
}

/** Returns the values that unlock an output; `undefined` if the ring cannot sign. */
export function unlock(output: Uint8Array, ring: KeyRing, sign: Sign): Unlocking | undefined {
  const form = scriptForm(output);
  if (form.type === 'scripthash') {
    const redeem = ring.preimage(form.hash);
    if (redeem === undefined) return undefined;
    if (scriptForm(redeem).type.startsWith('witness_v0')) {
      const witness = solveWitness(redeem, ring, sign);
      return witness === undefined ? undefined : { script: pushOperation(redeem), witness };
    }
    const values = solve(redeem, 'base', ring, sign);
    return values === undefined ? undefined : { script: pushes([...values, redeem]), witness: [] };
  }
  if (form.type.startsWith('witness_v0')) {
    const witness = solveWitness(output, ring, sign);
    return witness === undefined ? undefined : { script: EMPTY_BYTES, witness };
  }
  const values = solve(output, 'base', ring, sign);
  return values === undefined ? undefined : { script: pushes(values), witness: [] };
}

/** Returns a signature of a hash with the hash type. */
export function signHash(hash: Uint8Array, privateKey: Uint8Array, type: number): Uint8Array {
  const { compact } = curve.sign(hash, privateKey);
  return concatBytes(encodeDer(signatureOfBytes(compact)), Uint8Array.of(type));
}

/** Returns the values that an input pushes: signatures among them. */
function pushedValues({ script, witness }: ParentInput): Uint8Array[] {
  const pushed = (operationsOf(script) ?? []).map((operation) => pushedValue(operation) ?? EMPTY_BYTES);
  return [...pushed, ...witness].filter(({ length }) => length > 0);
}

/** Signs with the ring's keys, and keeps valid signatures that the input already has. */
function signer(
  transaction: ParentTransaction,
  hashes: SignatureHashes,
  index: number,
  coin: SpentOutput,
  ring: KeyRing,
  type: number,
): Sign {
  const checker = new InputChecker(transaction, hashes, index, coin.value);
  const input = transaction.inputs[index];
  const earlier = input === undefined ? [] : pushedValues(input);
  return (publicKey, script, version) => {
    const privateKey = ring.privateKey(publicKey);
    if (privateKey !== undefined)
      return signHash(checker.signatureHash(script, type, version), privateKey, type);
    return earlier.find((value) => {
      try {
        return checker.isValid(value, publicKey, script, version, 'policy');
      } catch (error) {
        if (error instanceof ScriptError) return false;
        throw error;
      }
    });
  };
}

export interface SigningFault {
  readonly index: number;
  readonly reason: string;
}

interface SignedTransaction {
  readonly transaction: ParentTransaction;
  /** The inputs that are not completely signed. */
  readonly faults: readonly SigningFault[];
}

/** Signs all inputs that the ring can sign. `coins` are the outputs that the inputs spend; `undefined` if unknown. */
export function* signTransaction(
  transaction: ParentTransaction,
  coins: readonly (SpentOutput | undefined)[],
  ring: KeyRing,
  type: number,
): Steps<SignedTransaction> {
  const hashes = new SignatureHashes(transaction);
  const inputs: ParentInput[] = [];
  for (const [index, input] of transaction.inputs.entries()) {
    const coin = coins[index];
    const unlocking =
      coin === undefined
        ? undefined
        : unlock(coin.script, ring, signer(transaction, hashes, index, coin, ring, type));
    inputs.push(unlocking === undefined ? input : { ...input, ...unlocking });
    yield INPUT_WORK;
  }
  const signed = createTransaction({ ...transaction, inputs });
  return { transaction: signed, faults: yield* findFaults(signed, coins) };
}

function* findFaults(
  transaction: ParentTransaction,
  coins: readonly (SpentOutput | undefined)[],
): Steps<SigningFault[]> {
  const hashes = new SignatureHashes(transaction);
  const faults: SigningFault[] = [];
  for (const index of transaction.inputs.keys()) {
    const reason = faultOf(transaction, hashes, index, coins[index]);
    if (reason !== null) faults.push({ index, reason });
    yield INPUT_WORK;
  }
  return faults;
}

function faultOf(
  transaction: ParentTransaction,
  hashes: SignatureHashes,
  index: number,
  coin: SpentOutput | undefined,
): string | null {
  if (coin === undefined) return 'Input not found or already spent';
  try {
    verifyInput(transaction, hashes, index, coin, 'policy');
    return null;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return describeFault(error.message);
  }
}

/** Reasons that bitcoind explains for signers. */
function describeFault(reason: string): string {
  if (reason === 'Operation not valid with the current stack size') {
    return 'Unable to sign input, invalid stack size (possibly missing key)';
  }
  return reason === 'Signature must be zero for failed CHECK(MULTI)SIG operation'
    ? 'CHECK(MULTI)SIG failing with non-zero signature (possibly need more signatures)'
    : reason;
}

/** A signature of the maximum size for a low `s`: it estimates the size of an input. */
const DUMMY_SIGNATURE = new Uint8Array(72);

/** Returns values of the size that unlocks an output; `undefined` if the ring does not know how. */
export function dummyUnlocking(output: Uint8Array, ring: KeyRing): Unlocking | undefined {
  return unlock(output, ring, () => DUMMY_SIGNATURE);
}
