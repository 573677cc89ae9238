// Prints which files of the source a raw transaction enters, from the socket to the answer with its hash, when its receipt is there:
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

function signed(nonce: number): Promise<string> {
  const fields = { nonce, to: `0x${'22'.repeat(20)}`, value: parseEther('1'), gasLimit: 21_000, gasPrice: 1 };
  return wallet.signTransaction({ ...fields, type: 0, chainId: CHAIN_ID });
}

/** Names of functions that are no step of the way: reading a field, and making an object whose methods are then called. */
const NO_STEP = /^(?:get |set |<|_?[A-Z])/;

const session = new Session();

/** Resolves to the functions that ran since the last call, by the file of the source in which they stand. */
async function enteredSince(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { result: scripts } = await session.post('Profiler.takePreciseCoverage');
  const entered = new Map<string, Set<string>>();
  for (const { functions } of scripts.filter(({ url: script }) => script === import.meta.url)) {
    for (const { functionName, ranges } of functions) {
      const [range] = ranges;
      if (range === undefined || range.count === 0 || NO_STEP.test(functionName)) continue;
      const file = modules.findLast(({ index }) => index < range.startOffset)?.file ?? '';
      if (!file.startsWith('src/')) continue;
      entered.set(file, (entered.get(file) ?? new Set()).add(functionName || 'a callback'));
    }
  }
  return entered;
}

// The bundle names the file of each module in a comment above it.
const bundle = readFileSync(fileURLToPath(import.meta.url), 'utf8');
const modules = Array.from(bundle.matchAll(/^\/\/ (\S+\.[cm]?[jt]s)$/gm), ({ 1: file, index }) => ({
  file,
  index,
}));

// The first transaction makes and loads what later ones find.
const [first, second] = [await signed(0), await signed(1)];
await ask('eth_getTransactionReceipt', [await ask('eth_sendRawTransaction', [first])]);

session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await enteredSince();
const hash = await ask('eth_sendRawTransaction', [second]);
const sent = await enteredSince();
const receipt = await ask('eth_getTransactionReceipt', [hash]);
const asked = await enteredSince();
if (receipt === null) throw new Error('there is no receipt');

for (const [file, functions] of [...sent].sort())
  process.stdout.write(`${file}: ${[...functions].join(', ')}\n`);
const onlyAsked = [...asked.keys()].filter((file) => !sent.has(file)).sort();
process.stdout.write(`${sent.size} files from the socket to the answer\n`);
process.stdout.write(
  `${onlyAsked.length} more for the answer to the question for the receipt: ${onlyAsked.join(', ')}\n`,
);
await node.close();
