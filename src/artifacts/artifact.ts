// The forms in which the room knows contracts, whatever tool compiled them.

import type { Abi } from 'abitype';

/** A piece of code that is not known before deployment: where it stands, in bytes. */
export interface CodeHole {
  readonly start: number;
  readonly length: number;
  /** The kind of value that is filled in: the address of a library, the value of an immutable variable, or the metadata of the compiler. */
  readonly kind: 'library' | 'immutable' | 'metadata';
  /** `contracts/Math.sol:Math` of a library; the id of the variable in the AST of an immutable; empty for metadata. */
  readonly name: string;
}

/** Code as the compiler gave it, with holes. */
export interface CodeTemplate {
  /** The holes are zero, or hold what the compiler wrote there. */
  readonly bytes: Uint8Array;
  readonly holes: readonly CodeHole[];
  /** The compressed source map of solc, or the object of Vyper; `null` where the tool kept none. */
  readonly sourceMap: string | null;
  /** The variables that an ETHDebug program describes; `null` where there is no program, or one without variables. */
  readonly variables: ProgramVariables | null;
}

/** A variable as a program of ETHDebug describes it. */
export interface ProgramVariable {
  readonly name: string;
  /** `ethdebug/format/type`; `null` where the program does not say. */
  readonly type: { readonly [member: string]: unknown } | null;
  /** `ethdebug/format/pointer`; `null` for a variable that has no place. */
  readonly pointer: { readonly [member: string]: unknown } | null;
}

/** The variables of a code, as a program of ETHDebug describes them. */
export interface ProgramVariables {
  /** The variables that there are before the first instruction. */
  readonly before: readonly ProgramVariable[];
  /** By program counter: those that there are when the instruction has run. Others have none. */
  readonly after: ReadonlyMap<number, readonly ProgramVariable[]>;
}

/** The compiler of a contract, with its settings. */
export interface CompilerFacts {
  readonly language: 'Solidity' | 'Vyper' | 'Yul';
  /** `0.8.28`; `null` where the tool does not say. */
  readonly version: string | null;
  readonly optimizer: boolean;
  readonly viaIR: boolean;
  /** For how many runs the optimizer works; `null` where it does not, or where the tool does not say. */
  readonly runs: number | null;
  /** `cancun`; `null` where the tool does not say. */
  readonly evmVersion: string | null;
}

/** Everything that is known of a compiled contract but its sources. */
export interface ContractArtifact {
  readonly name: string;
  /** As the compiler names the file: `contracts/Token.sol`. */
  readonly sourceName: string;
  readonly abi: Abi;
  /** The signatures of all functions, with those of a library that the ABI leaves out; empty where the output has none. */
  readonly signatures: readonly string[];
  /** The code of a creation; `null` for an interface or an abstract contract. */
  readonly creation: CodeTemplate | null;
  /** The code of the account; `null` as above. */
  readonly deployed: CodeTemplate | null;
  readonly compiler: CompilerFacts;
  /** The object `storageLayout` of the compiler; `null` where the output has none. */
  readonly storageLayout: unknown;
  /** The layout of transient storage as solc writes it (`transientStorageLayout`). */
  readonly transientStorageLayout: unknown;
}

/** The place at which a contract is deployed, as a tool says (Truffle's networks, Ignition's addresses). */
export interface KnownDeployment {
  readonly chainId: number;
  /** 20 bytes in lower-case hexadecimal with `0x`. */
  readonly address: string;
}
