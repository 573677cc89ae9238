import type { BlockEnvironment, ExecutionResult } from '../../evm/engine.ts';
import type { ExecutionObserver } from '../../evm/observer.ts';
import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import type { Encoding } from '../../protocol/field-kinds.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import {
  LOCAL_REMASC,
  REMASC_ADDRESS,
  REMASC_SENDER,
  type RemascParameters,
  remascTransaction,
} from '../../protocol/remasc.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { BlockClosing } from '../chain-core.ts';
import { FeeSharing } from './fee-sharing.ts';
import { FeePayments, RemascLedger } from './remasc-ledger.ts';

/** Ends each block with the transaction in which REMASC shares out the fees of earlier ones. */
class RemascClosing implements BlockClosing {
  readonly feeRecipient = REMASC_ADDRESS;
  readonly #encoding: Encoding;
  readonly #parameters: RemascParameters;

  constructor(encoding: Encoding, parameters: RemascParameters) {
    this.#encoding = encoding;
    this.#parameters = parameters;
  }

  transaction(number: number): Transaction {
    return remascTransaction(number);
  }

  run(environment: BlockEnvironment, state: Overlay, observer?: ExecutionObserver): ExecutionResult {
    observer?.frameStart?.({
      kind: 'CALL',
      depth: 0,
      from: REMASC_SENDER,
      to: REMASC_ADDRESS,
      input: EMPTY_BYTES,
      gas: 0n,
      value: 0n,
      isPrecompile: true,
    });
    const ledger = new RemascLedger(state);
    const payments = new FeePayments(state, observer);
    ledger.open();
    new FeeSharing(this.#parameters, this.#encoding, ledger, payments, environment).share();
    observer?.frameEnd?.({ outcome: 'success', haltReason: null, output: EMPTY_BYTES, gasUsed: 0n });
    return {
      outcome: 'success',
      haltReason: null,
      gasUsed: 0n,
      gasPaid: 0n,
      gasBeforeRefund: 0n,
      stateGas: 0n,
      executionGas: 0n,
      effectiveGasPrice: 0n,
      returnData: EMPTY_BYTES,
      logs: payments.logs,
      createdAddress: null,
    };
  }
}

/** Returns the end of each block of the local network, or with other parameters. */
export function remascClosing(
  { encoding }: Pick<RuleSet, 'encoding'>,
  parameters: RemascParameters = LOCAL_REMASC,
): BlockClosing {
  return new RemascClosing(encoding, parameters);
}
