/** Runs JavaScript tracers of debug_* methods, and decodes calls, errors and events of traces. */

import type { TracerScript } from '../evm/javascript-tracer/trace-job.ts';
import { MuxTracer } from '../evm/tracers/mux-tracer.ts';
import type { Tracer, TracerFactory } from '../evm/tracers/tracer.ts';
import type { RecordedExecution } from '../inspect/execution-recorder.ts';
import type { RuleSetName } from '../protocol/hardforks/registry.ts';
import { EXPECTED_TRACER, NAMED_TRACERS, type TraceOptions } from './codecs/trace-options.ts';
import { isHardhat2 } from './compat.ts';
import { ClientDisconnectedError, InvalidParamsError, TraceTimeoutError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';
import type { RunTraces, Traced, TraceFrame } from './trace-decoding.ts';
import { TraceTimeout } from './trace-timeout.ts';

type TraceContext = Pick<RpcContext, 'node' | 'services' | 'settings' | 'connection' | 'deadline'>;

/** The path of the tracer parameter in all methods. */
const PARAMETER = 'options.tracer';

/**
 * Resolves to the result of `run` with the script as tracer. Rejects with {@link InvalidParamsError} if the
 * source is invalid or in hosted-node mode, and with `TracerFailedError` if the tracer fails.
 */
async function tracedByScript<Result>(
  {
    node: { chain, fork, owner },
    settings,
    connection,
    deadline,
    services: { tracerThreads: threads },
  }: TraceContext,
  script: TracerScript,
  timeout: TraceTimeout | null,
  run: (createTracer: TracerFactory) => Promise<Result>,
): Promise<Result> {
  if (settings.hosted) {
    const expected = `${NAMED_TRACERS}, or no tracer for struct logs (a hosted node rejects tracers in JavaScript)`;
    throw new InvalidParamsError(PARAMETER, expected, 'JavaScript source');
  }
  const [{ ScriptTracing }, { NotATracerError }] = await Promise.all([
    import('../evm/javascript-tracer/javascript-tracer.ts'),
    import('../evm/javascript-tracer/trace-job.ts'),
  ]);
  const { engine, codeSizeLimit, federation } = chain.options;
  const rules = {
    // The rules of a chain come from the registry. Only their difficulty can differ.
    ruleSet: chain.ruleSet.name as RuleSetName,
    upstreamChainId: fork.chainId,
    engine,
    chainId: chain.settings.chainId,
    codeSizeLimit,
    federation,
  };
  // API keys that share a chain also take turns.
  const lane = owner ?? chain;
  const tracing = new ScriptTracing({ script, rules, threads, lane, checkCancelled: deadline, timeout });
  const stopListening = connection.onClose(() => tracing.fail(new ClientDisconnectedError()));
  try {
    return await run(tracing.createTracer);
  } catch (error) {
    if (!(error instanceof NotATracerError)) throw error;
    throw new InvalidParamsError(PARAMETER, EXPECTED_TRACER, `an invalid source: ${error.message}`);
  } finally {
    stopListening();
    tracing.end();
  }
}

/** A trace, and the recording of the same execution for its decoding. */
interface TraceWithRecording {
  readonly trace: unknown;
  readonly recording: RecordedExecution;
}

/**
 * Resolves to the traces of `run` with the tracer of the options. If the options request it, `decoded` is
 * added to the frames and logs of callTracer and the frames of flatCallTracer. Rejects with
 * {@link TraceTimeoutError} if a trace exceeds the option `timeout`.
 */
export async function tracedWith<Result extends Traced>(
  context: TraceContext,
  { timeout: limit, hardhat2Tracer, ...given }: TraceOptions,
  run: RunTraces<readonly Result[]>,
): Promise<readonly Result[]> {
  const { connection, settings } = context;
  const isForHardhat2 = settings.compat.name === 'hardhat' && isHardhat2(connection.userAgent);
  const options =
    isForHardhat2 && hardhat2Tracer !== undefined ? { ...given, tracer: hardhat2Tracer } : given;
  if (limit === null) return tracedAndDecoded(context, options, null, run);
  const timeout = new TraceTimeout(limit, context.services.timers);
  const deadline = timeout.checking(context.deadline);
  try {
    return await tracedAndDecoded({ ...context, deadline }, options, timeout, run);
  } finally {
    timeout.end();
  }
}

async function tracedAndDecoded<Result extends Traced>(
  context: TraceContext,
  { tracer, decodings }: Pick<TraceOptions, 'tracer' | 'decodings'>,
  timeout: TraceTimeout | null,
  run: RunTraces<readonly Result[]>,
): Promise<readonly Result[]> {
  const { deadline } = context;
  if (typeof tracer === 'object') {
    return tracedByScript(context, tracer, timeout, (createTracer) => run(createTracer, deadline));
  }
  const createTracer: TracerFactory = (subject) => {
    timeout?.begin();
    return tracer(subject);
  };
  if (decodings.length === 0) return run(createTracer, deadline);
  const [{ ExecutionRecorder }, decoding, artifacts] = await Promise.all([
    import('../inspect/execution-recorder.ts'),
    import('./trace-decoding.ts'),
    context.node.inspector.artifacts.load(),
  ]);
  await artifacts.ready();
  const results = await run((subject) => {
    const tracers: [string, Tracer][] = [
      ['trace', createTracer(subject)],
      ['recording', new ExecutionRecorder(subject)],
    ];
    return new MuxTracer(new Map(tracers));
  }, deadline);
  timeout?.end();
  const placesOf = decoding.placesOfCreations((createTracer) => run(createTracer, context.deadline));
  const decoded: Result[] = [];
  for (const [index, result] of results.entries()) {
    // The tracer above returns this shape.
    const { trace, recording } = result.trace as TraceWithRecording;
    const calls = await decoding.callsOf(context, recording, () => placesOf(index));
    for (const each of decodings) {
      const part = each.name === null ? trace : (trace as TraceFrame)[each.name];
      if (each.form === 'tree') decoding.decodeTree(part as TraceFrame, recording.frames, calls);
      else decoding.decodeList(part as readonly TraceFrame[], recording.frames, calls, each);
    }
    decoded.push({ ...result, trace });
  }
  return decoded;
}

/** As {@link tracedWith}, for one execution. */
export async function tracedOnce(
  context: TraceContext,
  options: TraceOptions,
  run: RunTraces<unknown>,
): Promise<unknown> {
  const [traced] = await tracedWith(context, options, async (createTracer, checkCancelled) => [
    { trace: await run(createTracer, checkCancelled) },
  ]);
  return traced?.trace;
}
