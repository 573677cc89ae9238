/** Precompiles: names, addresses and types of their prices. */

import { fromHex } from '../../primitives/hex.ts';

/** The lowest address of a precompile that only Rootstock has. */
export const FIRST_ROOTSTOCK_CONTRACT = 0x1000000n;

/** The precompiles of all rule sets, with their names in EIP-7910. */
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

/** The precompiles that only Rootstock has. */
const ROOTSTOCK_ADDRESSES = {
  BRIDGE: '0x0000000000000000000000000000000001000006',
  REMASC: '0x0000000000000000000000000000000001000008',
  HD_WALLET_UTILS: '0x0000000000000000000000000000000001000009',
  BLOCK_HEADER: '0x0000000000000000000000000000000001000010',
  ENVIRONMENT: '0x0000000000000000000000000000000001000011',
  SECP256K1_ADD: '0x0000000000000000000000000000000001000016',
  SECP256K1_MUL: '0x0000000000000000000000000000000001000017',
} as const;

const ADDRESSES = { ...COMMON_ADDRESSES, ...ROOTSTOCK_ADDRESSES } as const;

/** Drafts of Rootstock for the peg; see `RootstockUpgrade`. */
export type PegDraft = 'RSKIP378' | 'RSKIP559';

export type RootstockPrecompileName = keyof typeof ROOTSTOCK_ADDRESSES;
export type PrecompileName = keyof typeof ADDRESSES;

/** Sorted by address. */
export const ROOTSTOCK_PRECOMPILE_NAMES = Object.keys(
  ROOTSTOCK_ADDRESSES,
) as readonly RootstockPrecompileName[];

export interface Precompile<Name extends PrecompileName = PrecompileName> {
  /** The name in EIP-7910. */
  readonly name: Name;
  /** 20 bytes. */
  readonly address: Uint8Array;
}

interface RuleSetPrecompiles {
  readonly precompiles: { readonly contracts: readonly PrecompileName[] };
}

/** Returns the address of a precompile: 20 bytes, a new array. */
export function precompileAddress(name: PrecompileName): Uint8Array {
  return fromHex(ADDRESSES[name]);
}

/** Returns the precompiles of a rule set, by ascending address. */
export function precompilesOf({ precompiles }: RuleSetPrecompiles): Precompile[] {
  return precompiles.contracts.map((name) => ({ name, address: precompileAddress(name) }));
}

/** Returns the precompiles that only Rootstock has, by ascending address. */
export function rootstockPrecompiles(): Precompile<RootstockPrecompileName>[] {
  return ROOTSTOCK_PRECOMPILE_NAMES.map((name) => ({ name, address: precompileAddress(name) }));
}

/** A price that depends on the size of the input. */
export interface WordPricedGas {
  readonly base: number;
  /** Per 32 bytes of input, rounded up. */
  readonly word: number;
}

/** The price of MODEXP by formula; EIP-2565 and EIP-7883 have a minimum price. */
export interface ModularExponentiationGas {
  readonly formula: 'EIP-198' | 'EIP-2565' | 'EIP-7883';
  readonly divisor: number;
  readonly minimum: number;
  /** Maximum bytes of base, exponent and modulus (EIP-7823); `null` for no limit. */
  readonly maxOperandLength: number | null;
}

/**
 * The prices of Rootstock's own precompiles. They are charged for every call with decodable arguments, even
 * if it fails. Other calls are free.
 */
export interface RootstockPrecompileGas {
  /** RSKIP-106 */
  readonly hdWalletUtils: {
    readonly toBase58Check: number;
    readonly deriveExtendedPublicKey: number;
    readonly extractPublicKey: number;
    /** For up to two keys, and per further key. */
    readonly multisigScriptHash: { readonly base: number; readonly furtherKey: number };
  };
  /** Per call, and per byte of input including the selector (RSKIP-119). */
  readonly blockHeader: { readonly base: number; readonly byte: number };
  /** RSKIP-516 */
  readonly secp256k1Add: number;
  readonly secp256k1Multiply: number;
}

/** Gas prices of precompiles. If a rule set lacks one, the price of its first rule set. */
export interface PrecompileGas {
  readonly ecRecover: number;
  readonly sha256: WordPricedGas;
  readonly ripemd160: WordPricedGas;
  readonly identity: WordPricedGas;
  readonly modularExponentiation: ModularExponentiationGas;
  readonly bn254Add: number;
  readonly bn254Multiply: number;
  readonly bn254Pairing: { readonly base: number; readonly pair: number };
  /** Per round of BLAKE2F (EIP-152). */
  readonly blake2Round: number;
  /** EIP-4844 */
  readonly pointEvaluation: number;
  /** EIP-7951 */
  readonly p256Verify: number;
  /** EIP-2537. Sums of products have discounts from the tables of the EIP. */
  readonly bls12: {
    readonly g1Add: number;
    readonly g1Multiply: number;
    readonly g2Add: number;
    readonly g2Multiply: number;
    readonly pairing: { readonly base: number; readonly pair: number };
    readonly mapToG1: number;
    readonly mapToG2: number;
  };
  readonly network: RootstockPrecompileGas;
}
