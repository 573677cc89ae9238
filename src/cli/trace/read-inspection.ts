/** Reads the answer of `inspect_transaction` and `inspect_call` again, so that it is printed as the node's own log prints it. */

import type { DecodedEntry, DecodedParameter } from '../../artifacts/decoding.ts';
import type { FrameKind, Outcome } from '../../evm/observer.ts';
import type { Failure } from '../../inspect/failure.ts';
import type {
  InspectedCall,
  InspectedConsole,
  InspectedEvent,
  Inspection,
  NamedAddress,
} from '../../inspect/inspection.ts';
import type { StackFrame } from '../../inspect/stack-trace.ts';
import { isRecord } from './asked-node.ts';

/** An answer that is no inspection, as of another version of the node. */
export class UnknownAnswerError extends Error {
  override readonly name = 'UnknownAnswerError';
}

type JsonRecord = Readonly<Record<string, unknown>>;

/** Returns the inspection in the answer. Throws {@link UnknownAnswerError} for an answer that is none. */
export function readInspection(answer: unknown): Inspection {
  const members = recordOf(answer, 'the answer');
  return {
    call: readCall(recordOf(members.call, 'call')),
    failure: orNull(members.failure, readFailure),
    stackTrace: listOf(members.stackTrace, 'stackTrace').map(readFrame),
  };
}

function readCall(members: JsonRecord): InspectedCall {
  const { items } = members;
  return {
    kind: 'call',
    type: textOf(members.type, 'type') as FrameKind,
    from: readNamed(members.from),
    to: readNamed(members.to),
    call: orNull(members.call, readEntry),
    results: orNull(members.results, readParameters),
    isGuess: members.isGuess === true,
    implementation: orNull(members.implementation, readNamed),
    value: bigOf(members.value, 'value'),
    gasLimit: bigOf(members.gas, 'gas'),
    gasUsed: bigOf(members.gasUsed, 'gasUsed'),
    ownGas: bigOf(members.ownGas, 'ownGas'),
    outcome: textOf(members.outcome, 'outcome') as Outcome,
    failure: orNull(members.failure, readFailure),
    input: textOf(members.input, 'input'),
    output: textOf(members.output, 'output'),
    items: listOf(items, 'items').map(readItem),
  };
}

function readItem(value: unknown): InspectedCall | InspectedEvent | InspectedConsole {
  const members = recordOf(value, 'items');
  if (members.kind === 'call') return readCall(members);
  if (members.kind === 'console') return { kind: 'console', text: textOf(members.text, 'text') };
  return {
    kind: 'event',
    emitter: readNamed(members.emitter),
    event: orNull(members.event, readEntry),
    isGuess: members.isGuess === true,
    topics: listOf(members.topics, 'topics').map((topic) => textOf(topic, 'topics')),
    data: textOf(members.data, 'data'),
  };
}

function readNamed(value: unknown): NamedAddress {
  const { address, name } = recordOf(value, 'an address');
  return { address: textOf(address, 'address'), name: orNull(name, (text) => textOf(text, 'name')) };
}

function readFailure(value: unknown): Failure {
  const { message, error } = recordOf(value, 'failure');
  return { message: textOf(message, 'message'), error: orNull(error, readEntry) };
}

function readEntry(value: unknown): DecodedEntry {
  const { name, signature, parameters } = recordOf(value, 'a decoded entry');
  return {
    name: textOf(name, 'name'),
    signature: textOf(signature, 'signature'),
    parameters: readParameters(parameters),
  };
}

function readParameters(value: unknown): readonly DecodedParameter[] {
  return listOf(value, 'parameters').map((parameter) => {
    const { name, type, value: given } = recordOf(parameter, 'a parameter');
    const isPlain = typeof given === 'string' || typeof given === 'boolean';
    return {
      name: textOf(name, 'name'),
      type: textOf(type, 'type'),
      value: isPlain ? given : readParameters(given),
    };
  });
}

function readFrame(value: unknown): StackFrame {
  const members = recordOf(value, 'stackTrace');
  const text = (name: string): string | null => orNull(members[name], (found) => textOf(found, name));
  const number = (name: string): number | null => (typeof members[name] === 'number' ? members[name] : null);
  return {
    contract: text('contract'),
    function: text('function'),
    source: text('source'),
    line: number('line'),
    column: number('column'),
    address: textOf(members.address, 'address'),
  };
}

function orNull<Value>(value: unknown, read: (value: unknown) => Value): Value | null {
  return value === null || value === undefined ? null : read(value);
}

function recordOf(value: unknown, name: string): JsonRecord {
  if (isRecord(value)) return value;
  throw new UnknownAnswerError(`${name} is no object`);
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new UnknownAnswerError(`${name} is no array`);
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw new UnknownAnswerError(`${name} is no text`);
}

function bigOf(value: unknown, name: string): bigint {
  const text = textOf(value, name);
  if (/^0x[0-9a-fA-F]{1,64}$/.test(text)) return BigInt(text);
  throw new UnknownAnswerError(`${name} is no quantity`);
}
