import type { Mode } from './modes.ts';

/** A row of the service document with a deliberate deviation of the node. */
export interface Decision {
  /** The heading and the row, named as in `ruleRows` and the method tables. */
  readonly row: string;
  readonly modes: readonly Mode[];
  readonly reason: string;
}

const BOTH: readonly Mode[] = ['default', '--hosted'];
const HOSTED: readonly Mode[] = ['--hosted'];
const DEFAULT: readonly Mode[] = ['default'];

const NO_KEYS = 'the service holds no keys, so nothing can be signed or sent in the name of an account';
const SEND_FIELDS = ['from', 'to', 'gas', 'gasPrice', 'value', 'nonce'];

/**
 * All rows of the document with a deviation, and the reasons. All other rows hold in both modes.
 */
export const DECISIONS: readonly Decision[] = [
  {
    row: 'What the service does: 5',
    modes: DEFAULT,
    reason: 'a node for development has accounts that it signs for; --hosted has none',
  },
  {
    row: 'Authentication: 1',
    modes: DEFAULT,
    reason: 'a node on the own machine asks for no key unless --api-key names one',
  },
  {
    row: 'Rules for eth_estimateGas: 2',
    modes: DEFAULT,
    reason:
      'people want to know why a transaction would fail; the reference node too answers a revert with an error',
  },
  {
    row: 'Call object: to',
    modes: BOTH,
    reason: 'a call without recipient runs a creation, as in the reference node',
  },
  {
    row: 'Transaction object for eth_sendTransaction: data',
    modes: BOTH,
    reason: 'a plain transfer has no data; and a hosted node holds no keys',
  },
  ...SEND_FIELDS.map((field) => ({
    row: `Transaction object for eth_sendTransaction: ${field}`,
    modes: HOSTED,
    reason: NO_KEYS,
  })),
  { row: 'Limits: Default gas', modes: HOSTED, reason: NO_KEYS },
  { row: 'method eth_sendTransaction', modes: HOSTED, reason: NO_KEYS },
  { row: 'method eth_sign', modes: HOSTED, reason: NO_KEYS },
];

/** The decision about a row in a mode; `undefined` if the row holds. */
export function decisionOn(row: string, mode: Mode): Decision | undefined {
  return DECISIONS.find((decision) => decision.row === row && decision.modes.includes(mode));
}
