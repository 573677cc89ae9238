/** The methods of the OpenRPC document, and the values of their parameters from entered texts. */

import { shown } from '../format.ts';

/** The used members of a JSON schema. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly pattern?: string;
  readonly description?: string;
}

export interface MethodParam {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** A method of `rpc.discover`. */
export interface RpcMethod {
  readonly name: string;
  readonly summary: string;
  readonly params: readonly MethodParam[];
  readonly result: { readonly description?: string; readonly schema?: Schema };
  readonly examples?: readonly {
    readonly params: readonly { readonly name: string; readonly value: unknown }[];
    readonly result?: { readonly value: unknown };
  }[];
}

/** The first words of methods that change the chain, its settings, or the keys of the node. */
const CHANGES =
  /_(?:send|resend|submit|set|add|remove|delete|drop|mine|intervalMine|revert|reset|rollback|reorg|snapshot|load|impersonate|autoImpersonate|stopImpersonating|increase|start|stop|deal|ban(?!ned)|unban|clear|create(?!AccessList)|rename|label|lock|unlock|import|newAccount|follow|pause|step$|flush)/;

/** Returns true for a method that can change the chain, its settings, or the keys of the node. */
export function changesChain(method: string): boolean {
  // These methods accept the chain of the node and change nothing.
  return CHANGES.test(method.replace(/^debug_bundler_/, 'debug_')) && !/^wallet_add/.test(method);
}

/** The namespace of a method: the part before the underscore or the dot. */
export function namespaceOf(method: string): string {
  return method.split(/[_.]/)[0] ?? '';
}

/** Returns the methods whose name or summary contains all words. Matches of the name come first. */
export function foundMethods(methods: readonly RpcMethod[], text: string): readonly RpcMethod[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return methods;
  const isIn = (content: string): boolean => words.every((word) => content.toLowerCase().includes(word));
  const byName = methods.filter(({ name }) => isIn(name));
  const bySummary = methods.filter(({ name, summary }) => !isIn(name) && isIn(`${name} ${summary}`));
  return [...byName, ...bySummary];
}

function alternatives(schema: Schema): readonly Schema[] {
  const parts = schema.oneOf ?? schema.anyOf;
  return parts === undefined ? [schema] : parts.flatMap(alternatives);
}

/** True if the schema accepts a value of the type. */
export function accepts(schema: Schema, type: string): boolean {
  return alternatives(schema).some((part) => part.type === type);
}

/** Returns the fixed texts that a schema accepts, for example block tags. */
export function choicesOf(schema: Schema): readonly string[] {
  return alternatives(schema)
    .flatMap((part) => part.enum ?? [])
    .filter((choice) => typeof choice === 'string');
}

const QUANTITY = '^0x(0|[1-9a-f][0-9a-f]*)$';

function acceptsQuantity(schema: Schema): boolean {
  return alternatives(schema).some(({ pattern }) => pattern === QUANTITY);
}

/** Returns the properties of an object parameter; `null` if it has other forms. */
export function fieldsOf({
  type,
  properties,
}: Schema): readonly (readonly [name: string, schema: Schema])[] | null {
  return type === 'object' && properties !== undefined ? Object.entries(properties) : null;
}

/** Describes the expected input of a field. */
export function expectedText(schema: Schema): string {
  const choices = choicesOf(schema);
  if (acceptsQuantity(schema)) return ['a number', ...choices].join(', ').slice(0, 200);
  if (schema.description !== undefined) return shown(schema.description, 200);
  if (choices.length > 0) return shown(choices.join(', '), 200);
  return accepts(schema, 'object') || accepts(schema, 'array') ? 'JSON' : (schema.type ?? 'JSON');
}

/** A parameter has an invalid value. */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ParameterError(`${name}: expected JSON, got “${text.slice(0, 60)}”`);
  }
}

/**
 * Returns the value of an entered text; `undefined` for an empty text. Whole numbers become QUANTITYs if the
 * schema expects them. Throws a {@link ParameterError} if the text is not JSON, but must be.
 */
export function valueOfText(schema: Schema, text: string, name: string): unknown {
  const given = text.trim();
  if (given === '') return undefined;
  if (acceptsQuantity(schema) && /^\d{1,78}$/.test(given)) return `0x${BigInt(given).toString(16)}`;
  const startsJson = /^[[{"]/.test(given) || given === 'null';
  if (accepts(schema, 'string') || choicesOf(schema).length > 0)
    return startsJson && /^[[{"]|^null$/.test(given) && isJson(given) ? JSON.parse(given) : given;
  return jsonOf(name, given);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the text that {@link valueOfText} parses as the value. */
export function textOfValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}

/** Returns the parameters without absent ones at the end. Absent ones before others are `null`. */
export function paramsOf(values: readonly unknown[]): readonly unknown[] {
  const last = values.findLastIndex((value) => value !== undefined);
  return values.slice(0, last + 1).map((value) => value ?? null);
}
