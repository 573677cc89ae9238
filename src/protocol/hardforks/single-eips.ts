// EIPs that can be added to older rule sets on their own. They change opcodes, precompiles, prices or limits. EIPs that
// change the fields of headers are missing, because these fields depend on each other.

import { BERLIN, WARM_ACCESS_GAS } from './berlin.ts';
import { OPCODES, type OpcodeName, withOpcodes } from './opcodes.ts';
import { type PrecompileName, precompileAddress } from './precompiles.ts';
import type { RuleSet } from './rule-set.ts';
import type { SingleRule } from './single-rule.ts';
import { HISTORY_STORAGE } from './system-contracts.ts';

interface Definition extends Pick<SingleRule, 'number' | 'change'> {
  readonly requires?: readonly number[];
  /** True if only Ethereum's rule sets can have the EIP. */
  readonly isEthereumOnly?: boolean;
  isIn(ruleSet: RuleSet): boolean;
  /** The parts of the rule set that change. */
  changes(ruleSet: RuleSet): Partial<RuleSet>;
}

function eip({
  number,
  change,
  requires = [],
  isEthereumOnly = false,
  isIn,
  changes,
}: Definition): SingleRule {
  return {
    kind: 'EIP',
    encoding: isEthereumOnly ? 'ethereum' : null,
    number,
    change,
    requires,
    isIn,
    add: (ruleSet) => ({ ...ruleSet, ...changes(ruleSet), addedEips: [...ruleSet.addedEips, number] }),
  };
}

function opcodes(
  number: number,
  change: string,
  prices: Readonly<Partial<Record<OpcodeName, number>>>,
): SingleRule {
  const names = Object.keys(prices) as OpcodeName[];
  return eip({
    number,
    change,
    isIn: (ruleSet) => names.every((name) => (ruleSet.opcodes[OPCODES[name]] ?? null) !== null),
    changes: (ruleSet) => ({ opcodes: withOpcodes(ruleSet.opcodes, prices) }),
  });
}

function compareAddresses(one: PrecompileName, other: PrecompileName): number {
  const [first, second] = [precompileAddress(one), precompileAddress(other)];
  const index = first.findIndex((byte, place) => byte !== second[place]);
  return (first[index] ?? 0) - (second[index] ?? 0);
}

function precompiles(
  number: number,
  change: string,
  names: readonly PrecompileName[],
  isEthereumOnly = false,
): SingleRule {
  return eip({
    number,
    change,
    isEthereumOnly,
    isIn: (ruleSet) => names.every((name) => ruleSet.precompiles.contracts.includes(name)),
    changes: ({ precompiles: own }) => ({
      precompiles: { ...own, contracts: [...own.contracts, ...names].sort(compareAddresses) },
    }),
  });
}

/** Returns the precompiles with other prices or limits of MODEXP. */
function withModexp(
  { precompiles: own }: RuleSet,
  changed: Partial<RuleSet['precompiles']['gas']['modularExponentiation']>,
): Partial<RuleSet> {
  const modularExponentiation = { ...own.gas.modularExponentiation, ...changed };
  return { precompiles: { ...own, gas: { ...own.gas, modularExponentiation } } };
}

function modexpOf({ precompiles: own }: RuleSet): RuleSet['precompiles']['gas']['modularExponentiation'] {
  return own.gas.modularExponentiation;
}

/** By hardfork. An EIP follows the EIPs that it requires. */
export const SINGLE_EIPS: readonly SingleRule[] = [
  eip({
    number: 2565,
    change: 'lower price of MODEXP',
    isIn: (ruleSet) => modexpOf(ruleSet).formula !== 'EIP-198',
    changes: (ruleSet) => withModexp(ruleSet, BERLIN.precompiles.gas.modularExponentiation),
  }),
  eip({
    number: 2929,
    change: 'gas costs of cold and warm accounts and slots',
    requires: [2200],
    isEthereumOnly: true,
    isIn: ({ gas }) => gas.access !== null,
    changes: ({ opcodes: own, gas }) => ({
      opcodes: withOpcodes(own, WARM_ACCESS_GAS),
      gas: { ...gas, storage: BERLIN.gas.storage, access: BERLIN.gas.access },
    }),
  }),
  eip({
    number: 2930,
    change: 'transactions with access lists (type 1)',
    requires: [2929],
    isEthereumOnly: true,
    isIn: ({ transactionTypes }) => transactionTypes.includes(1),
    changes: () => ({ transactionTypes: [0, 1] }),
  }),
  eip({
    number: 3529,
    change: 'lower refunds',
    requires: [2930],
    isEthereumOnly: true,
    isIn: ({ gas }) => gas.refundQuotient === 5,
    changes: ({ gas }) => ({
      gas: {
        ...gas,
        storage: { ...gas.storage, clearRefund: 4_800 },
        selfDestructRefund: 0,
        refundQuotient: 5,
      },
    }),
  }),
  eip({
    number: 3541,
    change: 'no new code with the prefix 0xef',
    isIn: ({ creations }) => creations.rejectsEfCode,
    changes: ({ creations }) => ({ creations: { ...creations, rejectsEfCode: true } }),
  }),
  eip({
    number: 3651,
    change: 'the coinbase is warm',
    requires: [2929],
    isEthereumOnly: true,
    isIn: ({ gas }) => gas.access?.isCoinbaseWarm === true,
    changes: ({ gas }) =>
      gas.access === null ? {} : { gas: { ...gas, access: { ...gas.access, isCoinbaseWarm: true } } },
  }),
  opcodes(3855, 'opcode PUSH0', { PUSH0: 2 }),
  eip({
    number: 3860,
    change: 'limit and price of initcode',
    isIn: ({ maximumInitcodeSize }) => maximumInitcodeSize !== null,
    changes: ({ gas }) => ({
      maximumInitcodeSize: 49_152,
      gas: { ...gas, size: { ...gas.size, initcodeWord: 2 } },
    }),
  }),
  opcodes(1153, 'opcodes TLOAD and TSTORE', { TLOAD: 100, TSTORE: 100 }),
  opcodes(5656, 'opcode MCOPY', { MCOPY: 3 }),
  eip({
    number: 6780,
    change: 'SELFDESTRUCT removes only contracts of the same transaction',
    isEthereumOnly: true,
    isIn: ({ accounts }) => accounts.selfDestructRemoves === 'created in the same transaction',
    changes: ({ accounts }) => ({
      accounts: { ...accounts, selfDestructRemoves: 'created in the same transaction' },
    }),
  }),
  // Rootstock defines no price for a call that fails, so it cannot have these precompiles.
  precompiles(
    2537,
    'precompiles for BLS12-381',
    [
      ...(['BLS12_G1ADD', 'BLS12_G1MSM', 'BLS12_G2ADD', 'BLS12_G2MSM'] as const),
      ...(['BLS12_PAIRING_CHECK', 'BLS12_MAP_FP_TO_G1', 'BLS12_MAP_FP2_TO_G2'] as const),
    ],
    true,
  ),
  eip({
    number: 2935,
    change: 'system contract with block hashes',
    isEthereumOnly: true,
    isIn: ({ systemContracts }) => systemContracts.includes(HISTORY_STORAGE),
    changes: ({ systemContracts }) => ({ systemContracts: [...systemContracts, HISTORY_STORAGE] }),
  }),
  eip({
    number: 7623,
    change: 'calldata costs at least 10 gas per token',
    isIn: ({ intrinsicGas }) => intrinsicGas.floorPerToken > 0n,
    changes: ({ intrinsicGas }) => ({ intrinsicGas: { ...intrinsicGas, floorPerToken: 10n } }),
  }),
  eip({
    number: 7702,
    change: 'set-code transactions (type 4) and delegations',
    requires: [1559, 2929],
    isEthereumOnly: true,
    isIn: ({ transactionTypes }) => transactionTypes.includes(4),
    changes: ({ transactionTypes, calls }) => ({
      transactionTypes: [...transactionTypes, 4],
      calls: { ...calls, followsDelegations: true },
    }),
  }),
  eip({
    number: 7823,
    change: 'limit of the operands of MODEXP',
    isEthereumOnly: true,
    isIn: (ruleSet) => modexpOf(ruleSet).maxOperandLength !== null,
    changes: (ruleSet) => withModexp(ruleSet, { maxOperandLength: 1_024 }),
  }),
  eip({
    number: 7825,
    change: 'at most 2^24 gas per transaction',
    isIn: ({ maximumTransactionGas }) => maximumTransactionGas !== null,
    changes: ({ reference }) => ({
      maximumTransactionGas: 16_777_216n,
      // Calls may exceed the limit, so the engine does not check it.
      reference: {
        ...reference,
        parameters: { ...reference.parameters, 7825: { maxTransactionGasLimit: Number.MAX_SAFE_INTEGER } },
      },
    }),
  }),
  eip({
    number: 7883,
    change: 'higher price of MODEXP',
    requires: [2565],
    isIn: (ruleSet) => modexpOf(ruleSet).formula === 'EIP-7883',
    changes: (ruleSet) => withModexp(ruleSet, { formula: 'EIP-7883', divisor: 1, minimum: 500 }),
  }),
  opcodes(7939, 'opcode CLZ', { CLZ: 5 }),
  precompiles(7951, 'precompile for secp256r1 signatures', ['P256VERIFY']),
  eip({
    number: 7954,
    change: 'maximum size: 64 KiB for code, 128 KiB for initcode',
    requires: [3860],
    isIn: ({ maximumCodeSize }) => maximumCodeSize === 65_536,
    changes: () => ({ maximumCodeSize: 65_536, maximumInitcodeSize: 131_072 }),
  }),
  eip({
    number: 7976,
    change: 'calldata costs at least 64 gas per byte',
    requires: [7623],
    isIn: ({ intrinsicGas }) => intrinsicGas.zeroByteTokens === 4,
    changes: ({ intrinsicGas }) => ({
      intrinsicGas: { ...intrinsicGas, floorPerToken: 16n, zeroByteTokens: 4 },
    }),
  }),
  eip({
    number: 7981,
    change: 'access lists cost an additional 64 gas per byte',
    requires: [2930, 7976],
    isEthereumOnly: true,
    isIn: ({ intrinsicGas }) => intrinsicGas.accessListByteTokens === 4,
    changes: ({ intrinsicGas, reference }) => ({
      intrinsicGas: { ...intrinsicGas, accessListByteTokens: 4 },
      reference: {
        ...reference,
        // The EIP does not change these prices. ethereumjs has the prices of an older version.
        parameters: {
          ...reference.parameters,
          7981: { accessListAddressGas: 2_400, accessListStorageKeyGas: 1_900 },
        },
      },
    }),
  }),
  opcodes(8024, 'opcodes DUPN, SWAPN and EXCHANGE', { DUPN: 3, SWAPN: 3, EXCHANGE: 3 }),
  eip({
    number: 8246,
    change: 'SELFDESTRUCT burns no ETH',
    requires: [6780],
    isEthereumOnly: true,
    isIn: ({ accounts }) => accounts.removedBalance === 'stays',
    changes: ({ accounts }) => ({ accounts: { ...accounts, removedBalance: 'stays' } }),
  }),
  eip({
    number: 7708,
    change: 'ETH transfers emit a log',
    requires: [8246],
    isEthereumOnly: true,
    isIn: ({ calls }) => calls.logsTransfers,
    changes: ({ calls }) => ({ calls: { ...calls, logsTransfers: true } }),
  }),
];
