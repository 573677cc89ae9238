// Calls that sign serialized transactions.

import { equalBytes } from '../../../primitives/bytes.ts';
import { hexKey } from '../../../primitives/hex.ts';
import type { Steps } from '../../../primitives/steps.ts';
import type { ParentChain } from '../parent-chain.ts';
import { outpointKey, type ParentTransaction } from '../parent-transaction.ts';
import { hashTypeOf } from '../script/script-text.ts';
import { scriptForm } from '../script/templates.ts';
import { KeyRing, keyRingOf } from '../wallet/key-ring.ts';
import type { ParentWallet } from '../wallet/parent-wallet.ts';
import { type SigningFault, type SpentOutput, signTransaction } from '../wallet/sign-transaction.ts';
import {
  type BitcoinCall,
  type CallContext,
  digitsToBytes,
  type JsonObject,
  optional,
  required,
  shown,
  toAmount,
  toHash,
  toInteger,
  toObject,
  toText,
} from './call.ts';
import { decodePrivateKey } from './private-keys.ts';
import { requireTransaction } from './raw-transaction-calls.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';

/** Work units to decode a private key, and an output. */
const KEY_WORK = 2 ** 12;
const OUTPUT_WORK = 2 ** 10;

/** Returns the hash type of a request. */
export function hashTypeOfRequest({ arguments: given }: CallContext): number {
  const name = given.optionalText('sighashtype') ?? 'DEFAULT';
  const type = hashTypeOf(name);
  if (type === undefined) {
    throw new BitcoinRpcError(CODES.parameter, `'${shown(name)}' is not a valid sighash parameter.`);
  }
  return type;
}

/** Throws unless the wallet can sign. */
export function requirePrivateKeys(wallet: ParentWallet): void {
  if (wallet.hasPrivateKeys) return;
  throw new BitcoinRpcError(CODES.wallet, 'Error: Private keys are disabled for this wallet');
}

function digitsOf(value: unknown, name: string): Uint8Array {
  const bytes = digitsToBytes(value);
  if (bytes === undefined) {
    throw new BitcoinRpcError(
      CODES.parameter,
      `${name} must be hexadecimal string (not '${shown(toText(value))}')`,
    );
  }
  return bytes;
}

/** Decodes the outputs that a client describes, and adds their scripts to the ring. */
function* describedOutputs(
  list: readonly unknown[],
  ring: KeyRing,
  chain: ParentChain,
): Steps<Map<string, SpentOutput>> {
  const outputs = new Map<string, SpentOutput>();
  for (const item of list) {
    const { txid, vout, scriptPubKey, redeemScript, witnessScript, amount } = toObject(item);
    const outpoint = { txid: toHash(txid, 'txid'), index: toInteger(vout) };
    if (outpoint.index < 0) throw new BitcoinRpcError(CODES.deserialization, 'vout cannot be negative');
    const script = digitsOf(scriptPubKey, 'scriptPubKey');
    for (const inner of [redeemScript, witnessScript]) {
      if (inner !== undefined) ring.addScript(digitsOf(inner, 'redeemScript'));
    }
    const known = chain.coin(outpoint);
    if (known !== undefined && !equalBytes(known.script, script)) {
      throw new BitcoinRpcError(
        CODES.deserialization,
        `Previous output scriptPubKey mismatch:\n${hexKey(known.script)}\nvs:\n${hexKey(script)}`,
      );
    }
    const needsAmount = witnessScript !== undefined || scriptForm(script).type.startsWith('witness');
    if (amount === undefined && known === undefined && needsAmount) {
      throw new BitcoinRpcError(CODES.type, `Missing amount for ${outpointKey(outpoint)}`);
    }
    const value = amount === undefined ? (known?.value ?? 0n) : toAmount(amount);
    outputs.set(outpointKey(outpoint), { script, value });
    yield OUTPUT_WORK + script.length;
  }
  return outputs;
}

function faultView({ inputs }: ParentTransaction, { index, reason }: SigningFault): JsonObject {
  const input = inputs[index];
  return {
    txid: input?.txid,
    vout: input?.index,
    witness: input?.witness.map(hexKey),
    scriptSig: hexKey(input?.script ?? new Uint8Array(0)),
    sequence: input?.sequence,
    error: reason,
  };
}

function* sign(context: CallContext, ring: KeyRing): Steps<JsonObject> {
  const { chain, arguments: given } = context;
  const unsigned = requireTransaction(given.text('hexstring'));
  const described = yield* describedOutputs(given.array('prevtxs'), ring, chain);
  const type = hashTypeOfRequest(context);
  const coins = unsigned.inputs.map((input) => described.get(outpointKey(input)) ?? chain.coin(input));
  const { transaction, faults } = yield* signTransaction(unsigned, coins, ring, type);
  return {
    hex: hexKey(transaction.bytes),
    complete: faults.length === 0,
    ...(faults.length > 0 && { errors: faults.map((fault) => faultView(transaction, fault)) }),
  };
}

function signWithWallet(context: CallContext): Steps<JsonObject> {
  requirePrivateKeys(context.wallet);
  return sign(context, keyRingOf(context.wallet));
}

function* signWithKeys(context: CallContext): Steps<JsonObject> {
  const ring = new KeyRing();
  for (const text of context.arguments.array('privkeys')) {
    const key = decodePrivateKey(toText(text));
    if (key === undefined) throw new BitcoinRpcError(CODES.addressOrKey, 'Invalid private key');
    ring.addPrivateKey(key.privateKey, key.isCompressed);
    yield KEY_WORK;
  }
  return yield* sign(context, ring);
}

export const SIGNING_CALLS: readonly BitcoinCall[] = [
  {
    name: 'signrawtransactionwithwallet',
    group: 'Wallet',
    parameters: [
      required('hexstring', 'string'),
      optional('prevtxs', 'array'),
      optional('sighashtype', 'string'),
    ],
    steps: signWithWallet,
  },
  {
    name: 'signrawtransactionwithkey',
    group: 'Rawtransactions',
    parameters: [
      required('hexstring', 'string'),
      required('privkeys', 'array'),
      optional('prevtxs', 'array'),
      optional('sighashtype', 'string'),
    ],
    steps: signWithKeys,
  },
];
