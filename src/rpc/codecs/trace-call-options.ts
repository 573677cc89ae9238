import { type CallOverrides, NO_OVERRIDES } from '../../chain/execution/state-overrides.ts';
import { blockOverrides, stateOverrides } from './call-overrides.ts';
import { type Codec, objectOf, type Reading, refined } from './codec.ts';
import {
  DEFAULT_TRACE_OPTIONS,
  type TraceOptions,
  traceOptionFields,
  traceOptionsOf,
} from './trace-options.ts';

/** How to trace a call, decoded. */
export interface TraceCallOptions extends TraceOptions {
  readonly overrides: CallOverrides;
}

/** What stands for options that a caller leaves out: struct logs of the call on things as they are. */
export const DEFAULT_TRACE_CALL_OPTIONS: TraceCallOptions = {
  ...DEFAULT_TRACE_OPTIONS,
  overrides: NO_OVERRIDES,
};

/** The options of debug_traceCall: those of the other debug_trace* methods, `stateOverrides` and `blockOverrides`. */
export const traceCallOptions: Codec<TraceCallOptions> = refined(
  objectOf(
    { ...traceOptionFields, stateOverrides, blockOverrides },
    'an object with tracer, its options, stateOverrides and blockOverrides',
  ),
  ({ stateOverrides: accounts, blockOverrides: block, ...fields }): Reading<TraceCallOptions> => {
    const read = traceOptionsOf(fields);
    if (!('value' in read)) return read;
    return { value: { ...read.value, overrides: { accounts: accounts ?? [], block: block ?? {} } } };
  },
);
