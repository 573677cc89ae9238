import type { BlockEnvironment } from '../../../engine.ts';
import type { NativeCall } from '../../native-call.ts';
import type { BridgeState } from './bridge-state.ts';

/** A call to the Bridge, as its methods see it. */
export interface BridgeCall extends NativeCall {
  /** True when code made the call, false when it is the transaction itself. */
  readonly isFromContract: boolean;
  readonly environment: BlockEnvironment;
  /** What the Bridge keeps. */
  readonly state: BridgeState;
}
