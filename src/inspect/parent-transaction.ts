/** Bitcoin transactions in calls and events of the Bridge. The decoder of transactions is loaded only for them. */

import type { DecodedEntry } from '../artifacts/decoding.ts';
import { rootstockPrecompileAt } from '../artifacts/well-known.ts';
import { toHex } from '../primitives/hex.ts';
import { precompileAddress } from '../protocol/hardforks/precompiles.ts';
import type { RecordedFrame } from './execution-recorder.ts';

/** A Bitcoin transaction. Ids have 64 digits, as Bitcoin's programs print them. */
export interface ParentTransaction {
  readonly id: string;
  readonly inputs: readonly ParentInput[];
  readonly outputs: readonly ParentOutput[];
  /** The number of further inputs and outputs. */
  readonly omitted: number;
}

export interface ParentInput {
  /** The transaction and the index of the spent output. */
  readonly id: string;
  readonly index: number;
  /** The address of the spent output, if the input contains its key or script; otherwise `null`. */
  readonly address: string | null;
}

export interface ParentOutput {
  /** In satoshi, decimal. */
  readonly satoshis: string;
  /** `null` for an output without address. */
  readonly address: string | null;
  /** True if the output pays the active federation. */
  readonly isToFederation: boolean;
  /** The data of an `OP_RETURN` output in hexadecimal; `null` for all other outputs. */
  readonly data: string | null;
  /** The instructions of a peg-in in the data; `null` for other data. */
  readonly instructions: PeginInstructions | null;
}

/** The instructions of a peg-in in an `OP_RETURN` output (RSKIP-170). */
export interface PeginInstructions {
  readonly version: number;
  /** The address on Rootstock that receives the coins. */
  readonly receiver: string;
  /** The Bitcoin address for refunds; `null` if the sender of the transaction gets refunds. */
  readonly refundAddress: string | null;
}

/** Decodes the Bitcoin transaction of an entry of the Bridge; `null` for all other entries. */
export type ParentTransactionOf = (entry: DecodedEntry) => ParentTransaction | null;

/** The parameter with the Bitcoin transaction, by method or event of the Bridge. */
const PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['registerBtcTransaction', 'tx'],
  ['registerBtcCoinbaseTransaction', 'tx'],
  ['registerFastBridgeBtcTransaction', 'tx'],
  ['release_btc', 'btcRawTransaction'],
]);

/** Returns the Bitcoin transaction in a decoded call or event, in hexadecimal; `null` for none. */
export function rawParentTransaction({ name, parameters }: DecodedEntry): string | null {
  const parameter = PARAMETERS.get(name);
  const value = parameters.find((one) => one.name === parameter)?.value;
  return typeof value === 'string' ? value : null;
}

const BRIDGE = toHex(precompileAddress('BRIDGE'));

/** True for a call of the Bridge. */
export function callsBridge({ start }: RecordedFrame): boolean {
  return start.isPrecompile && toHex(start.to) === BRIDGE;
}

/** True if one of the frames has a Bitcoin transaction in its call or in an event. */
export function hasParentTransaction(frames: readonly RecordedFrame[]): boolean {
  const bridge = rootstockPrecompileAt(BRIDGE);
  if (bridge === null) return false;
  return frames.some((frame) => {
    if (!callsBridge(frame)) return false;
    const { start, items } = frame;
    return (
      PARAMETERS.has(bridge.functionNameOf(start.input) ?? '') ||
      items.some((item) => item.kind === 'log' && PARAMETERS.has(bridge.event(item.log)?.name ?? ''))
    );
  });
}
