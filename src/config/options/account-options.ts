import { DEFAULT_DERIVATION_PATH, DEFAULT_MNEMONIC } from '../../wallet/dev-accounts.ts';
import type { OptionDefinition } from '../option-definition.ts';
import { choice, ether, fundedAddress, mnemonic, text, wholeNumber, wordCount } from '../value-form.ts';

/** The words of `ganache --deterministic`, from Ganache's documentation. */
const GANACHE_MNEMONIC = 'myth like bonus scare over problem client lizard pioneer submit female collect';

/** The options of the accounts that the chain starts with. */
export const ACCOUNT_OPTIONS = {
  accounts: {
    group: 'Accounts',
    setBy: 'agent',
    kind: 'value',
    short: 'a',
    form: wholeNumber(0, 10_000, '10'),
    default: '10',
    description: 'How many accounts to derive from the mnemonic',
  },
  balance: {
    group: 'Accounts',
    setBy: 'agent',
    kind: 'value',
    form: ether,
    default: '10000',
    description: 'Balance of each account in the first block',
  },
  mnemonic: {
    group: 'Accounts',
    setBy: 'agent',
    kind: 'value',
    short: 'm',
    form: mnemonic,
    default: DEFAULT_MNEMONIC,
    description: 'BIP-39 words that the accounts are derived from',
  },
  deterministic: {
    group: 'Accounts',
    setBy: 'agent',
    kind: 'switch',
    conflicts: ['mnemonic', 'mnemonicRandom', 'mnemonicSeedUnsafe'],
    implies: { mnemonic: GANACHE_MNEMONIC },
    description: 'Use the accounts of ganache --deterministic',
  },
  mnemonicRandom: {
    group: 'Accounts',
    setBy: 'agent',
    kind: 'value',
    form: wordCount,
    default: null,
    bare: '12',
    conflicts: ['mnemonic', 'mnemonicSeedUnsafe'],
    otherwise: 'the words of --mnemonic',
    description: 'Derive the accounts from so many random words, 12 where no number follows',
  },
  mnemonicSeedUnsafe: {
    group: 'Accounts',
    setBy: 'agent',
    kind: 'value',
    form: wholeNumber(0, Number.MAX_SAFE_INTEGER, '7'),
    default: null,
    conflicts: ['mnemonic'],
    otherwise: 'the words of --mnemonic',
    description:
      'Derive the accounts from 12 words that follow from this number: anybody can find their keys',
  },
  derivationPath: {
    group: 'Accounts',
    setBy: 'agent',
    kind: 'value',
    form: text(
      {
        placeholder: '<path>',
        allowed: "a BIP-32 path such as m/44'/60'/0'/0/, to which the account's index is added",
        example: "m/44'/60'/0'/0/",
      },
      /^m(\/\d{1,9}'?)*\/?$/,
    ),
    default: DEFAULT_DERIVATION_PATH,
    description: 'Path under which the accounts are derived',
  },
  devAccounts: {
    group: 'Accounts',
    setBy: 'agent',
    kind: 'value',
    form: choice('mnemonic', 'network'),
    default: 'mnemonic',
    valueConflicts: {
      network: [
        'mnemonic',
        'deterministic',
        'mnemonicRandom',
        'mnemonicSeedUnsafe',
        'derivationPath',
        'accounts',
      ],
    },
    description: "Accounts to list: those of the mnemonic, or the local network's own ten",
  },
  fundAccounts: {
    group: 'Accounts',
    setBy: 'agent',
    kind: 'list',
    form: fundedAddress,
    otherwise: 'none',
    description:
      'Addresses that have funds in the first block too: so much ether, or as much as --balance says',
  },
  autoImpersonate: {
    group: 'Accounts',
    setBy: 'agent',
    kind: 'switch',
    aliases: ['auto-unlock'],
    conflicts: ['hosted'],
    description: 'Send transactions in the name of any account without its key',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
