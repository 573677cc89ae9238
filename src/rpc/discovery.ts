import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { Method } from './method.ts';
import type { MethodExample } from './method-examples.ts';

/** The description of the node in the OpenRPC document. */
export interface NodeDescription {
  readonly title: string;
  readonly version: string;
  readonly rules: Pick<RuleSet, 'name' | 'preview'>;
}

/** Returns the description of a preview; nothing for final rules. */
function descriptionOf({ name, preview }: NodeDescription['rules']): { readonly description?: string } {
  if (preview === null) return {};
  const subject = preview.kind === 'EIP' ? 'a hardfork that is not final' : 'drafts';
  return {
    description: `The rules of the chain (${name}) are a preview of ${subject}. They can change in any release.`,
  };
}

/** Returns the result of the example if the name has the same shape as the method's own name. */
function exampleResult({ name: own, shapes }: Method, name: string, example: MethodExample): object {
  const isSame = shapes[name] === shapes[own] && example.error === undefined;
  return isSame ? { result: { name: 'result', value: example.result } } : {};
}

function methodObject(method: Method, name: string, example: MethodExample | undefined): unknown {
  const { summary, params, result, shapes } = method;
  return {
    name,
    summary,
    paramStructure: 'either',
    params: params.map((parameter) => ({
      name: parameter.name,
      required: parameter.fallback === undefined,
      schema: parameter.codec.jsonSchema,
    })),
    result: {
      name: 'result',
      description: result.description,
      schema: shapes[name]?.schema ?? result.schema ?? {},
    },
    ...(example !== undefined && {
      examples: [
        {
          name: `${name} example`,
          params: example.params.map((value, position) => ({
            name: params[position]?.name ?? `params[${position}]`,
            value,
          })),
          ...exampleResult(method, name, example),
        },
      ],
    }),
  };
}

/** Returns the OpenRPC 1.2.6 document. Aliases are separate methods; `examples` are by method name. */
export function openRpcDocument(
  node: NodeDescription,
  methods: readonly Method[],
  examples: Readonly<Record<string, MethodExample>>,
): unknown {
  return {
    openrpc: '1.2.6',
    info: { title: node.title, version: node.version, ...descriptionOf(node.rules) },
    methods: methods.flatMap((method) =>
      [method.name, ...method.aliases].map((name) => methodObject(method, name, examples[method.name])),
    ),
  };
}

/** Rootstock's peer-to-peer protocol version, as a QUANTITY. */
export const PROTOCOL_VERSION = '0x3e';
