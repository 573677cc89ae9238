// The common form of compiled contracts, independent of the tool that compiled them.

import type { Abi } from 'abitype';

/** A range of code, in bytes, that is filled in at deployment. */
export interface CodeHole {
  readonly start: number;
  readonly length: number;
  /** The value that is filled in: a library's address, an immutable variable, or the compiler's metadata. */
  readonly kind: 'library' | 'immutable' | 'metadata';
  /** `contracts/Math.sol:Math` for a library; the AST id of an immutable variable; empty for metadata. */
  readonly name: string;
}

/** Code from the compiler, with holes. */
export interface CodeTemplate {
  /** The holes contain zeros or the compiler's placeholders. */
  readonly bytes: Uint8Array;
  readonly holes: readonly CodeHole[];
  /** solc's compressed source map, or Vyper's object; `null` if the tool wrote none. */
  readonly sourceMap: string | null;
  /** The variables of an ETHDebug program; `null` without a program, or without variables. */
  readonly variables: ProgramVariables | null;
}

export interface ProgramVariable {
  readonly name: string;
  /** `ethdebug/format/type`; `null` if the program has none. */
  readonly type: { readonly [member: string]: unknown } | null;
  /** `ethdebug/format/pointer`; `null` if the variable has no location. */
  readonly pointer: { readonly [member: string]: unknown } | null;
}

/** The variables of a code, from an ETHDebug program. */
export interface ProgramVariables {
  /** The variables before the first instruction. */
  readonly before: readonly ProgramVariable[];
  /** By program counter: the variables after the instruction. Absent for instructions without variables. */
  readonly after: ReadonlyMap<number, readonly ProgramVariable[]>;
}

export interface CompilerFacts {
  readonly language: 'Solidity' | 'Vyper' | 'Yul';
  /** `0.8.28`; `null` if the tool does not record it. */
  readonly version: string | null;
  readonly optimizer: boolean;
  readonly viaIR: boolean;
  /** The optimizer's `runs` setting; `null` without the optimizer, or if the tool does not record it. */
  readonly runs: number | null;
  /** `cancun`; `null` if the tool does not record it. */
  readonly evmVersion: string | null;
}

/** A compiled contract without its sources. */
export interface ContractArtifact {
  readonly name: string;
  /** The compiler's name of the file: `contracts/Token.sol`. */
  readonly sourceName: string;
  readonly abi: Abi;
  /** The signatures of all functions, also of library functions that the ABI omits. Empty if unknown. */
  readonly signatures: readonly string[];
  /** The initcode; `null` for an interface or an abstract contract. */
  readonly creation: CodeTemplate | null;
  /** The deployed code; `null` for an interface or an abstract contract. */
  readonly deployed: CodeTemplate | null;
  readonly compiler: CompilerFacts;
  /** The compiler's `storageLayout` object; `null` if the output has none. */
  readonly storageLayout: unknown;
  /** The layout of transient storage in solc's format (`transientStorageLayout`). */
  readonly transientStorageLayout: unknown;
}

/** A deployment recorded by a tool (Truffle's networks, Ignition's addresses). */
export interface KnownDeployment {
  readonly chainId: number;
  /** `0x` and 40 lower-case digits. */
  readonly address: string;
}
