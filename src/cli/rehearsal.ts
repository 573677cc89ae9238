import { settleLocalOptions } from '../config/local-options.ts';
import { chainOptionsOf, devAccountsOf } from '../config/node-settings.ts';
import { VERSION } from '../config/options.ts';
import { keyName } from '../config/usage-messages.ts';
import { createNode } from '../node/create-node.ts';
import { systemClock, systemTimers } from '../primitives/clock.ts';
import { nextTurn } from '../primitives/interrupt.ts';
import { systemRandom } from '../primitives/random.ts';
import type { Connection, RpcService } from '../rpc/connection.ts';
import { createRpcServiceFactory } from '../rpc/rpc-service.ts';

/** Creates a contract that writes a slot, logs nothing much and answers the slot. */
const CREATION = '0x601580600b6000396000f3602a60005560006000a060005460005260206000f3';

/** An account that nobody has the key of. */
const WARM_UP_ADDRESS = `0x${'01'.repeat(20)}`;

/** Calls a service of this process. */
export const IN_PROCESS_CALLER: Connection = {
  transport: 'http',
  remoteAddress: '127.0.0.1',
  isClosed: false,
  notify: null,
  onClose: () => () => undefined,
};

/** Makes the calls that most callers make first: accounts, a transfer, a contract, a block, a snapshot. */
async function askWhatIsAskedFirst({ call }: RpcService): Promise<void> {
  const ask = async (method: string, ...params: unknown[]): Promise<unknown> =>
    call(method, params, IN_PROCESS_CALLER);
  const receiptOf = async (hash: unknown): Promise<{ readonly contractAddress: string | null }> =>
    (await ask('eth_getTransactionReceipt', hash)) as { readonly contractAddress: string | null };
  const [from, other] = (await ask('eth_accounts')) as string[];
  await ask('eth_chainId');
  await ask('net_version');
  await ask('eth_blockNumber');
  await ask('eth_gasPrice');
  await ask('eth_getBalance', from, 'latest');
  await ask('eth_getTransactionCount', from, 'pending');
  const transfer = { from, to: other, value: '0x1' };
  await ask('eth_estimateGas', transfer);
  const hash = await ask('eth_sendTransaction', transfer);
  await receiptOf(hash);
  await ask('eth_getTransactionByHash', hash);
  const created = await ask('eth_sendTransaction', { from, data: CREATION, gas: '0x30d40' });
  const { contractAddress: to } = await receiptOf(created);
  await ask('eth_getCode', to, 'latest');
  await ask('eth_call', { to, data: '0x' }, 'latest');
  await receiptOf(await ask('eth_sendTransaction', { from, to, data: '0x', gas: '0x30d40' }));
  await ask('eth_getStorageAt', to, '0x0', 'latest');
  await ask('eth_getLogs', { fromBlock: 'earliest', address: to });
  await ask('eth_getBlockByNumber', 'latest', true);
  const raw = await ask('eth_signTransaction', { ...transfer, gas: '0x5208', gasPrice: '0x1' });
  const snapshot = await ask('evm_snapshot');
  await receiptOf(await ask('eth_sendRawTransaction', raw));
  await ask('evm_mine');
  await ask('evm_revert', snapshot);
}

/**
 * Asks a node for calls and an estimate that change nothing, one in a turn of the event loop, so that the engine, and the
 * code that leads to it, are compiled before the first caller needs them. Rejects with what a call rejects with.
 */
export async function warmUp({ call }: RpcService): Promise<void> {
  const creation = { from: WARM_UP_ADDRESS, data: CREATION };
  const transfer = { from: WARM_UP_ADDRESS, to: WARM_UP_ADDRESS, value: '0x0' };
  await call('eth_call', [creation, 'latest'], IN_PROCESS_CALLER);
  await nextTurn();
  await call('eth_estimateGas', [creation], IN_PROCESS_CALLER);
  await nextTurn();
  await call('eth_estimateGas', [transfer], IN_PROCESS_CALLER);
}

function fail(error: unknown): never {
  throw error;
}

/**
 * Does what most callers do first, on a chain of its own, so that the code for it is among what V8 compiled and is
 * kept for later starts. Rejects when a node of this build cannot do it.
 */
export async function rehearse(): Promise<void> {
  const settings = settleLocalOptions({});
  const [clock, timers, random] = [systemClock, systemTimers, systemRandom];
  const node = await createNode(chainOptionsOf(settings, await devAccountsOf(settings, keyName)), {
    ...{ clock, timers, random },
    ownAddresses: () => [],
    onMiningError: fail,
    onEngineDifference: fail,
  });
  const { compat, hosted, fieldNames, callTimeout } = settings;
  const logLimits = { blocks: settings.logBlockLimit, logs: settings.logLimit };
  const options = { compat, hosted, fieldNames, logLimits, callTimeout, version: VERSION };
  try {
    await askWhatIsAskedFirst(createRpcServiceFactory(options, random, { clock, timers })(node, null));
  } finally {
    await node.chain.close();
  }
}
