// Traces by tracers that callers write in JavaScript.

import type { TracerScript } from '../evm/javascript-tracer/trace-job.ts';
import type { TracerFactory } from '../evm/tracers/tracer.ts';
import type { KnownRuleSetName } from '../protocol/hardforks/registry.ts';
import { EXPECTED_TRACER, NAMED_TRACERS } from './codecs/trace-options.ts';
import { CallerGoneError, InvalidParamsError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';

/** The parts of a call's context that such a trace needs. */
export type ScriptContext = Pick<
  RpcContext,
  'chain' | 'settings' | 'connection' | 'checkInterrupt' | 'tracerSlots'
>;

/** Where all methods have the source. */
const PARAMETER = 'options.tracer';

/**
 * Resolves to what `run` makes with the tracer. Rejects with an {@link InvalidParamsError} where the source is none, or the node
 * is hosted, and with a `TracerFailedError` when the tracer fails.
 */
export async function tracedByScript<Result>(
  { chain, settings, connection, checkInterrupt, tracerSlots: slots }: ScriptContext,
  script: TracerScript,
  run: (createTracer: TracerFactory) => Promise<Result>,
): Promise<Result> {
  if (settings.hosted) {
    const expected = `${NAMED_TRACERS}, or none for struct logs, since a hosted node runs no tracers in JavaScript`;
    throw new InvalidParamsError(PARAMETER, expected, 'the source of one');
  }
  const [{ ScriptTracing }, { NotATracerError }] = await Promise.all([
    import('../evm/javascript-tracer/javascript-tracer.ts'),
    import('../evm/javascript-tracer/tracer-errors.ts'),
  ]);
  const { engine, codeSizeLimit } = chain.options;
  const rules = {
    // A chain takes its rules from the registry, and has another difficulty at most.
    ruleSet: chain.ruleSet.name as KnownRuleSetName,
    engine,
    chainId: chain.settings.chainId,
    codeSizeLimit,
  };
  const tracing = new ScriptTracing({ script, rules, slots, checkInterrupt });
  const stopListening = connection.onClose(() => tracing.fail(new CallerGoneError()));
  try {
    return await run(tracing.createTracer);
  } catch (error) {
    if (!(error instanceof NotATracerError)) throw error;
    throw new InvalidParamsError(PARAMETER, EXPECTED_TRACER, `a source that is none: ${error.message}`);
  } finally {
    stopListening();
    tracing.end();
  }
}
