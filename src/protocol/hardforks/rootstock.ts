import { ISTANBUL } from './istanbul.ts';
import { withOpcodes } from './opcodes.ts';
import { PETERSBURG } from './petersburg.ts';
import { NETWORK_CONTRACT_NAMES, precompileAddress } from './precompiles.ts';
import type { RuleSet } from './rule-set.ts';

/** The number under which the reference library keeps what Petersburg changes. */
const PETERSBURG_EIP = 1716;

/**
 * The network's own rules: legacy transactions, no base fee but a minimum gas price in each header, and Petersburg's prices
 * with those of the opcodes added since. Its old feature by which code that begins with 0xfc has a header of version numbers
 * is left out: such code runs, and halts, as that byte is no opcode.
 */
export const ROOTSTOCK: RuleSet = {
  ...PETERSBURG,
  name: 'rootstock',
  encoding: 'network',
  // As many coins as there can be on the parent chain, since none of them has been transferred yet.
  initialBalances: [{ address: precompileAddress('BRIDGE'), balance: 21_000_000n * 10n ** 18n }],
  intrinsicGas: ISTANBUL.intrinsicGas,
  maximumInitcodeSize: 49_152,
  replacementBumpPercent: 40n,
  // CHAINID is RSKIP-152, SELFBALANCE RSKIP-151, BASEFEE RSKIP-412, PUSH0 RSKIP-398, TLOAD and TSTORE RSKIP-446, MCOPY RSKIP-445.
  opcodes: withOpcodes(PETERSBURG.opcodes, {
    CHAINID: 2,
    SELFBALANCE: 5,
    BASEFEE: 2,
    PUSH0: 2,
    TLOAD: 100,
    TSTORE: 100,
    MCOPY: 3,
  }),
  gas: {
    ...PETERSBURG.gas,
    size: { ...PETERSBURG.gas.size, initcodeWord: 2 },
    memory: { ...PETERSBURG.gas.memory, maximumSize: 2 ** 30 },
  },
  calls: {
    // RSKIP-150
    maximumDepth: 400,
    keepsOneSixtyFourth: false,
    isStipendFree: false,
    newAccountCharge: 'any to a missing account',
    followsDelegations: false,
    logsTransfers: false,
  },
  creations: {
    nonceByTransaction: 0,
    // RSKIP-544
    refusesEfCode: true,
    isTakenUntilBlockEnds: true,
    returnsRevertData: false,
  },
  accounts: {
    clearsEmpty: false,
    selfDestructRemoves: 'all',
    removedBalance: 'is burned',
    codeKeepsFromSending: false,
  },
  precompiles: {
    // RSKIP-137 is what EIP-1108 is to Ethereum.
    contracts: [...ISTANBUL.precompiles.contracts, ...NETWORK_CONTRACT_NAMES],
    gas: ISTANBUL.precompiles.gas,
    failureTakes: 'its price',
    looksLikeContract: true,
    failureInTransactionSucceeds: true,
  },
  // RSKIP-412
  environment: { difficultyAnswers: 'difficulty', baseFeeAnswers: 'minimumGasPrice' },
  reference: {
    // Petersburg has most prices of the network: SLOAD 200, BALANCE and EXTCODEHASH 400, EXTCODESIZE and the calls 700,
    // SSTORE without net metering, a refund of one half.
    hardfork: 'petersburg',
    // TLOAD and TSTORE are EIP-1153, BASEFEE 3198, no code that starts with 0xef 3541, PUSH0 3855, the limit on initcode
    // 3860, MCOPY 5656.
    eips: [PETERSBURG_EIP, 1153, 3198, 3541, 3855, 3860, 5656],
    // The numbers stand here once more, since the reference engine is the check of those above.
    parameters: {
      [PETERSBURG_EIP]: {
        // EIP-2028
        txDataNonZeroGas: 16,
        // EIP-1108
        bn254AddGas: 150,
        bn254MulGas: 6_000,
        bn254PairingGas: 45_000,
        bn254PairingWordGas: 34_000,
        // EIP-152
        blake2RoundGas: 1,
        // RSKIP-150: the deepest call. The library asks for the depth of calls, not of the stack, under this name.
        stackLimit: 400,
        // No gas is made from nothing: the caller pays for the stipend, so it is part of the gas that a call passes on.
        callStipendGas: 0,
      },
    },
    machine: 'network',
  },
  // The network's opcodes end with those of Cancun.
  toolHardfork: 'Cancun',
};

/**
 * Proposals of the network that not all of its chains have. Both came with its release 8.1, which the main network skipped
 * and which the configuration of the developers' network does not name.
 *
 * `RSKIP502` is the part of the Bridge that serves a second, the union bridge; `RSKIP529` are the events that that one
 * leaves for headers of blocks. RSKIP-535 puts such an event into the headers of the chains that have `RSKIP529`.
 */
export type NetworkUpgrade = 'RSKIP502' | 'RSKIP529';

const ALL: ReadonlySet<NetworkUpgrade> = new Set<NetworkUpgrade>(['RSKIP502', 'RSKIP529']);
const NONE: ReadonlySet<NetworkUpgrade> = new Set();

/** The ids of the main network and of the developers' network. */
const CHAINS_WITHOUT: ReadonlySet<number> = new Set([30, 32]);

/**
 * Returns the proposals that the chain with that id has. One that is none of the network's public chains has what the local network
 * has: all of them.
 */
export function networkUpgradesOf(chainId: number): ReadonlySet<NetworkUpgrade> {
  return CHAINS_WITHOUT.has(chainId) ? NONE : ALL;
}
