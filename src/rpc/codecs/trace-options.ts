import { MuxTracer } from '../../evm/tracers/mux-tracer.ts';
import type { TracerFactory } from '../../evm/tracers/tracer.ts';
import {
  type Codec,
  type DecodedFields,
  leaf,
  objectOf,
  type Reading,
  readAtOnce,
  refined,
} from './codec.ts';
import { recordOf } from './record.ts';
import {
  structLogger,
  TRACERS,
  type TracerName,
  type TracerSettings,
  tracerSettingFields,
  tracerSettings,
} from './tracers.ts';

const MUX = 'muxTracer';
const NAMES = Object.keys(TRACERS);

function isTracerName(name: string): name is TracerName {
  return Object.hasOwn(TRACERS, name);
}

/** The tracer that a text names in letters of either case, as the network takes it. */
function nameIn(value: unknown): TracerName | typeof MUX | undefined {
  if (typeof value !== 'string') return undefined;
  const asked = value.toLowerCase();
  return asked === MUX.toLowerCase()
    ? MUX
    : NAMES.filter(isTracerName).find((name) => name.toLowerCase() === asked);
}

const anyTracer = leaf(
  `one of the tracers ${NAMES.join(', ')}, ${MUX}, or none for struct logs (tracers in JavaScript are not supported)`,
  { type: 'string', enum: [...NAMES, MUX] },
  nameIn,
);

const muxedTracer: Codec<TracerName> = leaf(
  `one of the tracers ${NAMES.join(', ')}`,
  { type: 'string', enum: NAMES },
  (value) => {
    const name = nameIn(value);
    return name === MUX ? undefined : name;
  },
);

/** Reads a value with a codec of its own; complaints are about that place inside it. */
function readAt<T>(codec: Codec<T>, value: unknown, path: readonly string[]): Reading<T> {
  const read = readAtOnce(codec, value);
  return 'value' in read ? read : { ...read, path: [...path, ...read.path] };
}

const muxedTracers = recordOf(
  muxedTracer,
  refined(
    leaf<object>('an object with the options of the tracer, or null', tracerSettings.jsonSchema, (value) =>
      value === null ? {} : typeof value === 'object' ? value : undefined,
    ),
    (value) => readAtOnce(tracerSettings, value),
  ),
  `an object of options under the names of tracers (${NAMES.join(', ')})`,
  (name, settings) => [name, settings] as const,
);

/** How to trace, decoded. */
export interface TraceOptions {
  readonly createTracer: TracerFactory;
  /** True for the form in which the network lists the traces of a block: bare, in the order of the transactions. */
  readonly isNetworkForm: boolean;
}

/** What stands for options that a caller leaves out: struct logs. */
export const DEFAULT_TRACE_OPTIONS: TraceOptions = {
  createTracer: structLogger({}),
  isNetworkForm: false,
};

function muxOptions(config: unknown): Reading<TraceOptions> {
  const read = readAt(muxedTracers, config, ['tracerConfig']);
  if (!('value' in read)) return read;
  const names = read.value.map(([name]) => name);
  const repeated = names.find((name, position) => names.indexOf(name) !== position);
  if (repeated !== undefined) return { path: ['tracerConfig', repeated], expected: 'each tracer once' };
  const factories = read.value.map(([name, settings]) => [name, TRACERS[name](settings)] as const);
  return {
    value: {
      createTracer: (subject) =>
        new MuxTracer(new Map(factories.map(([name, createTracer]) => [name, createTracer(subject)]))),
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

/** What the options of the debug_trace* methods hold: `tracer` and its options, at the top or in `tracerConfig`. */
export const traceOptionFields = {
  tracer: anyTracer,
  tracerConfig: anyConfig,
  ...tracerSettingFields,
} as const;

/** Makes trace options of their decoded fields. */
export function traceOptionsOf(fields: DecodedFields<typeof traceOptionFields>): Reading<TraceOptions> {
  const { tracer, tracerConfig, ...outer } = fields;
  if (tracer === MUX) return muxOptions(tracerConfig ?? {});
  const inner = readAt(tracerSettings, tracerConfig ?? {}, ['tracerConfig']);
  if (!('value' in inner)) return inner;
  const settings = joined(outer, inner.value);
  const createTracer = tracer === null ? structLogger(settings) : TRACERS[tracer](settings);
  return { value: { createTracer, isNetworkForm: tracer === 'rskTracer' } };
}

/** The options of the debug_trace* methods. Unknown ones are ignored. Without a tracer: struct logs. */
export const traceOptions: Codec<TraceOptions> = refined(
  objectOf(traceOptionFields, 'an object with tracer and its options'),
  traceOptionsOf,
);
