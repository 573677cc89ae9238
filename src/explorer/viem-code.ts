/** Code for viem that calls a function by its ABI. */

import type { AbiParameter } from 'abitype';
import { shown } from './format.ts';
import type { KnownCall } from './known-call.ts';

/** Maximum length of a literal in one line. */
const LINE = 90;

/** Returns a string literal. Invisible characters become escapes. */
function textLiteral(text: string): string {
  const quoted = /['\\]/.test(text) ? JSON.stringify(text) : `'${JSON.stringify(text).slice(1, -1)}'`;
  return shown(quoted.replaceAll('\u200d', '\\u200d'), Number.POSITIVE_INFINITY);
}

function keyLiteral(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : textLiteral(key);
}

/** Returns the JavaScript literal of a value. Long lists and objects have one line per member. */
function literal(value: unknown, indent: string): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(([key, member]) => `${keyLiteral(key)}: ${literal(member, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  const space = isList ? '' : ' ';
  const line = members.join(', ');
  if (members.length === 0) return `${open}${close}`;
  if (line.length + indent.length <= LINE && !line.includes('\n'))
    return `${open}${space}${line}${space}${close}`;
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${indent}${close}`;
}

/** The parts of a parameter that viem reads. */
function parameterOf(parameter: AbiParameter): object {
  const { name, type } = parameter;
  return {
    ...(name === undefined || name === '' ? {} : { name }),
    type,
    ...('components' in parameter ? { components: parameter.components.map(parameterOf) } : {}),
  };
}

/** Returns the lines that select the function: its ABI entry, name and arguments. */
function functionLines({ entry, args }: KnownCall): string {
  const { type, name, stateMutability, inputs, outputs } = entry;
  const abi = [
    { type, name, stateMutability, inputs: inputs.map(parameterOf), outputs: outputs.map(parameterOf) },
  ];
  return `  abi: ${literal(abi, '  ')},
  functionName: ${textLiteral(name)},
  args: ${literal(args, '  ')},
`;
}

/** The addresses of a call. */
interface Parties {
  readonly from: string;
  readonly to: string;
}

/** Returns the code that sends a transaction. Without `gas`, viem estimates it. */
export function writeCode(
  call: KnownCall,
  { from, to, value, gas }: Parties & { readonly value: bigint; readonly gas: bigint | null },
  url: string,
): string {
  return `import { createWalletClient, http } from 'viem';

const client = createWalletClient({ transport: http('${url}') });
await client.writeContract({
  chain: null,
  account: '${from}',
  address: '${to}',
${functionLines(call)}${value === 0n ? '' : `  value: ${value}n,\n`}${gas === null ? '' : `  gas: ${gas}n,\n`}});`;
}

/** Returns the code that reads a function and prints its result. Without `block`, it reads the latest state. */
export function readCode(
  call: KnownCall,
  { from, to, block }: Parties & { readonly block: bigint | null },
  url: string,
): string {
  return `import { createPublicClient, http } from 'viem';

const client = createPublicClient({ transport: http('${url}') });
const result = await client.readContract({
  account: '${from}',
  address: '${to}',
${functionLines(call)}${block === null ? '' : `  blockNumber: ${block}n,\n`}});
console.log(result);`;
}
