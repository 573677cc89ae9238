import type { Method } from './method.ts';

/** What the OpenRPC document says about the node. */
export interface NodeDescription {
  readonly title: string;
  readonly version: string;
}

function methodObject(method: Method, name: string): unknown {
  const { summary, params, result, example } = method;
  return {
    name,
    summary,
    paramStructure: 'either',
    params: params.map((parameter) => ({
      name: parameter.name,
      required: parameter.fallback === undefined,
      schema: parameter.codec.jsonSchema,
    })),
    result: { name: 'result', description: result.description, schema: result.schema ?? {} },
    examples: [
      {
        name: `${name} example`,
        params: example.params.map((value, position) => ({
          name: params[position]?.name ?? `params[${position}]`,
          value,
        })),
        ...(example.error === undefined && { result: { name: 'result', value: example.result } }),
      },
    ],
  };
}

/** The OpenRPC 1.2.6 document of the methods, aliases listed as methods of their own. */
export function openRpcDocument(node: NodeDescription, methods: readonly Method[]): unknown {
  return {
    openrpc: '1.2.6',
    info: { title: node.title, version: node.version },
    methods: methods.flatMap((method) =>
      [method.name, ...method.aliases].map((name) => methodObject(method, name)),
    ),
  };
}
