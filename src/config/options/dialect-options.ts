import type { OptionDefinition } from '../option-definition.ts';
import { choice } from '../value-form.ts';
import { NETWORK_POOL_TIMEOUT } from './mining-options.ts';

/** The options of how the node answers. */
export const DIALECT_OPTIONS = {
  hosted: {
    group: 'Dialect',
    kind: 'switch',
    needs: ['apiKey'],
    conflicts: ['logBlockLimit', 'logLimit'],
    implies: { compat: 'service', ...NETWORK_POOL_TIMEOUT },
    description: 'Answer as the hosted service does: no keys held, an estimate in every case',
  },
  compat: {
    group: 'Dialect',
    kind: 'value',
    form: choice('auto', 'service', 'anvil', 'hardhat'),
    default: 'auto',
    description:
      "Whose habits to follow where clients differ; auto: Hardhat's for Hardhat, else the service's",
  },
  fieldNames: {
    group: 'Dialect',
    kind: 'value',
    form: choice('service', 'native'),
    default: 'service',
    description:
      "Names of a block's fields: the service's parentchain…, or the network's own bitcoin…, rskPteEdges and baseEvent",
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
