import type { OptionDefinition } from '../option-definition.ts';
import { hash32, httpHeader, text, upstreamUrl, wholeNumber } from '../value-form.ts';

const MOST_MILLISECONDS = 3_600_000;
const NEEDS = ['forkUrl'] as const;

/** The options of a chain that begins where another one stands, and of how that one is asked. */
export const FORK_OPTIONS = {
  forkUrl: {
    group: 'Fork',
    kind: 'list',
    short: 'f',
    aliases: ['rpc-url', 'fork'],
    form: upstreamUrl,
    conflicts: ['init'],
    otherwise: 'a chain with a first block of its own',
    description: 'URL of a node to begin from, with @ and a block number if need be; more for when it fails',
  },
  upstream: {
    group: 'Fork',
    isOfCommand: true,
    kind: 'list',
    form: upstreamUrl,
    otherwise: 'all upstreams',
    description: 'URL of the upstream that is meant; also --fork-url',
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
    aliases: ['fork-headers'],
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
    description: 'Time that an answer of the upstream may take',
  },
  retries: {
    group: 'Fork',
    kind: 'value',
    form: wholeNumber(0, 1_000, '5'),
    default: '5',
    description:
      'How often a request to the upstream is tried again; with 5 or fewer, at most 3 times within 3 seconds if no server is reached at the start',
  },
  forkRetryBackoff: {
    group: 'Fork',
    kind: 'value',
    form: wholeNumber(0, MOST_MILLISECONDS, '1000', 'milliseconds'),
    default: '1000',
    description: 'Time before the first retry, twice as long before each one after that',
  },
  computeUnitsPerSecond: {
    group: 'Fork',
    kind: 'value',
    aliases: ['cups'],
    form: wholeNumber(1, 1_000_000, '330', 'units'),
    default: null,
    conflicts: ['noRateLimit'],
    otherwise: '330 once the upstream says that it was too much',
    description: 'Compute units that the upstream may be asked for each second',
  },
  noRateLimit: {
    group: 'Fork',
    kind: 'switch',
    aliases: ['no-rpc-rate-limit'],
    description: 'Ask the upstream as fast as it answers',
  },
  noStorageCaching: {
    group: 'Fork',
    kind: 'switch',
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
    otherwise: "node-cli/fork in the user's directory for caches",
    description: 'Directory that keeps what upstreams answer, for all runs and processes',
  },
  offline: {
    group: 'Fork',
    kind: 'switch',
    needs: NEEDS,
    description: 'Never ask the upstream: what the cache does not hold is an error',
  },
  forkRecord: {
    group: 'Fork',
    kind: 'value',
    form: text({ placeholder: '<file>', allowed: 'the path of a file', example: 'fork-record.gz' }, /^.+$/s),
    default: null,
    needs: NEEDS,
    otherwise: 'no record',
    description:
      'File to commit that keeps what runs ask of the upstream: later runs begin at its block and ask only what is new',
  },
  forkPrefetch: {
    group: 'Fork',
    kind: 'switch',
    needs: NEEDS,
    conflicts: ['offline'],
    description: 'Ask at the start, in batches, for the state that the last run needed at another block',
  },
  forkComplete: {
    group: 'Fork',
    kind: 'switch',
    description: 'Have dumps of a fork hold all that was fetched, so that they load without the upstream',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
