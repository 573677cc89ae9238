/** Parses the result of `inspect_transaction` and `inspect_call`, to print it like the node's log. */

import type { DecodedEntry, DecodedParameter } from '../../artifacts/decoding.ts';
import type { FrameKind, Outcome } from '../../evm/observer.ts';
import type { Failure } from '../../inspect/failure.ts';
import type {
  InspectedCall,
  InspectedConsole,
  InspectedEvent,
  Inspection,
} from '../../inspect/inspection.ts';
import type { ParentTransaction } from '../../inspect/parent-transaction.ts';
import type { StackFrame } from '../../inspect/stack-trace.ts';
import type { InspectedStorageChange, StateChanges } from '../../inspect/state-changes.ts';
import type { TokenStandard } from '../../inspect/token-changes.ts';
import type { NamedAddress } from '../../inspect/value-text.ts';
import { isRecord } from '../../primitives/record.ts';

/** Thrown for a result in an unknown format, for example of another node version. */
export class UnknownAnswerError extends Error {
  override readonly name = 'UnknownAnswerError';
}

/** `decimals` is one byte. */
const MAX_DECIMALS = 255;

type JsonRecord = Readonly<Record<string, unknown>>;

/** Throws {@link UnknownAnswerError} for an unknown format. */
export function readInspection(answer: unknown): Inspection {
  const members = recordOf(answer, 'the response');
  return {
    call: readCall(recordOf(members.call, 'call')),
    gasUsed: bigOf(members.gasUsed, 'gasUsed'),
    failure: orNull(members.failure, readFailure),
    stackTrace: listOf(members.stackTrace, 'stackTrace').map(readFrame),
    // The first versions of the node have no labels.
    labels: orNull(members.labels, (labels) => listOf(labels, 'labels').map(readNamed)) ?? [],
    changes: orNull(members.changes, readChanges),
  };
}

function readCall(members: JsonRecord): InspectedCall {
  const { items } = members;
  return {
    kind: 'call',
    type: textOf(members.type, 'type') as FrameKind,
    from: readNamed(members.from),
    to: readNamed(members.to),
    hasCode: members.hasCode !== false,
    call: orNull(members.call, readEntry),
    // The first versions of the node do not return this field.
    meant: orNull(members.meant, (meant) => textOf(meant, 'meant')),
    results: orNull(members.results, readParameters),
    isGuess: members.isGuess === true,
    implementation: orNull(members.implementation, readNamed),
    value: bigOf(members.value, 'value'),
    gasLimit: bigOf(members.gas, 'gas'),
    gasUsed: bigOf(members.gasUsed, 'gasUsed'),
    ownGas: bigOf(members.ownGas, 'ownGas'),
    outcome: textOf(members.outcome, 'outcome') as Outcome,
    failure: orNull(members.failure, readFailure),
    ...readParentTransaction(members.parentTransaction),
    ...(members.remarks === undefined ? {} : { remarks: readTexts(members.remarks, 'remarks') }),
    input: textOf(members.input, 'input'),
    output: textOf(members.output, 'output'),
    items: listOf(items, 'items').map(readItem),
  };
}

function readTexts(value: unknown, name: string): readonly string[] {
  return listOf(value, name).map((text) => textOf(text, name));
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
    ...readParentTransaction(members.parentTransaction),
  };
}

function readParentTransaction(value: unknown): { readonly parentTransaction?: ParentTransaction } {
  if (value === undefined) return {};
  const { id, inputs, outputs, omitted } = recordOf(value, 'parentTransaction');
  const text = (given: unknown, name: string): string | null => orNull(given, (found) => textOf(found, name));
  return {
    parentTransaction: {
      id: textOf(id, 'id'),
      inputs: listOf(inputs, 'inputs').map((input) => {
        const members = recordOf(input, 'an input');
        return {
          id: textOf(members.id, 'id'),
          index: numberOf(members.index, 'index'),
          address: text(members.address, 'address'),
        };
      }),
      outputs: listOf(outputs, 'outputs').map((output) => {
        const members = recordOf(output, 'an output');
        return {
          satoshis: textOf(members.satoshis, 'satoshis'),
          address: text(members.address, 'address'),
          isToFederation: members.isToFederation === true,
          data: text(members.data, 'data'),
          instructions: orNull(members.instructions, (instructions) => {
            const { version, receiver, refundAddress } = recordOf(instructions, 'instructions');
            return {
              version: numberOf(version, 'version'),
              receiver: textOf(receiver, 'receiver'),
              refundAddress: text(refundAddress, 'refundAddress'),
            };
          }),
        };
      }),
      omitted: numberOf(omitted, 'omitted'),
    },
  };
}

function readNamed(value: unknown): NamedAddress {
  const { address, name } = recordOf(value, 'an address');
  return { address: textOf(address, 'address'), name: orNull(name, (text) => textOf(text, 'name')) };
}

function readFailure(value: unknown): Failure {
  const { message, error, isGuess } = recordOf(value, 'failure');
  return {
    message: textOf(message, 'message'),
    error: orNull(error, readEntry),
    isGuess: isGuess === true,
    cause: null,
  };
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
    const { name, type, value: given, meaning } = recordOf(parameter, 'a parameter');
    const isPlain = typeof given === 'string' || typeof given === 'boolean';
    return {
      name: textOf(name, 'name'),
      type: textOf(type, 'type'),
      value: isPlain ? given : readParameters(given),
      ...(typeof meaning === 'string' ? { meaning } : {}),
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

function readChanges(value: unknown): StateChanges {
  const { storage, transientStorage, omittedSlots, balances, tokens } = recordOf(value, 'changes');
  return {
    storage: listOf(storage, 'storage').map(readStorageChange),
    transientStorage: listOf(transientStorage, 'transientStorage').map(readStorageChange),
    omittedSlots: numberOf(omittedSlots, 'omittedSlots'),
    balances: listOf(balances, 'balances').map((balance) => {
      const { account, before, after, feePaid, feeReceived } = recordOf(balance, 'balances');
      return {
        account: readNamed(account),
        before: bigOf(before, 'before'),
        after: bigOf(after, 'after'),
        feePaid: bigOf(feePaid, 'feePaid'),
        feeReceived: bigOf(feeReceived, 'feeReceived'),
      };
    }),
    tokens: listOf(tokens, 'tokens').map((token) => {
      const members = recordOf(token, 'tokens');
      return {
        token: readNamed(members.token),
        standard: textOf(members.standard, 'standard') as TokenStandard,
        symbol: orNull(members.symbol, (text) => textOf(text, 'symbol')),
        decimals: orNull(members.decimals, (number) => numberOf(number, 'decimals', MAX_DECIMALS)),
        account: readNamed(members.account),
        id: orNull(members.id, (text) => integerOf(text, 'id')),
        change: integerOf(members.change, 'change'),
        before: orNull(members.before, (text) => integerOf(text, 'before')),
        after: orNull(members.after, (text) => integerOf(text, 'after')),
      };
    }),
  };
}

function readStorageChange(value: unknown): InspectedStorageChange {
  const { account, contract, variable, type, slot, offset, before, after } = recordOf(value, 'storage');
  return {
    account: readNamed(account),
    contract: orNull(contract, (text) => textOf(text, 'contract')),
    variable: orNull(variable, (text) => textOf(text, 'variable')),
    type: orNull(type, (text) => textOf(text, 'type')),
    slot: bigOf(slot, 'slot'),
    offset: orNull(offset, (number) => numberOf(number, 'offset')),
    before: typeof before === 'boolean' ? before : textOf(before, 'before'),
    after: typeof after === 'boolean' ? after : textOf(after, 'after'),
  };
}

function orNull<Value>(value: unknown, read: (value: unknown) => Value): Value | null {
  return value === null || value === undefined ? null : read(value);
}

function recordOf(value: unknown, name: string): JsonRecord {
  if (isRecord(value)) return value;
  throw new UnknownAnswerError(`${name} is not an object`);
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new UnknownAnswerError(`${name} is not an array`);
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw new UnknownAnswerError(`${name} is not a string`);
}

function bigOf(value: unknown, name: string): bigint {
  const text = textOf(value, name);
  if (/^0x[0-9a-fA-F]{1,64}$/.test(text)) return BigInt(text);
  throw new UnknownAnswerError(`${name} is not a quantity`);
}

function numberOf(value: unknown, name: string, most = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most) return value;
  throw new UnknownAnswerError(`${name} is not a number`);
}

function integerOf(value: unknown, name: string): bigint {
  const text = textOf(value, name);
  if (/^-?\d{1,100}$/.test(text)) return BigInt(text);
  throw new UnknownAnswerError(`${name} is not an integer`);
}
