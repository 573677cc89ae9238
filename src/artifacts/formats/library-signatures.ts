/**
 * The signatures of functions of libraries that the ABI leaves out, as they take parameters in storage: from the syntax tree, where the output
 * has no `methodIdentifiers` (Solidity documentation, Function Signatures and Selectors in Libraries).
 */

import { hexKey } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { CodeTemplate, ContractArtifact } from '../artifact.ts';
import { type JsonObject, objectOf, textOf } from './contract-json.ts';

/** Ends the type of a parameter in storage in trees, and in signatures. */
const POINTER = / storage (?:pointer|ref)$/;
/** Stands before the names of types that are not elementary, and behind addresses that take value. */
const KIND = /\b(?:struct|enum|contract|library) |(?<=\baddress) payable/g;
/** The place of values that are not in storage. */
const LOCATION = / (?:memory|calldata)(?: ptr)?$/;
const PUSH4 = 0x63;

/** The name that solc's IR pipeline gives the variable that holds the address of a library in its own code. */
const LIBRARY_ADDRESS = 'library_deploy_address';

/** True for the code of an account that is a library, which checks whether it is called directly. */
export function isLibraryCode(code: CodeTemplate | null): boolean {
  return (code?.holes ?? []).some(
    ({ start, kind, name }) => name === LIBRARY_ADDRESS || (start === 1 && kind === 'library' && name === ''),
  );
}

/** Resolves to the artifact with signatures of its functions, if it is a library without any. `tree` reads the tree of its file. */
export async function withSignatures(
  artifact: ContractArtifact,
  tree: () => Promise<unknown>,
): Promise<ContractArtifact> {
  const { deployed, name, signatures } = artifact;
  if (deployed === null || signatures.length > 0 || !isLibraryCode(deployed)) return artifact;
  const read = await tree().catch(() => null);
  return { ...artifact, signatures: librarySignatures(read, name, deployed.bytes) };
}

function nodesOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

/** Returns the type of a parameter as signatures of libraries write it; `null` for what is none. */
function typeOf({ typeDescriptions, storageLocation }: JsonObject): string | null {
  const type = textOf(objectOf(typeDescriptions).typeString);
  if (type === null) return null;
  if (storageLocation === 'storage') return `${type.replace(POINTER, '').replace(KIND, '')} storage`;
  return type.replace(LOCATION, '').replace(KIND, '');
}

/**
 * Returns the signatures of the functions of a library that take parameters in storage, of which `tree` is the file. Only those are
 * returned whose selector the code compares with.
 */
function librarySignatures(tree: unknown, name: string, code: Uint8Array): string[] {
  const selectors = new Set<string>();
  for (let pc = 0; pc + 4 < code.length; pc++) {
    if (code[pc] === PUSH4) selectors.add(hexKey(code.subarray(pc + 1, pc + 5)));
  }
  const library = nodesOf(objectOf(tree).nodes).find(
    (node) => node.nodeType === 'ContractDefinition' && node.contractKind === 'library' && node.name === name,
  );
  return nodesOf(library?.nodes).flatMap(({ nodeType, name: called, parameters }) => {
    const list = nodesOf(objectOf(parameters).parameters);
    const isLeftOut = list.some(({ storageLocation }) => storageLocation === 'storage');
    if (nodeType !== 'FunctionDefinition' || typeof called !== 'string' || !isLeftOut) return [];
    const signature = `${called}(${list.map((parameter) => typeOf(parameter) ?? '').join(',')})`;
    return selectors.has(hexKey(keccak256(Buffer.from(signature)).subarray(0, 4))) ? [signature] : [];
  });
}
