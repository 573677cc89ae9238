/** Decodes Bitcoin transactions in calls and events of the Bridge. */

import type { DecodedEntry } from '../artifacts/decoding.ts';
import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { fromHex, hexKey, toHex } from '../primitives/hex.ts';
import { precompileAddress } from '../protocol/hardforks/precompiles.ts';
import type { FederationFormat } from '../protocol/hardforks/rootstock.ts';
import { addressOfScript, type BitcoinNetwork, parentChainAddress } from '../rootstock/bitcoin/address.ts';
import { BitcoinFormatError, reversed } from '../rootstock/bitcoin/byte-reader.ts';
import {
  hash160,
  OP,
  p2pkhScript,
  p2shScript,
  scriptChunks,
  sha256,
  witnessScript,
} from '../rootstock/bitcoin/script.ts';
import {
  type BitcoinTransaction,
  parseTransaction,
  transactionId,
} from '../rootstock/bitcoin/transaction.ts';
import { type BridgeConstants, bridgeConstants } from '../rootstock/bridge/bridge-constants.ts';
import { isPayload, readInstructions } from '../rootstock/peg/pegin-instructions.ts';
import { flyoverDerivationHash, flyoverScriptHash } from '../rootstock/peg/register-flyover.ts';
import type { Overlay } from '../state/overlay.ts';
import {
  type ParentInput,
  type ParentOutput,
  type ParentTransaction,
  type ParentTransactionOf,
  type PeginInstructions,
  rawParentTransaction,
} from './parent-transaction.ts';

/** The parent chain's constants for the decoder. */
export interface ParentChainFacts {
  readonly network: BitcoinNetwork;
  /** The output script of the active federation; `null` if unknown. */
  readonly federationScript: Uint8Array | null;
}

/** Maximum inputs, and maximum outputs, of a decoded transaction. Pages of calls cut lists of 100 items. */
const MAX_PARTS = 40;

/** Returns a decoder for a chain in the state before an execution. */
export function parentTransactionDecoder(
  chainId: number,
  format: FederationFormat,
  before: Pick<Overlay, 'sourceContract'>,
): ParentTransactionOf {
  const { network, federation } = bridgeConstants(chainId, format);
  // The Bridge of a forked chain has another federation than the genesis block.
  const isOnFork = before.sourceContract(precompileAddress('BRIDGE')) !== null;
  const facts = { network, federationScript: isOnFork ? null : federation.outputScript };
  return (entry) => {
    const raw = rawParentTransaction(entry);
    if (raw === null) return null;
    const flyover = isOnFork ? null : flyoverScript(entry, federation);
    return parentTransaction(
      fromHex(raw),
      flyover === null ? facts : { ...facts, federationScript: flyover },
    );
  };
}

/** Returns the output script of a Flyover agreement, whose coins belong to the federation; `null` for others. */
function flyoverScript(
  { name, parameters }: DecodedEntry,
  federation: BridgeConstants['federation'],
): Uint8Array | null {
  if (name !== 'registerFastBridgeBtcTransaction') return null;
  const bytes = (parameter: string): Uint8Array => {
    const value = parameters.find((one) => one.name === parameter)?.value;
    return typeof value === 'string' ? fromHex(value) : EMPTY_BYTES;
  };
  const derivationHash = flyoverDerivationHash({
    agreement: bytes('derivationArgumentsHash'),
    refundAddress: bytes('userRefundAddress'),
    contract: bytes('liquidityBridge'),
    providerAddress: bytes('liquidityProviderAddress'),
  });
  return p2shScript(flyoverScriptHash(derivationHash, federation));
}

/** Decodes a transaction; `null` if the bytes are not a transaction. */
export function parentTransaction(bytes: Uint8Array, facts: ParentChainFacts): ParentTransaction | null {
  try {
    const transaction = parseTransaction(bytes);
    const { ins, outs } = transaction;
    return {
      id: hexKey(transactionId(transaction)),
      inputs: ins.slice(0, MAX_PARTS).map((input) => inputOf(input, facts.network)),
      outputs: outs.slice(0, MAX_PARTS).map((output) => outputOf(output, facts)),
      omitted: Math.max(0, ins.length - MAX_PARTS) + Math.max(0, outs.length - MAX_PARTS),
    };
  } catch (error) {
    if (error instanceof BitcoinFormatError) return null;
    throw error;
  }
}

type BitcoinInput = BitcoinTransaction['ins'][number];
type BitcoinOutput = BitcoinTransaction['outs'][number];

/** The index of the output in the input of a coinbase transaction, which spends no output. */
const COINBASE_INDEX = 0xffffffff;

function inputOf(input: BitcoinInput, network: BitcoinNetwork): ParentInput {
  const script = input.index === COINBASE_INDEX ? null : spentScript(input);
  return {
    id: hexKey(reversed(input.hash)),
    index: input.index,
    address: script === null ? null : (addressOfScript(script, network) ?? null),
  };
}

const KEY_SIZES: readonly number[] = [33, 65];
/** The sizes of witness programs of version 0 in an output script: the hash of a key or of a script. */
const PROGRAM_SIZES: readonly number[] = [22, 34];

/** Returns the output script that an input spends; `null` unless the key or script in the input determines it. */
function spentScript({ script, witness }: BitcoinInput): Uint8Array | null {
  if (script.length === 0) return spentByWitness(witness);
  const pushed = pushedBy(script);
  const last = pushed.at(-1);
  if (last == null) return null;
  if (pushed.length === 1) {
    const isProgram = PROGRAM_SIZES.includes(last.length) && last[0] === OP.ZERO;
    return isProgram ? p2shScript(hash160(last)) : null;
  }
  const isKey = pushed.length === 2 && KEY_SIZES.includes(last.length);
  return isKey ? p2pkhScript(hash160(last)) : p2shScript(hash160(last));
}

function spentByWitness(witness: readonly Uint8Array[]): Uint8Array | null {
  const last = witness.at(-1);
  if (last === undefined || witness.length < 2) return null;
  const isKey = witness.length === 2 && last.length === KEY_SIZES[0];
  return witnessScript(0, isKey ? hash160(last) : sha256(last));
}

function outputOf(
  { value, script }: BitcoinOutput,
  { network, federationScript }: ParentChainFacts,
): ParentOutput {
  const data = script[0] === OP.RETURN ? dataOf(script) : null;
  return {
    satoshis: String(value),
    address: addressOfScript(script, network) ?? null,
    isToFederation: federationScript !== null && equalBytes(script, federationScript),
    data: data === null ? null : toHex(data),
    instructions: data === null ? null : peginInstructions(data, network),
  };
}

function dataOf(script: Uint8Array): Uint8Array {
  return pushedBy(script)[1] ?? EMPTY_BYTES;
}

/** Returns the pushed bytes by opcode; empty for an incomplete script. Scripts of senders are not trusted. */
function pushedBy(script: Uint8Array): readonly (Uint8Array | null)[] {
  try {
    return scriptChunks(script).map(({ data }) => data);
  } catch (error) {
    if (error instanceof BitcoinFormatError) return [];
    throw error;
  }
}

/** Decodes the data of an `OP_RETURN` output; `null` unless they are instructions of version 1. */
function peginInstructions(data: Uint8Array, network: BitcoinNetwork): PeginInstructions | null {
  const read = isPayload(data) ? readInstructions(data) : 'invalid';
  if (read === 'invalid') return null;
  const { receiver, refundAddress } = read;
  return {
    version: 1,
    receiver: toHex(receiver),
    refundAddress:
      refundAddress === null ? null : parentChainAddress(refundAddress.kind, refundAddress.hash, network),
  };
}
