/** Says what a call that failed did, in the names and values of the user's contracts, where these are known. */

import type { HeldCall } from '../chain/call-site.ts';
import type { ChainNode } from '../node/create-node.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { unlessInterrupted } from '../primitives/interrupt.ts';
import type { ExplainOptions } from './explain-block.ts';
import { explainedFacts } from './explained-facts.ts';
import type { FailedCallFacts } from './log-entries.ts';

/**
 * Resolves to what the contracts of the user make of the failure; `null` where none of them is known, or not in time.
 * Rejects with bugs only.
 */
export async function explainCall(
  { inspector: lazy }: ChainNode,
  held: HeldCall,
  { isVerbose, checkInterrupt }: ExplainOptions,
): Promise<FailedCallFacts | null> {
  try {
    await unlessInterrupted((await lazy.artifacts.load()).ready(), checkInterrupt);
    const inspector = await lazy.load();
    const inspection = await inspector.heldCall(held, { hasChanges: false, checkInterrupt });
    const facts = explainedFacts(inspection, isVerbose);
    const isKnown = facts.subject != null || facts.stackTrace !== undefined;
    return isKnown && inspection.failure !== null ? { ...facts, failure: inspection.failure.message } : null;
  } catch (error) {
    if (error instanceof CodedError) return null;
    throw error;
  }
}
