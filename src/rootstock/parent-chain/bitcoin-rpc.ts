// Bitcoin's JSON-RPC calls on a parent chain.

import type { Steps } from '../../primitives/steps.ts';
import type { ParentChain } from './parent-chain.ts';
import { ADDRESS_CALLS } from './rpc/address-calls.ts';
import { BLOCKCHAIN_CALLS } from './rpc/blockchain-calls.ts';
import type { BitcoinCall } from './rpc/call.ts';
import { CONTROL_CALLS } from './rpc/control-calls.ts';
import { dispatch, usageOf } from './rpc/dispatch.ts';
import { HISTORY_CALLS } from './rpc/history-calls.ts';
import { MEMPOOL_CALLS } from './rpc/mempool-calls.ts';
import { MINING_CALLS } from './rpc/mining-calls.ts';
import { PROOF_CALLS } from './rpc/proof-calls.ts';
import { PSBT_CALLS } from './rpc/psbt-calls.ts';
import { RAW_TRANSACTION_CALLS } from './rpc/raw-transaction-calls.ts';
import { BitcoinRpcError, CODES } from './rpc/rpc-error.ts';
import { SENDING_CALLS } from './rpc/sending-calls.ts';
import { SIGNING_CALLS } from './rpc/signing-calls.ts';
import { WALLET_CALLS } from './rpc/wallet-calls.ts';

/** All calls. */
export const BITCOIN_CALLS: readonly BitcoinCall[] = [
  ...BLOCKCHAIN_CALLS,
  ...MEMPOOL_CALLS,
  ...PROOF_CALLS,
  ...RAW_TRANSACTION_CALLS,
  ...SIGNING_CALLS,
  ...MINING_CALLS,
  ...CONTROL_CALLS,
  ...WALLET_CALLS,
  ...ADDRESS_CALLS,
  ...SENDING_CALLS,
  ...HISTORY_CALLS,
  ...PSBT_CALLS,
];

const CALLS: ReadonlyMap<string, BitcoinCall> = new Map(BITCOIN_CALLS.map((call) => [call.name, call]));
const USAGES: ReadonlyMap<string, string> = new Map(BITCOIN_CALLS.map((call) => [call.name, usageOf(call)]));

export interface BitcoinRpcCall {
  readonly method: string;
  /** By position or by name. */
  readonly params: readonly unknown[] | object;
  /** The wallet of the path `/wallet/<name>`; `null` without a name. */
  readonly wallet: string | null;
}

/** Runs a call in steps and returns its result, fit for JSON. Throws {@link BitcoinRpcError}. */
export function* callParentChain(chain: ParentChain, request: BitcoinRpcCall): Steps<unknown> {
  const { method, params, wallet } = request;
  const call = CALLS.get(method);
  if (call === undefined) throw new BitcoinRpcError(CODES.methodNotFound, 'Method not found');
  return yield* dispatch(chain, { call, params, walletName: wallet, usages: USAGES });
}
