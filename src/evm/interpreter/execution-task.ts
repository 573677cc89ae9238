import type { ExecutionRules } from '../../protocol/hardforks/execution-rules.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { Purpose } from '../admission.ts';
import type { BlockEnvironment, Message } from '../engine.ts';
import type { ImpersonatedSigner } from '../impersonated-signer.ts';
import type { ExecutionObserver } from '../observer.ts';

/** What an execution is of. */
export interface ExecutionTask {
  readonly ruleSet: RuleSet;
  readonly rules: ExecutionRules;
  readonly chainId: bigint;
  readonly impersonatedSigner: ImpersonatedSigner;
  readonly state: Overlay;
  readonly environment: BlockEnvironment;
  readonly observer: ExecutionObserver | null;
  readonly message: Message;
  readonly purpose: Purpose;
  /** Wei per gas; `null` where there is no base fee. */
  readonly baseFeePerGas: bigint | null;
  /** Contracts that ended earlier in the block, where their addresses stay taken. */
  readonly taken: readonly Uint8Array[];
}
