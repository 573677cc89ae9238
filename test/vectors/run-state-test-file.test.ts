import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ENGINE_NAMES, Engines, runStateTestFile } from './run-state-test-file.ts';
import { addReport, emptyReport, failureLine, summaryLines } from './state-test-report.ts';

const folder = mkdtempSync(join(tmpdir(), 'node-cli-vectors-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SENDER = '0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b';
const NO_LOGS = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';
/**
 * State roots after a transfer of 1 wei at 10 wei per gas. Cancun burns the fee, Berlin pays it to the miner.
 */
const CANCUN_ROOT = '0x88e0e30f5d709600e0f4757463c5574aadcec6c3239122f9cecbf49c35613b0e';
const BERLIN_ROOT = '0x48585f3b2139f353e8629e4b74480310ac8e8f2bc08d5fcd7e13f7038f7115b1';
/** State root before the transfer. */
const UNTOUCHED_ROOT = '0x17ca3d673553cbfcf5de4a99ea08088763bbf64aa67ae17a485f585bcc01d3f2';
const WRONG_ROOT = `0x${'00'.repeat(32)}`;

/** A case with one transfer that leads to `hash` or is rejected. */
function transferTest(post: Readonly<Record<string, unknown>>) {
  return {
    transfer: {
      env: {
        currentCoinbase: '0x2adc25665018aa1fe0e6bc666dac8fc2697ff9ba',
        currentDifficulty: '0x020000',
        currentGasLimit: '0x989680',
        currentNumber: '0x01',
        currentTimestamp: '0x03e8',
        currentBaseFee: '0x0a',
        currentRandom: '0x0000000000000000000000000000000000000000000000000000000000020000',
      },
      pre: { [SENDER]: { balance: '0xe8d4a51000', code: '0x', nonce: '0x00', storage: {} } },
      transaction: {
        data: ['0x'],
        gasLimit: ['0x5208', '0x5207'],
        value: ['0x01'],
        gasPrice: '0x0a',
        nonce: '0x00',
        to: '0x1000000000000000000000000000000000000001',
        sender: SENDER,
        secretKey: '0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8',
      },
      post,
    },
  };
}

function expectation(gas: number, hash: string, expectException?: string) {
  return {
    hash,
    logs: NO_LOGS,
    indexes: { data: 0, gas, value: 0 },
    ...(expectException === undefined ? {} : { expectException }),
  };
}

async function run(engine: (typeof ENGINE_NAMES)[number], content: unknown) {
  const file = join(folder, 'transfer.json');
  writeFileSync(file, JSON.stringify(content));
  const total = emptyReport();
  for await (const report of runStateTestFile(new Engines(engine), file)) addReport(total, report);
  return total;
}

describe.each(ENGINE_NAMES)('a public state test on the %s engine', (engine) => {
  it('passes if the root and the logs match', async () => {
    const post = { Cancun: [expectation(0, CANCUN_ROOT)], Berlin: [expectation(0, BERLIN_ROOT)] };
    expect(await run(engine, transferTest(post))).toEqual({ passed: 2, failures: [], skipped: {} });
  });

  it('fails if the root differs, also after a rejection', async () => {
    const refused = 'TransactionException.INTRINSIC_GAS_TOO_LOW';
    const post = { Cancun: [expectation(0, BERLIN_ROOT), expectation(1, WRONG_ROOT, refused)] };
    const { passed, failures } = await run(engine, transferTest(post));
    expect(passed).toBe(0);
    expect(failures.map(({ difference }) => difference)).toEqual([
      expect.stringContaining(`state root ${CANCUN_ROOT}, expected ${BERLIN_ROOT}`),
      expect.stringContaining(`expected ${WRONG_ROOT}`),
    ]);
  });

  it('fails if a valid transaction is rejected, or an invalid one runs', async () => {
    const post = {
      Cancun: [expectation(1, WRONG_ROOT), expectation(0, WRONG_ROOT, 'TransactionException.X')],
    };
    const { passed, failures } = await run(engine, transferTest(post));
    expect(passed).toBe(0);
    expect(failures.map(({ difference }) => difference)).toEqual([
      'refused, but should have been executed',
      'executed, but should have been refused: TransactionException.X',
    ]);
    expect(failureLine(failures[0] ?? { test: '', difference: '' })).toMatch(
      /^FAILED .*transfer Cancun data 0/,
    );
  });

  it.each([
    ['value', { value: [`0x:bigint 0x1${'00'.repeat(32)}`] }],
    ['value', { value: [`0x1${'00'.repeat(32)}`] }],
    ['gasLimit', { gasLimit: [`0x:bigint 0x1${'00'.repeat(8)}`] }],
    ['gasPrice', { gasPrice: `0x:bigint 0x1${'00'.repeat(32)}` }],
    ['nonce', { nonce: `0x:bigint 0x1${'00'.repeat(8)}` }],
  ])('expects a rejection if the %s of the transaction does not fit', async (_field, fields) => {
    const content = transferTest({ Cancun: [expectation(0, UNTOUCHED_ROOT, 'TransactionException.X')] });
    const { transfer } = content;
    const changed = { transfer: { ...transfer, transaction: { ...transfer.transaction, ...fields } } };
    expect(await run(engine, changed)).toEqual({ passed: 1, failures: [], skipped: {} });
  });

  it('is skipped with the reason for unsupported rules or transaction types', async () => {
    const variants = [expectation(0, WRONG_ROOT)];
    const content = transferTest({ Frontier: variants, Byzantium: variants, Tomorrow: variants });
    const report = await run(engine, content);
    const { transfer } = transferTest({ Shanghai: variants });
    const transaction = { ...transfer.transaction, maxFeePerBlobGas: '0x01', blobVersionedHashes: [] };
    addReport(report, await run(engine, { transfer: { ...transfer, transaction } }));
    expect(report).toMatchObject({ passed: 0, failures: [] });
    expect(summaryLines(engine, report, 1)).toEqual([
      `${engine}: 0 passed, 0 failed, 4 skipped in 1 s`,
      '  skipped 2: the rules are older than the oldest ones here, those of Constantinople (Frontier 1, Byzantium 1)',
      '  skipped 1: there are no rules of that name here (Tomorrow 1)',
      '  skipped 1: the rules have no transactions of type 3, of which the case is one (under shanghai 1)',
    ]);
  });

  it('is skipped with the reason if it takes too long on the reference engine', async () => {
    const { transfer } = transferTest({ Cancun: [expectation(0, WRONG_ROOT)] });
    const report = await run(engine, { ContractCreationSpam: transfer });
    expect(summaryLines(engine, report, 1)).toEqual(
      engine === 'wasm'
        ? ['wasm: 0 passed, 1 failed, 0 skipped in 1 s']
        : [
            'reference: 0 passed, 0 failed, 1 skipped in 1 s',
            '  skipped 1: the reference engine takes many minutes for it (under cancun 1)',
          ],
    );
  });
});
