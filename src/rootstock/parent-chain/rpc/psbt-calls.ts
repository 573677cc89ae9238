// Calls for partially signed transactions (BIP-174).

import { networks, Psbt } from 'bitcoinjs-lib';
import { equalBytes } from '../../../primitives/bytes.ts';
import { hexKey } from '../../../primitives/hex.ts';
import { curve } from '../../../primitives/secp256k1/curve.ts';
import type { Steps } from '../../../primitives/steps.ts';
import { hash160 } from '../../bitcoin/script.ts';
import { toCoins } from '../amounts.ts';
import type { ParentChain } from '../parent-chain.ts';
import { createTransaction, hashText, type ParentTransaction } from '../parent-transaction.ts';
import { scriptForm, witnessProgram } from '../script/templates.ts';
import { type KeyRing, keyRingOf } from '../wallet/key-ring.ts';
import { type BitcoinCall, type CallContext, type JsonObject, optional, required } from './call.ts';
import { fund, fundingOptionsOf } from './funding.ts';
import { defaultSequence, inputsOf, lockTimeOf, outputsOf } from './outputs.ts';
import { requireTransaction } from './raw-transaction-calls.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';
import { hashTypeOfRequest } from './signing-calls.ts';

/** Work units to update or sign an input. */
const INPUT_WORK = 2 ** 13;
/** Work units to add an input or output without its data. */
const PART_WORK = 2 ** 11;
/** Limits of a PSBT. A transaction of the mempool has fewer inputs. */
const MAX_INPUTS = 2000;
const MAX_PSBT_LENGTH = 2_000_000;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function decodePsbt(text: string): Psbt {
  if (!BASE64.test(text)) throw new BitcoinRpcError(CODES.deserialization, 'TX decode failed invalid base64');
  const psbt = parsePsbt(text);
  if (psbt.inputCount <= MAX_INPUTS) return psbt;
  throw new BitcoinRpcError(
    CODES.deserialization,
    `psbt: expected at most ${MAX_INPUTS} inputs, got ${psbt.inputCount}`,
  );
}

function parsePsbt(text: string): Psbt {
  if (text.length > MAX_PSBT_LENGTH) {
    throw new BitcoinRpcError(
      CODES.deserialization,
      `psbt: expected at most ${MAX_PSBT_LENGTH} characters, got ${text.length}`,
    );
  }
  try {
    return Psbt.fromBase64(text, { network: networks.regtest });
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'invalid PSBT';
    throw new BitcoinRpcError(CODES.deserialization, `TX decode failed ${reason}`);
  }
}

/** Returns the transaction as a PSBT without further data. */
function* psbtOf({ version, lockTime, inputs, outputs }: ParentTransaction): Steps<Psbt> {
  const psbt = new Psbt({ network: networks.regtest });
  psbt.setVersion(version);
  psbt.setLocktime(lockTime);
  for (const { txid, index, sequence } of inputs) {
    psbt.addInput({ hash: txid, index, sequence });
    yield PART_WORK;
  }
  for (const { script, value } of outputs) {
    psbt.addOutput({ script, value });
    yield PART_WORK;
  }
  return psbt;
}

/** Adds the spent output and the scripts of an input, if they are known and absent. */
function updateInput(psbt: Psbt, index: number, chain: ParentChain, ring: KeyRing): void {
  const data = psbt.data.inputs[index];
  const input = psbt.txInputs[index];
  if (data === undefined || input === undefined || isFinalized(psbt, index)) return;
  const source = chain.transaction(hashText(input.hash))?.transaction;
  const output = source?.outputs[input.index];
  if (source === undefined || output === undefined) return;
  const inner = innerScripts(output.script, ring);
  const isWitness = witnessProgram(inner.redeemScript ?? output.script) !== undefined;
  psbt.updateInput(index, {
    ...(data.nonWitnessUtxo === undefined && { nonWitnessUtxo: source.bytes }),
    ...(isWitness && data.witnessUtxo === undefined && { witnessUtxo: { ...output } }),
    ...(data.redeemScript === undefined &&
      inner.redeemScript !== undefined && { redeemScript: inner.redeemScript }),
    ...(data.witnessScript === undefined &&
      inner.witnessScript !== undefined && { witnessScript: inner.witnessScript }),
  });
}

interface InnerScripts {
  readonly redeemScript?: Uint8Array;
  readonly witnessScript?: Uint8Array;
}

function innerScripts(script: Uint8Array, ring: KeyRing): InnerScripts {
  const form = scriptForm(script);
  if (form.type === 'witness_v0_scripthash') {
    const witnessScript = ring.preimage(form.hash);
    return witnessScript === undefined ? {} : { witnessScript };
  }
  const redeemScript = form.type === 'scripthash' ? ring.preimage(form.hash) : undefined;
  return redeemScript === undefined ? {} : { redeemScript, ...innerScripts(redeemScript, ring) };
}

function isFinalized(psbt: Psbt, index: number): boolean {
  const data = psbt.data.inputs[index];
  return data?.finalScriptSig !== undefined || data?.finalScriptWitness !== undefined;
}

/** Returns the public keys that an input needs, if its scripts are known. */
function keysOfInput(psbt: Psbt, index: number, ring: KeyRing): Uint8Array[] {
  const data = psbt.data.inputs[index];
  const input = psbt.txInputs[index];
  const output = data?.witnessUtxo?.script ?? spentScript(psbt, index);
  if (data === undefined || input === undefined || output === undefined) return [];
  const form = scriptForm(data.witnessScript ?? data.redeemScript ?? output);
  if (form.type === 'multisig') return [...form.keys];
  if (form.type === 'pubkey') return [form.key];
  if (form.type !== 'pubkeyhash' && form.type !== 'witness_v0_keyhash') return [];
  const key = ring.preimage(form.hash);
  return key === undefined || !equalBytes(hash160(key), form.hash) ? [] : [key];
}

function spentScript(psbt: Psbt, index: number): Uint8Array | undefined {
  const source = psbt.data.inputs[index]?.nonWitnessUtxo;
  const input = psbt.txInputs[index];
  if (source === undefined || input === undefined) return undefined;
  return requireTransaction(hexKey(source)).outputs[input.index]?.script;
}

function signInput(psbt: Psbt, index: number, ring: KeyRing, type: number): void {
  for (const publicKey of keysOfInput(psbt, index, ring)) {
    const privateKey = ring.privateKey(publicKey);
    const isSigned = psbt.data.inputs[index]?.partialSig?.some(({ pubkey }) => equalBytes(pubkey, publicKey));
    if (privateKey === undefined || isSigned === true) continue;
    const sign = (hash: Uint8Array): Uint8Array => curve.sign(hash, privateKey).compact;
    try {
      psbt.signInput(index, { publicKey, sign }, [type]);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'signing failed';
      throw new BitcoinRpcError(CODES.wallet, `input ${index}: ${reason}`);
    }
  }
}

/** Completes an input if it has all signatures. Returns false otherwise. */
function finalizeInput(psbt: Psbt, index: number): boolean {
  if (isFinalized(psbt, index)) return true;
  try {
    psbt.finalizeInput(index);
    return true;
  } catch {
    // The library throws for each reason why an input is incomplete.
    return false;
  }
}

function* createFunded(context: CallContext): Steps<JsonObject> {
  const { chain, wallet, arguments: given } = context;
  const lockTime = lockTimeOf(given.value('locktime'));
  const options = given.object('options');
  const sequence = defaultSequence(lockTime, options.replaceable !== false);
  const inputs = inputsOf(given.array('inputs'), sequence);
  const outputs = outputsOf(given.value('outputs'));
  const { transaction, fee, changePosition } = yield* fund({
    chain,
    wallet,
    inputs,
    outputs,
    lockTime,
    version: 2,
    sequence,
    options: fundingOptionsOf(options, outputs.length, inputs.length > 0),
    insufficientCode: CODES.wallet,
  });
  const psbt = yield* psbtOf(transaction);
  const ring = keyRingOf(wallet);
  for (const index of transaction.inputs.keys()) {
    updateInput(psbt, index, chain, ring);
    yield INPUT_WORK;
  }
  return { psbt: psbt.toBase64(), fee: toCoins(fee), changepos: changePosition };
}

function* processPsbt(context: CallContext): Steps<JsonObject> {
  const { chain, wallet, arguments: given } = context;
  const psbt = decodePsbt(given.text('psbt'));
  const isSigning = given.boolean('sign', true);
  if (isSigning && !wallet.hasPrivateKeys) {
    throw new BitcoinRpcError(CODES.wallet, 'Error: Private keys are disabled for this wallet');
  }
  const type = hashTypeOfRequest(context);
  const isFinalizing = given.boolean('finalize', true);
  const ring = keyRingOf(wallet);
  let isComplete = true;
  for (let index = 0; index < psbt.inputCount; index++) {
    updateInput(psbt, index, chain, ring);
    addScripts(psbt, index, ring);
    if (isSigning && !isFinalized(psbt, index)) signInput(psbt, index, ring, type);
    // A copy shows whether the input has all signatures.
    const isDone = finalizeInput(isFinalizing ? psbt : psbt.clone(), index);
    isComplete &&= isDone;
    yield INPUT_WORK;
  }
  const hex = isComplete && isFinalizing && { hex: extract(psbt) };
  return { psbt: psbt.toBase64(), complete: isComplete, ...hex };
}

/** Adds the scripts of an input to the ring. */
function addScripts(psbt: Psbt, index: number, ring: KeyRing): void {
  const data = psbt.data.inputs[index];
  for (const script of [data?.redeemScript, data?.witnessScript]) {
    if (script !== undefined) ring.addScript(script);
  }
}

function extract(psbt: Psbt): string {
  return hexKey(psbt.extractTransaction(true).toBuffer());
}

function* finalize({ arguments: given }: CallContext): Steps<JsonObject> {
  const psbt = decodePsbt(given.text('psbt'));
  let isComplete = true;
  for (let index = 0; index < psbt.inputCount; index++) {
    const isDone = finalizeInput(psbt, index);
    isComplete &&= isDone;
    yield INPUT_WORK;
  }
  return isComplete && given.boolean('extract', true)
    ? { hex: extract(psbt), complete: true }
    : { psbt: psbt.toBase64(), complete: isComplete };
}

function* createPsbt({ arguments: given }: CallContext): Steps<string> {
  const lockTime = lockTimeOf(given.value('locktime'));
  const sequence = defaultSequence(lockTime, given.boolean('replaceable', true));
  const inputs = inputsOf(given.array('inputs'), sequence);
  const outputs = outputsOf(given.value('outputs'));
  const psbt = yield* psbtOf(createTransaction({ version: 2, inputs, outputs, lockTime }));
  return psbt.toBase64();
}

export const PSBT_CALLS: readonly BitcoinCall[] = [
  {
    name: 'walletcreatefundedpsbt',
    group: 'Wallet',
    parameters: [
      optional('inputs', 'array'),
      required('outputs', 'any'),
      optional('locktime', 'number'),
      optional('options', 'object'),
      optional('bip32derivs', 'bool'),
    ],
    steps: createFunded,
  },
  {
    name: 'walletprocesspsbt',
    group: 'Wallet',
    parameters: [
      required('psbt', 'string'),
      optional('sign', 'bool'),
      optional('sighashtype', 'string'),
      optional('bip32derivs', 'bool'),
      optional('finalize', 'bool'),
    ],
    steps: processPsbt,
  },
  {
    name: 'finalizepsbt',
    group: 'Rawtransactions',
    parameters: [required('psbt', 'string'), optional('extract', 'bool')],
    steps: finalize,
  },
  {
    name: 'createpsbt',
    group: 'Rawtransactions',
    parameters: [
      required('inputs', 'array'),
      required('outputs', 'any'),
      optional('locktime', 'number'),
      optional('replaceable', 'bool'),
    ],
    steps: createPsbt,
  },
];
