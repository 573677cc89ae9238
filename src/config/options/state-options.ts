import type { OptionDefinition } from '../option-definition.ts';
import { secondsOrNone, text, wholeNumber } from '../value-form.ts';

const FILE = { placeholder: '<file>', allowed: 'the path of a file' };
const ANY_PATH = /^.+$/s;

/** The options of loading and saving the chain. */
export const STATE_OPTIONS = {
  state: {
    common: 'Forking and persistence',
    setBy: 'user',
    kind: 'value',
    form: text({ ...FILE, example: './chain.json.gz' }, ANY_PATH),
    default: null,
    conflicts: ['loadState', 'dumpState', 'dataDir'],
    description: 'Load the chain from this file if it exists, and save it there',
  },
  loadState: {
    setBy: 'user',
    kind: 'value',
    form: text({ ...FILE, example: './chain.json.gz' }, ANY_PATH),
    default: null,
    conflicts: ['dataDir'],
    otherwise: 'a new chain',
    description: 'Load the chain from a dump or a state file of Anvil',
  },
  dumpState: {
    setBy: 'user',
    kind: 'value',
    form: text({ ...FILE, example: './chain.json.gz' }, ANY_PATH),
    default: null,
    description: 'Save the chain to this file; a name that ends in .gz compresses it',
  },
  stateInterval: {
    setBy: 'user',
    kind: 'value',
    short: 's',
    form: secondsOrNone,
    default: '60',
    needsOneOf: ['state', 'dumpState'],
    description: 'Seconds between saves of a changed chain (0 = only on exit)',
  },
  pruneHistory: {
    setBy: 'user',
    kind: 'value',
    form: { ...wholeNumber(0, Number.MAX_SAFE_INTEGER, '10000', 'blocks'), placeholder: '[blocks]' },
    default: '0',
    bare: '1000',
    aliases: ['transaction-block-keeper'],
    conflicts: ['dataDir'],
    description: 'Keep only the newest N blocks (0 = all; without a number: 1000)',
  },
  init: {
    setBy: 'user',
    kind: 'value',
    form: text({ ...FILE, example: './genesis.json' }, ANY_PATH),
    default: null,
    aliases: ['genesis'],
    conflicts: ['loadState', 'forkUrl'],
    otherwise: 'the built-in genesis block',
    description: 'Create the genesis block from a genesis file of geth',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
