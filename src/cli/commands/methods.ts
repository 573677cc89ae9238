import { UsageError } from '../../config/errors.ts';
import { quoted } from '../../config/usage-messages.ts';
import { nearestWord } from '../../primitives/nearest-word.ts';
import type { Method, Parameter } from '../../rpc/method.ts';
import type { MethodExample } from '../../rpc/method-examples.ts';
import type { JsonSchema } from '../../wire/values.ts';
import { type Command, columns, EXIT_CODES, jsonText } from '../command.ts';

/** A method with one of its names: its own name or an alias. */
export interface NamedMethod {
  readonly name: string;
  readonly method: Method;
}

/** The part of a method's definition about forks. */
interface ForkFacts {
  readonly fork?: { readonly kind: string; readonly because?: string };
}

const ON_FORKS: Readonly<Record<string, string>> = {
  block: 'Blocks up to the fork block come from the fork URL; later blocks come from this chain.',
  state:
    'States before the fork block come from the fork URL; the states of the fork block and later blocks come from this chain.',
  transaction:
    'Transactions mined before the fork come from the fork URL; later transactions come from this chain.',
  execution:
    'Transactions mined before the fork, and states before the fork block, come from the fork URL; later ones, and failures, come from this chain.',
  search: 'This chain is searched first, then the fork URL.',
  range: 'The results of the fork URL and of this chain are combined.',
};

/** Returns the namespace of a method: `eth` for `eth_call`. */
export function namespaceOf(name: string): string {
  return name.split(/[._]/, 1).join('');
}

/** Returns all names of the methods, grouped by namespace, in the order of the method table. */
export function namesOf(methods: readonly Method[]): NamedMethod[] {
  const byNamespace = new Map<string, NamedMethod[]>();
  for (const method of methods) {
    for (const name of [method.name, ...method.aliases]) {
      const namespace = namespaceOf(name);
      byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), { name, method }]);
    }
  }
  return [...byNamespace.values()].flat();
}

/** Returns the parameters as `address, block?`. Parameters that only peers default are required. */
export function signatureOf(params: readonly Parameter<unknown>[]): string {
  return params.map(({ name, fallback }) => (fallback === undefined ? name : `${name}?`)).join(', ');
}

function listText(names: readonly NamedMethod[]): string {
  const width = Math.max(...names.map(({ name }) => name.length));
  let namespace = '';
  const lines = names.map(({ name, method }) => {
    const own = namespaceOf(name);
    const heading = own === namespace ? '' : `${namespace === '' ? '' : '\n'}${own}\n`;
    namespace = own;
    const also = name === method.name ? '' : ` (as ${method.name})`;
    return `${heading}  ${name.padEnd(width)}  ${method.summary}${also}\n`;
  });
  return `${lines.join('')}\nnpx node-cli methods <name> prints parameters, result and an example of a method.\n`;
}

function alternativesOf({ oneOf }: JsonSchema): readonly JsonSchema[] {
  return Array.isArray(oneOf) ? oneOf : [];
}

/** Returns the description of the values that a schema accepts, or the descriptions of its alternatives. */
function formOf(schema: JsonSchema): string {
  const { description } = schema;
  if (typeof description === 'string') return description;
  const forms = [...new Set(alternativesOf(schema).map(formOf))];
  // A description of several forms often includes the description of one of them.
  return forms.filter((form) => !forms.some((other) => other !== form && other.includes(form))).join('; or ');
}

/** Returns the fields, with descriptions, of the object that a schema or an alternative of it accepts. */
function fieldsOf(schema: JsonSchema): [string, string][] {
  const { properties } = schema;
  if (typeof properties === 'object' && properties !== null)
    return Object.entries(properties).map(([name, field]) => [name, formOf(field as JsonSchema)]);
  return alternativesOf(schema).flatMap(fieldsOf);
}

function necessityOf({ fallback, peerFallback }: Parameter<unknown>): string {
  if (fallback !== undefined) return 'optional';
  return peerFallback === undefined
    ? 'required'
    : 'required; optional with --compat anvil or --compat hardhat';
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

function parametersText(params: readonly Parameter<unknown>[]): string {
  if (params.length === 0) return 'Parameters: none\n';
  const parts = params.map((parameter) => {
    const { name, codec } = parameter;
    const fields = fieldsOf(codec.jsonSchema);
    const listed = fields.length === 0 ? '' : indented(columns(fields));
    return `${name} (${necessityOf(parameter)}): ${formOf(codec.jsonSchema)}\n${listed}`;
  });
  return `Parameters:\n${indented(parts.join(''))}`;
}

const MAX_LINE_LENGTH = 100;

/** Returns JSON on one line of at most 100 characters, else on indented lines. */
export function readableJson(value: unknown): string {
  const line = JSON.stringify(value);
  return line.length <= MAX_LINE_LENGTH ? line : JSON.stringify(value, null, 2);
}

/** True if this name has the same result format as the method's own name, which the example shows. */
function hasResultOfExample({ name, method }: NamedMethod): boolean {
  return method.shapes[name] === method.shapes[method.name];
}

function exampleText(named: NamedMethod, example: MethodExample): string {
  const { option, before = [], params, result, error, isExcerpt } = example;
  const node = option === undefined ? '' : `with node-cli start ${option}\n`;
  const earlier = before.map((call) => `after ${call.method} ${JSON.stringify(call.params)}\n`);
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: named.name, params });
  const call = `curl -H 'content-type: application/json' http://127.0.0.1:8545 -d '${request.replaceAll("'", "'\\''")}'\n`;
  const returns = isExcerpt === true ? 'returns (excerpt)' : 'returns';
  const answer = error ?? result;
  const told =
    error !== undefined || hasResultOfExample(named)
      ? `${error === undefined ? returns : 'returns the error'} ${readableJson(answer)}\n`
      : '';
  return `Example:\n${indented(`${node}${earlier.join('')}${call}${told}`)}`;
}

/** Returns a sentence about the method on forks; `null` if its definition has none. */
export function forkRule({ fork }: ForkFacts): string | null {
  if (fork === undefined) return null;
  if (fork.because !== undefined) return `Only this chain is used: ${fork.because}.`;
  return ON_FORKS[fork.kind] ?? null;
}

function detailText(named: NamedMethod, example: MethodExample | undefined): string {
  const { name, method } = named;
  const others = [method.name, ...method.aliases].filter((other) => other !== name);
  const onForks = forkRule(method as Method & ForkFacts);
  const difference = method.differences[name];
  const result = method.shapes[name]?.words ?? method.result.description;
  return [
    `${name}(${signatureOf(method.params)})\n\n${method.summary}.\n`,
    ...(others.length === 0 ? [] : [`Other names: ${others.join(', ')}\n`]),
    parametersText(method.params),
    `Result: ${result}\n`,
    ...(example === undefined ? [] : [exampleText(named, example)]),
    ...(difference === undefined ? [] : [`Difference from other nodes: ${difference}\n`]),
    ...(onForks === null ? [] : [`On forks: ${onForks}\n`]),
  ].join('\n');
}

function listEntry({ name, method }: NamedMethod): object {
  return { name, namespace: namespaceOf(name), methodName: method.name, summary: method.summary };
}

function detailEntry(named: NamedMethod, example: MethodExample | undefined): object {
  const { name, method } = named;
  const { params, result, shapes, aliases, differences } = method;
  const hasResult = example !== undefined && hasResultOfExample(named);
  return {
    ...listEntry(named),
    names: [method.name, ...aliases],
    params: params.map((parameter) => ({
      name: parameter.name,
      required: parameter.fallback === undefined,
      optionalForPeers: parameter.peerFallback !== undefined,
      schema: parameter.codec.jsonSchema,
    })),
    result: {
      description: shapes[name]?.words ?? result.description,
      schema: shapes[name]?.schema ?? result.schema ?? {},
    },
    example: example === undefined ? null : { ...example, result: hasResult ? example.result : null },
    difference: differences[name] ?? null,
    onForks: forkRule(method as Method & ForkFacts),
  };
}

/** Minimum length of a word that is searched in the names of all methods. */
const MIN_WORD = 4;

/**
 * Returns the method with this name, all methods with this prefix, or all methods that contain the word. Throws
 * {@link UsageError} for no match.
 */
function namedBy(word: string, names: readonly NamedMethod[]): readonly NamedMethod[] {
  const exact = names.find(({ name }) => name === word);
  if (exact !== undefined) return [exact];
  const found = names.filter(({ name }) => name.startsWith(word));
  if (found.length > 0) return found;
  const part = word.toLowerCase();
  const containing = names.filter(({ name }) => name.toLowerCase().includes(part));
  if (part.length >= MIN_WORD && containing.length > 0) return containing;
  const nearest = nearestWord(
    word,
    names.map(({ name }) => name),
  );
  const hint = nearest === undefined ? 'npx node-cli methods lists all methods' : `did you mean ${nearest}?`;
  throw new UsageError(`unknown method ${quoted(word)}; ${hint}`);
}

/** The documentation of methods, as text and as a JSON value. */
export interface MethodDocumentation {
  readonly text: () => string;
  readonly content: () => object;
}

/**
 * Resolves to the documentation of all methods, of the methods whose names start with a word, or all details
 * of one method. Rejects with {@link UsageError} if no method matches.
 */
export async function documentationOf(word: string | undefined): Promise<MethodDocumentation> {
  const { METHODS } = await import('../../rpc/method-table.ts');
  const names = namesOf(METHODS);
  const found = word === undefined ? names : namedBy(word, names);
  const [only] = found;
  if (only === undefined || found.length > 1)
    return { text: () => listText(found), content: () => found.map(listEntry) };
  const { METHOD_EXAMPLES } = await import('../../rpc/method-examples.ts');
  const example = METHOD_EXAMPLES[only.method.name];
  return { text: () => detailText(only, example), content: () => detailEntry(only, example) };
}

/** Prints all methods, the methods whose names start with a word, or all details of one method. */
export const printMethods: Command = async ({ operands: [word], options }, host) => {
  const { text, content } = await documentationOf(word);
  await host.print(options.json ? jsonText(content()) : text());
  return EXIT_CODES.success;
};
