import { encodeFunctionData, hexToBytes } from 'viem';
import type { Chain } from '../../src/chain/chain.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import { chainOptionsOf, devAccountsOf } from '../../src/config/node-settings.ts';
import { NodeLanes } from '../../src/node/lanes.ts';
import { GasMeter } from '../../src/reports/gas/gas-meter.ts';
import { Measurements } from '../../src/reports/measurements.ts';
import type { RpcServiceOptions } from '../../src/rpc/rpc-service.ts';
import { readOptions } from '../cli/support/read-options.ts';
import { readArtifact } from '../support/artifacts.ts';
import { countingRandom } from '../support/counting-random.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { createChainWith, nodeOf, testDependencies, testOwnChains, transfer } from '../support/test-chain.ts';
import { callerOf, type RpcHarness, testConnection, testService } from './rpc-harness.ts';

/**
 * The chain for all method examples: `node-cli start --timestamp 1700000000 --no-predeploys` after the
 * requests below. Its clock does not advance. Its random bytes count up, so the first id is 0x0101…01.
 * Mnemonic, balances (10000 ether), coinbase, rules and limits are the defaults. Every gas price is 0.
 *
 * | block | timestamp  | event                                                  | transaction    | gas used |
 * |-------|------------|--------------------------------------------------------|----------------|----------|
 * | 0     | 1700000000 | the genesis                                            |                |          |
 * | 1     | 1700000001 | account 0 sends 1 ether to account 1                   | `transferHash` | 21000    |
 * | 2     | 1700000002 | account 0 creates the Counter                          | `creationHash` | 112731   |
 * | 3     | 1700000003 | account 0 calls increase(42): slot 0 is 42, one log    | `increaseHash` | 43743    |
 * | 4     | 1700000004 | account 0 calls increase(2^256 - 1): it overflows      | `failureHash`  | 22082    |
 *
 * The pool has one queued transaction (`queuedHash`): account 2 sends 1 wei to account 1 with nonce 1. Its
 * nonce 0 is free. {@link EXAMPLE} has the addresses and hashes, and a test checks them.
 */
export const EXAMPLE = {
  /** Account 0, the sender in all four blocks. Its next nonce is 4. */
  sender: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  /** Account 1: 10001 ether. */
  receiver: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  /** Account 2, whose transaction is queued. */
  queuedSender: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  /** The Counter of the contract fixtures, for shanghai. */
  counter: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
  transferHash: '0xb07b0914c1008f31f12ee643a26b75e0ad8c939e7d39f7c7e2732f9a5c7b410b',
  creationHash: '0x6bb1bacf83dc22be342f61ea41397dc0cb9e4a13cdd4f4b14d5c2d505f9859de',
  increaseHash: '0xd3603c6e41443ba71403eb5b52f5ae3a7c527aa9e4754c9b6e419f8344bd8adb',
  failureHash: '0x8311f06835db71fa0db012dddcd730351d2808e03401e8c4cf3cea4e2e2ea8e4',
  queuedHash: '0x27433975613188314f166903f4ee6ef7d41e024be8b26bae493920b02593ab84',
  /** The hashes of the blocks 0 to 4. */
  blockHashes: [
    '0x2a830fb9cf73c51447ad8d80456f1e2f9e1a1615475c9f87c582111e383f2032',
    '0xa27db4e1a8cda72c3080f721ccf009fa40433fe30f1d34d46e4c8fd6ba2029b2',
    '0x32fe5ec101052e1507a35afc57327afa1327240e8db649a955e3d3fdff264265',
    '0x7e426d5d1c480232f66f2e5a76cf0e90a12600f30fcef2eb7c99b604da3a7789',
    '0x37ff2ce6eadf83bf01123a7e29cb386da3b312458d7a694a1c66dad7179d3e0c',
  ],
} as const;

const START_SECONDS = 1_700_000_000;

/** Client version in examples. The real version includes the platform. */
const EXAMPLE_VERSION: Pick<RpcServiceOptions, 'version' | 'clientVersion'> = {
  version: '0.1.0',
  clientVersion: 'node-cli/0.1.0/linux/node20.20.0',
};

async function readChainOptions(): Promise<ChainOptions> {
  const options = readOptions(['--timestamp', String(START_SECONDS), '--no-predeploys'], {});
  return chainOptionsOf(options, await devAccountsOf(options));
}

const chainOptions = readChainOptions();

/** Sends the transactions of the table above. */
async function buildHistory(chain: Chain): Promise<void> {
  const { abi, bytecode } = readArtifact('shanghai', 'Counter');
  const increase = (step: bigint) =>
    hexToBytes(encodeFunctionData({ abi, functionName: 'increase', args: [step] }));
  const sender = hexToBytes(EXAMPLE.sender);
  const receiver = hexToBytes(EXAMPLE.receiver);
  const counter = hexToBytes(EXAMPLE.counter);
  const gasLimit = 500_000n;
  await chain.sendFrom(sender, transfer({ to: receiver, value: 10n ** 18n }));
  await chain.sendFrom(sender, transfer({ to: null, value: 0n, gasLimit, data: hexToBytes(bytecode) }));
  await chain.sendFrom(sender, transfer({ to: counter, value: 0n, gasLimit, data: increase(42n) }));
  await chain.sendFrom(
    sender,
    transfer({ to: counter, value: 0n, gasLimit, data: increase(2n ** 256n - 1n) }),
  );
  await chain.sendFrom(hexToBytes(EXAMPLE.queuedSender), transfer({ to: receiver, nonce: 1n }));
}

export type ExampleChain = RpcHarness;

/** A fresh example chain. `serviceOptions` configure its service. */
export async function createExampleChain(
  serviceOptions: Partial<RpcServiceOptions> = {},
  changes: Partial<ChainOptions> = {},
): Promise<ExampleChain> {
  const time = createFakeTime(START_SECONDS * 1000);
  const ownAddresses = () => ['127.0.0.0/8', '::1'];
  const dependencies = testDependencies(time);
  const measurements = new Measurements({ gas: new GasMeter(dependencies.onMiningError) });
  const options = { ...(await chainOptions), ...changes };
  const chain = await createChainWith(options, {
    ...dependencies,
    ownAddresses,
    measurements,
  });
  const lanes = new NodeLanes(nodeOf(chain), {
    ...time,
    random: countingRandom(),
    limit: 10,
    timeout: 0,
    openOwn: testOwnChains,
    onInternalError: dependencies.onMiningError,
  });
  const service = testService(chain, time, {
    options: { ...EXAMPLE_VERSION, ...serviceOptions },
    lanes: { lanes, areKeysSecret: false },
  });
  const ownConnection = testConnection('websocket');
  await buildHistory(chain);
  return { chain, time, call: callerOf(service, () => ownConnection) };
}
