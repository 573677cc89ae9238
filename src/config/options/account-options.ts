import { DEFAULT_DERIVATION_PATH, DEFAULT_MNEMONIC } from '../../wallet/dev-accounts.ts';
import type { OptionDefinition } from '../option-definition.ts';
import { choice, ether, fundedAddress, mnemonic, text, wholeNumber, wordCount } from '../value-form.ts';

/** The words of `ganache --deterministic`, from Ganache's documentation. */
const GANACHE_MNEMONIC = 'myth like bonus scare over problem client lizard pioneer submit female collect';

/** The options of the initial accounts. */
export const ACCOUNT_OPTIONS = {
  accounts: {
    common: 'Accounts',
    setBy: 'agent',
    kind: 'value',
    short: 'a',
    form: wholeNumber(0, 10_000, '10'),
    default: '10',
    description: 'Number of accounts to derive from the mnemonic',
  },
  balance: {
    common: 'Accounts',
    setBy: 'agent',
    kind: 'value',
    form: ether,
    default: '10000',
    description: 'Genesis balance of each account, in ether',
  },
  mnemonic: {
    common: 'Accounts',
    setBy: 'agent',
    kind: 'value',
    short: 'm',
    form: mnemonic,
    default: DEFAULT_MNEMONIC,
    description: 'BIP-39 mnemonic of the accounts',
  },
  deterministic: {
    setBy: 'agent',
    kind: 'switch',
    conflicts: ['mnemonic', 'mnemonicRandom', 'mnemonicSeedUnsafe'],
    implies: { mnemonic: GANACHE_MNEMONIC },
    description: 'Use the accounts of ganache --deterministic',
  },
  mnemonicRandom: {
    setBy: 'agent',
    kind: 'value',
    form: wordCount,
    default: null,
    bare: '12',
    conflicts: ['mnemonic', 'mnemonicSeedUnsafe'],
    otherwise: 'the mnemonic of --mnemonic',
    description: 'Use a random mnemonic of N words (12 without a number)',
  },
  mnemonicSeedUnsafe: {
    setBy: 'agent',
    kind: 'value',
    form: wholeNumber(0, Number.MAX_SAFE_INTEGER, '7'),
    default: null,
    conflicts: ['mnemonic'],
    otherwise: 'the mnemonic of --mnemonic',
    description: 'Derive a 12-word mnemonic from this number (insecure: guessable)',
  },
  derivationPath: {
    setBy: 'agent',
    kind: 'value',
    form: text(
      {
        placeholder: '<path>',
        allowed: "a BIP-32 path, for example m/44'/60'/0'/0/",
        example: "m/44'/60'/0'/0/",
      },
      /^m(\/\d{1,9}'?)*\/?$/,
    ),
    default: DEFAULT_DERIVATION_PATH,
    description: 'BIP-32 path of the accounts',
  },
  devAccounts: {
    setBy: 'agent',
    kind: 'value',
    form: choice('kind of accounts', 'mnemonic', 'network'),
    default: 'mnemonic',
    description: "Accounts of the node: from --mnemonic, or Rootstock's ten accounts",
  },
  fundAccounts: {
    setBy: 'agent',
    kind: 'list',
    form: fundedAddress,
    description: 'Fund more addresses, each with the given ether or with --balance',
  },
  autoImpersonate: {
    common: 'Accounts',
    setBy: 'agent',
    kind: 'switch',
    aliases: ['auto-unlock'],
    conflicts: ['hosted'],
    description: 'Send transactions from any address without its key',
  },
  autoFund: {
    setBy: 'agent',
    kind: 'switch',
    conflicts: ['hosted'],
    description: 'Give impersonated accounts without funds the amount of --balance',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
