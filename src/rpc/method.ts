import { type Codec, decodeWith, describeValue, type JsonSchema } from './codecs/codec.ts';
import { InvalidParamsError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';

/** One parameter of a method. */
export interface Parameter<T> {
  readonly name: string;
  readonly codec: Codec<T>;
  /** What an absent or `null` parameter stands for; `undefined` when the caller must give one. */
  readonly fallback: { readonly value: T } | undefined;
}

/** A parameter that a caller must give. */
export function param<T>(name: string, codec: Codec<T>): Parameter<T> {
  return { name, codec, fallback: undefined };
}

/** A parameter that a caller may leave out or give as `null`: `fallback` then stands for it. */
export function optional<T>(name: string, codec: Codec<T>, fallback: T): Parameter<T> {
  return { name, codec, fallback: { value: fallback } };
}

/** What a method answers. */
export interface MethodResult {
  readonly description: string;
  readonly schema?: JsonSchema;
}

/** A call that shows how a method is used, as it stands on the wire. */
export interface MethodExample {
  readonly params: readonly unknown[];
  readonly result: unknown;
}

/** A method of the service, whatever its parameters. */
export interface Method {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly params: readonly Parameter<unknown>[];
  readonly result: MethodResult;
  readonly example: MethodExample;
  /** The result, fit for JSON. Throws {@link InvalidParamsError} for parameters that cannot be read. */
  answer(context: RpcContext, params: unknown): unknown;
}

type DecodedParams<Params extends readonly Parameter<unknown>[]> = {
  -readonly [Position in keyof Params]: Params[Position] extends Parameter<infer T> ? T : never;
};

/** What {@link defineMethod} is told. */
export interface MethodDefinition<Params extends readonly Parameter<unknown>[]> {
  readonly name: string;
  /** Other names that answer the same. */
  readonly aliases?: readonly string[];
  /** One line for the method table. */
  readonly summary: string;
  readonly params: Params;
  readonly result: MethodResult;
  readonly example: MethodExample;
  /** Gets the decoded parameters in order; what it returns or resolves to must be fit for JSON. */
  readonly handler: (context: RpcContext, ...params: DecodedParams<Params>) => unknown;
}

function byPosition(params: readonly Parameter<unknown>[], given: readonly unknown[]): readonly unknown[] {
  for (let position = params.length; position < given.length; position++) {
    const surplus = given[position];
    // Clients fill the places of parameters they do not use with null.
    if (surplus === null || surplus === undefined) continue;
    const names = params.length === 0 ? 'no parameters' : `only ${params.map(({ name }) => name).join(', ')}`;
    throw new InvalidParamsError(`params[${position}]`, names, describeValue(surplus));
  }
  return given;
}

function byName(params: readonly Parameter<unknown>[], given: object): readonly unknown[] {
  for (const name of Object.keys(given)) {
    if (params.some((parameter) => parameter.name === name)) continue;
    const names =
      params.length === 0 ? 'no parameters' : `only ${params.map((known) => known.name).join(', ')}`;
    throw new InvalidParamsError(name.slice(0, 100), names, describeValue(Reflect.get(given, name)));
  }
  return params.map(({ name }) => (Object.hasOwn(given, name) ? Reflect.get(given, name) : undefined));
}

function valuesOf(params: readonly Parameter<unknown>[], given: unknown): readonly unknown[] {
  if (Array.isArray(given)) return byPosition(params, given);
  if (given === undefined || given === null) return [];
  if (typeof given === 'object') return byName(params, given);
  throw new InvalidParamsError(
    'params',
    'an array, or an object of parameters by name',
    describeValue(given),
  );
}

function decodeParams(params: readonly Parameter<unknown>[], given: unknown): unknown[] {
  const values = valuesOf(params, given);
  return params.map(({ name, codec, fallback }, position) => {
    const value = values[position];
    if ((value === undefined || value === null) && fallback !== undefined) return fallback.value;
    return decodeWith(codec, name, value);
  });
}

/** A method made from its definition; the handler's parameters get their types from the codecs. */
export function defineMethod<const Params extends readonly Parameter<unknown>[]>(
  definition: MethodDefinition<Params>,
): Method {
  const { name, aliases = [], summary, params, result, example, handler } = definition;
  return {
    name,
    aliases,
    summary,
    params,
    result,
    example,
    answer: (context, given) => handler(context, ...(decodeParams(params, given) as DecodedParams<Params>)),
  };
}
