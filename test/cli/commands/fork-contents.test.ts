import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/cli/main.ts';
import { createForkScene, type ForkScene } from '../../fork/fork-scene.ts';
import { ScriptedUpstream } from '../../fork/scripted-upstream.ts';
import { createExampleChain, EXAMPLE, type ExampleChain } from '../../rpc/example-chain.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { nodeOf } from '../../support/test-chain.ts';
import { word } from '../../support/words.ts';
import { fakeHost } from '../support/fake-host.ts';

const STRANGER = `0x${'77'.repeat(20)}`;
const SLOT = `0x${'0'.repeat(64)}`;
const OTHER_SLOT = `0x${'1'.padStart(64, '0')}`;
const NO_CODE = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';

let node: ExampleChain;

beforeAll(async () => {
  node = await createExampleChain();
});

function forkOf(fork: { blockNumber?: number; dumpsFetched?: boolean } = {}): Promise<ForkScene> {
  const upstream = new ScriptedUpstream((method, params) => node.call(method, params));
  return createForkScene(upstream, { fork });
}

async function fileOf({ chain }: ForkScene, name = 'chain.json'): Promise<string> {
  const path = join(await temporaryDirectory(), name);
  await writeFile(path, await nodeOf(chain).dump.write({ isCompressed: false, withKeys: false }));
  return path;
}

async function run(...commandLine: readonly string[]) {
  const host = fakeHost({ commandLine });
  await runCommand(host);
  return { ...host.written, code: await host.exited() };
}

/** The account differences of two dumps. */
async function accountsOf(left: ForkScene, right: ForkScene): Promise<unknown> {
  const { output, errors } = await run('state', 'diff', await fileOf(left), await fileOf(right), '--json');
  expect(errors).toBe('');
  return (JSON.parse(output) as { accounts: unknown }).accounts;
}

const set = (scene: ForkScene, address: string, wei: string): Promise<unknown> =>
  scene.call('anvil_setBalance', [address, wei]);
const store = (scene: ForkScene, slot: string, value: string): Promise<unknown> =>
  scene.call('anvil_setStorageAt', [EXAMPLE.counter, slot, value]);

describe('state diff of forks', () => {
  it('compares the accounts, whichever file changed them', async () => {
    const [left, right] = [await forkOf({ dumpsFetched: true }), await forkOf({ dumpsFetched: true })];
    const before = BigInt((await left.call('eth_getBalance', [EXAMPLE.receiver, 'latest'])) as string);
    await set(left, EXAMPLE.counter, '0x0');
    await set(right, EXAMPLE.receiver, '0x5');
    expect(await accountsOf(left, right)).toEqual([
      { address: EXAMPLE.receiver, isIn: 'both', balance: { left: `${before}`, right: '5' }, storage: [] },
    ]);
    expect(await accountsOf(right, left)).toEqual([
      { address: EXAMPLE.receiver, isIn: 'both', balance: { left: '5', right: `${before}` }, storage: [] },
    ]);
  });

  it('prints nothing if both have the same values, or one wrote the upstream value', async () => {
    const [left, right] = [await forkOf({ dumpsFetched: true }), await forkOf({ dumpsFetched: true })];
    await right.call('eth_getStorageAt', [EXAMPLE.counter, SLOT, 'latest']);
    for (const scene of [left, right]) await set(scene, STRANGER, '0x9');
    await store(left, SLOT, word(42));
    await right.call('eth_getBalance', [EXAMPLE.counter, 'latest']);
    expect(await run('state', 'diff', await fileOf(left), await fileOf(right))).toEqual({
      output: '',
      errors: '',
      code: 0,
    });
  });

  it('uses the upstream value of a slot written only by the other, and zero for a deleted one', async () => {
    const [left, right] = [await forkOf({ dumpsFetched: true }), await forkOf({ dumpsFetched: true })];
    await left.call('eth_getStorageAt', [EXAMPLE.counter, SLOT, 'latest']);
    for (const scene of [left, right]) await store(scene, OTHER_SLOT, word(1));
    await store(right, SLOT, word(0));
    expect(await accountsOf(left, right)).toEqual([
      {
        address: EXAMPLE.counter,
        isIn: 'both',
        storage: [{ slot: SLOT, left: word(42), right: word(0) }],
      },
    ]);
  });

  it('uses the data of both files if they fork the same block', async () => {
    const scene = await forkOf({ dumpsFetched: true });
    const before = await fileOf(scene);
    await scene.call('anvil_setBalance', [STRANGER, '0x9']);
    const after = await fileOf(scene);
    const { output } = await run('state', 'diff', before, after);
    expect(output).toBe(
      `${STRANGER} only in ${after}\n  balance: none → 9 wei\n  nonce: none → 0\n  code: none → ${NO_CODE}\n`,
    );
  });

  it('reports values that are not in a file', async () => {
    const [left, right] = [await forkOf(), await forkOf()];
    await store(right, SLOT, word(7));
    const { output, code } = await run('state', 'diff', await fileOf(left), await fileOf(right));
    expect(code).toBe(1);
    expect(output).toMatch(
      new RegExp(
        `^${EXAMPLE.counter}\n  balance: not in the file → 0 wei\n  nonce: not in the file → 0\n  code: not in the file → 0x[0-9a-f]{64}\n  slot ${SLOT}: not in the file → ${word(7)}\n$`,
      ),
    );
  });

  it('reports a different fork block', async () => {
    const [left, right] = [await forkOf({ blockNumber: 3 }), await forkOf({ blockNumber: 4 })];
    const { output } = await run('state', 'diff', await fileOf(left), await fileOf(right));
    expect(output).toContain(
      `fork: chain 33 #3 ${EXAMPLE.blockHashes[3]} → chain 33 #4 ${EXAMPLE.blockHashes[4]}\n`,
    );
  });
});

describe('state inspect of a fork', () => {
  it('prints the fork block, and whether the fetched data is included', async () => {
    const path = await fileOf(await forkOf({ dumpsFetched: true }));
    const { output } = await run('state', 'inspect', path);
    expect(output).toMatch(
      new RegExp(`\nFork +chain 33 at block #4 ${EXAMPLE.blockHashes[4]}\n.*\nFetched data +included\n`),
    );
    const plain = await run('state', 'inspect', await fileOf(await forkOf()), '--json');
    expect(JSON.parse(plain.output)).toMatchObject({
      fork: { chainId: 33, number: 4, hash: EXAMPLE.blockHashes[4], isComplete: false },
    });
  });
});
