import type { Fork } from '../fork/fork.ts';
import type { AnswerKind, UpstreamCall } from '../fork/upstream/upstream-call.ts';
import type { Precedence } from '../scheduling/beginning-queue.ts';
import { type Awaitable, isPromise, runTask, type Task, whenReady } from '../scheduling/task.ts';
import { WorkPieces } from '../scheduling/work-pieces.ts';
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

/** One parameter of a method. */
export interface Parameter<T> {
  readonly name: string;
  readonly codec: Codec<T>;
  /** The value of an absent or `null` parameter; `undefined` when the caller must give one. */
  readonly fallback: { readonly value: T } | undefined;
  /** Its value with a dialect in which callers may leave out more than the service document allows. */
  readonly peerFallback?: { readonly value: T };
}

/** A parameter that names a block or a transaction. */
export interface HistoricParameter<T> extends Parameter<T> {
  readonly codec: HistoricCodec<T>;
}

/** A parameter that a caller must give. */
export function param<T>(name: string, codec: HistoricCodec<T>): HistoricParameter<T>;
export function param<T>(name: string, codec: Codec<T>): Parameter<T>;
export function param<T>(name: string, codec: Codec<T>): Parameter<T> {
  return { name, codec, fallback: undefined };
}

/** A parameter that a caller may leave out or give as `null`: `fallback` then stands for it. */
export function optional<T>(name: string, codec: HistoricCodec<T>, fallback: T): HistoricParameter<T>;
export function optional<T>(name: string, codec: Codec<T>, fallback: T): Parameter<T>;
export function optional<T>(name: string, codec: Codec<T>, fallback: T): Parameter<T> {
  return { name, codec, fallback: { value: fallback } };
}

/**
 * A parameter that a caller must give as the service document says, and may leave out in the dialects of the peers:
 * `fallback` then stands for it.
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

/** The parameters of a call, by their places. */
export interface ReadParams {
  /** As they came. */
  readonly values: readonly unknown[];
  readonly decoded: readonly unknown[];
}

/** The question to the upstream of a fork that has the answer of a method. */
interface UpstreamQuestion extends Pick<UpstreamCall, 'counts'> {
  /** The form that the upstream's answer must have; the form in which it is passed on follows from it. */
  readonly answer: AnswerKind;
  /** The name by which nodes of the network have the method; absent where it is the method's own. */
  readonly upstreamName?: string;
}

/**
 * The place of the answer of a method on a fork, `at` being the position of the parameter that decides:
 *
 * - `block`: with a block. The blocks up to the one that the fork begins after are the upstream's.
 * - `state`: with the state after a block. The state after that last block is the chain's own: its accounts have funds.
 * - `transaction`: with a mined transaction, named by its hash.
 * - `search`: with a transaction, or an object with its `hash`, on either side; the upstream is asked where the chain
 *   itself finds none.
 * - `range`: on both sides. `answer` puts it together, or returns {@link NOT_UPSTREAM} for what lies on this side alone.
 * - `own`: on this chain alone, for the reason given.
 */
export type ForkRule =
  | ({ readonly kind: 'block' | 'state' | 'transaction'; readonly at: number } & UpstreamQuestion)
  | ({ readonly kind: 'search' } & UpstreamQuestion)
  | { readonly kind: 'range'; readonly answer: (call: ForkCall) => Promise<unknown> }
  | { readonly kind: 'own'; readonly because: string };

/** Returned in place of an answer that is not the upstream's to give. */
export const NOT_UPSTREAM: unique symbol = Symbol('not the upstream');

/** A call of a method on a fork. */
export interface ForkCall {
  readonly method: Method;
  readonly context: RpcContext;
  readonly fork: Fork;
  readonly params: ReadParams;
}

/** A method of the service, whatever its parameters. */
export interface Method {
  readonly name: string;
  readonly aliases: readonly string[];
  /** By name, where that name answers in a form of its own. */
  readonly shapes: Readonly<Record<string, ResultShape>>;
  /** By name, how it differs from the peer that has it, for those who come from there. */
  readonly differences: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly params: readonly Parameter<unknown>[];
  readonly result: MethodResult;
  /** Absent for methods that answer from this chain alone, whatever they are asked. */
  readonly fork?: ForkRule;
  /** True for methods about lanes: the base chain answers them, whatever lane the path names. */
  readonly asksBase: boolean;
  /** False for methods whose calls the log leaves out. */
  readonly isLogged: boolean;
  /** The place of a call among those that wait to begin on a chain. */
  readonly begins: Precedence;
  /**
   * The result under the name that it was called by, fit for JSON. Throws, or rejects with, an
   * {@link InvalidParamsError} for parameters that cannot be read.
   */
  answer(context: RpcContext, params: unknown, calledAs?: string): unknown;
  /** Answers with parameters that have been read already, as {@link Method.answer} does. */
  answerRead(context: RpcContext, params: ReadParams, calledAs?: string): unknown;
  /**
   * Returns the answer on a lane that is not there, which is not made then; absent for methods that make it. Throws as
   * {@link answer} does.
   */
  answerWithoutLane?(context: RpcContext, params: unknown): unknown;
  /** The parameters alone, a promise of them where there is much to read. Throws as {@link answer} does. */
  read(context: RpcContext, params: unknown): Awaitable<ReadParams>;
  /** Returns a result, of the handler or of the upstream, in the form of the name that the method was called by. */
  shaped(result: unknown, context: RpcContext, calledAs: string): unknown;
}

/** For an alias: it answers what the handler gives. */
export const SAME = 'same';

type DecodedParams<Params extends readonly Parameter<unknown>[]> = {
  -readonly [Position in keyof Params]: Params[Position] extends Parameter<infer T> ? T : never;
};

/** A fork rule, which methods whose parameters name blocks or transactions must have. */
type RequiredForkRule<Params extends readonly Parameter<unknown>[]> = [
  Extract<Params[number], HistoricParameter<unknown>>,
] extends [never]
  ? unknown
  : { readonly fork: ForkRule };

/** The definition of a method, for {@link defineMethod}. */
export interface MethodDefinition<Params extends readonly Parameter<unknown>[]> {
  readonly name: string;
  /** Other names, and the form in which each answers; {@link SAME} for that of the method itself. */
  readonly aliases?: readonly string[] | Readonly<Record<string, ResultShape | typeof SAME>>;
  /** One line for the method table. */
  readonly summary: string;
  /** The differences from the peers that have it, for the dialect tables: one text for all names, or texts by name. */
  readonly differs?: string | Readonly<Record<string, string>>;
  readonly params: Params;
  /** True for parameters that are secrets: errors then contain their kind and not their value. */
  readonly hidesParams?: boolean;
  readonly result: MethodResult;
  /** The rule by which the method answers on a fork. The compiler demands it where a parameter names a block or a transaction. */
  readonly fork?: ForkRule;
  /** True for methods that need a private key of the node's: a hosted node, which keeps none, does not have them. */
  readonly needsKeys?: boolean;
  /** True for methods about lanes, which the base chain answers, so that a question about a lane does not make it. */
  readonly asksBase?: boolean;
  /** False for methods whose calls the log leaves out; true by default. */
  readonly isLogged?: boolean;
  /**
   * The place of a call among those that wait on its chain. Short reads declare `early` and may begin before earlier `late` calls.
   * Long reads declare `late`. All other methods keep their place by the default `inOrder`.
   */
  readonly begins?: Precedence;
  /** The form in which the method's own name answers; by default what the handler gives. */
  readonly shape?: ResultShape;
  /** Gets the decoded parameters in order; what it returns or resolves to must be fit for JSON. */
  readonly handler: (context: RpcContext, ...params: DecodedParams<Params>) => unknown;
  /**
   * For methods about what earlier calls have made on a lane: gives, in place of the handler, what is answered where the
   * lane is gone and all that was on it, so that those who go on asking do not make it anew.
   */
  readonly withoutLane?: () => unknown;
}

/** A value in words that may stand in an error message. */
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
    // Clients fill the places of parameters they do not use with null.
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

/** Returns the default of a parameter that was not given, or `undefined`. */
function standIn<T>(
  { fallback, peerFallback }: Parameter<T>,
  settings: RpcSettings,
): { readonly value: T } | undefined {
  if (fallback !== undefined || peerFallback === undefined) return fallback;
  return settings.compat.hasPeerDefaults ? peerFallback : undefined;
}

/** Decodes at once what is small; a promise where there is much to read. */
function decodeParams(
  params: readonly Parameter<unknown>[],
  given: unknown,
  { settings, deadline }: RpcContext,
  describe: Describe,
): Awaitable<ReadParams> {
  const values = valuesOf(params, given, describe);
  const decoded: unknown[] = [];
  if (params.length === 0) return { values, decoded };
  const pieces = new WorkPieces(deadline);
  const begin = (parameter: Parameter<unknown>): { readonly value: unknown } | Task<unknown> => {
    const value = values[decoded.length];
    const stand = value === undefined || value === null ? standIn(parameter, settings) : undefined;
    const { codec, name } = parameter;
    return stand ?? beginDecoding({ codec, name, value, describe }, pieces);
  };
  function* goOn(first: Task<unknown>): Task<ReadParams> {
    decoded.push(yield* first);
    for (const parameter of params.slice(decoded.length)) {
      const begun = begin(parameter);
      decoded.push('next' in begun ? yield* begun : begun.value);
    }
    return { values, decoded };
  }
  for (const parameter of params) {
    const begun = begin(parameter);
    if ('next' in begun) return runTask(goOn(begun));
    decoded.push(begun.value);
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

/** A method made from its definition; the handler's parameters get their types from the codecs. */
export function defineMethod<const Params extends readonly Parameter<unknown>[]>(
  definition: MethodDefinition<Params> & RequiredForkRule<Params>,
): Method {
  const { name, aliases = [], summary, differs = {}, params, hidesParams, result } = definition;
  const plain: MethodDefinition<Params> = definition;
  const { fork, needsKeys, asksBase, isLogged = true, begins = 'inOrder' } = plain;
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
    begins,
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
