import { beforeAll, describe, expect, it } from 'vitest';
import { createRpcHarness, harnessOn, type RpcHarness } from '../rpc/rpc-harness.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { branchOf, TEST_START } from '../support/test-chain.ts';
import { createForkScene, type ForkScene, UPSTREAM_URL } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

const ETHEREUM_URL = 'https://ethereum.example/';
const GNOSIS_SCHEDULE = { target: 1, max: 2, baseFeeUpdateFraction: 1_112_826 };
const ETHEREUM_SCHEDULE = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 };
const GNOSIS_FEE = '0x3b9aca00';

let gnosis: RpcHarness;
let ethereum: RpcHarness;

beforeAll(async () => {
  gnosis = await createRpcHarness({}, { chainId: 100, ruleSet: 'prague' });
  ethereum = await createRpcHarness({}, { chainId: 1, ruleSet: 'prague' });
});

/** Answers as Gnosis at one URL and as Ethereum at the other. */
function bothUpstreams(): Pick<ScriptedUpstream, 'post'> {
  const upstreams = [gnosis, ethereum].map(({ call }) => new ScriptedUpstream((...asked) => call(...asked)));
  const [atGnosis, atEthereum] = upstreams;
  if (atGnosis === undefined || atEthereum === undefined) throw new Error('there are two upstreams');
  return { post: (request) => (request.url === ETHEREUM_URL ? atEthereum : atGnosis).post(request) };
}

function reset({ call }: RpcHarness, jsonRpcUrl?: string): Promise<unknown> {
  return call('hardhat_reset', jsonRpcUrl === undefined ? [] : [{ forking: { jsonRpcUrl } }]);
}

async function scheduleOf({ call }: RpcHarness): Promise<unknown> {
  const { current } = (await call('eth_config')) as { current: { blobSchedule: unknown } };
  return current.blobSchedule;
}

describe('blob parameters of a fork', () => {
  let fork: ForkScene;

  beforeAll(async () => {
    fork = await createForkScene(bothUpstreams(), { chain: { ruleSet: 'prague' } });
  });

  it('follow the upstream of a reset', async () => {
    expect(await scheduleOf(fork)).toEqual(GNOSIS_SCHEDULE);
    await reset(fork, ETHEREUM_URL);
    expect(await scheduleOf(fork)).toEqual(ETHEREUM_SCHEDULE);
    expect(await fork.call('eth_blobBaseFee')).toBe('0x1');
    await reset(fork, UPSTREAM_URL);
    expect(await scheduleOf(fork)).toEqual(GNOSIS_SCHEDULE);
    expect(await fork.call('eth_blobBaseFee')).toBe(GNOSIS_FEE);
  });

  it('return to the start values after a reset without a URL', async () => {
    await reset(fork, ETHEREUM_URL);
    await reset(fork);
    expect(await scheduleOf(fork)).toEqual(GNOSIS_SCHEDULE);
    expect(await fork.call('eth_blobBaseFee')).toBe(GNOSIS_FEE);
  });

  it('are separate for each lane', async () => {
    const lane = harnessOn(await branchOf(fork.chain), createFakeTime(TEST_START));
    await reset(lane, ETHEREUM_URL);
    expect(await scheduleOf(lane)).toEqual(ETHEREUM_SCHEDULE);
    expect(await scheduleOf(fork)).toEqual(GNOSIS_SCHEDULE);
  });

  it('are restored from a dump', async () => {
    const dump = await fork.call('anvil_dumpState');
    await reset(fork, ETHEREUM_URL);
    await fork.call('anvil_loadState', [dump]);
    expect(await scheduleOf(fork)).toEqual(GNOSIS_SCHEDULE);
    expect(await fork.call('eth_blobBaseFee')).toBe(GNOSIS_FEE);
  });

  it('apply to the fee history of upstream and local blocks', async () => {
    await reset(fork, UPSTREAM_URL);
    await fork.call('evm_mine');
    expect(await fork.call('eth_feeHistory', ['0x5', '0x0', [50]])).toEqual(
      await gnosis.call('eth_feeHistory', ['0x5', '0x0', [50]]),
    );
    expect(await fork.call('eth_feeHistory', ['0x5', '0x1', [50]])).toMatchObject({
      oldestBlock: '0x0',
      gasUsedRatio: [0, 0],
      baseFeePerBlobGas: ['0x1', GNOSIS_FEE, GNOSIS_FEE],
      blobGasUsedRatio: [0, 0],
    });
  });

  it('apply to both engines and to other rule sets', async () => {
    // Returns BLOBBASEFEE.
    const code = '0x4a5f5260205ff3';
    const account = `0x${'11'.repeat(20)}`;
    const overrides = { [account]: { code } };
    const shadowed = await createForkScene(bothUpstreams(), { chain: { ruleSet: 'prague', shadow: true } });
    for (const [url, fee] of [
      [UPSTREAM_URL, GNOSIS_FEE],
      [ETHEREUM_URL, '0x1'],
      [UPSTREAM_URL, GNOSIS_FEE],
    ] as const) {
      await reset(shadowed, url);
      // The reference library also validates the block.
      await shadowed.call('evm_mine');
      const word = `0x${fee.slice(2).padStart(64, '0')}`;
      expect(await shadowed.call('eth_call', [{ to: account }, 'latest', overrides])).toBe(word);
      for (const hardfork of ['prague', 'osaka']) {
        const params = [{ to: account }, 'latest', overrides, hardfork];
        expect(await shadowed.call('inspect_call', params)).toMatchObject({ call: { output: word } });
      }
    }
  });
});
