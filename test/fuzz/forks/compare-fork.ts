// Compares transactions on a fork of a node with the same transactions on that node.

import { isDeepStrictEqual } from 'node:util';
import { CodedError } from '../../../src/primitives/coded-error.ts';
import { toHex, toQuantity } from '../../../src/primitives/hex.ts';
import { precompileAddress } from '../../../src/protocol/hardforks/precompiles.ts';
import { RULE_SET_NAMES, type RuleSetName, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { createForkScene } from '../../fork/fork-scene.ts';
import { type Answerer, ScriptedUpstream } from '../../fork/scripted-upstream.ts';
import { createRpcHarness, type RpcHarness } from '../../rpc/rpc-harness.ts';
import { Dice } from '../engines/dice.ts';
import { type RandomScene, randomScene } from '../engines/random-scene.ts';

/** The hints of the upstream: correct, switched off, or random. */
type HintMode = 'on' | 'off' | 'lying';

const HINTS: ReadonlySet<string> = new Set(['eth_createAccessList', 'debug_traceCall']);

/** The address of Rootstock's precompiled contract BlockHeader. */
const BLOCK_HEADER = toHex(precompileAddress('BLOCK_HEADER'));

/** The fee of all transactions, above every base fee of a new chain. */
const PRICE = toQuantity(10n ** 10n);

/** Creates the accounts of the scene. Accounts that RPC cannot distinguish from missing ones are left out. */
async function prepare({ call }: RpcHarness, { accounts }: RandomScene): Promise<void> {
  for (const { address, nonce, balance, code, slots } of accounts) {
    if (nonce === 0n && balance === 0n && code.length === 0) continue;
    const name = toHex(address);
    await call('hardhat_setBalance', [name, toQuantity(balance)]);
    if (nonce > 0n) await call('hardhat_setNonce', [name, toQuantity(nonce)]);
    if (code.length > 0) await call('hardhat_setCode', [name, toHex(code)]);
    for (const [slot, value] of slots.entries())
      await call('hardhat_setStorageAt', [name, toQuantity(BigInt(slot)), wordOf(value)]);
  }
  await call('evm_mine');
}

function wordOf(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

/** Random lists of accounts and slots, some of the scene and some elsewhere; sometimes no list at all. */
function liesOf(dice: Dice, { accounts }: RandomScene): unknown {
  if (dice.oneIn(6)) return dice.pick([null, 'lie', { accessList: 7 }, { accessList: [{}] }]);
  const list = Array.from({ length: dice.below(6) }, () => ({
    address: toHex(dice.oneIn(2) ? dice.bytes(20) : dice.pick(accounts).address),
    storageKeys: Array.from({ length: dice.below(4) }, () => wordOf(dice.word())),
  }));
  return { accessList: list };
}

/** Sends the transactions of the scene. Returns the results, the traces, and the touched accounts. */
async function play({ call }: RpcHarness, scene: RandomScene): Promise<unknown[]> {
  const results: unknown[] = [];
  const touched = new Map<string, Set<string>>();
  for (const { message } of scene.messages) {
    const sender = toHex(message.sender);
    if (ruleSetNamed(scene.ruleSet).isProofOfStake)
      await call('hardhat_setPrevRandao', [wordOf(BigInt(results.length))]);
    await call('hardhat_impersonateAccount', [sender]);
    const request = {
      from: sender,
      ...(message.to === null ? {} : { to: toHex(message.to) }),
      data: toHex(message.data),
      value: toQuantity(message.value),
      gas: toQuantity(message.gasLimit),
      gasPrice: PRICE,
    };
    try {
      const hash = await call('eth_sendTransaction', [request]);
      results.push(await call('eth_getTransactionReceipt', [hash]));
      results.push(await call('debug_traceTransaction', [hash, { tracer: 'callTracer' }]));
      results.push(await call('debug_traceTransaction', [hash]));
      const prestate = await call('debug_traceTransaction', [hash, { tracer: 'prestateTracer' }]);
      for (const [address, account] of Object.entries(prestate as Record<string, { storage?: object }>)) {
        const slots = touched.get(address) ?? new Set();
        for (const slot of Object.keys(account.storage ?? {})) slots.add(slot);
        touched.set(address, slots);
      }
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      results.push({ code: error.code, message: error.message });
    }
  }
  for (const [address, slots] of touched) {
    const account = await Promise.all(
      ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'].map((method) =>
        call(method, [address, 'latest']),
      ),
    );
    const values = await Promise.all(
      [...slots].map((slot) => call('eth_getStorageAt', [address, slot, 'latest'])),
    );
    results.push({ address, account, values });
  }
  return results;
}

/** Removes block hashes, which depend on the state root. A fork's root covers only its own changes. */
function withoutHashes(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, field: unknown) => (key === 'blockHash' ? undefined : field)),
  );
}

/** Returns the first difference between a node and a fork of it; `null` if they agree. */
async function compareFork(scene: RandomScene, mode: HintMode, dice: Dice): Promise<string | null> {
  const ruleSet = scene.ruleSet as RuleSetName;
  const chain = { ruleSet, minimumGasPrice: 0n } as const;
  const node = await createRpcHarness({}, chain);
  await prepare(node, scene);
  const blockNumber = Number(await node.call('eth_blockNumber'));
  const answer: Answerer = (method, params) =>
    mode === 'lying' && HINTS.has(method) ? liesOf(dice, scene) : node.call(method, params);
  const hints = mode === 'off' ? 'off' : 'auto';
  const fork = await createForkScene(new ScriptedUpstream(answer), { fork: { blockNumber, hints }, chain });
  const forked = await play(fork, scene);
  const direct = await play(node, scene);
  await Promise.all([fork.chain.close(), node.chain.close()]);
  // A fork does not have the earlier blocks of the upstream for this contract.
  if (JSON.stringify(direct).includes(BLOCK_HEADER)) return null;
  for (const [index, result] of direct.entries()) {
    const [own, other] = [withoutHashes(result), withoutHashes(forked[index] ?? null)];
    if (!isDeepStrictEqual(own, other))
      return `${ruleSet}, hints ${mode}, result ${index}:\nnode ${JSON.stringify(own)}\nfork ${JSON.stringify(other)}`;
  }
  return null;
}

const MODES: readonly HintMode[] = ['on', 'off', 'lying'];

/** Compares this number of random scenes from the seed on. Calls `report` for each difference. */
export async function compareForks(
  first: number,
  cases: number,
  report: (difference: string) => void,
): Promise<void> {
  const names: readonly string[] = RULE_SET_NAMES;
  for (let seed = first, played = 0; played < cases; seed++) {
    const dice = new Dice(seed);
    const scene = randomScene(dice);
    // Chains have only the newer rule sets.
    if (!names.includes(scene.ruleSet)) continue;
    const difference = await compareFork(scene, MODES[played++ % MODES.length] ?? 'on', dice);
    if (difference !== null) report(`seed ${seed}: ${difference}`);
  }
}
