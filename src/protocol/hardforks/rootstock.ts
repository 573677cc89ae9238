import { localFreeCalls } from './free-calls.ts';
import { ISTANBUL } from './istanbul.ts';
import { withOpcodes } from './opcodes.ts';
import { PETERSBURG } from './petersburg.ts';
import { precompileAddress, ROOTSTOCK_PRECOMPILE_NAMES } from './precompiles.ts';
import type { RuleSet } from './rule-set.ts';

/** ethereumjs lists the changes of Petersburg under this EIP. */
const PETERSBURG_EIP = 1716;

/**
 * Rootstock's rules: legacy transactions, no base fee but a minimum gas price in each header, and Petersburg's
 * prices plus newer opcodes. Code with a version header (0xfc) is not supported. It halts, because 0xfc is not
 * an opcode.
 */
export const ROOTSTOCK: RuleSet = {
  ...PETERSBURG,
  name: 'rootstock',
  encoding: 'network',
  // The maximum supply of the parent chain, because no coins were transferred yet.
  initialBalances: [{ address: precompileAddress('BRIDGE'), balance: 21_000_000n * 10n ** 18n }],
  intrinsicGas: ISTANBUL.intrinsicGas,
  maximumInitcodeSize: 49_152,
  replacementBumpPercent: 40n,
  accessListsWarm: false,
  // CHAINID: RSKIP-152; SELFBALANCE: RSKIP-151; BASEFEE: RSKIP-412; PUSH0: RSKIP-398; TLOAD and TSTORE:
  // RSKIP-446; MCOPY: RSKIP-445.
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
    delegationsAreAccesses: false,
    logsTransfers: false,
  },
  creations: {
    nonceByTransaction: 0,
    // RSKIP-544
    rejectsEfCode: true,
    isTakenUntilBlockEnds: true,
    returnsRevertData: false,
  },
  accounts: {
    clearsEmpty: false,
    selfDestructRemoves: 'all',
    removedBalance: 'is burned',
    codeKeepsFromSending: false,
    delegatedSendOnlyOne: false,
  },
  precompiles: {
    pegUpgrades: new Set(),
    // RSKIP-137 corresponds to EIP-1108.
    contracts: [...ISTANBUL.precompiles.contracts, ...ROOTSTOCK_PRECOMPILE_NAMES],
    gas: ISTANBUL.precompiles.gas,
    failureTakes: 'its price',
    looksLikeContract: true,
    failureInTransactionSucceeds: true,
    freeCalls: localFreeCalls(),
  },
  // RSKIP-412
  environment: { difficultyAnswers: 'difficulty', baseFeeAnswers: 'minimumGasPrice' },
  reference: {
    // Petersburg has most of Rootstock's prices: SLOAD 200, BALANCE and EXTCODEHASH 400, EXTCODESIZE and
    // calls 700. SSTORE has no net metering, and the maximum refund is one half.
    hardfork: 'petersburg',
    // EIP-1153: TLOAD and TSTORE; EIP-3198: BASEFEE; EIP-3541: no code with the prefix 0xef; EIP-3855: PUSH0;
    // EIP-3860: initcode limit; EIP-5656: MCOPY.
    eips: [PETERSBURG_EIP, 1153, 3198, 3541, 3855, 3860, 5656],
    // The values are repeated here, because the reference engine verifies the values above.
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
        // RSKIP-150: the maximum depth. ethereumjs uses this name for the depth of calls, not of the stack.
        stackLimit: 400,
        // The stipend is not free. The caller pays for it, so it is part of the gas passed to the callee.
        callStipendGas: 0,
      },
    },
    machine: 'network',
  },
  // Rootstock has the opcodes of Cancun.
  toolHardfork: 'Cancun',
};

/**
 * The script formats of a local network's federation: `legacy` is a multisignature script, as in releases up
 * to 9.0. `p2wsh` is a witness script with emergency keys, as in release 9.1.
 */
export const FEDERATION_FORMATS = ['legacy', 'p2wsh'] as const;

export type FederationFormat = (typeof FEDERATION_FORMATS)[number];

/** The format with the address of all releases up to 9.0. */
export const DEFAULT_FEDERATION: FederationFormat = 'legacy';

/** The chain ids of the public networks with their own federation: mainnet and testnet. */
const CHAINS_WITH_FEDERATION: ReadonlySet<number> = new Set([30, 31]);

/** Returns true if the federation of the chain is not the federation of a local network. */
export function hasOwnFederation(chainId: number): boolean {
  return CHAINS_WITH_FEDERATION.has(chainId);
}

/**
 * Rootstock proposals that not all of its chains have. These came with release 8.1. Mainnet skipped this
 * release, and the configuration of devnet does not list them.
 *
 * - `RSKIP502`: the part of the Bridge for the union bridge
 * - `RSKIP529`: the events that the union bridge stores for block headers. Chains with `RSKIP529` add
 *   the event to their headers (RSKIP-535)
 *
 * No network has the drafts:
 *
 * - `RSKIP378`: a lower limit for the size of peg-out transactions
 * - `RSKIP559`: the order of confirmed peg-outs
 */
export type RootstockUpgrade = 'RSKIP378' | 'RSKIP502' | 'RSKIP529' | 'RSKIP559';

const ALL: ReadonlySet<RootstockUpgrade> = new Set<RootstockUpgrade>(['RSKIP502', 'RSKIP529']);
const NONE: ReadonlySet<RootstockUpgrade> = new Set();

/** The chain ids of mainnet and devnet. */
const CHAINS_WITHOUT: ReadonlySet<number> = new Set([30, 32]);

/** Returns the proposals of a chain. A chain id that is not public has all proposals, like regtest. */
export function rootstockUpgradesOf(chainId: number): ReadonlySet<RootstockUpgrade> {
  return CHAINS_WITHOUT.has(chainId) ? NONE : ALL;
}
