/** The contracts that rules define instead of code: their names, their addresses and the types of their prices. */

import { fromHex } from '../../primitives/hex.ts';

/** The lowest address of a precompile that only Rootstock has. */
export const FIRST_ROOTSTOCK_CONTRACT = 0x1000000n;

/** The precompiles that all networks have, by the names that lists of configurations give them (EIP-7910). */
const COMMON_ADDRESSES = {
  ECREC: '0x0000000000000000000000000000000000000001',
  SHA256: '0x0000000000000000000000000000000000000002',
  RIPEMD160: '0x0000000000000000000000000000000000000003',
  ID: '0x0000000000000000000000000000000000000004',
  MODEXP: '0x0000000000000000000000000000000000000005',
  BN254_ADD: '0x0000000000000000000000000000000000000006',
  BN254_MUL: '0x0000000000000000000000000000000000000007',
  BN254_PAIRING: '0x0000000000000000000000000000000000000008',
  BLAKE2F: '0x0000000000000000000000000000000000000009',
  KZG_POINT_EVALUATION: '0x000000000000000000000000000000000000000a',
  BLS12_G1ADD: '0x000000000000000000000000000000000000000b',
  BLS12_G1MSM: '0x000000000000000000000000000000000000000c',
  BLS12_G2ADD: '0x000000000000000000000000000000000000000d',
  BLS12_G2MSM: '0x000000000000000000000000000000000000000e',
  BLS12_PAIRING_CHECK: '0x000000000000000000000000000000000000000f',
  BLS12_MAP_FP_TO_G1: '0x0000000000000000000000000000000000000010',
  BLS12_MAP_FP2_TO_G2: '0x0000000000000000000000000000000000000011',
  P256VERIFY: '0x0000000000000000000000000000000000000100',
} as const;

/** The contracts that only the network has. */
const NETWORK_ADDRESSES = {
  BRIDGE: '0x0000000000000000000000000000000001000006',
  REMASC: '0x0000000000000000000000000000000001000008',
  HD_WALLET_UTILS: '0x0000000000000000000000000000000001000009',
  BLOCK_HEADER: '0x0000000000000000000000000000000001000010',
  ENVIRONMENT: '0x0000000000000000000000000000000001000011',
  SECP256K1_ADD: '0x0000000000000000000000000000000001000016',
  SECP256K1_MUL: '0x0000000000000000000000000000000001000017',
} as const;

const ADDRESSES = { ...COMMON_ADDRESSES, ...NETWORK_ADDRESSES } as const;

export type NetworkContractName = keyof typeof NETWORK_ADDRESSES;
export type PrecompileName = keyof typeof ADDRESSES;

/** The names of the contracts that only the network has, by address. */
export const NETWORK_CONTRACT_NAMES = Object.keys(NETWORK_ADDRESSES) as readonly NetworkContractName[];

/** A contract that the rules define instead of code. */
export interface Precompile<Name extends PrecompileName = PrecompileName> {
  /** As the lists of configurations name it (EIP-7910). */
  readonly name: Name;
  /** 20 bytes. */
  readonly address: Uint8Array;
}

interface RuleSetPrecompiles {
  readonly precompiles: { readonly contracts: readonly PrecompileName[] };
}

/** Returns the address of the precompile of that name: 20 bytes, a new array. */
export function precompileAddress(name: PrecompileName): Uint8Array {
  return fromHex(ADDRESSES[name]);
}

/** Returns the precompiles that code can call under a rule set (or its part that names them), by address. */
export function precompilesOf({ precompiles }: RuleSetPrecompiles): Precompile[] {
  return precompiles.contracts.map((name) => ({ name, address: precompileAddress(name) }));
}

/** Returns the contracts that only the network has, by address. */
export function networkContracts(): Precompile<NetworkContractName>[] {
  return NETWORK_CONTRACT_NAMES.map((name) => ({ name, address: precompileAddress(name) }));
}

/** The price of a precompile for the size of its input. */
export interface WordPricedGas {
  readonly base: number;
  /** Each 32 bytes of input, begun ones included. */
  readonly word: number;
}

/** The price of MODEXP: by the formula of EIP-198, or that of EIP-2565 or EIP-7883 with its least price. */
export interface ModularExponentiationGas {
  readonly formula: 'EIP-198' | 'EIP-2565' | 'EIP-7883';
  readonly divisor: number;
  readonly minimum: number;
  /** Bytes of base, exponent and modulus each; a call with a longer one fails (EIP-7823). `null` where there is no limit. */
  readonly longestOperand: number | null;
}

/** The prices of the network's own contracts, paid whatever becomes of a call whose arguments can be read. Others are free. */
export interface NetworkContractGas {
  /** RSKIP-106 */
  readonly hdWalletUtils: {
    readonly toBase58Check: number;
    readonly deriveExtendedPublicKey: number;
    readonly extractPublicKey: number;
    /** For two keys or fewer, and for each further one. */
    readonly multisigScriptHash: { readonly base: number; readonly furtherKey: number };
  };
  /** Each function, and each byte of its input with the selector (RSKIP-119). */
  readonly blockHeader: { readonly base: number; readonly byte: number };
  /** RSKIP-516 */
  readonly secp256k1Add: number;
  readonly secp256k1Multiply: number;
}

/** The prices of the precompiles, in gas. Those that a rule set does not have are priced as where they first exist. */
export interface PrecompileGas {
  readonly ecRecover: number;
  readonly sha256: WordPricedGas;
  readonly ripemd160: WordPricedGas;
  readonly identity: WordPricedGas;
  readonly modularExponentiation: ModularExponentiationGas;
  readonly bn254Add: number;
  readonly bn254Multiply: number;
  readonly bn254Pairing: { readonly base: number; readonly pair: number };
  /** Each round of BLAKE2F (EIP-152). */
  readonly blake2Round: number;
  /** EIP-4844 */
  readonly pointEvaluation: number;
  /** EIP-7951 */
  readonly p256Verify: number;
  /** EIP-2537; the products of many points are cheaper by the point, as the EIP's tables say. */
  readonly bls12: {
    readonly g1Add: number;
    readonly g1Multiply: number;
    readonly g2Add: number;
    readonly g2Multiply: number;
    readonly pairing: { readonly base: number; readonly pair: number };
    readonly mapToG1: number;
    readonly mapToG2: number;
  };
  readonly network: NetworkContractGas;
}
