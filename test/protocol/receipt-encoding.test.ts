import { encodeReceipt as referenceEncode } from '@ethereumjs/vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_BYTES } from '../../src/primitives/bytes.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { decodeRlp } from '../../src/primitives/rlp.ts';
import { finish } from '../../src/primitives/steps.ts';
import { bloomOf, encodeReceipt, type Receipt } from '../../src/protocol/receipt.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { receipt } from './arbitraries.ts';

/** Excludes zero cumulative gas, because the reference library encodes it as invalid RLP. */
const afterSomeGas = receipt.filter(({ cumulativeGasUsed }) => cumulativeGasUsed > 0n);

describe('encodeReceipt', () => {
  it.each([0, 1, 2, 4] as const)('encodes an Ethereum receipt of type %i as @ethereumjs/vm does', (type) => {
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
      expect(finish(encodeReceipt(sample, type, 'ethereum'))).toEqual(expected);
    });
    fc.assert(isSame, { numRuns: 40 });
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

  it.each([[0], [256], [257], [5_000]])(
    'encodes a receipt with %i logs identically with and without yields',
    async (count) => {
      const many = Array.from({ length: count }, (_, index) => ({
        address: new Uint8Array(20).fill(index),
        topics: [new Uint8Array(32).fill(index)],
        data: new Uint8Array(index % 70),
      }));
      const made = { ...sample, logs: many, logsBloom: bloomOf(many) };
      for (const encoding of ['network', 'ethereum'] as const) {
        let turns = 0;
        const pieces = new TimeSlice(undefined, 2 ** 15, {
          blockedFor: () => 0,
          wait: async () => void turns++,
        });
        const encoded = await runTask(encodeReceipt(made, 2, encoding), pieces);
        expect(encoded).toEqual(finish(encodeReceipt(made, 2, encoding)));
        expect(turns).toBeGreaterThanOrEqual(Math.floor(count / 500));
      }
    },
  );

  it('appends transaction gas and status to a Rootstock receipt', () => {
    const [log] = logs;
    expect(decodeRlp(finish(encodeReceipt(sample, 0, 'network')))).toEqual([
      Uint8Array.of(1),
      Uint8Array.of(0xea, 0x60),
      sample.logsBloom,
      [[log?.address, log?.topics, log?.data]],
      Uint8Array.of(0x52, 0x08),
      Uint8Array.of(1),
    ]);
  });

  it('encodes a failed Rootstock receipt with two empty status fields', () => {
    const failed = { ...sample, succeeded: false, logs: [], logsBloom: bloomOf([]) };
    expect(decodeRlp(finish(encodeReceipt(failed, 0, 'network')))).toEqual([
      EMPTY_BYTES,
      Uint8Array.of(0xea, 0x60),
      new Uint8Array(256),
      [],
      Uint8Array.of(0x52, 0x08),
      EMPTY_BYTES,
    ]);
  });

  it('encodes the Rootstock receipt of a transfer as published', () => {
    const transfer: Receipt = {
      ...sample,
      cumulativeGasUsed: 21_000n,
      logs: [],
      logsBloom: bloomOf([]),
    };
    expect(toHex(finish(encodeReceipt(transfer, 0, 'network')))).toBe(
      `0xf9010c01825208b90100${'00'.repeat(256)}c082520801`,
    );
  });

  it('encodes zero gas of a Rootstock receipt as one zero byte', () => {
    const closing = { ...sample, cumulativeGasUsed: 0n, gasUsed: 0n, logs: [], logsBloom: bloomOf([]) };
    expect(toHex(finish(encodeReceipt(closing, 0, 'network')))).toBe(
      `0xf901080100b90100${'00'.repeat(256)}c00001`,
    );
    const failed = { ...closing, succeeded: false };
    expect(toHex(finish(encodeReceipt(failed, 0, 'network')))).toBe(
      `0xf901088000b90100${'00'.repeat(256)}c00080`,
    );
  });

  it('encodes every byte of a Rootstock receipt with one log', () => {
    const logHex = `f83a94${'01'.repeat(20)}e1a0${'02'.repeat(32)}820304`;
    const content = `0182ea60b90100${toHex(sample.logsBloom).slice(2)}f83c${logHex}82520801`;
    expect(toHex(finish(encodeReceipt(sample, 0, 'network')))).toBe(
      `0xf9${(content.length / 2).toString(16).padStart(4, '0')}${content}`,
    );
  });
});
