import { CallTracer } from '../../evm/tracers/call-tracer.ts';
import { FlatCallTracer } from '../../evm/tracers/flat-call-tracer.ts';
import { FourByteTracer } from '../../evm/tracers/four-byte-tracer.ts';
import { NoopTracer } from '../../evm/tracers/noop-tracer.ts';
import { PrestateTracer } from '../../evm/tracers/prestate-tracer.ts';
import { RskTracer } from '../../evm/tracers/rsk-tracer.ts';
import { StructLogger } from '../../evm/tracers/struct-logger.ts';
import type { TracerFactory } from '../../evm/tracers/tracer.ts';
import { revertText } from '../views/revert-reason.ts';
import type { Decoded } from './codec.ts';
import { objectOf } from './codec.ts';
import { flag } from './flag.ts';
import { index } from './quantity.ts';

/** The options of all tracers; each looks at its own only. */
export const tracerSettingFields = {
  disableMemory: flag,
  enableMemory: flag,
  disableStack: flag,
  disableStorage: flag,
  enableReturnData: flag,
  limit: index,
  onlyTopCall: flag,
  withLog: flag,
  diffMode: flag,
  disableCode: flag,
  convertParityErrors: flag,
  includePrecompiles: flag,
} as const;

/** The options of a tracer as an object of their own. */
export const tracerSettings = objectOf(tracerSettingFields, 'an object with the options of the tracer');

/** Decoded options of a tracer: `null` for what is left to the tracer. */
export type TracerSettings = Decoded<typeof tracerSettings>;

/** The tracer that is used when none is named. */
export function structLogger(settings: Partial<TracerSettings>): TracerFactory {
  const options = {
    memory: settings.enableMemory ?? settings.disableMemory === false,
    stack: settings.disableStack !== true,
    storage: settings.disableStorage !== true,
    returnData: settings.enableReturnData === true,
    limit: settings.limit ?? 0,
  };
  return ({ budget }) => new StructLogger(options, budget);
}

function callTracer(settings: TracerSettings): TracerFactory {
  const options = {
    onlyTopCall: settings.onlyTopCall === true,
    withLog: settings.withLog === true,
    describeRevert: revertText,
  };
  return (subject) => new CallTracer(subject, options);
}

function prestateTracer(settings: TracerSettings): TracerFactory {
  const options = {
    diffMode: settings.diffMode === true,
    disableCode: settings.disableCode === true,
    disableStorage: settings.disableStorage === true,
  };
  return (subject) => new PrestateTracer(subject, options);
}

function flatCallTracer(settings: TracerSettings): TracerFactory {
  const options = {
    convertParityErrors: settings.convertParityErrors === true,
    includePrecompiles: settings.includePrecompiles === true,
  };
  return (subject) => new FlatCallTracer(subject, options);
}

function rskTracer(settings: TracerSettings): TracerFactory {
  const options = {
    memory: settings.disableMemory !== true,
    stack: settings.disableStack !== true,
    storage: settings.disableStorage !== true,
  };
  return ({ budget }) => new RskTracer(options, budget);
}

/** The tracers that can be named, but for the one that runs several of these. */
export const TRACERS = {
  callTracer,
  prestateTracer,
  '4byteTracer': () => () => new FourByteTracer(),
  flatCallTracer,
  noopTracer: () => () => new NoopTracer(),
  rskTracer,
} as const satisfies Record<string, (settings: TracerSettings) => TracerFactory>;

/** The name of one of {@link TRACERS}. */
export type TracerName = keyof typeof TRACERS;
