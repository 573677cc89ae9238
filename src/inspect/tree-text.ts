/** Formats an inspection as text: a tree of calls, events and console messages, and a stack trace. */

import { readableAmount } from '../primitives/ether.ts';
import { toHex } from '../primitives/hex.ts';
import { precompileAddress } from '../protocol/hardforks/precompiles.ts';
import type { InspectedCall, InspectedEvent } from './inspection.ts';
import { parentTransactionFacts, withoutLongBytes } from './parent-transaction-text.ts';
import type { StackFrame } from './stack-trace.ts';
import {
  entryText,
  GUESSED_BY_SELECTOR,
  GUESSED_BY_TOPIC,
  NAMELESS,
  type NamedAddress,
  type NameOfAddress,
  named,
  parametersText,
  undecodedText,
} from './value-text.ts';

/** Maximum lines of one tree. */
const MAX_LINES = 10_000;

/** Formats the parts of a line. Each function returns its text, with or without colour codes. */
export interface TreeStyle {
  readonly plain: (text: string) => string;
  readonly contract: (text: string) => string;
  readonly failed: (text: string) => string;
  readonly dim: (text: string) => string;
}

/** Without formatting. */
export const AS_IT_IS: TreeStyle = {
  plain: (text) => text,
  contract: (text) => text,
  failed: (text) => text,
  dim: (text) => text,
};

export interface TreeOptions {
  readonly style?: TreeStyle;
  /** Returns the label of an address in arguments, results and events. */
  readonly labelOf?: NameOfAddress;
  /** True to add the addresses and bytes of each call below its line. */
  readonly isDetailed?: boolean;
}

/**
 * Returns `Token.transfer(to: 0x…, amount: 5)`, `new Token(supply: 1000)`, `transfer to 0x… with 5 wei`, or
 * the selector of an undecoded call.
 */
export function callText(
  call: InspectedCall,
  labelOf: NameOfAddress = NAMELESS,
  style: TreeStyle = AS_IT_IS,
): string {
  const value = call.value > 0n ? style.plain(` with ${readableAmount(call.value)}`) : '';
  const guess = call.isGuess ? style.dim(GUESSED_BY_SELECTOR) : '';
  return `${calledText(call, labelOf, style)}${value}${guess}`;
}

/** The length of `0x` and a selector's digits. */
const SELECTOR_END = 10;

const BRIDGE = toHex(precompileAddress('BRIDGE'));

function isCreation({ type }: InspectedCall): boolean {
  return type === 'CREATE' || type === 'CREATE2';
}

function calledText(made: InspectedCall, labelOf: NameOfAddress, style: TreeStyle): string {
  const { to, implementation, call, input, meant } = made;
  if (isCreation(made)) {
    const created = call === null ? style.contract(named(to)) : style.plain(entryText(call, labelOf));
    return `${style.plain('new ')}${created}`;
  }
  const via = implementation === null ? '' : style.plain(' → ') + style.contract(named(implementation));
  const subject = `${style.contract(named(to))}${via}`;
  if (call !== null) {
    const short = to.address === BRIDGE ? withoutLongBytes(call) : call;
    return `${subject}${style.plain(`.${entryText(short, labelOf)}`)}`;
  }
  if (input === '0x' && meant === null)
    return made.value > 0n || !made.hasCode
      ? `${style.plain('transfer to ')}${subject}`
      : `${subject}${style.plain('()')}`;
  const selector = input.slice(0, SELECTOR_END);
  return `${subject}${style.plain(`.${undecodedText(meant, selector, (input.length - SELECTOR_END) / 2)}`)}`;
}

/** Returns `Transfer(from: 0x…, to: 0x…, value: 5)`. */
export function eventText(
  { event, emitter, topics, data }: InspectedEvent,
  labelOf: NameOfAddress = NAMELESS,
): string {
  if (event !== null) return entryText(emitter.address === BRIDGE ? withoutLongBytes(event) : event, labelOf);
  return `event ${topics[0] ?? 'without topic'} (${(data.length - 2) / 2} bytes)`;
}

/** Returns the lines of the tree. The first line has no indent. */
export function treeLines(
  root: InspectedCall,
  { style = AS_IT_IS, labelOf = NAMELESS, isDetailed = false }: TreeOptions = {},
): string[] {
  const lines: string[] = [];
  const left: { readonly item: InspectedCall['items'][number]; readonly depth: number }[] = [
    { item: root, depth: 0 },
  ];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { item, depth } = next;
    if (lines.length >= MAX_LINES) {
      lines.push(style.dim(`… and more: the tree has over ${MAX_LINES} lines`));
      break;
    }
    const indent = '  '.repeat(depth);
    if (item.kind === 'event') {
      const text = `${style.plain(eventText(item, labelOf))}${style.dim(eventNote(item))}`;
      lines.push(`${indent}${style.dim('emit')} ${text}`);
      lines.push(...bridgeLines(item, style).map((line) => `${indent}  ${line}`));
    } else if (item.kind === 'console')
      lines.push(`${indent}${style.dim('console')} ${style.plain(item.text)}`);
    else {
      lines.push(`${indent}${callLine(item, labelOf, style)}`);
      if (isDetailed) lines.push(...detailLines(item).map((line) => `${indent}    ${style.dim(line)}`));
      lines.push(...bridgeLines(item, style).map((line) => `${indent}  ${line}`));
      for (let index = item.items.length - 1; index >= 0; index--) {
        const inner = item.items[index];
        if (inner !== undefined) left.push({ item: inner, depth: depth + 1 });
      }
    }
  }
  return lines;
}

/** Returns the lines below a call or event of a precompile: its Bitcoin transaction and its remarks. */
function bridgeLines(item: InspectedCall | InspectedEvent, { dim, plain }: TreeStyle): string[] {
  const { parentTransaction } = item;
  const facts = parentTransaction === undefined ? [] : parentTransactionFacts(parentTransaction);
  const remarks = item.kind === 'call' ? (item.remarks ?? []) : [];
  return [
    ...facts.map(([name, text]) => `${dim(name)} ${plain(text)}`),
    ...remarks.map((text) => `${dim('remark')} ${plain(text)}`),
  ];
}

/** Returns a note if the event's ABI is a guess; otherwise an empty string. */
export function eventNote({ isGuess }: InspectedEvent): string {
  return isGuess ? GUESSED_BY_TOPIC : '';
}

/** Opcodes to print because they differ from a plain CALL. */
const TOLD_TYPES: ReadonlySet<string> = new Set(['STATICCALL', 'DELEGATECALL', 'CALLCODE', 'SELFDESTRUCT']);

function callLine(call: InspectedCall, labelOf: NameOfAddress, style: TreeStyle): string {
  const type = TOLD_TYPES.has(call.type) ? style.dim(` [${call.type.toLowerCase()}]`) : '';
  const missing = call.hasCode || call.input === '0x' || isCreation(call) ? '' : style.dim(' [no code]');
  const results =
    call.results === null || call.results.length === 0
      ? ''
      : style.plain(` → ${parametersText(call.results, labelOf)}`);
  // The name of a creation without artifact and label already is its address.
  const isAddressed = isCreation(call) && call.outcome === 'success' && (call.call ?? call.to.name) !== null;
  const created = isAddressed ? style.plain(` → ${call.to.address}`) : '';
  const failure = call.failure === null ? '' : ` ${style.failed(failureMark(call, call.failure.message))}`;
  // The message of a failed precompile ends with the gas charged to the transaction.
  const isCharged = call.failure?.message.endsWith(' gas') === true;
  const gas = style.dim(isCharged ? ` (frame: ${call.gasUsed} gas)` : ` ${call.gasUsed} gas`);
  return `${callText(call, labelOf, style)}${type}${missing}${results}${created}${failure}${gas}`;
}

/**
 * Returns the mark of a failed call, with the reason. A call that passes on the revert of its inner call has
 * no reason; the inner call has it.
 */
function failureMark({ outcome, output, items }: InspectedCall, reason: string): string {
  const inner = items.findLast((item) => item.kind === 'call');
  const isPassedOn =
    outcome === 'revert' &&
    inner?.output === output &&
    (output === '0x' ? inner.failure?.message === reason : inner.outcome === 'revert');
  return isPassedOn ? '✗' : `✗ ${reason}`;
}

/** Returns the addresses, the gas and the bytes of a call. */
function detailLines({
  from,
  to,
  implementation,
  gasLimit,
  ownGas,
  call,
  input,
  output,
}: InspectedCall): string[] {
  const addressed = ({ address, name }: NamedAddress): string =>
    name === null ? address : `${name} (${address})`;
  const via = implementation === null ? '' : ` → ${addressed(implementation)}`;
  return [
    `from ${addressed(from)} to ${addressed(to)}${via}`,
    `gas limit ${gasLimit}, own gas ${ownGas}${call === null ? '' : `, ${call.signature}`}`,
    ...(input === '0x' ? [] : [`input ${input}`]),
    ...(output === '0x' ? [] : [`output ${output}`]),
  ];
}

/** Formats a stack trace like JavaScript, one line per frame. */
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
