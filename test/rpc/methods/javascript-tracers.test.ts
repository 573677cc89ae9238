import { describe, expect, it } from 'vitest';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { deploy, SENDER } from './contract.ts';

describe('a tracer in JavaScript', () => {
  it('counts opcodes', async () => {
    const harness = await createRpcHarness();
    const factory = await deploy(harness, 'Factory');
    const hash = await harness.call('eth_sendTransaction', [{ from: SENDER, gas: 800_000, to: factory.address, data: factory.data('create', 7n) }]);
    const logs = (await harness.call('debug_traceTransaction', [hash])) as { structLogs: unknown[] };
    const tracer = '{count: 0, step: function(log, db) { this.count++ }, fault: function() {}, result: function(ctx) { return {count: this.count, ctx} }}';
    console.time('t');
    const trace = await harness.call('debug_traceTransaction', [hash, { tracer }]);
    console.timeEnd('t');
    console.log(trace, logs.structLogs.length);
  });
});
