import { BPO2 } from './bpo2.ts';
import { withOpcodes } from './opcodes.ts';
import type { Preview, RuleSet } from './rule-set.ts';
import { BUILDER_DEPOSITS, BUILDER_EXITS } from './system-contracts.ts';

/** The EIPs of EIP-7773 that change what a node executes; those of the consensus layer alone are not listed. */
const PREVIEW: Preview = {
  included: {
    7708: 'transfers of ETH leave a log',
    7778: 'blocks count gas before refunds',
    7843: 'SLOTNUM, and the number of the slot in headers',
    7928: 'access lists of blocks, and their hash in headers; their limit in size, which the price of an access keeps unless blocks have very little gas, is not checked',
    7954: 'code of 64 KiB, initcode of 128 KiB',
    7976: 'calldata costs at least 64 gas a byte',
    7981: 'access lists cost 64 gas a byte more',
    7997: 'the factory for CREATE2, unless predeploys are off',
    8024: 'DUPN, SWAPN and EXCHANGE',
    8246: 'SELFDESTRUCT burns nothing',
    8282: 'requests of builders',
  },
  leftOut: {
    2780: 'other prices before any code runs: provisional ones, which need those of 8037',
    8037: 'a price of its own for new state: its numbers are not final',
    8038: 'other prices of access to state: its numbers are provisional',
  },
};

/** The numbers of Osaka's EIPs come from the library; these are Amsterdam's that it is to play. */
const LIBRARY_EIPS = [7708, 7778, 7843, 7976, 7981, 8024, 8246];

/** A preview of Amsterdam (EIP-7773), which is not final: the EIPs of {@link PREVIEW}, the others as in Osaka. */
export const AMSTERDAM: RuleSet = {
  ...BPO2,
  name: 'amsterdam',
  hasAccessLists: true,
  hasSlotNumbers: true,
  blockGas: 'before the refund',
  preview: PREVIEW,
  intrinsicGas: { ...BPO2.intrinsicGas, floorPerToken: 16n, zeroByteTokens: 4, accessListByteTokens: 4 },
  calls: { ...BPO2.calls, logsTransfers: true },
  accounts: { ...BPO2.accounts, removedBalance: 'stays' },
  maximumCodeSize: 65_536,
  maximumInitcodeSize: 131_072,
  systemContracts: [...BPO2.systemContracts, BUILDER_DEPOSITS, BUILDER_EXITS],
  opcodes: withOpcodes(BPO2.opcodes, { SLOTNUM: 2, DUPN: 3, SWAPN: 3, EXCHANGE: 3 }),
  reference: {
    ...BPO2.reference,
    hardfork: 'amsterdam',
    eips: LIBRARY_EIPS,
    parameters: {
      ...BPO2.reference.parameters,
      // The library has the prices of EIP-8038 here.
      7981: { accessListStorageKeyGas: 1_900, accessListAddressGas: 2_400 },
    },
  },
  toolHardfork: 'Amsterdam',
};
