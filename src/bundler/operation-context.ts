import type { Chain } from '../chain/chain.ts';
import type { CallToken } from '../chain/changes.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import type { ReceiptCompat } from '../wire/receipt.ts';
import type { Reputations } from './reputations.ts';

/** The chain, the settings and the request of a user operation. */
export interface OperationContext {
  readonly chain: Chain;
  readonly reputations: Reputations;
  /** True to apply the rules of ERC-7562. */
  readonly erc7562: boolean;
  readonly receiptCompat: ReceiptCompat;
  /** Throws if the client has disconnected or the response takes too long. */
  readonly deadline: CancelCheck;
  /** The generation of the chain (`ChainIdentity.life`) at the time of the request. */
  readonly generation: number;
  /**
   * The token of the request, passed to each change that it makes; `null` if the server did not create one.
   */
  readonly call: CallToken | null;
}
