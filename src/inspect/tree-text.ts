/** Writes the account of an execution as people read it: a tree with one line for each call, event and console message, and a stack trace. */

import { consoleText } from '../evm/console/console-text.ts';
import type { InspectedCall, InspectedEvent, NamedAddress } from './inspection.ts';
import type { StackFrame } from './stack-trace.ts';
import { entryText, parametersText } from './value-text.ts';

/** Lines of one tree. */
const MOST_LINES = 10_000;

/** Colours of the parts of a line; each function returns its text with or without them. */
export interface TreeStyle {
  readonly contract: (text: string) => string;
  readonly failed: (text: string) => string;
  readonly dim: (text: string) => string;
}

const PLAIN: TreeStyle = { contract: (text) => text, failed: (text) => text, dim: (text) => text };

/** Returns the name of an address, or its digits. */
function named({ address, name }: NamedAddress): string {
  return name ?? address;
}

/** Returns `Token.transfer(to: 0x…, amount: 5)`, `new Token(supply: 1000)`, or what is known of a call that was not decoded. */
export function callText(call: InspectedCall, style: TreeStyle = PLAIN): string {
  const value = call.value > 0n ? ` with ${call.value} wei` : '';
  const guess = call.isGuess ? style.dim(' (guessed by its selector)') : '';
  return `${calledText(call, style)}${value}${guess}`;
}

function calledText({ type, to, implementation, call, input }: InspectedCall, style: TreeStyle): string {
  const isCreation = type === 'CREATE' || type === 'CREATE2';
  if (isCreation) return `new ${call === null ? style.contract(named(to)) : entryText(call)}`;
  const via = implementation === null ? '' : ` → ${style.contract(named(implementation))}`;
  const subject = `${style.contract(named(to))}${via}`;
  if (call !== null) return `${subject}.${entryText(call)}`;
  if (input === '0x') return `${subject}.<receive>()`;
  return `${subject}.${input.slice(0, 10)}(${input.length > 10 ? `${(input.length - 10) / 2} bytes` : ''})`;
}

/** Returns `Transfer(from: 0x…, to: 0x…, value: 5)`. */
export function eventText({ event, topics, data }: InspectedEvent): string {
  if (event !== null) return entryText(event);
  return `event ${topics[0] ?? 'without topic'} (${(data.length - 2) / 2} bytes)`;
}

/** Returns the lines of the tree, without indent before the first. */
export function treeLines(root: InspectedCall, style: TreeStyle = PLAIN): string[] {
  const lines: string[] = [];
  const left: { readonly item: InspectedCall['items'][number]; readonly depth: number }[] = [
    { item: root, depth: 0 },
  ];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { item, depth } = next;
    if (lines.length >= MOST_LINES) {
      lines.push(`… and more: the tree has over ${MOST_LINES} lines`);
      break;
    }
    const indent = '  '.repeat(depth);
    if (item.kind === 'event') lines.push(`${indent}${style.dim('emit')} ${eventText(item)}`);
    else if (item.kind === 'console')
      lines.push(`${indent}${style.dim('console')} ${consoleText(item.message)}`);
    else {
      lines.push(`${indent}${callLine(item, style)}`);
      for (let index = item.items.length - 1; index >= 0; index--) {
        const inner = item.items[index];
        if (inner !== undefined) left.push({ item: inner, depth: depth + 1 });
      }
    }
  }
  return lines;
}

/** Opcodes that are told, as they differ from a plain call. */
const TOLD_TYPES: ReadonlySet<string> = new Set(['STATICCALL', 'DELEGATECALL', 'CALLCODE', 'SELFDESTRUCT']);

function callLine(call: InspectedCall, style: TreeStyle): string {
  const type = TOLD_TYPES.has(call.type) ? style.dim(` [${call.type.toLowerCase()}]`) : '';
  const gas = style.dim(` ${call.gasUsed} gas`);
  const results =
    call.results === null || call.results.length === 0 ? '' : ` → ${parametersText(call.results)}`;
  const failure = call.failure === null ? '' : ` ${style.failed(`✗ ${call.failure.message}`)}`;
  return `${callText(call, style)}${type}${results}${failure}${gas}`;
}

/** Returns the trace as people read it: one line for each place, as stack traces of JavaScript look. */
export function stackText(trace: readonly StackFrame[]): string {
  return trace.map((frame) => `    at ${frameText(frame)}`).join('\n');
}

/** Returns `Token.transfer (contracts/Token.sol:12:5)`. */
export function frameText({ contract, function: name, source, line, column, address }: StackFrame): string {
  const isUnknown = contract === null && source === null;
  const subject = isUnknown
    ? '<UnrecognizedContract>.<unknown>'
    : [contract, name].filter(isPresent).join('.');
  const place = source === null ? address : line === null ? source : `${source}:${line}:${column}`;
  return `${subject} (${place})`;
}

function isPresent(part: string | null): part is string {
  return part !== null;
}
