import type { OptionDefinition } from '../option-definition.ts';
import { secondsOrNone, text, wholeNumber } from '../value-form.ts';

const FILE = { placeholder: '<file>', allowed: 'the path of a file' };
const ANY_PATH = /^.+$/s;

/** The options of the files that a chain begins with and is saved to. */
export const STATE_OPTIONS = {
  state: {
    group: 'State',
    setBy: 'user',
    kind: 'value',
    form: text({ ...FILE, example: './chain.json.gz' }, ANY_PATH),
    default: null,
    conflicts: ['loadState', 'dumpState', 'dataDir'],
    otherwise: 'no file',
    description: 'Go on with the chain in this file if it is there, and save the chain to it',
  },
  loadState: {
    group: 'State',
    setBy: 'user',
    kind: 'value',
    form: text({ ...FILE, example: './chain.json.gz' }, ANY_PATH),
    default: null,
    conflicts: ['dataDir'],
    otherwise: 'a fresh chain',
    description: "Begin with the chain in this file: a dump, or Anvil's state file",
  },
  dumpState: {
    group: 'State',
    setBy: 'user',
    kind: 'value',
    form: text({ ...FILE, example: './chain.json.gz' }, ANY_PATH),
    default: null,
    otherwise: 'no file',
    description: 'Save the chain to this file, compressed if its name ends in .gz',
  },
  stateInterval: {
    group: 'State',
    setBy: 'user',
    kind: 'value',
    short: 's',
    form: secondsOrNone,
    default: '60',
    needsOneOf: ['state', 'dumpState'],
    description: 'Seconds between saves of a chain that changes; 0 to save it at the end only',
  },
  pruneHistory: {
    group: 'State',
    setBy: 'user',
    kind: 'value',
    form: { ...wholeNumber(0, Number.MAX_SAFE_INTEGER, '10000', 'blocks'), placeholder: '[blocks]' },
    default: '0',
    bare: '1000',
    aliases: ['transaction-block-keeper'],
    conflicts: ['dataDir'],
    description: 'Keep only the newest N blocks and their state (0 = keep all; without a number 1000)',
  },
  init: {
    group: 'State',
    setBy: 'user',
    kind: 'value',
    form: text({ ...FILE, example: './genesis.json' }, ANY_PATH),
    default: null,
    aliases: ['genesis'],
    conflicts: ['loadState', 'forkUrl'],
    otherwise: "the node's own first block",
    description: "Make the first block from geth's genesis file",
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
