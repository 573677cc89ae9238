import { type CallOverrides, NO_OVERRIDES } from '../../chain/execution/state-overrides.ts';
import type { TracerScript } from '../../evm/javascript-tracer/trace-job.ts';
import { revertText } from '../../evm/revert-reason.ts';
import { CallTracer, FourByteTracer } from '../../evm/tracers/call-tracer.ts';
import { Erc7562Tracer } from '../../evm/tracers/erc7562-tracer.ts';
import { FlatCallTracer } from '../../evm/tracers/flat-call-tracer.ts';
import { MuxTracer } from '../../evm/tracers/mux-tracer.ts';
import { PrestateTracer } from '../../evm/tracers/prestate-tracer.ts';
import { RskTracer } from '../../evm/tracers/rsk-tracer.ts';
import { type StepForm, StructLogger } from '../../evm/tracers/struct-logger.ts';
import { NoopTracer, type TracerFactory } from '../../evm/tracers/tracer.ts';
import { duration, flag, recordOf } from './basic.ts';
import { blockOverrides, stateOverrides } from './call-overrides.ts';
import {
  arrayOf,
  type Codec,
  type Decoded,
  type DecodedFields,
  leaf,
  objectOf,
  type Reading,
  readSync,
  refined,
} from './codec.ts';
import { index } from './hex-values.ts';

/** The options of all tracers. Each tracer reads its own. */
const tracerSettingFields = {
  disableMemory: flag,
  enableMemory: flag,
  disableStack: flag,
  disableStorage: flag,
  enableReturnData: flag,
  limit: index,
  onlyTopCall: flag,
  onlyTopLevelCall: flag,
  withLog: flag,
  diffMode: flag,
  disableCode: flag,
  convertParityErrors: flag,
  includePrecompiles: flag,
  ignoredOpcodes: arrayOf(index, 'an array of opcodes'),
  decode: flag,
} as const;

const tracerSettings = objectOf(tracerSettingFields, 'an object with the options of the tracer');

/** Decoded options of a tracer; `null` for the tracer's default. */
export type TracerSettings = Decoded<typeof tracerSettings>;

/** The default tracer. The form of Hardhat 2 has the memory by default. */
function structLogger(settings: Partial<TracerSettings>, form: StepForm = 'geth'): TracerFactory {
  const hasMemory = form === 'geth' ? settings.disableMemory === false : settings.disableMemory !== true;
  const options = {
    form,
    memory: settings.enableMemory ?? hasMemory,
    stack: settings.disableStack !== true,
    storage: settings.disableStorage !== true,
    returnData: settings.enableReturnData === true,
    limit: settings.limit ?? 0,
  };
  return ({ budget }) => new StructLogger(options, budget);
}

function callTracer(settings: TracerSettings): TracerFactory {
  const options = {
    onlyTopCall: settings.onlyTopCall === true || settings.onlyTopLevelCall === true,
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

function erc7562Tracer(settings: TracerSettings): TracerFactory {
  const options = {
    ignoredOpcodes: settings.ignoredOpcodes === null ? null : new Set(settings.ignoredOpcodes),
    withLog: settings.withLog === true,
    describeRevert: revertText,
  };
  return (subject) => new Erc7562Tracer(subject, options);
}

function rskTracer(settings: TracerSettings): TracerFactory {
  const options = {
    memory: settings.disableMemory !== true,
    stack: settings.disableStack !== true,
    storage: settings.disableStorage !== true,
  };
  return ({ budget }) => new RskTracer(options, budget);
}

/** The tracers by name, without the mux tracer. */
const TRACERS = {
  callTracer,
  prestateTracer,
  '4byteTracer': () => () => new FourByteTracer(),
  flatCallTracer,
  erc7562Tracer,
  noopTracer: () => () => new NoopTracer(),
  rskTracer,
} as const satisfies Record<string, (settings: TracerSettings) => TracerFactory>;

export type TracerName = keyof typeof TRACERS;

const MUX = 'muxTracer';
const NAMES = Object.keys(TRACERS);

function isTracerName(name: string): name is TracerName {
  return Object.hasOwn(TRACERS, name);
}

/** Finds a tracer by name, ignoring case as Rootstock does. */
function nameIn(value: unknown): TracerName | typeof MUX | undefined {
  if (typeof value !== 'string') return undefined;
  const asked = value.toLowerCase();
  return asked === MUX.toLowerCase()
    ? MUX
    : NAMES.filter(isTracerName).find((name) => name.toLowerCase() === asked);
}

/** A JavaScript tracer is an object literal; names contain no brace. */
const SCRIPT = /\{/;

/** The source of a JavaScript tracer. */
interface ScriptSource {
  readonly source: string;
}

/** The names of the tracers, for error messages. */
export const NAMED_TRACERS = `one of the tracers ${NAMES.join(', ')}, ${MUX}`;

export const EXPECTED_TRACER = `${NAMED_TRACERS}, the source of a JavaScript tracer ("{step: …, fault: …, result: …}"), or no tracer for struct logs`;

const anyTracer: Codec<TracerName | typeof MUX | ScriptSource> = leaf(
  EXPECTED_TRACER,
  { oneOf: [{ enum: [...NAMES, MUX] }, { type: 'string', pattern: SCRIPT.source }] },
  (value) =>
    nameIn(value) ?? (typeof value === 'string' && SCRIPT.test(value) ? { source: value } : undefined),
);

const muxedTracer: Codec<TracerName> = leaf(
  `one of the tracers ${NAMES.join(', ')}`,
  { type: 'string', enum: NAMES },
  (value) => {
    const name = nameIn(value);
    return name === MUX ? undefined : name;
  },
);

/** Reads a value with a codec; complaints have the path of the value inside the options. */
function readAt<T>(codec: Codec<T>, value: unknown, path: readonly string[]): Reading<T> {
  const read = readSync(codec, value);
  return 'value' in read ? read : { ...read, path: [...path, ...read.path] };
}

const muxedTracers = recordOf(
  muxedTracer,
  refined(
    leaf<object>('an object with the options of the tracer, or null', tracerSettings.jsonSchema, (value) =>
      value === null ? {} : typeof value === 'object' ? value : undefined,
    ),
    (value) => readSync(tracerSettings, value),
  ),
  `an object whose keys are tracer names (${NAMES.join(', ')}) and whose values are the options of each tracer, or null`,
  (name, settings) => [name, settings] as const,
);

/** A trace that is decoded. */
export interface TraceDecoding {
  /** The name of the tracer in a mux trace; `null` for a single tracer. */
  readonly name: TracerName | null;
  /** Nested frames, or a flat list. */
  readonly form: 'tree' | 'list';
  /** True if the trace includes plain calls of precompiled contracts. */
  readonly includesPrecompiles: boolean;
}

/** Returns the decoding of a tracer's result; empty without `decode`, and for tracers without calls. */
function decodingsOf(tracer: TracerName, settings: TracerSettings, name: TracerName | null): TraceDecoding[] {
  if (settings.decode !== true) return [];
  if (tracer === 'callTracer') return [{ name, form: 'tree', includesPrecompiles: true }];
  const includesPrecompiles = settings.includePrecompiles === true;
  return tracer === 'flatCallTracer' ? [{ name, form: 'list', includesPrecompiles }] : [];
}

export interface TraceOptions {
  readonly tracer: TracerFactory | TracerScript;
  /** The tracer for clients that expect the steps of Hardhat 2; only for struct logs. */
  readonly hardhat2Tracer?: TracerFactory;
  /** The traces whose calls and events are decoded; empty without the option `decode`. */
  readonly decodings: readonly TraceDecoding[];
  /** True for Rootstock's form of a block's traces: traces only, in the order of the transactions. */
  readonly isNetworkForm: boolean;
  /** Maximum milliseconds per trace; `null` for the limit of the request. */
  readonly timeout: number | null;
}

/** The options of a trace without `timeout`. */
type TracerChoice = Omit<TraceOptions, 'timeout'>;

/** The default options: struct logs. */
export const DEFAULT_TRACE_OPTIONS: TraceOptions = {
  tracer: structLogger({}),
  hardhat2Tracer: structLogger({}, 'padded'),
  decodings: [],
  isNetworkForm: false,
  timeout: null,
};

function muxOptions(config: unknown): Reading<TracerChoice> {
  const read = readAt(muxedTracers, config, ['tracerConfig']);
  if (!('value' in read)) return read;
  const names = read.value.map(([name]) => name);
  const repeated = names.find((name, position) => names.indexOf(name) !== position);
  if (repeated !== undefined) return { path: ['tracerConfig', repeated], expected: 'one entry per tracer' };
  const factories = read.value.map(([name, settings]) => [name, TRACERS[name](settings)] as const);
  return {
    value: {
      tracer: (subject) =>
        new MuxTracer(new Map(factories.map(([name, createTracer]) => [name, createTracer(subject)]))),
      decodings: read.value.flatMap(([name, settings]) => decodingsOf(name, settings, name)),
      isNetworkForm: false,
    },
  };
}

function joined(outer: TracerSettings, inner: TracerSettings): TracerSettings {
  const given = Object.entries(inner).filter(([, value]) => value !== null);
  return { ...outer, ...Object.fromEntries(given) };
}

const anyConfig = leaf<object>(
  'an object with the options of the tracer',
  tracerSettings.jsonSchema,
  (value) => (typeof value === 'object' && value !== null ? value : undefined),
);

/**
 * The options of the debug_trace* methods: `tracer` and its options, at the top level or in `tracerConfig`.
 */
const traceOptionFields = {
  tracer: anyTracer,
  tracerConfig: anyConfig,
  timeout: duration,
  ...tracerSettingFields,
} as const;

function tracerChoiceOf({
  tracer,
  tracerConfig,
  ...outer
}: Omit<DecodedFields<typeof traceOptionFields>, 'timeout'>): Reading<TracerChoice> {
  if (tracer === MUX) return muxOptions(tracerConfig ?? {});
  if (tracer !== null && typeof tracer === 'object') {
    const config = JSON.stringify(tracerConfig ?? {});
    return { value: { tracer: { ...tracer, config }, decodings: [], isNetworkForm: false } };
  }
  const inner = readAt(tracerSettings, tracerConfig ?? {}, ['tracerConfig']);
  if (!('value' in inner)) return inner;
  const settings = joined(outer, inner.value);
  if (tracer === null) {
    const hardhat2Tracer = structLogger(settings, 'padded');
    return {
      value: { tracer: structLogger(settings), hardhat2Tracer, decodings: [], isNetworkForm: false },
    };
  }
  const decodings = decodingsOf(tracer, settings, null);
  return {
    value: { tracer: TRACERS[tracer](settings), decodings, isNetworkForm: tracer === 'rskTracer' },
  };
}

function traceOptionsOf({
  timeout,
  ...fields
}: DecodedFields<typeof traceOptionFields>): Reading<TraceOptions> {
  const read = tracerChoiceOf(fields);
  return 'value' in read ? { value: { ...read.value, timeout } } : read;
}

/** The options of the debug_trace* methods. Unknown options are ignored. The default is struct logs. */
export const traceOptions: Codec<TraceOptions> = refined(
  objectOf(traceOptionFields, 'an object with tracer and the options of the tracer'),
  traceOptionsOf,
);

/** The decoded options of debug_traceCall. */
export interface TraceCallOptions extends TraceOptions {
  readonly overrides: CallOverrides;
  /** The call runs before the transaction at this index; `null` for the end of the block. */
  readonly transactionIndex: number | null;
}

/** The default options: struct logs, without overrides. */
export const DEFAULT_TRACE_CALL_OPTIONS: TraceCallOptions = {
  ...DEFAULT_TRACE_OPTIONS,
  overrides: NO_OVERRIDES,
  transactionIndex: null,
};

/** The options of debug_traceCall: the common options, `stateOverrides`, `blockOverrides` and `txIndex`. */
export const traceCallOptions: Codec<TraceCallOptions> = refined(
  objectOf(
    { ...traceOptionFields, stateOverrides, blockOverrides, txIndex: index },
    'an object with tracer, the options of the tracer, stateOverrides, blockOverrides and txIndex',
  ),
  ({ stateOverrides: accounts, blockOverrides: block, txIndex, ...fields }): Reading<TraceCallOptions> => {
    const read = traceOptionsOf(fields);
    if (!('value' in read)) return read;
    const overrides = { accounts: accounts ?? [], block: block ?? {} };
    return { value: { ...read.value, overrides, transactionIndex: txIndex } };
  },
);

/** The options of debug_traceCallMany: the common options of debug_trace*, and `stateOverrides`. */
export const traceBundleOptions: Codec<TraceCallOptions> = refined(
  objectOf(
    { ...traceOptionFields, stateOverrides },
    'an object with tracer, the options of the tracer and stateOverrides',
  ),
  ({ stateOverrides: accounts, ...fields }): Reading<TraceCallOptions> => {
    const read = traceOptionsOf(fields);
    if (!('value' in read)) return read;
    return {
      value: { ...read.value, overrides: { accounts: accounts ?? [], block: {} }, transactionIndex: null },
    };
  },
);
