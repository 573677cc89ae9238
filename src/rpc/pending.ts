import { type BlockSelector, isPending } from '../chain/execution/block-selector.ts';
import { InvalidParamsError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';

/**
 * For the five methods that the service document flags: throws {@link InvalidParamsError} for `pending` where the
 * dialect does not serve it.
 */
export function requireServed({ settings }: RpcContext, parameter: string, selector: BlockSelector): void {
  if (settings.compat.pendingServed || !isPending(selector)) return;
  throw new InvalidParamsError(
    parameter,
    'a mined block (this method does not support pending; the dialects anvil and hardhat do)',
    '"pending"',
  );
}
