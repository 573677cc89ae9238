/** The hardfork schedules of public chains, so that a fork of a chain uses the rules of its block. */

import { fromHex } from '../../primitives/hex.ts';
import { GAS_PER_BLOB } from '../blobs.ts';
import { withPaidBridge } from './free-calls.ts';
import type { RuleSetName } from './registry.ts';
import type { RuleSet } from './rule-set.ts';

/** The start of a hardfork: a block number, or from Shanghai on a time (seconds since 1970). */
interface Activation {
  readonly ruleSet: RuleSetName;
  readonly block?: number;
  readonly time?: number;
}

function since(block: number, ruleSet: RuleSetName): Activation {
  return { ruleSet, block };
}

function from(time: number, ruleSet: RuleSetName): Activation {
  return { ruleSet, time };
}

const SEPOLIA = 11_155_111;
const HOLESKY = 17_000;
const GNOSIS = 100;

/** The EIPs that contain the blob parameters in ethereumjs. */
const BLOB_EIPS = [4844, 7691] as const;

/** The hardforks by chain id, oldest first (as in EIP-7840). */
const SCHEDULES: ReadonlyMap<number, readonly Activation[]> = new Map([
  [
    1,
    [
      since(0, 'petersburg'),
      since(9_069_000, 'istanbul'),
      since(12_244_000, 'berlin'),
      since(12_965_000, 'london'),
      since(15_537_394, 'paris'),
      from(1_681_338_455, 'shanghai'),
      from(1_710_338_135, 'cancun'),
      from(1_746_612_311, 'prague'),
      from(1_764_798_551, 'osaka'),
      from(1_765_290_071, 'bpo1'),
      from(1_767_747_671, 'bpo2'),
    ],
  ],
  [
    SEPOLIA,
    [
      since(0, 'london'),
      since(1_450_409, 'paris'),
      from(1_677_557_088, 'shanghai'),
      from(1_706_655_072, 'cancun'),
      from(1_741_159_776, 'prague'),
      from(1_760_427_360, 'osaka'),
      from(1_761_017_184, 'bpo1'),
      from(1_761_607_008, 'bpo2'),
      from(1_791_294_816, 'amsterdam'),
    ],
  ],
  [
    HOLESKY,
    [
      since(0, 'paris'),
      from(1_696_000_704, 'shanghai'),
      from(1_707_305_664, 'cancun'),
      from(1_740_434_112, 'prague'),
      from(1_759_308_480, 'osaka'),
      from(1_759_800_000, 'bpo1'),
      from(1_760_389_824, 'bpo2'),
    ],
  ],
  [
    GNOSIS,
    [
      since(0, 'istanbul'),
      since(16_101_500, 'berlin'),
      since(19_040_000, 'london'),
      since(25_349_537, 'paris'),
      from(1_690_889_660, 'shanghai'),
      from(1_710_181_820, 'cancun'),
      from(1_746_021_820, 'prague'),
      from(1_776_168_380, 'osaka'),
    ],
  ],
  // OP Mainnet and Base. Their own names are Bedrock, Canyon, Ecotone and Isthmus, then Karst (OP) and Azul
  // (Base).
  [
    10,
    [
      since(0, 'istanbul'),
      since(3_950_000, 'berlin'),
      since(105_235_063, 'paris'),
      from(1_704_992_401, 'shanghai'),
      from(1_710_374_401, 'cancun'),
      from(1_746_806_401, 'prague'),
      from(1_783_526_401, 'osaka'),
    ],
  ],
  [
    8453,
    [
      since(0, 'paris'),
      from(1_704_992_401, 'shanghai'),
      from(1_710_374_401, 'cancun'),
      from(1_746_806_401, 'prague'),
      from(1_779_991_200, 'osaka'),
    ],
  ],
  // Hoodi
  [
    560_048,
    [
      since(0, 'cancun'),
      from(1_742_999_832, 'prague'),
      from(1_761_677_592, 'osaka'),
      from(1_762_365_720, 'bpo1'),
      from(1_762_955_544, 'bpo2'),
    ],
  ],
]);

/** The blob parameters of Gnosis, unchanged in Osaka (gnosischain/specs, Dencun and Pectra). */
const GNOSIS_BLOBS = {
  target: 1,
  maximum: 2,
  maximumInTransaction: 2,
  baseFeeUpdateFraction: 1_112_826n,
  minBaseFee: 1_000_000_000n,
} as const;

/** Validator deposit contracts of chains that do not use Ethereum's address. */
const DEPOSIT_CONTRACTS: ReadonlyMap<number, Uint8Array> = new Map([
  [SEPOLIA, fromHex('0x7f02c3e3c98b133055b8b348b2ac625669ed295d')],
  [HOLESKY, fromHex('0x4242424242424242424242424242424242424242')],
  [GNOSIS, fromHex('0x0b98057ea310f4d31f2a452b414647007d1645d9')],
]);

/** Returns the rule set with the blob parameters, deposit contract and free calls of a public chain. */
export function ruleSetOnChain(ruleSet: RuleSet, chainId: number): RuleSet {
  const depositContract = DEPOSIT_CONTRACTS.get(chainId);
  const ofChain = chainId === GNOSIS ? withGnosisBlobs(ruleSet) : withPaidBridge(ruleSet, chainId);
  return depositContract === undefined || ruleSet.depositContract === null
    ? ofChain
    : { ...ofChain, depositContract };
}

function withGnosisBlobs(ruleSet: RuleSet): RuleSet {
  const { blobs, reference } = ruleSet;
  if (blobs === null) return ruleSet;
  const library = {
    targetBlobGasPerBlock: GNOSIS_BLOBS.target * Number(GAS_PER_BLOB),
    maxBlobGasPerBlock: GNOSIS_BLOBS.maximum * Number(GAS_PER_BLOB),
    blobGasPriceUpdateFraction: Number(GNOSIS_BLOBS.baseFeeUpdateFraction),
    minBlobGas: Number(GNOSIS_BLOBS.minBaseFee),
  };
  const parameters = Object.fromEntries(
    BLOB_EIPS.map((eip) => [eip, { ...reference.parameters[eip], ...library }]),
  );
  return {
    ...ruleSet,
    blobs: { ...blobs, ...GNOSIS_BLOBS },
    reference: { ...reference, parameters: { ...reference.parameters, ...parameters } },
  };
}

/**
 * Returns the rule set of a public chain at a block number and time (seconds since 1970); `undefined` for
 * chains without a schedule here. Blocks before Istanbul use Istanbul, the oldest rule set of a chain.
 */
export function scheduledRuleSet(chainId: number, block: number, time: number): RuleSetName | undefined {
  const schedule = SCHEDULES.get(chainId);
  return schedule?.findLast(
    (activation) => block >= (activation.block ?? 0) && time >= (activation.time ?? 0),
  )?.ruleSet;
}
