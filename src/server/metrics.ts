// The metrics of the node in the text format of Prometheus (exposition format 0.0.4).

import type { ChainEventMap, ChainEvents } from '../chain/changes.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { BitcoinRpcError } from '../rootstock/parent-chain/rpc/rpc-error.ts';
import type { Health } from './get-requests.ts';
import type { CallReport } from './options.ts';

/** Upper bounds of the histogram buckets, in seconds. The clock has milliseconds. */
const BOUNDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** The label of all unknown methods. Clients can send any number of names. */
const UNKNOWN = 'unknown';
/** Code of an unknown method (JSON-RPC 2.0). */
const METHOD_NOT_FOUND = -32601;

interface MethodCounts {
  succeeded: number;
  failed: number;
  seconds: number;
}

export interface MetricsSource {
  readonly version: string;
  /** In seconds since 1970. */
  readonly startedAt: number;
  health(): Health;
  /** Returns the number of pending transactions of the base chain. */
  waiting(): number;
  /** Memory in bytes, and used CPU seconds. */
  usage(): {
    readonly resident: number;
    readonly heapUsed: number;
    readonly heapTotal: number;
    readonly external: number;
    readonly cpuSeconds: number;
  };
}

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [suffix: string, labels: Labels, value: number];

/** Counts calls, blocks and transactions of a node and its lanes. */
export class Metrics {
  readonly #source: MetricsSource;
  readonly #methods = new Map<string, MethodCounts>();
  /** Calls by histogram bucket. The last bucket is for longer calls. */
  readonly #durations = new Array<number>(BOUNDS.length + 1).fill(0);
  #seconds = 0;
  #blocks = 0;
  #removedBlocks = 0;
  #succeeded = 0;
  #failed = 0;

  constructor(source: MetricsSource) {
    this.#source = source;
  }

  count({ method, durationMs = 0, error }: CallReport): void {
    const isCoded = error instanceof CodedError || error instanceof BitcoinRpcError;
    const isUnknown = isCoded && error.code === METHOD_NOT_FOUND;
    const name = isUnknown ? UNKNOWN : method;
    const counts = this.#methods.get(name) ?? { succeeded: 0, failed: 0, seconds: 0 };
    this.#methods.set(name, counts);
    const seconds = durationMs / 1_000;
    if (error === undefined) counts.succeeded++;
    else counts.failed++;
    counts.seconds += seconds;
    this.#seconds += seconds;
    const bound = BOUNDS.findIndex((most) => seconds <= most);
    const place = bound === -1 ? BOUNDS.length : bound;
    this.#durations[place] = (this.#durations[place] ?? 0) + 1;
  }

  /** Counts the new blocks of a chain. Returns a function that stops this. */
  watch(events: ChainEvents): () => void {
    const onBlock = (...[block, results]: ChainEventMap['block']): void => {
      // Loaded blocks are not new.
      if (results === null) return;
      this.#blocks++;
      for (const { succeeded } of block.receipts) {
        if (succeeded) this.#succeeded++;
        else this.#failed++;
      }
    };
    const stopBlocks = events.on('block', onBlock);
    const stopRemoved = events.on('removed', (blocks, successors) => {
      if (successors !== 'same blocks') this.#removedBlocks += blocks.length;
    });
    return () => {
      stopBlocks();
      stopRemoved();
    };
  }

  text(): string {
    const { version, startedAt } = this.#source;
    const { chainId, blockNumber, lanes } = this.#source.health();
    const { resident, heapUsed, heapTotal, external, cpuSeconds } = this.#source.usage();
    const one = (value: number): readonly Sample[] => [['', {}, value]];
    const methods = [...this.#methods].sort(([left], [right]) => (left < right ? -1 : 1));
    return [
      metric('node_cli_info', 'gauge', 'Node version and chain id', [
        ['', { version, chain_id: String(chainId) }, 1],
      ]),
      metric(
        'node_cli_requests_total',
        'counter',
        'Answered JSON-RPC calls',
        methods.flatMap(([method, { succeeded, failed }]): Sample[] => [
          ['', { method, outcome: 'result' }, succeeded],
          ['', { method, outcome: 'error' }, failed],
        ]),
      ),
      metric(
        'node_cli_request_seconds_total',
        'counter',
        'Response time by method',
        methods.map(([method, { seconds }]): Sample => ['', { method }, seconds]),
      ),
      metric('node_cli_request_duration_seconds', 'histogram', 'Response time', this.#histogram()),
      metric('node_cli_block_number', 'gauge', 'Newest block of the base chain', one(blockNumber)),
      metric(
        'node_cli_blocks_total',
        'counter',
        'Mined blocks of the base chain and all lanes',
        one(this.#blocks),
      ),
      metric(
        'node_cli_removed_blocks_total',
        'counter',
        'Blocks removed by reverts and reorganizations',
        one(this.#removedBlocks),
      ),
      metric('node_cli_transactions_total', 'counter', 'Mined transactions of the base chain and all lanes', [
        ['', { status: 'success' }, this.#succeeded],
        ['', { status: 'failure' }, this.#failed],
      ]),
      metric('node_cli_pool_transactions', 'gauge', 'Pending transactions', one(this.#source.waiting())),
      metric('node_cli_lanes', 'gauge', 'Lanes', one(lanes)),
      metric('process_resident_memory_bytes', 'gauge', 'Resident memory', one(resident)),
      metric('process_cpu_seconds_total', 'counter', 'User and system CPU time', one(cpuSeconds)),
      metric('process_start_time_seconds', 'gauge', 'Start time, in seconds since 1970', one(startedAt)),
      metric('nodejs_heap_size_used_bytes', 'gauge', 'Used heap', one(heapUsed)),
      metric('nodejs_heap_size_total_bytes', 'gauge', 'Heap size', one(heapTotal)),
      metric('nodejs_external_memory_bytes', 'gauge', 'Memory outside the heap', one(external)),
    ].join('');
  }

  #histogram(): Sample[] {
    let count = 0;
    const buckets = [...BOUNDS, Number.POSITIVE_INFINITY].map((bound, index): Sample => {
      count += this.#durations[index] ?? 0;
      return ['_bucket', { le: bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound) }, count];
    });
    return [...buckets, ['_sum', {}, this.#seconds], ['_count', {}, count]];
  }
}

function metric(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([suffix, labels, value]) => `${name}${suffix}${labelText(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelText(labels: Labels): string {
  const escaped = (text: string): string =>
    text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}
