// The Bridge's constants of Rootstock's networks.

import { fromHex } from '../../primitives/hex.ts';
import type { FederationFormat } from '../../protocol/hardforks/rootstock.ts';
import { BITCOIN_NETWORKS, type BitcoinNetwork } from '../bitcoin/address.ts';
import { type Federation, type FederationFacts, genesisFederation } from './federation.ts';

/** Satoshi in one coin. */
export const COIN = 100_000_000n;

/** The constants of a network. Amounts are in satoshi. */
export interface BridgeConstants {
  readonly federation: Federation;
  /** The network of the parent chain. */
  readonly network: BitcoinNetwork;
  /** Initial fee per 1,000 bytes on the parent chain. */
  readonly firstFeePerKilobyte: bigint;
  readonly firstLockingCap: bigint;
  readonly minimumPegin: bigint;
  readonly minimumPegout: bigint;
  /** Minimum remainder of a pegout after its fee, in percent of the fee. */
  readonly leftAfterFee: bigint;
  readonly blocksBetweenPegouts: number;
  /** Blocks of the parent chain until a pegin is accepted. */
  readonly peginConfirmations: number;
  /** Blocks of Rootstock until a pegout can be signed. */
  readonly pegoutConfirmations: number;
  /** From this height of the parent chain on, pegouts are identified by their index (RSKIP-379). */
  readonly pegoutIndexHeight: number;
  /** Blocks of the parent chain after {@link pegoutIndexHeight} that also accept the older identification. */
  readonly pegoutIndexGracePeriod: number;
}

/** Constants that all networks have. */
const COMMON = { minimumPegin: 500_000n } as const;

type NetworkConstants = Omit<BridgeConstants, 'federation'>;

const MAINNET: NetworkConstants = {
  ...COMMON,
  network: BITCOIN_NETWORKS.mainnet,
  firstFeePerKilobyte: COIN / 200n,
  firstLockingCap: 300n * COIN,
  minimumPegout: 400_000n,
  leftAfterFee: 80n,
  blocksBetweenPegouts: 360,
  peginConfirmations: 100,
  pegoutConfirmations: 4000,
  pegoutIndexHeight: 837_589,
  pegoutIndexGracePeriod: 4320,
};

const TESTNET: NetworkConstants = {
  ...COMMON,
  network: BITCOIN_NETWORKS.testnet,
  firstFeePerKilobyte: COIN / 1000n,
  firstLockingCap: 200n * COIN,
  minimumPegout: 250_000n,
  leftAfterFee: 80n,
  blocksBetweenPegouts: 360,
  peginConfirmations: 10,
  pegoutConfirmations: 10,
  pegoutIndexHeight: 2_589_553,
  pegoutIndexGracePeriod: 1440,
};

const REGTEST: NetworkConstants = {
  ...COMMON,
  network: BITCOIN_NETWORKS.regtest,
  firstFeePerKilobyte: COIN / 1000n,
  firstLockingCap: 1000n * COIN,
  minimumPegout: 250_000n,
  leftAfterFee: 20n,
  blocksBetweenPegouts: 50,
  peginConfirmations: 3,
  pegoutConfirmations: 3,
  pegoutIndexHeight: 250,
  pegoutIndexGracePeriod: 100,
};

const MAINNET_FEDERATION: FederationFacts = {
  publicKeys: [
    '0x03b53899c390573471ba30e5054f78376c5f797fda26dde7a760789f02908cbad2',
    '0x027319afb15481dbeb3c426bcc37f9a30e7f51ceff586936d85548d9395bcc2344',
    '0x0355a2e9bf100c00fc0a214afd1bf272647c7824eb9cb055480962f0c382596a70',
    '0x02566d5ded7c7db1aa7ee4ef6f76989fb42527fcfdcddcd447d6793b7d869e46f7',
    '0x0294c817150f78607566e961b3c71df53a22022a80acbb982f83c0c8baac040adc',
    '0x0372cd46831f3b6afd4c044d160b7667e8ebf659d6cb51a825a3104df6ee0638c6',
    '0x0340df69f28d69eef60845da7d81ff60a9060d4da35c767f017b0dd4e20448fb44',
    '0x02ac1901b6fba2c1dbd47d894d2bd76c8ba1d296d65f6ab47f1c6b22afb53e73eb',
    '0x031aabbeb9b27258f98c2bf21f36677ae7bae09eb2d8c958ef41a20a6e88626d26',
    '0x0245ef34f5ee218005c9c21227133e8568a4f3f11aeab919c66ff7b816ae1ffeea',
    '0x02550cc87fa9061162b1dd395a16662529c9d8094c0feca17905a3244713d65fe8',
    '0x02481f02b7140acbf3fcdd9f72cf9a7d9484d8125e6df7c9451cfa55ba3b077265',
    '0x03f909ae15558c70cc751aff9b1f495199c325b13a9e5b934fd6299cd30ec50be8',
    '0x02c6018fcbd3e89f3cf9c7f48b3232ea3638eb8bf217e59ee290f5f0cfb2fb9259',
    '0x03b65694ccccda83cbb1e56b31308acd08e993114c33f66a456b627c2c1c68bed6',
  ],
  // 1970-01-18T12:49:08Z
  creationTime: 1_514_948,
  emergency: null,
  network: BITCOIN_NETWORKS.mainnet,
};

const TESTNET_FEDERATION: FederationFacts = {
  publicKeys: [
    '0x039a060badbeb24bee49eb2063f616c0f0f0765d4ca646b20a88ce828f259fcdb9',
    '0x02afc230c2d355b1a577682b07bc2646041b5d0177af0f98395a46018da699b6da',
    '0x0344a3c38cd59afcba3edcebe143e025574594b001700dec41e59409bdbd0f2a09',
    '0x034844a99cd7028aa319476674cc381df006628be71bc5593b8b5fdb32bb42ef85',
  ],
  // 1970-01-18T19:29:27Z
  creationTime: 1_538_967,
  emergency: null,
  network: BITCOIN_NETWORKS.testnet,
};

/** The members' private keys are the Keccak hashes of `federator1` to `federator3`. */
const REGTEST_FEDERATION: FederationFacts = {
  publicKeys: [
    '0x02cd53fc53a07f211641a677d250f6de99caf620e8e77071e811a28b3bcddf0be1',
    '0x0362634ab57dae9cb373a5d536e66a8c4f67468bbcfb063809bab643072d78a124',
    '0x03c5946b3fbae03a654237da863c9ed534e0878657175b132b8ca630f245df04db',
  ],
  creationTime: Date.UTC(2016, 0, 1) / 1000,
  emergency: {
    // The private keys are the Keccak hashes of `erp-fed-01`, `…-02`, `…-03` and `…-05`.
    publicKeys: [
      '0x03b9fc46657cf72a1afa007ecf431de1cd27ff5cc8829fa625b66ca47b967e6b24',
      '0x029cecea902067992d52c38b28bf0bb2345bda9b21eca76b16a17c477a64e43301',
      '0x03284178e5fbcc63c54c3b38e3ef88adf2da6c526313650041b0ef955763634ebd',
      '0x03ab0e2cd7ed158687fc13b88019990860cdb72b1f5777b58513312550ea1584bc',
    ].map(fromHex),
    delay: 500,
  },
  network: BITCOIN_NETWORKS.regtest,
};

/** Creates each value once, when it is first used. */
function lazily<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

const mainnetConstants = lazily(
  (): BridgeConstants => ({ ...MAINNET, federation: genesisFederation(MAINNET_FEDERATION, 'legacy') }),
);
const testnetConstants = lazily(
  (): BridgeConstants => ({ ...TESTNET, federation: genesisFederation(TESTNET_FEDERATION, 'legacy') }),
);
const regtestConstants = {
  legacy: lazily(
    (): BridgeConstants => ({ ...REGTEST, federation: genesisFederation(REGTEST_FEDERATION, 'legacy') }),
  ),
  p2wsh: lazily(
    (): BridgeConstants => ({ ...REGTEST, federation: genesisFederation(REGTEST_FEDERATION, 'p2wsh') }),
  ),
} as const;

/**
 * Returns the constants of the network with this chain id. A chain id that is not public has the constants of
 * regtest, with a federation of this format.
 */
export function bridgeConstants(chainId: number, format: FederationFormat): BridgeConstants {
  if (chainId === 30) return mainnetConstants();
  return chainId === 31 ? testnetConstants() : regtestConstants[format]();
}
