import type { Fork } from '../fork/fork.ts';
import type { AnswerKind, UpstreamCall } from '../fork/upstream/upstream-call.ts';
import { type Awaitable, isPromise, whenReady } from '../primitives/awaitable.ts';
import type { Steps } from '../primitives/steps.ts';
import type { Priority } from '../scheduling/priority-queue.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import type { JsonSchema } from '../wire/values.ts';
import {
  beginDecoding,
  type Codec,
  describeKind,
  describeValue,
  type HistoricCodec,
} from './codecs/codec.ts';
import { InvalidParamsError, MethodNotFoundError } from './errors.ts';
import type { ResultShape } from './result-shapes.ts';
import type { RpcContext, RpcSettings } from './rpc-context.ts';

export interface Parameter<T> {
  readonly name: string;
  readonly codec: Codec<T>;
  /** Default of an absent or `null` parameter; `undefined` if the parameter is required. */
  readonly fallback: { readonly value: T } | undefined;
  /** Default in the compat modes that accept fewer parameters than the service document requires. */
  readonly peerFallback?: { readonly value: T };
}

/** A parameter that names a block or a transaction. */
export interface HistoricParameter<T> extends Parameter<T> {
  readonly codec: HistoricCodec<T>;
}

export function param<T>(name: string, codec: HistoricCodec<T>): HistoricParameter<T>;
export function param<T>(name: string, codec: Codec<T>): Parameter<T>;
export function param<T>(name: string, codec: Codec<T>): Parameter<T> {
  return { name, codec, fallback: undefined };
}

/** An optional parameter: `fallback` replaces an absent value and `null`. */
export function optional<T>(name: string, codec: HistoricCodec<T>, fallback: T): HistoricParameter<T>;
export function optional<T>(name: string, codec: Codec<T>, fallback: T): Parameter<T>;
export function optional<T>(name: string, codec: Codec<T>, fallback: T): Parameter<T> {
  return { name, codec, fallback: { value: fallback } };
}

/**
 * A parameter that the service document requires and that is optional in the `anvil` and `hardhat` compat
 * modes. `fallback` is its default there.
 */
export function peerOptional<T>(name: string, codec: HistoricCodec<T>, fallback: T): HistoricParameter<T>;
export function peerOptional<T>(name: string, codec: Codec<T>, fallback: T): Parameter<T>;
export function peerOptional<T>(name: string, codec: Codec<T>, fallback: T): Parameter<T> {
  return { name, codec, fallback: undefined, peerFallback: { value: fallback } };
}

export interface MethodResult {
  readonly description: string;
  readonly schema?: JsonSchema;
}

/** The parameters of a call, by index. */
export interface ReadParams {
  /** The JSON values as received. */
  readonly values: readonly unknown[];
  readonly decoded: readonly unknown[];
}

/** The request to the fork URL that returns the result of a method. */
interface UpstreamQuestion extends Pick<UpstreamCall, 'counts'> {
  /** The expected form of the upstream's result; it also decides how the result is converted. */
  readonly answer: AnswerKind;
  /** The method's name on Rootstock nodes; absent if it is the same. */
  readonly upstreamName?: string;
  /**
   * True if the handler runs on a chain at the block if the upstream does not serve the method. For `block`
   * and `transaction`, the transactions of the block are executed again there.
   */
  readonly executes?: true;
}

/** A call about a block up to the fork block, or about the state after it, or about a transaction in it. */
export interface DerivableCall extends ForkCall {
  readonly number: number;
}

/** Derives the result from methods that all upstreams serve, if the upstream does not serve the method. */
export type Derivation = (call: DerivableCall) => Promise<unknown>;

/**
 * The chain that answers a method on a fork. `at` is the index of the deciding parameter.
 *
 * - `block`: the parameter names a block. The upstream answers for the blocks up to the fork block.
 * - `state`: the parameter names the state after a block. The state after the fork block is local, because
 *   its accounts have funds.
 * - `transaction`: the parameter is the hash of a mined transaction.
 * - `execution`: the parameter is an execution to debug. A hash follows the rule `transaction`, a call follows
 *   the rule `state`, and a failure is local.
 * - `search`: the parameter is a transaction, or an object with its `hash`. The upstream is queried if the
 *   local chain does not find it.
 * - `range`: the result may combine both chains. `answer` merges it, or returns {@link NOT_UPSTREAM} if the
 *   local chain has all of it.
 * - `own`: the local chain alone answers, for the given reason.
 */
export type ForkRule =
  | ({
      readonly kind: 'block' | 'state' | 'transaction' | 'execution';
      readonly at: number;
      readonly derive?: Derivation;
    } & UpstreamQuestion)
  | ({
      readonly kind: 'search';
      readonly derive?: (call: ForkCall) => Promise<unknown>;
    } & UpstreamQuestion)
  | { readonly kind: 'range'; readonly answer: (call: ForkCall) => Promise<unknown> }
  | { readonly kind: 'own'; readonly because: string };

/** Returned in place of a result if the local chain must answer. */
export const NOT_UPSTREAM: unique symbol = Symbol('not the upstream');

/** A read of the upstream for a method of the client. */
export interface ForkReading {
  readonly method: Pick<Method, 'name'>;
  readonly context: RpcContext;
  readonly fork: Fork;
}

export interface ForkCall extends ForkReading {
  readonly method: Method;
  readonly params: ReadParams;
}

export interface Method {
  readonly name: string;
  readonly aliases: readonly string[];
  /** By name: the shapes of the names that convert the result. */
  readonly shapes: Readonly<Record<string, ResultShape>>;
  /** By name: the differences from the node that has the method of this name. */
  readonly differences: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly params: readonly Parameter<unknown>[];
  readonly result: MethodResult;
  /** Absent if the local chain alone always answers. */
  readonly fork?: ForkRule;
  /** True for methods about lanes: the base chain answers them, for every lane in the path. */
  readonly asksBase: boolean;
  /** False for methods whose calls are not logged. */
  readonly isLogged: boolean;
  /** The priority of a call among the pending requests of a chain. */
  readonly priority: Priority;
  /**
   * Returns the result as JSON, in the shape of the name in `calledAs`. Throws, or rejects with,
   * {@link InvalidParamsError} for invalid parameters.
   */
  answer(context: RpcContext, params: unknown, calledAs?: string): unknown;
  /** As {@link Method.answer}, for decoded parameters. */
  answerRead(context: RpcContext, params: ReadParams, calledAs?: string): unknown;
  /**
   * Returns the result for a lane that does not exist, without creating the lane. Absent for methods that
   * create it. Throws as {@link answer} does.
   */
  answerWithoutLane?(context: RpcContext, params: unknown): unknown;
  /** Decodes the parameters; returns a promise if they are large. Throws as {@link answer} does. */
  read(context: RpcContext, params: unknown): Awaitable<ReadParams>;
  /** Converts a result of the handler or the upstream to the shape of the name in `calledAs`. */
  shaped(result: unknown, context: RpcContext, calledAs: string): unknown;
}

/** Marks an alias that returns the result of the handler unchanged. */
export const SAME = 'same';

type DecodedParams<Params extends readonly Parameter<unknown>[]> = {
  -readonly [Position in keyof Params]: Params[Position] extends Parameter<infer T> ? T : never;
};

/** Requires a fork rule of each method with a parameter that names a block or a transaction. */
type RequiredForkRule<Params extends readonly Parameter<unknown>[]> = [
  Extract<Params[number], HistoricParameter<unknown>>,
] extends [never]
  ? unknown
  : { readonly fork: ForkRule };

/** The definition of a method, for {@link defineMethod}. */
export interface MethodDefinition<Params extends readonly Parameter<unknown>[]> {
  readonly name: string;
  /**
   * Other names, each with the shape of its result, or {@link SAME} for the shape of the handler's result.
   */
  readonly aliases?: readonly string[] | Readonly<Record<string, ResultShape | typeof SAME>>;
  /** One line for the method table. */
  readonly summary: string;
  /** The differences from other nodes, for the compat tables: one text for all names, or one per name. */
  readonly differs?: string | Readonly<Record<string, string>>;
  /** By default none. */
  readonly params?: Params;
  /** True if parameters are secret: error messages then contain their type, not their value. */
  readonly hidesParams?: boolean;
  readonly result: MethodResult;
  /** The fork rule. The compiler requires it if a parameter names a block or a transaction. */
  readonly fork?: ForkRule;
  /** True for methods that need a private key of the node; they do not exist in hosted-node mode. */
  readonly needsKeys?: boolean;
  /** True for methods about lanes: the base chain answers them, so that a request creates no lane. */
  readonly asksBase?: boolean;
  /** False for methods whose calls are not logged; true by default. */
  readonly isLogged?: boolean;
  /**
   * The priority of a call among the pending requests of its chain. Short reads are `high` and may start
   * before earlier `low` calls. Long reads are `low`. The default `fifo` keeps the order of arrival.
   */
  readonly priority?: Priority;
  /** The shape of the result under the method's own name; by default the result of the handler. */
  readonly shape?: ResultShape;
  /** Receives the decoded parameters in order; returns a JSON value, or a promise of one. */
  readonly handler: (context: RpcContext, ...params: DecodedParams<Params>) => unknown;
  /** Returns the result for a lane that no longer exists. It prevents polling from recreating the lane. */
  readonly withoutLane?: () => unknown;
}

/** Describes a value for an error message. */
type Describe = (value: unknown) => string;

function namesOf(params: readonly Parameter<unknown>[]): string {
  return params.length === 0 ? 'no parameters' : `only ${params.map(({ name }) => name).join(', ')}`;
}

function byPosition(
  params: readonly Parameter<unknown>[],
  given: readonly unknown[],
  describe: Describe,
): readonly unknown[] {
  for (let position = params.length; position < given.length; position++) {
    const surplus = given[position];
    // Clients fill unused parameters with null.
    if (surplus === null || surplus === undefined) continue;
    throw new InvalidParamsError(`params[${position}]`, namesOf(params), describe(surplus));
  }
  return given;
}

function byName(
  params: readonly Parameter<unknown>[],
  given: object,
  describe: Describe,
): readonly unknown[] {
  for (const name of Object.keys(given)) {
    if (params.some((parameter) => parameter.name === name)) continue;
    throw new InvalidParamsError(name.slice(0, 100), namesOf(params), describe(Reflect.get(given, name)));
  }
  return params.map(({ name }) => (Object.hasOwn(given, name) ? Reflect.get(given, name) : undefined));
}

function valuesOf(
  params: readonly Parameter<unknown>[],
  given: unknown,
  describe: Describe,
): readonly unknown[] {
  if (Array.isArray(given)) return byPosition(params, given, describe);
  if (given === undefined || given === null) return [];
  if (typeof given === 'object') return byName(params, given, describe);
  throw new InvalidParamsError(
    'params',
    'an array, or an object whose keys are parameter names',
    describe(given),
  );
}

/** Returns the default of an absent parameter; `undefined` if it is required. */
function standIn<T>(
  { fallback, peerFallback }: Parameter<T>,
  settings: RpcSettings,
): { readonly value: T } | undefined {
  if (fallback !== undefined || peerFallback === undefined) return fallback;
  return settings.compat.hasPeerDefaults ? peerFallback : undefined;
}

/** Decodes a parameter. Returns a task if there is much to decode. */
function beginParam(
  parameter: Parameter<unknown>,
  value: unknown,
  settings: RpcSettings,
  describe: Describe,
): { readonly value: unknown } | Steps<unknown> {
  const stand = value === undefined || value === null ? standIn(parameter, settings) : undefined;
  const { codec, name } = parameter;
  return stand ?? beginDecoding({ codec, name, value, describe });
}

/** Decodes small parameters synchronously; returns a promise if there is much to decode. */
function decodeParams(
  params: readonly Parameter<unknown>[],
  given: unknown,
  context: RpcContext,
  describe: Describe,
): Awaitable<ReadParams> {
  const { settings } = context;
  const values = valuesOf(params, given, describe);
  const decoded: unknown[] = [];
  for (let position = 0; position < params.length; position++) {
    const begun = beginParam(params[position] as Parameter<unknown>, values[position], settings, describe);
    if ('next' in begun) {
      const rest = decodeRest(params, { values, decoded }, begun, settings, describe);
      return runTask(rest, new TimeSlice(context.deadline));
    }
    decoded.push(begun.value);
  }
  return { values, decoded };
}

/** Decodes the parameters from `first` on, the started reading of the next one. */
function* decodeRest(
  params: readonly Parameter<unknown>[],
  { values, decoded: earlier }: ReadParams,
  first: Steps<unknown>,
  settings: RpcSettings,
  describe: Describe,
): Steps<ReadParams> {
  const decoded = [...earlier, yield* first];
  for (const parameter of params.slice(decoded.length)) {
    const begun = beginParam(parameter, values[decoded.length], settings, describe);
    decoded.push('next' in begun ? yield* begun : begun.value);
  }
  return { values, decoded };
}

function shapesOf(
  aliases: NonNullable<MethodDefinition<[]>['aliases']>,
  name: string,
  own: ResultShape | undefined,
): Record<string, ResultShape> {
  const shapes: Record<string, ResultShape> = own === undefined ? {} : { [name]: own };
  if (Array.isArray(aliases)) return shapes;
  for (const [alias, shape] of Object.entries(aliases)) if (shape !== SAME) shapes[alias] = shape;
  return shapes;
}

function differencesOf(
  names: readonly string[],
  differs: NonNullable<MethodDefinition<[]>['differs']>,
): Readonly<Record<string, string>> {
  return typeof differs === 'string' ? Object.fromEntries(names.map((name) => [name, differs])) : differs;
}

const NO_KEYS =
  'a hosted node has no keys; sign the transaction in the client and send it with eth_sendRawTransaction';

/** Creates a method. The codecs of `params` determine the parameter types of the handler. */
export function defineMethod<const Params extends readonly Parameter<unknown>[] = []>(
  definition: MethodDefinition<Params> & RequiredForkRule<Params>,
): Method {
  const { name, aliases = [], summary, differs = {}, params = [], hidesParams, result } = definition;
  const plain: MethodDefinition<Params> = definition;
  const { fork, needsKeys, asksBase, isLogged = true, priority = 'fifo' } = plain;
  const { shape, handler, withoutLane } = plain;
  const describe = hidesParams === true ? describeKind : describeValue;
  const shapes = shapesOf(aliases, name, shape);
  const otherNames = Array.isArray(aliases) ? aliases : Object.keys(aliases);
  const shaped = (result: unknown, { settings }: RpcContext, calledAs: string): unknown => {
    const asked = Object.hasOwn(shapes, calledAs) ? shapes[calledAs] : undefined;
    return asked === undefined ? result : asked.of(result, settings);
  };
  const answerRead = (context: RpcContext, { decoded }: ReadParams, calledAs = name): unknown => {
    if (needsKeys === true && context.settings.hosted) throw new MethodNotFoundError(name, NO_KEYS);
    const result = handler(context, ...(decoded as DecodedParams<Params>));
    if (!Object.hasOwn(shapes, calledAs)) return result;
    return whenReady(result, (settled) => shaped(settled, context, calledAs));
  };
  const read = (context: RpcContext, given: unknown): Awaitable<ReadParams> =>
    decodeParams(params, given, context, describe);
  return {
    name,
    aliases: otherNames,
    shapes,
    differences: differencesOf([name, ...otherNames], differs),
    summary,
    params,
    result,
    ...(fork !== undefined && { fork }),
    asksBase: asksBase === true,
    isLogged,
    priority,
    answer(context, given, calledAs) {
      const decoded = read(context, given);
      return isPromise(decoded)
        ? decoded.then((all) => answerRead(context, all, calledAs))
        : answerRead(context, decoded, calledAs);
    },
    answerRead,
    ...(withoutLane !== undefined && {
      answerWithoutLane: (context: RpcContext, given: unknown) =>
        whenReady(read(context, given), withoutLane),
    }),
    read,
    shaped,
  };
}
