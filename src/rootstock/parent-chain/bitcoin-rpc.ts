// Bitcoin's JSON-RPC calls on a parent chain.

import type { Steps } from '../../primitives/steps.ts';
import type { ParentChain } from './parent-chain.ts';
import { BitcoinRpcError, CODES } from './rpc/rpc-error.ts';

export interface BitcoinRpcCall {
  readonly method: string;
  /** By position or by name. */
  readonly params: readonly unknown[] | object;
  /** The wallet of the path `/wallet/<name>`; `null` without a name. */
  readonly wallet: string | null;
}

/** Runs a call in steps and returns its result, fit for JSON. Throws {@link BitcoinRpcError}. */
export function* callParentChain(_chain: ParentChain, call: BitcoinRpcCall): Steps<unknown> {
  yield 1;
  throw new BitcoinRpcError(CODES.methodNotFound, `Method not found: ${call.method}`);
}
