import { LATEST } from '../../../chain/block-selector.ts';
import { CallRejectedError } from '../../../chain/errors.ts';
import { UnexecutableError } from '../../../evm/engine.ts';
import type { ComparedRun } from '../../../inspect/comparison.ts';
import type { Inspection } from '../../../inspect/inspection.ts';
import { type RuleSetName, ruleSetNamed } from '../../../protocol/hardforks/registry.ts';
import { isRemascTransaction } from '../../../protocol/remasc.ts';
import { hardfork } from '../../codecs/basic.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { callObject } from '../../codecs/call-object.ts';
import { arrayOf, chosenBy, historic, refined } from '../../codecs/codec.ts';
import { hash32 } from '../../codecs/hex-values.ts';
import { InvalidValueError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { requireTransaction } from '../../traces.ts';
import { callMessage } from '../../transaction-request.ts';

/** Maximum compared hardforks; each needs its own execution. */
const MAX_RULE_SETS = 8;

const EXPECTED_HARDFORKS = `2 to ${MAX_RULE_SETS} different hardforks`;

const hardforks = refined(arrayOf(hardfork, EXPECTED_HARDFORKS, MAX_RULE_SETS), (names) =>
  names.length < 2 || new Set(names).size < names.length
    ? { path: [], expected: EXPECTED_HARDFORKS }
    : { value: names },
);

/** The hash of a transaction, or a call object. */
const subject = historic(
  chosenBy<Uint8Array | Parameters<typeof callMessage>[1]>(
    (value) => (typeof value === 'string' ? hash32 : callObject),
    [hash32, callObject],
  ),
);

/** Resolves to the result under a hardfork. A rejection by the hardfork is also a result. */
async function comparedRun(
  { node: { chain } }: RpcContext,
  ruleSet: RuleSetName,
  run: (rules: ReturnType<typeof chain.tracing.rulesOf>) => Promise<Inspection>,
): Promise<ComparedRun> {
  try {
    const inspection = await run(chain.tracing.rulesOf(ruleSetNamed(ruleSet)));
    return { ruleSet, refusal: null, inspection, withMoreGas: null };
  } catch (error) {
    if (!isRejection(error)) throw error;
    return { ruleSet, refusal: error.message, inspection: null, withMoreGas: null };
  }
}

function isRejection(error: unknown): error is Error {
  return error instanceof UnexecutableError || error instanceof CallRejectedError;
}

const succeeds = (inspection: Inspection | null): boolean => inspection?.call.outcome === 'success';

/**
 * Yields the results. If another hardfork succeeds, a failed one is repeated with the maximum gas of block
 * and hardfork. The reason is that a transaction's gas limit fits the gas costs of its own hardfork. A
 * successful repeated result is stored as `withMoreGas`.
 */
async function* withMoreGas(
  { node: { chain } }: RpcContext,
  runs: readonly ComparedRun[],
  blockGasLimit: bigint,
  run: (rules: ReturnType<typeof chain.tracing.rulesOf>) => Promise<Inspection>,
): AsyncGenerator<ComparedRun, void, undefined> {
  const hasSuccess = runs.some(({ inspection }) => succeeds(inspection));
  for (const compared of runs) {
    if (!hasSuccess || compared.inspection === null || succeeds(compared.inspection)) {
      yield compared;
      continue;
    }
    const rules = chain.tracing.rulesOf(ruleSetNamed(compared.ruleSet));
    const most = rules.ruleSet.maximumTransactionGas;
    const gasLimit = most === null || most > blockGasLimit ? blockGasLimit : most;
    try {
      const again = await run({ ...rules, gasLimit });
      yield { ...compared, withMoreGas: succeeds(again) ? again : null };
    } catch (error) {
      if (!isRejection(error)) throw error;
      yield compared;
    }
  }
}

export const INSPECT_COMPARISON: readonly Method[] = [
  /**
   * Executes a mined transaction, or a call on the state after a block, under several hardforks. It returns
   * their differences in outcome, gas by frame, logs, slots and balances. Each result also includes the
   * report of inspect_transaction. A mined transaction runs on its original state. A hardfork with a base fee
   * uses the block's minimum gas price if the block has no base fee.
   *
   * If a transaction fails because of its gas limit, `gasUsedWithMore` is its gas with a higher one. A
   * transaction that the hardfork rejects has its own outcome, `refused`, and the others are still compared.
   * Throws for an unknown hash, and for the REMASC transaction of a Rootstock block, which the EVM does not
   * execute.
   */
  defineMethod({
    name: 'inspect_compare',
    summary: 'Compares a transaction or call under several hardforks: outcome, gas by frame, logs, storage',
    priority: 'low',
    params: [
      param('transactionHashOrCall', subject),
      param('hardforks', hardforks),
      optional('block', blockSelector, LATEST),
    ],
    fork: {
      kind: 'range',
      answer: async (call) => (await import('../../fork/fork-ranges.ts')).comparison(call),
    },
    result: {
      description:
        '`isSame`, the `runs`, and the differences in `frames`, `logs`, `storage` and `balances`. Each difference contains one value per run. Each run contains `hardfork`, `outcome`, `reason`, `gasUsed` and an `inspection` object. If a transaction fails only because of its gas limit, `gasUsedWithMore` is the gas that it uses with a higher limit',
      schema: {
        type: 'object',
        properties: {
          isSame: { type: 'boolean' },
          runs: { type: 'array', items: { type: 'object' } },
          frames: { type: 'array', items: { type: 'object' } },
          logs: { type: 'array', items: { type: 'object' } },
          storage: { type: 'array', items: { type: 'object' } },
          balances: { type: 'array', items: { type: 'object' } },
        },
        required: ['isSame', 'runs', 'frames', 'logs', 'storage', 'balances'],
      },
    },
    handler: async (context, asked, names, block) => {
      const { chain } = context.node;
      const { deadline } = context;
      const inspector = await context.node.inspector.ready();
      const options = { hasChanges: true, checkCancelled: deadline };
      const runs: ComparedRun[] = [];
      if (asked instanceof Uint8Array) {
        const mined = requireTransaction(chain, asked);
        const transaction = mined.block.transactions[mined.index];
        if (transaction !== undefined && isRemascTransaction(transaction)) {
          const expected = 'a transaction that the EVM executes';
          throw new InvalidValueError('transactionHashOrCall', expected, 'the REMASC transaction of a block');
        }
        const { block: minedBlock, index } = mined;
        const run = (rules: ReturnType<typeof chain.tracing.rulesOf>): Promise<Inspection> =>
          inspector.transaction(minedBlock, index, { ...options, rules });
        const own: ComparedRun[] = [];
        for (const name of names) own.push(await comparedRun(context, name, run));
        for await (const compared of withMoreGas(context, own, minedBlock.header.gasLimit, run))
          runs.push(compared);
      } else {
        const message = callMessage(context, asked);
        const overrides = { accounts: [], block: {} };
        for (const name of names)
          runs.push(
            await comparedRun(context, name, (rules) =>
              inspector.call(message, block, overrides, { ...options, rules }),
            ),
          );
      }
      const { comparisonOf } = await import('../../../inspect/comparison.ts');
      const { comparisonView } = await import('../../views/comparison.ts');
      return deadline.run(comparisonView(comparisonOf(runs)));
    },
  }),
];
