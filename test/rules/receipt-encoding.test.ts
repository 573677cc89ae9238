import { encodeReceipt as referenceEncode } from '@ethereumjs/vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_BYTES } from '../../src/primitives/bytes.ts';
import { decodeRlp } from '../../src/primitives/rlp.ts';
import { bloomOf } from '../../src/rules/bloom.ts';
import type { Receipt } from '../../src/rules/receipt.ts';
import { encodeReceipt } from '../../src/rules/receipt-encoding.ts';
import { receipt, SEED } from './arbitraries.ts';

/** Receipts as blocks have them; the reference library writes a sum of no gas at all as no decoder would read it. */
const afterSomeGas = receipt.filter(({ cumulativeGasUsed }) => cumulativeGasUsed > 0n);

describe('a receipt', () => {
  it.each([0, 1, 2, 4] as const)('of type %i has under Ethereum the encoding of @ethereumjs/vm', (type) => {
    const isSame = fc.property(afterSomeGas, (sample) => {
      const expected = referenceEncode(
        {
          status: sample.succeeded ? 1 : 0,
          cumulativeBlockGasUsed: sample.cumulativeGasUsed,
          bitvector: sample.logsBloom,
          logs: sample.logs.map(({ address, topics, data }) => [address, [...topics], data]),
        },
        type,
      );
      expect(encodeReceipt(sample, type, 'ethereum')).toEqual(expected);
    });
    fc.assert(isSame, { seed: SEED, numRuns: 40 });
  });

  const logs = [
    { address: new Uint8Array(20).fill(1), topics: [new Uint8Array(32).fill(2)], data: Uint8Array.of(3, 4) },
  ];
  const sample: Receipt = {
    succeeded: true,
    cumulativeGasUsed: 60_000n,
    gasUsed: 21_000n,
    effectiveGasPrice: 7n,
    logs,
    logsBloom: bloomOf(logs),
    contractAddress: null,
  };

  it('of the network has the gas of the transaction and the status once more at its end', () => {
    const [log] = logs;
    expect(decodeRlp(encodeReceipt(sample, 0, 'network'))).toEqual([
      Uint8Array.of(1),
      Uint8Array.of(0xea, 0x60),
      sample.logsBloom,
      [[log?.address, log?.topics, log?.data]],
      Uint8Array.of(0x52, 0x08),
      Uint8Array.of(1),
    ]);
  });

  it('of the network that failed has an empty status in both places', () => {
    const failed = { ...sample, succeeded: false, logs: [], logsBloom: bloomOf([]) };
    expect(decodeRlp(encodeReceipt(failed, 0, 'network'))).toEqual([
      EMPTY_BYTES,
      Uint8Array.of(0xea, 0x60),
      new Uint8Array(256),
      [],
      Uint8Array.of(0x52, 0x08),
      EMPTY_BYTES,
    ]);
  });
});
