import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { createNode, type LocalNode } from '../../src/index.ts';
import { DATA_VERSION } from '../../src/persistence/durable/chain-record.ts';
import type { DataDirectoryFixture, Question } from '../support/data-directory-fixture.ts';

/*
 * Writes fixtures/data-directories/version-<n>.json for the current format version: the records of a data
 * directory, and the responses of its chain. The program that introduces a version runs this once. The file
 * never changes, because users have directories of this version.
 */

const OPTIONS = { accounts: 3, chainId: 77 };
/**
 * Creation code that stores the block number in slot 3 and the value in slot 10, and logs the value. The
 * hashes of both slots start with the same digit, so that the storage trie starts with an extension node.
 */
const INIT_CODE = '0x4360035534600a5534600052600060206000a1';
const CREATIONS = 24;
const STRANGER = `0x${'ab'.repeat(20)}`;
const IMPORTED_KEY = `0x${'42'.repeat(32)}`;

async function fill(node: LocalNode): Promise<void> {
  const call = (method: string, ...params: unknown[]) => node.request({ method, params });
  const [from, to] = (await call('eth_accounts')) as string[];
  for (let count = 1; count <= CREATIONS; count++)
    await call('eth_sendTransaction', {
      from,
      data: INIT_CODE,
      gas: '0x30d40',
      value: `0x${count.toString(16)}`,
    });
  await call('hardhat_mine', '0x12c');
  await call('hardhat_setBalance', STRANGER, '0x4d');
  await call('eth_sendTransaction', { from, to, value: '0x1' });
  await call('personal_importRawKey', IMPORTED_KEY, 'secret');
  await call('hardhat_impersonateAccount', STRANGER);
  await call('evm_snapshot', 'a checkpoint');
  await call('evm_setAutomine', false);
  await call('eth_sendTransaction', { from, to, value: '0x2' });
  await call('eth_sendTransaction', { from, to, value: '0x3', nonce: '0x40' });
}

async function questionsOf(node: LocalNode): Promise<Question[]> {
  const questions: Question[] = [];
  const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const result = await node.request({ method, params });
    questions.push({ method, params, result });
    return result;
  };
  const head = Number(await ask('eth_blockNumber'));
  const hex = (number: number) => `0x${number.toString(16)}`;
  for (const number of [0, 1, 2, CREATIONS, CREATIONS + 1, CREATIONS + 300, head]) {
    const block = await ask('eth_getBlockByNumber', hex(number), true);
    for (const { hash } of (block as { transactions: { hash: string }[] }).transactions) {
      const receipt = (await ask('eth_getTransactionReceipt', hash)) as { contractAddress: string | null };
      if (receipt.contractAddress !== null)
        await ask('eth_getProof', receipt.contractAddress, ['0x3', '0xa'], hex(head));
    }
  }
  const contractOf = async (hash: string): Promise<string> =>
    (
      (await node.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as {
        contractAddress: string;
      }
    ).contractAddress;
  for (let number = 1; number <= CREATIONS; number++) {
    const block = await node.request({ method: 'eth_getBlockByNumber', params: [hex(number), false] });
    const [hash = ''] = (block as { transactions: string[] }).transactions;
    const contract = await contractOf(hash);
    for (const slot of ['0x3', '0xa']) await ask('eth_getStorageAt', contract, slot, 'latest');
  }
  await ask('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' });
  for (const address of (await ask('eth_accounts')) as string[])
    await ask('eth_getProof', address, [], hex(head));
  await ask('eth_getBalance', STRANGER, 'latest');
  await ask('txpool_content');
  await ask('evm_listSnapshots');
  return questions;
}

async function recordsOf(directory: string): Promise<Record<string, string>> {
  const level = new ClassicLevel<string, Uint8Array>(directory, { valueEncoding: 'view' });
  const records: Record<string, string> = {};
  for await (const [key, value] of level.iterator()) records[key] = Buffer.from(value).toString('base64');
  await level.close();
  return records;
}

const directory = mkdtempSync(join(tmpdir(), 'node-cli-data-'));
const made = await createNode({ ...OPTIONS, dataDir: directory });
await fill(made);
const questions = await questionsOf(made);
await made.close();
const fixture: DataDirectoryFixture = { options: OPTIONS, records: await recordsOf(directory), questions };
rmSync(directory, { recursive: true });
// npm scripts run in the project folder. `wx` refuses to replace a fixture.
writeFileSync(
  `fixtures/data-directories/version-${DATA_VERSION}.json`,
  `${JSON.stringify(fixture, null, 1)}\n`,
  {
    flag: 'wx',
  },
);
