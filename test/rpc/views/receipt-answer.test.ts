import { expect, it } from 'vitest';
import { ResultTooLongError } from '../../../src/rpc/errors.ts';
import { PreserializedJson, plainResult } from '../../../src/rpc/views/log-list.ts';
import { runTask } from '../../../src/scheduling/task.ts';
import { TimeSlice } from '../../../src/scheduling/time-slice.ts';
import { receiptView } from '../../../src/wire/receipt.ts';
import { SENDER } from '../methods/contract.ts';
import { createRpcHarness, testConnection, testService } from '../rpc-harness.ts';

/** Code that emits `count` logs without data, with the remaining number as topic. */
const emitting = (count: number) => `0x61${count.toString(16).padStart(4, '0')}5b805f5fa16001900380600357`;

it.each([
  [1, false],
  [31, false],
  [32, true],
  [500, true],
  [5_000, false],
])(
  'has the logs of a creation that makes %i, behind others of its block, in every form',
  async (count, isWritten) => {
    const { call, chain, time } = await createRpcHarness({}, { automine: false });
    const hashes: unknown[] = [];
    for (const logs of [40, count, 40])
      hashes.push(
        await call('eth_sendTransaction', [
          { from: SENDER, data: emitting(logs), gas: '0x500000', value: '0x0' },
        ]),
      );
    await call('evm_mine');
    const hash = hashes[1] as string;
    const location = chain.transaction(Buffer.from(hash.slice(2), 'hex'));
    if (location === undefined) throw new Error('the transaction was not mined');
    expect(location.receipt.logs).toHaveLength(count);
    const expected = receiptView(location, { namesFailedCreations: true }, chain.ruleSet);
    const receipt = await call('eth_getTransactionReceipt', [hash]);
    expect(receipt).toEqual(expected);
    expect(JSON.stringify(receipt)).toBe(JSON.stringify(expected));
    const answer = await testService(chain, time).call('eth_getTransactionReceipt', [hash], testConnection());
    expect(answer instanceof PreserializedJson).toBe(isWritten);
    expect(plainResult(answer)).toEqual(expected);
    if (!(answer instanceof PreserializedJson)) return;
    const text = JSON.stringify(expected);
    expect(JSON.stringify(answer)).toBe(text);
    const pieces = new TimeSlice(undefined, Number.POSITIVE_INFINITY);
    const bytes = runTask(answer.toBytes('<', '>', text.length), pieces);
    if (!Buffer.isBuffer(bytes)) throw new Error('it took a turn of the event loop');
    expect(bytes.toString()).toBe(`<${text}>`);
    expect(() => runTask(answer.toBytes('<', '>', text.length - 1), pieces)).toThrow(ResultTooLongError);
  },
);
