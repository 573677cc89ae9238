// Prints which files of the source a raw transaction enters, from the socket to its receipt:
// `node src/build/run-typescript.mjs test/tools/files-entered.ts`
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { parseEther, Wallet } from 'ethers';
import { createNode } from '../../src/index.ts';

const CHAIN_ID = 33;
/** The first dev account of the usual mnemonic. */
const wallet = new Wallet('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');

const node = await createNode({ chainId: CHAIN_ID });
const { url } = await node.listen({ port: 0 });

async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  const answer = (await response.json()) as { readonly result?: unknown };
  if (!('result' in answer)) throw new Error(`${method} was refused: ${JSON.stringify(answer)}`);
  return answer.result;
}

async function sendAndGetReceipt(raw: string): Promise<void> {
  const hash = await ask('eth_sendRawTransaction', [raw]);
  if ((await ask('eth_getTransactionReceipt', [hash])) === null) throw new Error('there is no receipt');
}

function signed(nonce: number): Promise<string> {
  const fields = { nonce, to: `0x${'22'.repeat(20)}`, value: parseEther('1'), gasLimit: 21_000, gasPrice: 1 };
  return wallet.signTransaction({ ...fields, type: 0, chainId: CHAIN_ID });
}

// The first transaction makes and loads what later ones find.
const [first, second] = [await signed(0), await signed(1)];
await sendAndGetReceipt(first);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await session.post('Profiler.takePreciseCoverage');
await sendAndGetReceipt(second);
const { result: scripts } = await session.post('Profiler.takePreciseCoverage');

// The bundle names the file of each module in a comment above it.
const bundle = readFileSync(fileURLToPath(import.meta.url), 'utf8');
const modules = Array.from(bundle.matchAll(/^\/\/ (\S+\.[cm]?[jt]s)$/gm), ({ 1: file, index }) => ({
  file,
  index,
}));
const entered = new Map<string, string[]>();
for (const { functions } of scripts.filter(({ url: script }) => script === import.meta.url)) {
  for (const { functionName, ranges } of functions) {
    const [range] = ranges;
    if (range === undefined || range.count === 0) continue;
    const file = modules.findLast(({ index }) => index < range.startOffset)?.file ?? '';
    if (!file.startsWith('src/')) continue;
    entered.set(file, [...(entered.get(file) ?? []), functionName]);
  }
}
for (const [file, functions] of [...entered].sort()) {
  process.stdout.write(`${file}: ${[...new Set(functions)].filter((name) => name !== '').join(', ')}\n`);
}
process.stdout.write(`${entered.size} files\n`);
await node.close();
