/** The creation code of a contract with its constructor arguments, from an artifact or from bytecode. */

import { encodeAbiParameters } from 'viem/utils';
import type { CodeTemplate, ContractArtifact } from '../../artifacts/artifact.ts';
import type { IndexedContract } from '../../artifacts/contract-index.ts';
import { toHex } from '../../primitives/hex.ts';
import { nearestWord } from '../../primitives/nearest-word.ts';
import { isRecord } from '../../primitives/record.ts';
import { argumentValues, functionOf, type Taker, type WrittenParameter } from '../trace/written-call.ts';
import { writtenValue } from './contract-call.ts';
import { type Session, ToolError } from './session.ts';

/** Maximum names in a message. */
const MAX_NAMED = 20;

const TAKER: Taker = { name: 'the constructor', example: 'for example "constructor(string,uint256)"' };

function fullName({ sourceName, name }: IndexedContract): string {
  return `${sourceName}:${name}`;
}

/** Returns the first names on one line, and the number of the others. */
export function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * Resolves to the artifact with this name (`Token`) or full name (`contracts/Token.sol:Token`). Rejects with
 * {@link ToolError} if it is unknown or ambiguous.
 */
export async function artifactNamed(wanted: string, session: Session): Promise<ContractArtifact> {
  const loaded = await (await session.artifacts()).load();
  await loaded.ready();
  const contracts = [...loaded.contracts];
  if (contracts.length === 0)
    throw new ToolError(
      'no artifacts found',
      'Compile the project and call add_artifacts with the folder of its build outputs, or pass bytecode.',
    );
  const found = contracts.filter((each) => each.name === wanted || fullName(each) === wanted);
  const names = [...new Set(found.map(fullName))];
  if (names.length > 1)
    throw new ToolError(
      `${wanted} is ambiguous: ${listed(names)}`,
      'Pass one of these names, including the file.',
    );
  // If several files contain the contract, the last one is the newest.
  const contract = found.at(-1);
  if (contract !== undefined) return contract.load();
  const known = [...new Set(contracts.map(({ name }) => name))];
  const nearest = nearestWord(wanted, known);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw new ToolError(
    `unknown artifact ${wanted}${hint}`,
    `Expected one of ${listed(known)}. Compile the project and call add_artifacts to add more artifacts.`,
  );
}

/** Returns the linked creation code. Throws {@link ToolError} without code or without a library's address. */
export function linkedCode(
  { name, creation }: Pick<ContractArtifact, 'name' | 'creation'>,
  libraries: Readonly<Record<string, string>>,
): string {
  if (creation === null)
    throw new ToolError(
      `${name} has no code: it is an interface or an abstract contract`,
      'Pass the name of a contract that implements it.',
    );
  const bytes = creation.bytes.slice();
  for (const { start, kind, name: library } of holesOf(creation)) {
    if (kind !== 'library') continue;
    const at = libraries[library] ?? libraries[library.split(':').at(-1) ?? ''];
    if (at === undefined)
      throw new ToolError(
        `${name} requires the library ${library}`,
        `Deploy it first, then pass its address: "libraries": {"${library}": "0x…"}.`,
      );
    bytes.set(Buffer.from(at.slice(2), 'hex'), start);
  }
  return toHex(bytes);
}

/** Named holes only. A library's own address has no name: its creation fills it in. */
function holesOf({ holes }: CodeTemplate): CodeTemplate['holes'] {
  return holes.filter(({ name }) => name !== '');
}

/** Returns the constructor parameters of an ABI; empty if it has no constructor. */
export function constructorInputs(abi: readonly unknown[]): readonly WrittenParameter[] {
  const found = abi.find((each) => isRecord(each) && each.type === 'constructor');
  const inputs = isRecord(found) && Array.isArray(found.inputs) ? found.inputs : [];
  return inputs as readonly WrittenParameter[];
}

/** Returns the parameters of a signature such as `constructor(string,uint256)`. Throws a `UsageError`. */
export function signatureInputs(signature: string): readonly WrittenParameter[] {
  return functionOf(signature.replace(/^constructor\b/, 'created'), TAKER).inputs;
}

/** Appends the encoded arguments to the code. Throws a `UsageError` for invalid arguments. */
export function withArguments(
  code: string,
  inputs: readonly WrittenParameter[],
  args: readonly unknown[],
): string {
  const written = args.map((value, index) => {
    const input = inputs[index];
    return input === undefined
      ? String(value)
      : writtenValue(input, value, `${input.name ?? `argument ${index + 1}`} of the constructor`);
  });
  const encodable = argumentValues(inputs, written, 'the constructor', TAKER);
  if (inputs.length === 0) return code;
  const parameters = inputs as Parameters<typeof encodeAbiParameters>[0];
  return `${code}${encodeAbiParameters(parameters, encodable).slice(2)}`;
}
