import type { OptionDefinition } from '../option-definition.ts';
import { seconds, wholeNumber } from '../value-form.ts';

const MAX_PORT = 65_535;
const NEEDS = ['parentChain'] as const;

/** The options of the simulated parent chain and of the built-in federate. */
export const PARENT_CHAIN_OPTIONS = {
  parentChain: {
    setBy: 'agent',
    kind: 'switch',
    conflicts: ['forkUrl', 'noPredeploys'],
    conflictReasons: {
      forkUrl: 'because the Bridge of a forked chain follows another parent chain',
      noPredeploys: 'because the Bridge needs its initial coins to pay peg-ins',
    },
    description: 'Simulate the parent chain, with Bitcoin RPC at /parent',
  },
  parentBlockTime: {
    setBy: 'agent',
    kind: 'value',
    form: seconds,
    default: null,
    otherwise: 'blocks on request only',
    needs: NEEDS,
    description: 'Mine a block of the parent chain every N seconds',
  },
  parentPort: {
    setBy: 'user',
    kind: 'value',
    form: wholeNumber(0, MAX_PORT, '18443'),
    default: null,
    otherwise: 'only the path /parent',
    needs: NEEDS,
    description: 'Also serve the Bitcoin RPC on this port; 0 = any free port',
  },
  noFederate: {
    setBy: 'agent',
    kind: 'switch',
    needs: NEEDS,
    description: 'Do not send the calls of the federation to the Bridge',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
