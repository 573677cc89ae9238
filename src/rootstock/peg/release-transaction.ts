// Transactions of the parent chain that the federation sends: coin selection, fee and change.

import { compareBytes, joinBytes } from '../../primitives/bytes.ts';
import type { RootstockUpgrade } from '../../protocol/hardforks/rootstock.ts';
import { encodeLength } from '../bitcoin/byte-reader.ts';
import { redeemScriptOf } from '../bitcoin/redeem-script.ts';
import { OP, push, sha256, smallNumber, witnessScript } from '../bitcoin/script.ts';
import { type Federation, FORMAT_VERSIONS } from '../bridge/federation.ts';
import { type Utxo, withoutCoinbases } from './utxo-store.ts';

/** An output of a transaction. */
export interface ReleaseOutput {
  readonly script: Uint8Array;
  /** Satoshi. */
  readonly value: bigint;
}

/** An output that the federation can spend, with the script that spends it. */
export interface SpendableUtxo extends Utxo {
  /** The federation's redeem script, or the redeem script of a Flyover address. */
  readonly redeemScript: Uint8Array;
}

/** A transaction without signatures. */
export interface ReleasePlan {
  /** The spent outputs, in the order of the inputs. */
  readonly inputs: readonly SpendableUtxo[];
  readonly outputs: readonly ReleaseOutput[];
}

/** The reasons why a transaction cannot be built, as in Rootstock's logs. */
export type ReleaseFailure =
  | 'INSUFFICIENT_MONEY'
  | 'COULD_NOT_ADJUST_DOWNWARDS'
  | 'DUSTY_SEND_REQUESTED'
  | 'EXCEED_MAX_TRANSACTION_SIZE';

export type ReleaseResult = ReleasePlan | { readonly failure: ReleaseFailure };

/** The facts that the size and the fee of a transaction depend on. */
export interface ReleaseRules {
  readonly federation: Pick<Federation, 'formatVersion' | 'threshold' | 'outputScript' | 'redeemScript'>;
  /** Satoshi per 1,000 bytes. */
  readonly feePerKilobyte: bigint;
  readonly upgrades: ReadonlySet<RootstockUpgrade>;
}

/** Minimum fee, and minimum fee per 1,000 bytes, in satoshi. */
const MIN_FEE = 5000n;
/** Maximum size of a transaction in bytes. */
const MAX_SIZE = 100_000;
/** Maximum estimated virtual size with RSKIP-378. */
const SAFE_SIZE = 90_000;
/** Sizes in bytes. */
const SIZE = {
  versionAndLockTime: 8,
  /** An input with an empty script. */
  input: 41,
  value: 8,
  /** The script of an input that spends a P2SH-P2WSH output. */
  witnessInputScript: 36,
  /** A signature, rounded up. */
  signature: 75,
  /** An input that spends an output to the hash of a key. */
  typicalInput: 148,
} as const;

function outputSize({ script }: Pick<ReleaseOutput, 'script'>): number {
  return SIZE.value + encodeLength(script.length).length + script.length;
}

/** Returns the lowest value of an output that is worth its fee, in satoshi. */
export function minimumOutput(output: Pick<ReleaseOutput, 'script'>): bigint {
  return (3n * MIN_FEE * BigInt(outputSize(output) + SIZE.typicalInput)) / 1000n;
}

function isDust(output: ReleaseOutput): boolean {
  return output.script[0] !== OP.RETURN && output.value < minimumOutput(output);
}

function isWitness({ federation }: ReleaseRules): boolean {
  return federation.formatVersion === FORMAT_VERSIONS.p2wsh;
}

/** Returns the size of a transaction whose inputs have empty scripts. */
function bareSize(inputs: number, outputs: readonly Pick<ReleaseOutput, 'script'>[]): number {
  const counts = encodeLength(inputs).length + encodeLength(outputs.length).length;
  return outputs.reduce(
    (sum, output) => sum + outputSize(output),
    SIZE.versionAndLockTime + counts + inputs * SIZE.input,
  );
}

/** Returns the estimated size of the signed transaction, in virtual bytes (BIP-141). */
function signedSize(
  {
    inputs,
    outputs,
  }: { inputs: readonly SpendableUtxo[]; outputs: readonly Pick<ReleaseOutput, 'script'>[] },
  rules: ReleaseRules,
): number {
  const signing = inputs.reduce(
    (sum, { redeemScript }) => sum + rules.federation.threshold * SIZE.signature + redeemScript.length,
    0,
  );
  const bare = bareSize(inputs.length, outputs);
  if (!isWitness(rules)) return bare + signing;
  const base = bare + inputs.length * SIZE.witnessInputScript;
  return Math.floor((base + signing + 3 * base) / 4);
}

function feeFor(size: number, feePerKilobyte: bigint): bigint {
  return (feePerKilobyte * BigInt(size)) / 1000n;
}

/** Returns the script of an input without signatures. */
export function emptyInputScript(
  redeemScript: Uint8Array,
  { federation }: Pick<ReleaseRules, 'federation'>,
): Uint8Array {
  if (federation.formatVersion === FORMAT_VERSIONS.p2wsh) return push(witnessScript(0, sha256(redeemScript)));
  // CHECKMULTISIG takes one item too many. An empty item before a script with emergency keys selects the members.
  const selectors = redeemScriptOf(redeemScript)?.hasEmergencyKeys === true ? 1 : 0;
  const zeros = new Uint8Array(1 + federation.threshold + selectors).fill(smallNumber(0));
  return joinBytes([zeros, push(redeemScript)]);
}

/** Returns the witness of an input without signatures; empty for federations without witness scripts. */
export function emptyWitness(
  redeemScript: Uint8Array,
  { federation }: Pick<ReleaseRules, 'federation'>,
): Uint8Array[] {
  if (federation.formatVersion !== FORMAT_VERSIONS.p2wsh) return [];
  // CHECKMULTISIG takes one item too many, and the last empty item selects the members instead of the
  // emergency keys.
  const placeholders = Array.from({ length: federation.threshold + 2 }, () => new Uint8Array(0));
  return [...placeholders, redeemScript];
}

/** The sizes in RSKIP-378: a signature with its length, and the items of a witness besides signatures and script. */
const MEASURED = { signature: 73, otherItems: 3, emptyItems: 2 } as const;

/**
 * Returns the estimated virtual size (RSKIP-378) of a transaction with `base` bytes before its witnesses. Rootstock
 * also counts witnesses for federations without witness scripts.
 */
function measuredSize(
  base: number,
  inputs: number,
  { threshold, redeemScript }: Pick<Federation, 'threshold' | 'redeemScript'>,
): number {
  const counts =
    encodeLength(threshold + MEASURED.otherItems).length + encodeLength(redeemScript.length).length;
  const witness = threshold * MEASURED.signature + redeemScript.length + counts + MEASURED.emptyItems;
  return Math.floor((4 * base + inputs * witness) / 4);
}

/** Returns the size of the transaction without witnesses, with the scripts of the inputs. */
function baseSize({ inputs, outputs }: ReleasePlan, rules: ReleaseRules): number {
  return inputs.reduce(
    (sum, { redeemScript }) => {
      const { length } = emptyInputScript(redeemScript, rules);
      return sum + length + encodeLength(length).length - 1;
    },
    bareSize(inputs.length, outputs),
  );
}

/** Returns true if the transaction is larger than the parent chain's nodes accept. */
function isTooLarge(plan: ReleasePlan, rules: ReleaseRules): boolean {
  const { inputs, outputs } = plan;
  // Rootstock measures a transaction with witness before it adds the scripts of the inputs.
  const size = isWitness(rules) ? bareSize(inputs.length, outputs) : baseSize(plan, rules);
  if (size > MAX_SIZE) return true;
  if (!rules.upgrades.has('RSKIP378')) return false;
  return measuredSize(baseSize(plan, rules), inputs.length, rules.federation) > SAFE_SIZE;
}

function checked(plan: ReleasePlan, rules: ReleaseRules): ReleaseResult {
  return isTooLarge(plan, rules) ? { failure: 'EXCEED_MAX_TRANSACTION_SIZE' } : plan;
}

function total(outputs: readonly { readonly value: bigint }[]): bigint {
  return outputs.reduce((sum, { value }) => sum + value, 0n);
}

/** Selects outputs in the order of their transactions' ids until they reach the value. */
function select(utxos: readonly SpendableUtxo[], value: bigint): SpendableUtxo[] {
  const sorted = withoutCoinbases(utxos).sort(
    (left, right) => compareBytes(left.transactionId, right.transactionId) || left.index - right.index,
  );
  let gathered = 0n;
  return sorted.filter(({ value: own }) => {
    if (gathered >= value) return false;
    gathered += own;
    return true;
  });
}

/** Takes the fee from the recipients in equal parts. The first one also pays the remainder. */
function withoutFee(outputs: readonly ReleaseOutput[], fee: bigint): ReleaseOutput[] {
  const count = BigInt(outputs.length);
  return outputs.map(({ script, value }, index) => ({
    script,
    value: value - fee / count - (index === 0 ? fee % count : 0n),
  }));
}

/**
 * Raises change that is not worth its fee, at the expense of the first recipient. `null` if this makes the
 * first output too small.
 */
function withChange(outputs: readonly ReleaseOutput[], change: ReleaseOutput): ReleaseOutput[] | null {
  const [first, ...rest] = outputs;
  if (first === undefined || !isDust(change)) return [...outputs, change];
  const least = minimumOutput(change);
  const reduced = { ...first, value: first.value - (least - change.value) };
  return isDust(reduced) ? null : [reduced, ...rest, { ...change, value: least }];
}

/**
 * Builds a transaction with these outputs, in this order, and the change at the end. The recipients pay the
 * fee.
 */
export function buildRelease(
  outputs: readonly ReleaseOutput[],
  utxos: readonly SpendableUtxo[],
  rules: ReleaseRules,
): ReleaseResult {
  if (outputs.some(isDust)) return { failure: 'DUSTY_SEND_REQUESTED' };
  const value = total(outputs);
  const inputs = select(utxos, value);
  const gathered = total(inputs);
  const change = { script: rules.federation.outputScript, value: gathered - value };
  const feePerKilobyte = rules.feePerKilobyte < MIN_FEE ? MIN_FEE : rules.feePerKilobyte;
  let fee = 0n;
  while (true) {
    const reduced = withoutFee(outputs, fee);
    if (reduced.some((output) => output.value < minimumOutput(output)))
      return { failure: 'COULD_NOT_ADJUST_DOWNWARDS' };
    if (gathered < value) return { failure: 'INSUFFICIENT_MONEY' };
    const complete = change.value === 0n ? reduced : withChange(reduced, change);
    if (complete === null) return { failure: 'COULD_NOT_ADJUST_DOWNWARDS' };
    const needed = feeFor(signedSize({ inputs, outputs: complete }, rules), feePerKilobyte);
    if (fee >= needed) return checked({ inputs, outputs: complete }, rules);
    fee = needed;
  }
}

/** Builds a transaction that sends all outputs to one script. The fee is taken from the amount. */
export function buildEmptyWallet(
  script: Uint8Array,
  utxos: readonly SpendableUtxo[],
  rules: ReleaseRules,
): ReleaseResult {
  const inputs = withoutCoinbases(utxos);
  const fee = feeFor(signedSize({ inputs, outputs: [{ script }] }, rules), rules.feePerKilobyte);
  const output = { script, value: total(inputs) - (fee < MIN_FEE ? MIN_FEE : fee) };
  if (isDust(output)) return { failure: 'COULD_NOT_ADJUST_DOWNWARDS' };
  return checked({ inputs, outputs: [output] }, rules);
}

/** Sizes that Rootstock assumes to reject pegouts: a signature, and an output to the federation. */
const ASSUMED_SIGNATURE = 72;

/** Returns the assumed size of a transaction with inputs and outputs of the federation, in virtual bytes. */
export function assumedSize(
  federation: Federation,
  inputs: number,
  outputs: number,
  upgrades: ReleaseRules['upgrades'],
): number {
  const { formatVersion, redeemScript, threshold, outputScript } = federation;
  const signing = threshold * inputs * ASSUMED_SIGNATURE;
  const federationOutputs = Array.from({ length: outputs }, () => ({ script: outputScript }));
  const scripts = inputs * SIZE.witnessInputScript;
  if (upgrades.has('RSKIP378'))
    return measuredSize(bareSize(inputs, federationOutputs) + scripts, inputs, federation);
  if (formatVersion !== FORMAT_VERSIONS.p2wsh) {
    const script = encodeLength(redeemScript.length).length - 1 + redeemScript.length;
    return bareSize(inputs, federationOutputs) + inputs * script + signing;
  }
  // Rootstock counts the scripts of the inputs, but not the inputs.
  const base = bareSize(0, federationOutputs) + scripts;
  return Math.floor((base + signing + inputs * redeemScript.length + 3 * base) / 4);
}
