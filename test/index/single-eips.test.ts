import { describe, expect, it } from 'vitest';
import { createNode, type LocalNode, type LocalNodeOptions } from '../../src/index.ts';
import { SENDER } from '../rpc/methods/contract.ts';
import { createRpcHarness } from '../rpc/rpc-harness.ts';
import { FIRST_ACCOUNT } from '../support/dev-accounts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { kept } from './started-node.ts';

const WITH_EIPS: LocalNodeOptions = { hardfork: 'prague', withEip: [7939, 7951] };
const NAME = 'prague+eip7939+eip7951';
const CONTRACT = `0x${'c0'.repeat(20)}`;
const P256VERIFY = '0x0000000000000000000000000000000000000100';
/** A valid signature of EIP-7951. */
const SIGNATURE = [
  '0x4cee90eb86eaa050036147a12d49004b6b9c72bd725d39d4785011fe190f0b4d',
  'a73bd4903f0ce3b639bbbf6e8e80d16931ff4bcf5993d58468e8fb19086e8cac',
  '36dbcd03009df8c59286b162af3bd7fcc0450c9aa81be5d10d312af6c66b1d60',
  '4aebd3099c618202fcfe16ae7770b0c49ab5eadf74b754204a3bb6060e44eff3',
  '7618b065f9832de4ca6ca971a7a1adc826d0f7c00181a5fb2ddf79ae00b4e10e',
].join('');
const ONE = `0x${'1'.padStart(64, '0')}`;
/** Code that returns CLZ(1), 255. */
const LEADING_ZEROS = '0x60011e5f5260205ff3';

const call = (node: LocalNode, method: string, ...params: unknown[]): Promise<unknown> =>
  node.request({ method, params });

async function start(options: LocalNodeOptions): Promise<LocalNode> {
  return kept(await createNode(options));
}

type Call = (method: string, params: unknown[]) => Promise<unknown>;

const callOf =
  (node: LocalNode): Call =>
  (method, params) =>
    node.request({ method, params });

/** Fails unless code can use CLZ (EIP-7939) and P256VERIFY (EIP-7951). */
async function expectEips(request: Call): Promise<void> {
  await request('anvil_setCode', [CONTRACT, LEADING_ZEROS]);
  expect(Number(await request('eth_call', [{ to: CONTRACT }, 'latest']))).toBe(255);
  expect(await request('eth_call', [{ to: P256VERIFY, data: SIGNATURE }, 'latest'])).toBe(ONE);
}

async function nameOf(node: LocalNode): Promise<unknown> {
  const known = (await call(node, 'inspect_hardforks')) as {
    readonly isOwn: boolean;
    readonly name: string;
  }[];
  return known.find(({ isOwn }) => isOwn)?.name;
}

describe('single EIPs in the library', () => {
  it.each([
    ['prague', 'wasm'],
    ['prague', 'reference'],
    ['rootstock', 'wasm'],
    ['rootstock', 'reference'],
  ] as const)('an opcode and a precompile are added to %s on engine %s', async (hardfork, engine) => {
    const { call: request } = await createRpcHarness({}, { ruleSet: `${hardfork}+eip7939+eip7951`, engine });
    await expectEips(request);
    const { call: without } = await createRpcHarness({}, { ruleSet: hardfork, engine });
    await without('anvil_setCode', [CONTRACT, LEADING_ZEROS]);
    await expect(without('eth_call', [{ to: CONTRACT }, 'latest'])).rejects.toThrow();
  });

  it('inspect_hardforks and eth_config return the added EIPs', async () => {
    const node = await start(WITH_EIPS);
    const known = (await call(node, 'inspect_hardforks')) as object[];
    expect(known).toContainEqual({
      name: NAME,
      isOwn: true,
      isPreview: false,
      proposals: ['EIP-7939', 'EIP-7951'],
    });
    expect(await call(node, 'eth_config')).toMatchObject({
      current: { precompiles: { P256VERIFY } },
      preview: { eips: [7939, 7951], missing: [] },
    });
    const mixed = await start({ hardfork: 'rootstock-next', rskip: ['555=off'], withEip: ['7951'] });
    expect(await call(mixed, 'eth_config')).toMatchObject({
      preview: { rskips: [378, 543, 545, 546, 559, 692], eips: [7951], missing: [558, 690] },
    });
  });

  it('a dump and a data directory contain the rules', async () => {
    const node = await start(WITH_EIPS);
    const dump = await call(node, 'anvil_dumpState');
    const other = await start({ hardfork: 'prague' });
    await expect(call(other, 'anvil_loadState', dump)).rejects.toThrow(NAME);
    const same = await start(WITH_EIPS);
    await call(same, 'anvil_loadState', dump);
    await expectEips(callOf(same));

    const dataDir = await temporaryDirectory();
    const first = await createNode({ ...WITH_EIPS, dataDir });
    await call(first, 'evm_mine');
    await first.close();
    await expect(createNode({ hardfork: 'prague', dataDir })).rejects.toThrow(NAME);
    const second = await start({ ...WITH_EIPS, dataDir });
    expect(await nameOf(second)).toBe(NAME);
    await expectEips(callOf(second));
  });

  it.each(['wasm', 'reference'] as const)(
    'cancun with EIP-7702 mines set-code transactions on engine %s',
    async (engine) => {
      const { call: request } = await createRpcHarness({}, { ruleSet: 'cancun+eip7702', engine });
      const authorization = { chainId: '0x21', address: CONTRACT, nonce: '0x1', yParity: '0x0' };
      const hash = await request('eth_sendTransaction', [
        {
          from: SENDER,
          to: CONTRACT,
          gas: '0x186a0',
          authorizationList: [{ ...authorization, r: '0x1', s: '0x1' }],
        },
      ]);
      expect(await request('eth_getTransactionReceipt', [hash])).toMatchObject({
        type: '0x4',
        status: '0x1',
      });
    },
  );

  it('inspect_compare compares the rules with an EIP', async () => {
    const node = await start({ hardfork: 'prague' });
    await call(node, 'anvil_setCode', CONTRACT, LEADING_ZEROS);
    const request = { from: FIRST_ACCOUNT, to: CONTRACT, gas: '0x186a0' };
    const hash = await call(node, 'eth_sendTransaction', request);
    const { runs } = (await call(node, 'inspect_compare', hash, ['prague', NAME])) as {
      readonly runs: readonly { readonly hardfork: string; readonly outcome: string }[];
    };
    expect(runs.map(({ hardfork, outcome }) => [hardfork, outcome])).toEqual([
      ['prague', 'halt'],
      [NAME, 'success'],
    ]);
  });

  it('a lane and a fork of a node have its rules', async () => {
    const node = await start(WITH_EIPS);
    const fork = kept(await node.fork());
    expect(await nameOf(fork)).toBe(NAME);
    await expectEips(callOf(fork));
  });

  it.each([
    [{ hardfork: 'osaka', withEip: ['7951'] }, 'withEip: EIP-7951 is already part of osaka; remove it'],
    [{ withEip: ['4844'] }, /expected one of 1153, .*, 8246, which can be added on their own, got "4844"/],
  ] as readonly [LocalNodeOptions, string | RegExp][])('rejects the options %j', async (options, message) => {
    await expect(createNode(options)).rejects.toThrow(message);
  });
});
