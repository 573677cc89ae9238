// Parses the JSON of one contract: outputs of solc and Vyper, artifacts of Hardhat, Foundry and Truffle.

import type { Abi } from 'abitype';
import { namesOf } from '../../json/json-writer.ts';
import type { Steps } from '../../primitives/steps.ts';
import type { CodeTemplate, CompilerFacts, ContractArtifact } from '../artifact.ts';
import { ArtifactBoundError, DEEPEST_ABI, MAX_ABI_NODES, MAX_ABI_TYPE_LENGTH } from '../artifact-bound.ts';
import { type CodeFields, codeTemplate, type ReferenceList } from '../code-template.ts';

/** A JSON object with unchecked members. */
export type JsonObject = { readonly [name: string]: unknown };

/** Returns the value if it is an object (not an array); otherwise an empty object. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** Returns the value if it is a string; otherwise `null`. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Units of work to check an entry, parameter or member of an ABI. */
const NODE_WORK = 64;

/**
 * Returns the valid entries of an ABI. Invalid entries are left out. Yields between time slices. Throws
 * {@link ArtifactBoundError} if the ABI exceeds a bound.
 */
export function* abiOf(value: unknown): Steps<Abi> {
  if (!Array.isArray(value)) return [];
  const check = new ParameterCheck();
  const entries: unknown[] = [];
  for (const entry of value) {
    const before = check.left;
    if (check.isEntry(objectOf(entry))) entries.push(entry);
    yield NODE_WORK * (before - check.left);
  }
  return entries as unknown as Abi;
}

const NAMED_ENTRIES: ReadonlySet<string> = new Set(['function', 'error', 'event']);

/** Checks the entries of one ABI and counts its nodes. */
class ParameterCheck {
  #left = MAX_ABI_NODES;

  /** The remaining number of nodes. */
  get left(): number {
    return this.#left;
  }

  isEntry({ type, name, inputs, outputs }: JsonObject): boolean {
    this.#count();
    if (typeof type !== 'string') return false;
    if (!NAMED_ENTRIES.has(type)) return inputs === undefined || this.#areParameters(inputs, 0);
    const isComplete = type !== 'function' || this.#areParameters(outputs, 0);
    return typeof name === 'string' && this.#areParameters(inputs, 0) && isComplete;
  }

  #areParameters(value: unknown, depth: number): boolean {
    if (!Array.isArray(value)) return false;
    if (depth > DEEPEST_ABI)
      throw new ArtifactBoundError(
        'abi',
        `structs nested at most ${DEEPEST_ABI} levels deep`,
        'deeper nesting',
      );
    return value.every((parameter) => {
      this.#count();
      const { name, type, components } = objectOf(parameter);
      if (typeof type !== 'string' || (name !== undefined && typeof name !== 'string')) return false;
      if (type.length > MAX_ABI_TYPE_LENGTH) return false;
      return components === undefined || this.#areParameters(components, depth + 1);
    });
  }

  #count(): void {
    if (this.#left-- > 0) return;
    throw new ArtifactBoundError(
      'abi',
      `an ABI of at most ${MAX_ABI_NODES} entries, parameters and members`,
      'a larger ABI',
    );
  }
}

function isPlace(value: unknown): value is { readonly start: number; readonly length: number } {
  const { start, length } = objectOf(value);
  return Number.isSafeInteger(start) && Number.isSafeInteger(length);
}

function referencesOf(value: unknown): ReferenceList {
  // `fromEntries` creates own members for all names, including `__proto__`.
  return Object.fromEntries(
    Object.entries(objectOf(value)).flatMap(([name, places]) =>
      Array.isArray(places) ? [[name, places.filter(isPlace)]] : [],
    ),
  );
}

function linksOf(value: unknown): NonNullable<CodeFields['linkReferences']> {
  return Object.fromEntries(
    Object.entries(objectOf(value)).map(([file, libraries]) => [file, referencesOf(libraries)]),
  );
}

/** Members that Truffle and Hardhat write next to the code if the code is a plain string. */
interface CodeBeside {
  readonly linkReferences?: unknown;
  readonly immutableReferences?: unknown;
  readonly sourceMap?: unknown;
}

/** Reads a code: a string, or a compiler object with `object`, `sourceMap` and references. */
function codeOf(value: unknown, beside: CodeBeside = {}): CodeTemplate | null {
  const fields = typeof value === 'string' ? { ...beside, object: value } : objectOf(value);
  const object = textOf(fields.object);
  if (object === null) return null;
  return codeTemplate({
    object,
    linkReferences: linksOf(fields.linkReferences),
    immutableReferences: referencesOf(fields.immutableReferences),
    sourceMap: textOf(fields.sourceMap),
  });
}

/** Bounded, so that long runs of digits do not cause backtracking. */
const VERSION = /\d{1,4}\.\d{1,4}\.\d{1,4}/;

/** `"solc" 43`: precedes the three version bytes in the metadata of code (Solidity 0.5.9 and later). */
const VERSION_KEY = Buffer.from('64736f6c6343', 'hex');

/** Reads solc's version at the end of a code; `null` if absent. */
function versionIn(code: CodeTemplate | null): string | null {
  if (code === null) return null;
  const at = Buffer.from(code.bytes.buffer, code.bytes.byteOffset, code.bytes.length).lastIndexOf(
    VERSION_KEY,
  );
  const version = at < 0 ? [] : [...code.bytes.subarray(at + VERSION_KEY.length).subarray(0, 3)];
  return version.length === 3 ? version.join('.') : null;
}

/**
 * Reads the compiler settings from the compiler's input (`language`, `settings`) and version
 * (`0.8.28+commit…`), otherwise from the contract's `metadata`.
 */
function compilerOf(input: unknown, version: unknown, metadata?: unknown): CompilerFacts {
  const kept = metadataOf(metadata);
  const { language, settings } = objectOf(input);
  const { optimizer, viaIR, optimize, evmVersion } = { ...objectOf(kept.settings), ...objectOf(settings) };
  const named = textOf(language) ?? textOf(kept.language);
  const number = VERSION.exec(textOf(version) ?? textOf(objectOf(kept.compiler).version) ?? '');
  const { enabled, runs } = objectOf(optimizer);
  const optimizes = typeof optimize === 'string' ? optimize !== 'none' : optimize === true;
  return {
    language: named === 'Vyper' || named === 'Yul' ? named : 'Solidity',
    version: number === null ? null : number[0],
    // Vyper only has the setting `optimize`.
    optimizer: enabled === true || optimizes,
    viaIR: viaIR === true,
    runs: enabled === true && typeof runs === 'number' ? runs : null,
    evmVersion: textOf(evmVersion),
  };
}

/** Parses the metadata of a contract: JSON text or an object. */
export function metadataOf(metadata: unknown): JsonObject {
  if (typeof metadata !== 'string') return objectOf(metadata);
  try {
    return objectOf(JSON.parse(metadata));
  } catch {
    return {};
  }
}

/** Reads a contract from solc's or Vyper's output (`contracts[file][name]`). Yields between time slices. */
export function* contractOfOutput(
  sourceName: string,
  name: string,
  contract: unknown,
  { input, version }: { readonly input: unknown; readonly version: unknown },
): Steps<ContractArtifact> {
  const { abi, evm, storageLayout, transientStorageLayout, layout, metadata } = objectOf(contract);
  // Vyper has one object with all layouts.
  const vyper = objectOf(layout);
  const { bytecode, deployedBytecode, methodIdentifiers } = objectOf(evm);
  const deployed = codeOf(deployedBytecode);
  return {
    name,
    sourceName,
    abi: yield* abiOf(abi),
    signatures: namesOf(objectOf(methodIdentifiers)),
    creation: codeOf(bytecode),
    deployed,
    compiler: compilerOf(input, version ?? (metadata === undefined ? versionIn(deployed) : null), metadata),
    storageLayout: storageLayout ?? vyper.storage_layout ?? null,
    transientStorageLayout: transientStorageLayout ?? vyper.transient_storage_layout ?? null,
  };
}

/** Removes `project:/`, Truffle's prefix of the project's own files. */
export function withoutScheme(sourceName: string): string {
  return sourceName.startsWith(TRUFFLE_SCHEME) ? sourceName.slice(TRUFFLE_SCHEME.length) : sourceName;
}

const TRUFFLE_SCHEME = 'project:/';

/**
 * Reads the artifact file of one contract, as written by Hardhat, Foundry and Truffle. `fallbackName` applies
 * if the file has no name (Foundry: the name of the file). Returns `null` if the JSON does not describe a
 * contract. Yields between time slices.
 */
export function* contractOfFile(file: unknown, fallbackName: string): Steps<ContractArtifact | null> {
  const members = objectOf(file);
  if (!Array.isArray(members.abi)) return null;
  const metadata = metadataOf(members.metadata ?? members.rawMetadata);
  const [compiled] = Object.entries(objectOf(objectOf(metadata.settings).compilationTarget));
  const sourcePath =
    textOf(members.sourceName) ?? textOf(objectOf(members.ast).absolutePath) ?? compiled?.[0] ?? null;
  const version = textOf(objectOf(members.compiler).version);
  return {
    name: textOf(members.contractName) ?? textOf(compiled?.[1]) ?? fallbackName,
    sourceName: withoutScheme(sourcePath ?? textOf(members.sourcePath) ?? `${fallbackName}.sol`),
    abi: yield* abiOf(members.abi),
    signatures: namesOf(objectOf(members.methodIdentifiers)),
    creation: codeOf(members.bytecode, {
      linkReferences: members.linkReferences,
      sourceMap: members.sourceMap,
    }),
    deployed: codeOf(members.deployedBytecode, {
      linkReferences: members.deployedLinkReferences,
      immutableReferences: members.immutableReferences,
      sourceMap: members.deployedSourceMap,
    }),
    compiler: compilerOf({}, version, metadata),
    storageLayout: members.storageLayout ?? null,
    transientStorageLayout: members.transientStorageLayout ?? null,
  };
}
