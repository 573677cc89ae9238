import type { OptionDefinition } from '../option-definition.ts';
import { hash32, httpHeader, text, upstreamUrl, wholeNumber } from '../value-form.ts';

const MOST_MILLISECONDS = 3_600_000;
const NEEDS = ['forkUrl'] as const;

/** The options of a chain that begins where another one stands, and of how that one is asked. */
export const FORK_OPTIONS = {
  forkUrl: {
    group: 'Fork',
    kind: 'list',
    form: upstreamUrl,
    conflicts: ['dataDir', 'init'],
    otherwise: 'a chain with a first block of its own',
    description: 'URL of a node to begin from, with @ and a block number if need be; more for when it fails',
  },
  forkBlockNumber: {
    group: 'Fork',
    kind: 'value',
    form: wholeNumber(0, Number.MAX_SAFE_INTEGER, '7000000'),
    default: null,
    needs: NEEDS,
    conflicts: ['forkTransactionHash'],
    otherwise: 'the newest block',
    description: 'Block after which the chain begins',
  },
  forkTransactionHash: {
    group: 'Fork',
    kind: 'value',
    form: hash32,
    default: null,
    needs: NEEDS,
    otherwise: 'after a block',
    description: 'Transaction right before which the chain begins',
  },
  forkChainId: {
    group: 'Fork',
    kind: 'value',
    form: wholeNumber(1, Number.MAX_SAFE_INTEGER, '30'),
    default: null,
    needs: NEEDS,
    otherwise: 'the upstream is asked',
    description: "The upstream's chain id, which is then not asked for",
  },
  forkHeader: {
    group: 'Fork',
    kind: 'list',
    isWhole: true,
    form: httpHeader,
    needs: NEEDS,
    otherwise: 'none',
    description: 'HTTP header that goes with each request to the upstream',
  },
  timeout: {
    group: 'Fork',
    kind: 'value',
    form: wholeNumber(1, MOST_MILLISECONDS, '45000', 'milliseconds'),
    default: '45000',
    needs: NEEDS,
    description: 'Time that an answer of the upstream may take',
  },
  retries: {
    group: 'Fork',
    kind: 'value',
    form: wholeNumber(0, 1_000, '5'),
    default: '5',
    needs: NEEDS,
    description: 'How often a request to the upstream is tried again',
  },
  forkRetryBackoff: {
    group: 'Fork',
    kind: 'value',
    form: wholeNumber(0, MOST_MILLISECONDS, '1000', 'milliseconds'),
    default: '1000',
    needs: NEEDS,
    description: 'Time before the first retry, twice as long before each one after that',
  },
  computeUnitsPerSecond: {
    group: 'Fork',
    kind: 'value',
    form: wholeNumber(1, 1_000_000, '330', 'units'),
    default: null,
    needs: NEEDS,
    conflicts: ['noRateLimit'],
    otherwise: '330 once the upstream says that it was too much',
    description: 'Compute units that the upstream may be asked for each second',
  },
  noRateLimit: {
    group: 'Fork',
    kind: 'switch',
    needs: NEEDS,
    description: 'Ask the upstream as fast as it answers',
  },
  noStorageCaching: {
    group: 'Fork',
    kind: 'switch',
    needs: NEEDS,
    conflicts: ['forkCacheDir', 'offline'],
    description: 'Keep nothing of what the upstream answers on disk',
  },
  forkCacheDir: {
    group: 'Fork',
    kind: 'value',
    form: text(
      { placeholder: '<dir>', allowed: 'the path of a directory', example: './fork-cache' },
      /^.+$/s,
    ),
    default: null,
    needs: NEEDS,
    otherwise: "node-cli/fork in the user's directory for caches",
    description: 'Directory that keeps what upstreams answer, for all runs and processes',
  },
  offline: {
    group: 'Fork',
    kind: 'switch',
    needs: NEEDS,
    description: 'Never ask the upstream: what the cache does not hold is an error',
  },
  forkComplete: {
    group: 'Fork',
    kind: 'switch',
    description: 'Have dumps of a fork hold all that was fetched, so that they load without the upstream',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
