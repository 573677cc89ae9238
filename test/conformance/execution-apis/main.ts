// Runs the recorded exchanges of a checkout of github.com/ethereum/execution-apis against the node:
// `npm run tool -- execution-apis:exchanges <checkout> [filter]`. With a filter, prints both results of each difference.
import { join } from 'node:path';
import { createRpcHarness } from '../../rpc/rpc-harness.ts';
import { KINDS, type Kind, kindOf } from './differences.ts';
import { type Exchange, readExchanges } from './exchanges.ts';
import { HARDFORK, readTestChain, type TestChain } from './read-chain.ts';

type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Sets the nonces of the test chain for the system contracts, whose nonce is 1 on this node. */
async function setNonces(ask: Ask, { accounts }: TestChain): Promise<void> {
  const { accounts: present } = (await ask('debug_dumpBlock', ['latest'])) as {
    readonly accounts: Readonly<Record<string, { readonly nonce: number }>>;
  };
  for (const [address, { nonce }] of Object.entries(present)) {
    const wanted = accounts[address];
    if (wanted === undefined) throw new Error(`the node has the account ${address}, the test chain has not`);
    if (wanted.nonce !== nonce) await ask('anvil_setNonce', [address, wanted.nonce]);
  }
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

async function answerOf(ask: Ask, { method, params = [] }: Exchange['request']): Promise<Answer> {
  try {
    return { result: await ask(method, params) };
  } catch (error) {
    const { code, message, data } = error as NonNullable<Answer['error']>;
    return { error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
}

const [checkout, filter] = process.argv.slice(2);
if (checkout === undefined) {
  process.stderr.write('usage: npm run tool -- execution-apis:exchanges <checkout> [filter]\n');
  process.exitCode = 1;
} else {
  const tests = join(checkout, 'tests');
  const chain = await readTestChain(tests);
  const { call: ask } = await createRpcHarness(
    { compat: 'anvil' },
    {
      ruleSet: HARDFORK,
      chainId: chain.chainId,
      devAccounts: [],
      gasLimit: 200_000_000n,
      // The default of geth, which recorded the exchanges.
      callGasLimit: 50_000_000n,
      coinbase: new Uint8Array(20),
    },
  );
  await ask('anvil_loadState', [chain.state]);
  await setNonces(ask, chain);
  const counts = new Map<Kind, number>();
  const files = new Set<string>();
  let equal = 0;
  let snapshot = await ask('evm_snapshot', []);
  for (const { file, exchanges, isSpecOnly } of readExchanges(tests)) {
    const differences: Kind[] = [];
    for (const { request, response } of exchanges) {
      const actual = await answerOf(ask, request);
      const kind = kindOf({ file, isSpecOnly, expected: response, actual });
      if (kind === null) continue;
      differences.push(kind);
      if (filter !== undefined && (file.includes(filter) || kind === filter)) {
        process.stdout.write(`${file} (${kind})\n  >> ${JSON.stringify(request)}\n`);
        process.stdout.write(
          `  expected ${JSON.stringify(response)}\n  actual   ${JSON.stringify(actual)}\n`,
        );
      }
    }
    await ask('evm_revert', [snapshot]);
    snapshot = await ask('evm_snapshot', []);
    const [first] = differences;
    files.add(file);
    if (first === undefined) equal++;
    else counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  process.stdout.write(`${equal} of ${files.size} files are equal\n`);
  for (const [kind, count] of [...counts].sort(([, left], [, right]) => right - left))
    process.stdout.write(
      `${String(count).padStart(4)} ${kind}: ${kind === 'unexplained' ? 'a fault, or a new exchange' : KINDS[kind]}\n`,
    );
  if (counts.has('unexplained')) process.exitCode = 1;
}
