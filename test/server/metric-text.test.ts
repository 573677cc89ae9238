import { describe, expect, it } from 'vitest';
import { ChainEvents } from '../../src/chain/changes.ts';
import type { ExecutionResult } from '../../src/evm/engine.ts';
import type { Block } from '../../src/protocol/block.ts';
import { MethodNotFoundError } from '../../src/rpc/errors.ts';
import { Metrics } from '../../src/server/metrics.ts';
import { isMetricsRequest } from '../../src/server/metrics-request.ts';
import type { CallReport } from '../../src/server/options.ts';

function createMetrics(): Metrics {
  return new Metrics({
    version: '1.2.3',
    startedAt: 1_700_000_000,
    health: () => ({ chainId: 33, blockNumber: 7, lanes: 2, isEnding: false }),
    waiting: () => 3,
    usage: () => ({ resident: 4, heapUsed: 5, heapTotal: 6, external: 8, cpuSeconds: 1.5 }),
  });
}

/** The report of a call with its duration, or without a duration. */
function report(method: string, milliseconds?: number, error?: unknown): CallReport {
  const duration = milliseconds === undefined ? {} : { durationMs: milliseconds };
  return { method, ...duration, ...(error === undefined ? {} : { error }) };
}

/** The lines of the text with the prefix, without the prefix. */
function linesOf(metrics: Metrics, start: string): string[] {
  return metrics
    .text()
    .split('\n')
    .filter((line) => line.startsWith(start))
    .map((line) => line.slice(start.length));
}

describe('metrics text', () => {
  it('counts each call in the histogram buckets', () => {
    const metrics = createMetrics();
    for (const milliseconds of [0, 1, 2, 250, 60_000, 60_001])
      metrics.count(report('eth_call', milliseconds));
    expect(linesOf(metrics, 'node_cli_request_duration_seconds')).toEqual([
      '_bucket{le="0.001"} 2',
      '_bucket{le="0.002"} 3',
      '_bucket{le="0.005"} 3',
      '_bucket{le="0.01"} 3',
      '_bucket{le="0.025"} 3',
      '_bucket{le="0.05"} 3',
      '_bucket{le="0.1"} 3',
      '_bucket{le="0.25"} 4',
      '_bucket{le="0.5"} 4',
      '_bucket{le="1"} 4',
      '_bucket{le="2.5"} 4',
      '_bucket{le="5"} 4',
      '_bucket{le="10"} 4',
      '_bucket{le="30"} 4',
      '_bucket{le="60"} 5',
      '_bucket{le="+Inf"} 6',
      '_sum 120.25399999999999',
      '_count 6',
    ]);
  });

  it('lists methods in order with duration and outcome', () => {
    const metrics = createMetrics();
    metrics.count(report('eth_sendTransaction', 1_500));
    metrics.count(report('eth_call', 500, new Error('reverted')));
    metrics.count(report('eth_call', 250));
    metrics.count(report('eth_call'));
    metrics.count(report('eth_cal', 1_000, new MethodNotFoundError('eth_cal')));
    metrics.count(report('eth_cll', 1_000, new MethodNotFoundError('eth_cll')));
    expect(linesOf(metrics, 'node_cli_request_seconds_total')).toEqual([
      '{method="eth_call"} 0.75',
      '{method="eth_sendTransaction"} 1.5',
      '{method="unknown"} 2',
    ]);
    expect(linesOf(metrics, 'node_cli_requests_total')).toEqual([
      '{method="eth_call",outcome="result"} 2',
      '{method="eth_call",outcome="error"} 1',
      '{method="eth_sendTransaction",outcome="result"} 1',
      '{method="eth_sendTransaction",outcome="error"} 0',
      '{method="unknown",outcome="result"} 0',
      '{method="unknown",outcome="error"} 2',
    ]);
  });

  it('counts mined blocks of a watched chain, but not loaded ones', () => {
    const metrics = createMetrics();
    const events = new ChainEvents();
    const stop = metrics.watch(events);
    const block = {
      receipts: [{ succeeded: true }, { succeeded: false }, { succeeded: true }],
    } as unknown as Block;
    const results: readonly ExecutionResult[] = [];
    const emitAll = (): void => {
      events.emit('block', block, results, null);
      events.emit('block', block, null, null);
      events.emit('removed', [block, block], 'none', null);
    };
    emitAll();
    stop();
    emitAll();
    expect(linesOf(metrics, 'node_cli_blocks_total')).toEqual([' 1']);
    expect(linesOf(metrics, 'node_cli_removed_blocks_total')).toEqual([' 2']);
    expect(linesOf(metrics, 'node_cli_transactions_total')).toEqual([
      '{status="success"} 2',
      '{status="failure"} 1',
    ]);
  });

  it('contains node and process metrics', () => {
    const text = createMetrics().text();
    expect(text.split('\n').filter((line) => /^\w+( |\{v)/.test(line))).toEqual(
      [
        'node_cli_info{version="1.2.3",chain_id="33"} 1',
        'node_cli_block_number 7',
        'node_cli_blocks_total 0',
        'node_cli_removed_blocks_total 0',
        'node_cli_pool_transactions 3',
        'node_cli_lanes 2',
        'process_resident_memory_bytes 4',
        'process_cpu_seconds_total 1.5',
        'process_start_time_seconds 1700000000',
        'nodejs_heap_size_used_bytes 5',
        'nodejs_heap_size_total_bytes 6',
        'nodejs_external_memory_bytes 8',
        'node_cli_request_duration_seconds_sum 0',
        'node_cli_request_duration_seconds_count 0',
      ].sort((left, right) => text.indexOf(`\n${left}\n`) - text.indexOf(`\n${right}\n`)),
    );
  });
});

describe('isMetricsRequest', () => {
  it.each([
    ['GET', '/metrics', true],
    ['HEAD', '/metrics/', true],
    ['POST', '/metrics', false],
    [undefined, '/metrics', false],
    ['GET', '/metrics/lane', false],
    ['GET', '/', false],
  ])('depends on method and path: %s %s', (method, path, isOne) => {
    expect(isMetricsRequest(method, path)).toBe(isOne);
  });
});
