/** What a precompile costs for the size of its input. */
export interface WordPricedGas {
  readonly base: number;
  /** Each 32 bytes of input, begun ones included. */
  readonly word: number;
}

/** What MODEXP costs: by the formula of EIP-198, or the one of EIP-2565 with its least price. */
export interface ModularExponentiationGas {
  readonly formula: 'EIP-198' | 'EIP-2565';
  readonly divisor: number;
  readonly minimum: number;
}

/** What the network's own contracts cost, whatever becomes of a call whose arguments can be read. Others are free. */
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

/** What the precompiles cost, in gas. Those that a rule set does not have are priced as where they first exist. */
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

const NETWORK_CONTRACT_GAS: NetworkContractGas = {
  hdWalletUtils: {
    toBase58Check: 13_000,
    deriveExtendedPublicKey: 107_000,
    extractPublicKey: 11_300,
    multisigScriptHash: { base: 20_000, furtherKey: 700 },
  },
  blockHeader: { base: 4_000, byte: 2 },
  secp256k1Add: 150,
  secp256k1Multiply: 3_000,
};

/** The prices of Constantinople and Petersburg. */
export const CONSTANTINOPLE_PRECOMPILE_GAS: PrecompileGas = {
  ecRecover: 3_000,
  sha256: { base: 60, word: 12 },
  ripemd160: { base: 600, word: 120 },
  identity: { base: 15, word: 3 },
  modularExponentiation: { formula: 'EIP-198', divisor: 20, minimum: 0 },
  bn254Add: 500,
  bn254Multiply: 40_000,
  bn254Pairing: { base: 100_000, pair: 80_000 },
  blake2Round: 1,
  pointEvaluation: 50_000,
  bls12: {
    g1Add: 375,
    g1Multiply: 12_000,
    g2Add: 600,
    g2Multiply: 22_500,
    pairing: { base: 37_700, pair: 32_600 },
    mapToG1: 5_500,
    mapToG2: 23_800,
  },
  network: NETWORK_CONTRACT_GAS,
};

/** Cheaper curve operations (EIP-1108, RSKIP-137); also the network's prices. */
export const ISTANBUL_PRECOMPILE_GAS: PrecompileGas = {
  ...CONSTANTINOPLE_PRECOMPILE_GAS,
  bn254Add: 150,
  bn254Multiply: 6_000,
  bn254Pairing: { base: 45_000, pair: 34_000 },
};

/** MODEXP by EIP-2565. */
export const BERLIN_PRECOMPILE_GAS: PrecompileGas = {
  ...ISTANBUL_PRECOMPILE_GAS,
  modularExponentiation: { formula: 'EIP-2565', divisor: 3, minimum: 200 },
};
