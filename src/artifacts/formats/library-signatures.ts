/**
 * Finds the signatures of library functions with storage parameters, which the ABI omits. They come from the
 * syntax tree if the output has no `methodIdentifiers` (Solidity documentation, Function Signatures and
 * Selectors in Libraries).
 */

import { hexKey } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { CodeTemplate, ContractArtifact } from '../artifact.ts';
import { type JsonObject, objectOf, textOf } from './contract-json.ts';

/** The suffix of a storage parameter's type in syntax trees. */
const POINTER = / storage (?:pointer|ref)$/;
/** The prefix of types that are not elementary, and the suffix of payable addresses. */
const KIND = /\b(?:struct|enum|contract|library) |(?<=\baddress) payable/g;
/** The location of values outside storage. */
const LOCATION = / (?:memory|calldata)(?: ptr)?$/;
const PUSH4 = 0x63;

/** The name that solc's IR pipeline gives the library's own address. */
const LIBRARY_ADDRESS = 'library_deploy_address';

/** Returns true if the deployed code is a library: libraries check for direct calls. */
export function isLibraryCode(code: CodeTemplate | null): boolean {
  return (code?.holes ?? []).some(
    ({ start, kind, name }) => name === LIBRARY_ADDRESS || (start === 1 && kind === 'library' && name === ''),
  );
}

/** Resolves to the artifact, with signatures if it is a library without any. `tree` reads its file's tree. */
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

/** Returns the type of a parameter as in library signatures; `null` if it has no type. */
function typeOf({ typeDescriptions, storageLocation }: JsonObject): string | null {
  const type = textOf(objectOf(typeDescriptions).typeString);
  if (type === null) return null;
  if (storageLocation === 'storage') return `${type.replace(POINTER, '').replace(KIND, '')} storage`;
  return type.replace(LOCATION, '').replace(KIND, '');
}

/**
 * Returns the signatures of a library's functions with storage parameters. `tree` is the library's file. Only
 * includes functions whose selector is in the code.
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
