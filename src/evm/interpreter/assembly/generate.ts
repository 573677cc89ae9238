/**
 * Generates the module's half of the numbers shared with the host. Runs at build time: `build.mjs` bundles it
 * and writes its result to `generated/protocol.ts`.
 */

import { OPCODES, opcodeRange } from '../../../protocol/hardforks/opcodes.ts';
import { RULE_SET_NAMES, ruleSetNamed } from '../../../protocol/hardforks/registry.ts';
import * as protocol from '../protocol.ts';
import { NO_OPCODE, ruleParameters } from '../rule-parameters.ts';

/** The records of `protocol.ts`, with their name and type in the module. */
const NAMESPACES: readonly (readonly [name: string, type: string, values: Readonly<Record<string, number>>])[] = [
  ['End', 'i32', protocol.END],
  ['Kind', 'u32', protocol.KIND],
  ['PrecompileAnswer', 'i32', protocol.PRECOMPILE_ANSWER],
  ['Account', 'usize', protocol.ACCOUNT],
  ['Flag', 'u32', protocol.FLAG],
  ['Slot', 'usize', protocol.SLOT],
  ['SlotChange', 'usize', protocol.SLOT_CHANGE],
  ['Log', 'usize', protocol.LOG],
  ['ContextWord', 'usize', protocol.CONTEXT_WORD],
  ['Context', 'usize', protocol.CONTEXT],
  ['Result', 'usize', protocol.RESULT],
  ['Event', 'usize', protocol.EVENT],
];

/** Opcodes whose operation has a different name. Pushes are generated from their data. */
const SHARED_OPERATIONS: Readonly<Record<string, readonly number[]>> = {
  CONTEXT: [
    ...[OPCODES.ADDRESS, OPCODES.ORIGIN, OPCODES.CALLER, OPCODES.CALLVALUE, OPCODES.GASPRICE],
    ...[...opcodeRange('COINBASE', 'CHAINID'), OPCODES.BASEFEE],
    ...[OPCODES.BLOBBASEFEE, OPCODES.SLOTNUM],
  ],
  PUSH: [OPCODES.PC],
  DUP: [...opcodeRange('DUP1', 'DUP16'), OPCODES.DUPN],
  SWAP: [...opcodeRange('SWAP1', 'SWAP16'), OPCODES.SWAPN],
  LOG: opcodeRange('LOG0', 'LOG4'),
  CREATE: [OPCODES.CREATE2],
  CALL: [OPCODES.CALLCODE, OPCODES.DELEGATECALL, OPCODES.STATICCALL],
  INVALID: [...opcodeRange('PUSH0', 'PUSH32'), OPCODES.JUMPDEST],
};

/** Converts a name to capitals: `outOfGas` becomes `OUT_OF_GAS`. */
function inCapitals(name: string): string {
  return /[a-z]/.test(name) ? name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase() : name;
}

function namespaceText(name: string, type: string, values: Readonly<Record<string, number>>): string {
  const constants = Object.entries(values).map(
    ([key, value]) => `  export const ${inCapitals(key)}: ${type} = ${value};`,
  );
  return [`export namespace ${name} {`, ...constants, '}'].join('\n');
}

function enumerationText(name: string, members: Readonly<Record<string, number>>): string {
  const lines = Object.entries(members).map(([key, value]) => `  ${inCapitals(key)} = ${value},`);
  return [`export const enum ${name} {`, ...lines, '}'].join('\n');
}

/** Returns the index of each rule parameter. */
function ruleEnumeration(): Readonly<Record<string, number>> {
  const names = RULE_SET_NAMES.slice(0, 1).flatMap((name) =>
    Object.keys(ruleParameters(ruleSetNamed(name), { code: null, initcode: null })),
  );
  return Object.fromEntries([...names, 'count'].map((name, place) => [name, place]));
}

/** Returns the operation of each byte. Throws if an opcode has no operation. */
export function operationTable(operations: readonly string[]): number[] {
  const numberOf = (operation: string): number => operations.indexOf(operation);
  const table = new Array<number>(256).fill(numberOf('INVALID'));
  const shared = new Map(
    Object.entries(SHARED_OPERATIONS).flatMap(([name, opcodes]) => opcodes.map((opcode) => [opcode, name])),
  );
  for (const [name, opcode] of Object.entries(OPCODES)) {
    if (!shared.has(opcode) && numberOf(name) < 0) throw new Error(`the opcode ${name} has no operation`);
    table[opcode] = numberOf(name);
  }
  for (const [opcode, name] of shared) table[opcode] = numberOf(name);
  if (table.some((operation) => operation < 0)) throw new Error('an opcode shares an operation that does not exist');
  return table;
}

/**
 * Returns the names of the operations in `operations.ts`, in order. Throws for a line that is neither a name
 * nor a comment, because the following operations would get wrong numbers.
 */
export function operationNames(source: string): string[] {
  const start = source.indexOf('export const enum Operation {');
  const [, ...lines] = source.slice(start, source.indexOf('\n}', start)).split('\n');
  return lines
    .filter((line) => !/^ *(?:\/\/|\/\*\*.*\*\/$|$)/.test(line))
    .map((line) => {
      const [, name] = /^ {2}([A-Z][A-Z0-9_]*)(?: = 0)?,$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`operations.ts has a line that is no operation: ${line.trim()}`);
      return name;
    });
}

/** Throws unless `run-loop.ts` has one case per operation, in order. */
export function requireCases(operations: readonly string[], runLoop: string): void {
  const cases = [...runLoop.matchAll(/^ +case Operation\.(\w+):/gm)].map(([, name]) => name ?? '');
  const missing = operations.filter((operation) => !cases.includes(operation));
  if (missing.length > 0) throw new Error(`run-loop.ts has no case for the operation ${missing.join(', ')}`);
  const misplaced = cases.find((name, place) => name !== operations[place]);
  if (misplaced !== undefined) throw new Error(`run-loop.ts has the case of ${misplaced} out of order`);
}

/** Returns the source of `generated/protocol.ts`. `operations` is the source of `operations.ts`. */
export function protocolSource(operations: string): string {
  return [
    '// Generated by the build (`generate.ts`) from the numbers of the host, where they are explained.',
    ...NAMESPACES.map(([name, type, values]) => namespaceText(name, type, values)),
    enumerationText('Rule', ruleEnumeration()),
    enumerationText('Opcode', OPCODES),
    `export const NO_OPCODE: u32 = ${NO_OPCODE};`,
    `/** The operation of each opcode. */\nexport const OPERATIONS: usize = memory.data<u8>([${operationTable(operationNames(operations)).join(', ')}]);\n`,
  ].join('\n\n');
}
