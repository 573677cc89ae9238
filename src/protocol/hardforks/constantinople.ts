import { GAS_PRICE_RULE } from '../fees.ts';
import { OPCODES, type OpcodePrices, opcodeRange } from './opcodes.ts';
import type { RuleSet } from './rule-set.ts';

/**
 * The tiers of the yellow paper, appendix G. Later entries overwrite earlier ones. All logs have the price of
 * LOG0 here. SHL, SHR and SAR: EIP-145; EXTCODEHASH: EIP-1052; DELEGATECALL: EIP-7; CREATE2: EIP-1014;
 * STATICCALL: EIP-214; REVERT: EIP-140.
 */
const TIERS: readonly (readonly [price: number, opcodes: readonly number[]])[] = [
  [0, [OPCODES.STOP, OPCODES.SSTORE, OPCODES.RETURN, OPCODES.REVERT]],
  [3, [...opcodeRange('ADD', 'SUB'), ...opcodeRange('LT', 'SAR')]],
  [5, [OPCODES.MUL, ...opcodeRange('DIV', 'SMOD'), OPCODES.SIGNEXTEND]],
  [8, [OPCODES.ADDMOD, OPCODES.MULMOD]],
  [10, [OPCODES.EXP]],
  [30, [OPCODES.KECCAK256]],
  [2, [...opcodeRange('ADDRESS', 'EXTCODEHASH'), ...opcodeRange('COINBASE', 'GASLIMIT')]],
  [3, [OPCODES.CALLDATALOAD, OPCODES.CALLDATACOPY, OPCODES.CODECOPY, OPCODES.RETURNDATACOPY]],
  // EIP-150, EIP-1052
  [400, [OPCODES.BALANCE, OPCODES.EXTCODEHASH]],
  [700, [OPCODES.EXTCODESIZE, OPCODES.EXTCODECOPY]],
  [20, [OPCODES.BLOCKHASH]],
  [2, [OPCODES.POP, OPCODES.PC, OPCODES.MSIZE, OPCODES.GAS]],
  [3, opcodeRange('MLOAD', 'MSTORE8')],
  [200, [OPCODES.SLOAD]],
  [8, [OPCODES.JUMP]],
  [10, [OPCODES.JUMPI]],
  [1, [OPCODES.JUMPDEST]],
  [3, opcodeRange('PUSH1', 'SWAP16')],
  [375, opcodeRange('LOG0', 'LOG4')],
  [32_000, [OPCODES.CREATE, OPCODES.CREATE2]],
  [700, [OPCODES.CALL, OPCODES.CALLCODE, OPCODES.DELEGATECALL, OPCODES.STATICCALL]],
  [5_000, [OPCODES.SELFDESTRUCT]],
];

function opcodePrices(): OpcodePrices {
  const prices = new Array<number | null>(256).fill(null);
  for (const [price, opcodes] of TIERS) for (const opcode of opcodes) prices[opcode] = price;
  return prices;
}

/** Constantinople, the base of all other rule sets. */
export const CONSTANTINOPLE: RuleSet = {
  name: 'constantinople',
  transactionTypes: [0],
  hasOwnEnvelopes: false,
  accessListsWarm: true,
  fees: GAS_PRICE_RULE,
  isProofOfStake: false,
  difficulty: 1n,
  hasWithdrawals: false,
  hasBlobFields: false,
  blobs: null,
  hasRequests: false,
  encoding: 'ethereum',
  initialBalances: [],
  systemContracts: [],
  depositContract: null,
  intrinsicGas: {
    transaction: 21_000n,
    creation: 32_000n,
    recipient: 0n,
    value: 0n,
    zeroByte: 4n,
    nonZeroByte: 68n,
    accessListAddress: 2_400n,
    accessListSlot: 1_900n,
    accessListByte: 0n,
    authorization: 25_000n,
    // `PER_EMPTY_ACCOUNT_COST - PER_AUTH_BASE_COST` (EIP-7702)
    authorizationRefund: { gas: 12_500n, authority: 'existing' },
    floorPerToken: 0n,
    floorBegins: 'with the transaction',
    zeroByteTokens: 1,
    accessListByteTokens: 0,
  },
  maximumCodeSize: 24_576,
  maximumInitcodeSize: null,
  maximumTransactionGas: null,
  maximumBlockSize: null,
  usualBlockGas: 30_000_000n,
  replacementBumpPercent: 10n,
  hasAccessLists: false,
  hasSlotNumbers: false,
  blockGas: 'paid for',
  addedEips: [],
  preview: null,
  opcodes: opcodePrices(),
  gas: {
    size: {
      exponentByte: 50,
      copyWord: 3,
      keccakWord: 6,
      logTopic: 375,
      logByte: 8,
      initcodeWord: 0,
      codeByte: 200,
      codeWord: 0,
    },
    memory: { word: 3, quadraticDivisor: 512, maximumSize: null },
    // EIP-1283
    storage: {
      scheme: 'net',
      sentry: 0,
      unchanged: 200,
      set: 20_000,
      reset: 5_000,
      clearRefund: 15_000,
      restoredZeroRefund: 19_800,
      restoredValueRefund: 4_800,
    },
    access: null,
    call: { value: 9_000, stipend: 2_300, newAccount: 25_000, newBeneficiary: 25_000 },
    state: null,
    selfDestructRefund: 24_000,
    refundQuotient: 2,
  },
  calls: {
    maximumDepth: 1_024,
    keepsOneSixtyFourth: true,
    isStipendFree: true,
    newAccountCharge: 'value to an empty account',
    followsDelegations: false,
    delegationsAreAccesses: true,
    logsTransfers: false,
  },
  creations: {
    nonceByTransaction: 1,
    rejectsEfCode: false,
    isTakenUntilBlockEnds: false,
    returnsRevertData: true,
  },
  // EIP-3607 applies to all blocks.
  accounts: {
    clearsEmpty: true,
    selfDestructRemoves: 'all',
    removedBalance: 'is burned',
    codeKeepsFromSending: true,
    delegatedSendOnlyOne: false,
  },
  precompiles: {
    pegUpgrades: new Set(),
    contracts: ['ECREC', 'SHA256', 'RIPEMD160', 'ID', 'MODEXP', 'BN254_ADD', 'BN254_MUL', 'BN254_PAIRING'],
    gas: {
      ecRecover: 3_000,
      sha256: { base: 60, word: 12 },
      ripemd160: { base: 600, word: 120 },
      identity: { base: 15, word: 3 },
      modularExponentiation: { formula: 'EIP-198', divisor: 20, minimum: 0, maxOperandLength: null },
      bn254Add: 500,
      bn254Multiply: 40_000,
      bn254Pairing: { base: 100_000, pair: 80_000 },
      blake2Round: 1,
      pointEvaluation: 50_000,
      p256Verify: 6_900,
      bls12: {
        g1Add: 375,
        g1Multiply: 12_000,
        g2Add: 600,
        g2Multiply: 22_500,
        pairing: { base: 37_700, pair: 32_600 },
        mapToG1: 5_500,
        mapToG2: 23_800,
      },
      network: {
        hdWalletUtils: {
          toBase58Check: 13_000,
          deriveExtendedPublicKey: 107_000,
          extractPublicKey: 11_300,
          multisigScriptHash: { base: 20_000, furtherKey: 700 },
        },
        blockHeader: { base: 4_000, byte: 2 },
        secp256k1Add: 150,
        secp256k1Multiply: 3_000,
      },
    },
    failureTakes: 'all gas',
    looksLikeContract: false,
    failureInTransactionSucceeds: false,
    freeCalls: null,
  },
  environment: { difficultyAnswers: 'difficulty', baseFeeAnswers: 'baseFeePerGas' },
  reference: { hardfork: 'constantinople', eips: null, parameters: {}, machine: 'ethereum' },
  toolHardfork: 'Constantinople',
};
