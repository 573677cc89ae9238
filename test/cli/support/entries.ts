import type { BlockEntry, StartEntry, TransactionEntry } from '../../../src/log/log-entries.ts';

const HASH = `0x${'ab'.repeat(32)}`;

/** The start entry of a node with two accounts. */
export function startEntryWith(changes: Partial<StartEntry> = {}): StartEntry {
  return {
    version: '1.2.3',
    url: 'http://127.0.0.1:8545',
    webSocketUrl: 'ws://127.0.0.1:8545',
    ipcPath: null,
    accounts: [
      {
        address: `0x${'A1'.repeat(20)}`,
        privateKey: `0x${'01'.repeat(32)}`,
      },
      {
        address: `0x${'B2'.repeat(20)}`,
        privateKey: `0x${'02'.repeat(32)}`,
      },
    ],
    balance: 10_000n * 10n ** 18n,
    wallet: { mnemonic: 'test test junk', derivationPath: "m/44'/60'/0'/0/" },
    hasDefaultWallet: false,
    areKeysPublic: true,
    fork: null,
    parentUrls: [],
    pegs: null,
    preset: null,
    chainId: 33,
    networkId: 34,
    ruleSet: 'rootstock',
    federation: null,
    isPreview: false,
    dialect: 'auto',
    compatOfOthers: 'service',
    compatEvidence: null,
    gasLimit: 30_000_000n,
    networkLimits: false,
    minimumGasPrice: 60_000_000n,
    predeploys: [],
    artifactFolders: [],
    lacksProject: false,
    mining: 'automine',
    dataDirectory: null,
    loadedFrom: null,
    savedTo: null,
    continuedAfter: null,
    configFile: null,
    hasLanes: false,
    needsApiKey: false,
    isExposed: false,
    servesExplorer: false,
    ...changes,
  };
}

/** A successful call without special fields. */
export function transactionWith(changes: Partial<TransactionEntry> = {}): TransactionEntry {
  return {
    kind: 'call',
    hash: HASH,
    from: `0x${'0a'.repeat(20)}`,
    to: `0x${'0b'.repeat(20)}`,
    value: 0n,
    selector: '0xa9059cbb',
    contractAddress: null,
    gasUsed: 49_758n,
    gasLimit: 200_000n,
    failure: null,
    errorArguments: [],
    errorArgumentCount: 0,
    calledWithoutCode: false,
    console: null,
    ...changes,
  };
}

export function blockWith(number: number, transactions: readonly TransactionEntry[] = []): BlockEntry {
  return { number, hash: `0x${'cd'.repeat(32)}`, timestamp: 1_700_000_000, gasUsed: 49_758n, transactions };
}
