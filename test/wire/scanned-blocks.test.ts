import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DumpText } from '../../src/persistence/dump/dump-text.ts';
import { finish } from '../../src/primitives/steps.ts';
import type { Block } from '../../src/protocol/block.ts';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { bloomOf } from '../../src/protocol/receipt.ts';
import { decodeFiledBlock, encodeBlockRecord } from '../../src/storage/block-record.ts';
import { blockJson, readBlock, scanBody, transactionJson } from '../../src/wire/block-file.ts';
import { headerJson } from '../../src/wire/header.ts';
import { log } from '../../src/wire/log.ts';
import { signedTransaction } from '../protocol/arbitraries.ts';
import { blockOf } from '../storage/samples.ts';

const RULES = ruleSetNamed('prague');

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const integer = fc.oneof(fc.bigInt(0n, 300n), fc.bigInt(0n, 2n ** 256n - 1n));
const logs = fc.array(
  fc.record({
    address: bytes(20),
    topics: fc.array(bytes(32), { maxLength: 4 }),
    data: fc.oneof(fc.uint8Array({ maxLength: 70 }), bytes(40_000)),
  }),
  { maxLength: 3 },
);
const mined = fc.record({
  transaction: signedTransaction(RULES.transactionTypes),
  receipt: fc
    .record({
      succeeded: fc.boolean(),
      cumulativeGasUsed: integer,
      gasUsed: integer,
      effectiveGasPrice: integer,
      contractAddress: fc.option(bytes(20)),
      logs,
    })
    .map((receipt) => ({ ...receipt, logsBloom: bloomOf(receipt.logs) })),
});
const blocks: fc.Arbitrary<Block> = fc.array(mined, { maxLength: 4 }).map((all) => {
  const receipts = all.map(({ receipt }) => receipt);
  const block = blockOf(1, { transactions: all.map(({ transaction }) => transaction) });
  const logsBloom = bloomOf(receipts.flatMap(({ logs: own }) => own));
  return { ...block, header: { ...block.header, logsBloom }, receipts };
});

/** The JSON of a block, value by value. */
function plainJson({ header, hash, transactions, receipts, totalDifficulty, size }: Block): object {
  const hex = (value: bigint | Uint8Array): string =>
    typeof value === 'bigint' ? `0x${value.toString(16)}` : `0x${Buffer.from(value).toString('hex')}`;
  return {
    hash: hex(hash),
    header: headerJson(header, header.logsBloom),
    transactions: transactions.map(transactionJson),
    receipts: receipts.map((receipt) => ({
      succeeded: receipt.succeeded,
      cumulativeGasUsed: hex(receipt.cumulativeGasUsed),
      gasUsed: hex(receipt.gasUsed),
      effectiveGasPrice: hex(receipt.effectiveGasPrice),
      contractAddress: receipt.contractAddress && hex(receipt.contractAddress),
      logs: receipt.logs.map(log.write),
    })),
    uncles: [],
    totalDifficulty: hex(totalDifficulty),
    size,
  };
}

const lineOf = (block: Block): Buffer => Buffer.from(JSON.stringify({ block: blockJson(block), state: {} }));

/** The record of the block in a line, or the error. `isScanned` selects the fast reader. */
async function outcome(line: Uint8Array, isScanned: boolean): Promise<string> {
  try {
    for await (const { value, body } of DumpText.plain(line).lines(undefined, isScanned ? RULES : null)) {
      const block = finish(readBlock(value.field('block'), RULES, body));
      return `${Buffer.from(finish(encodeBlockRecord(block))).toString('hex')} ${JSON.stringify(value.field('state').json)}`;
    }
    return 'nothing';
  } catch (error) {
    return String(error);
  }
}

describe('blocks in dumps', () => {
  it('have the same text from objects and from records', () => {
    fc.assert(
      fc.property(blocks, (block) => {
        const text = JSON.stringify(blockJson(block));
        expect(text).toBe(JSON.stringify(plainJson(block)));
        expect(JSON.stringify(blockJson(decodeFiledBlock(finish(encodeBlockRecord(block)))))).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  it('are scanned as they are parsed', async () => {
    await fc.assert(
      fc.asyncProperty(blocks, async (block) => {
        const line = lineOf(block);
        expect(finish(scanBody(line, RULES))?.transactions).toHaveLength(block.transactions.length);
        expect(await outcome(line, true)).toBe(await outcome(line, false));
      }),
      { numRuns: 60 },
    );
  });

  it('have the same content or error as parsed ones after any change of their text', async () => {
    const cuts = fc.tuple(
      fc.nat(),
      fc.nat(3),
      fc.constantFrom('', '0', 'f', 'A', '"', ',', ']', '}', ' ', '\\', 'null'),
    );
    await fc.assert(
      fc.asyncProperty(blocks, fc.array(cuts, { minLength: 1, maxLength: 3 }), async (block, changes) => {
        let text = lineOf(block).toString();
        for (const [place, length, inserted] of changes) {
          const at = place % text.length;
          text = text.slice(0, at) + inserted + text.slice(at + length);
        }
        expect(await outcome(Buffer.from(text), true)).toBe(await outcome(Buffer.from(text), false));
      }),
      { numRuns: 300 },
    );
  });

  it('are parsed if the names of a body are elsewhere or repeated', async () => {
    const text = lineOf(blockOf(1)).toString();
    const body = '"transactions":[],"receipts":[]';
    const mark = '"transactions":"scanned","receipts":"scanned"';
    for (const changed of [
      text.replace('"header":{', `"header":{${body},`),
      text.replace(body, `${body},${body}`),
      text.replace(body, `${body},"transactions":[1]`),
      text.replace(body, mark),
      text.replace('"block":', `${body},"block":`),
      text.replace(body, mark).replace('{"block":', `{${body},"block":`),
      text.replace(body, mark.replaceAll('"sc', '"\\u0073c')).replace('{"block":', `{${body},"block":`),
    ]) {
      expect(changed).not.toBe(text);
      expect(await outcome(Buffer.from(changed), true)).toBe(await outcome(Buffer.from(changed), false));
    }
  });
});
