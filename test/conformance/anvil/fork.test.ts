import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished } from 'vitest';
import { createNode } from '../../../src/index.ts';
import { readArtifact } from '../../support/artifacts.ts';
import { answerAt } from '../../support/json-rpc.ts';
import { decided, ported } from './ported.ts';
import {
  addressWord,
  big,
  count,
  ETHER,
  list,
  type Node,
  openFork,
  openNode,
  pick,
  quantity,
  randomAddress,
  STORE,
  storeCreation,
  text,
  wordAt,
} from './scene.ts';

const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;
const HOLDER = `0x${'de'.repeat(20)}`;

/** A chain of N blocks with a contract, an account and a transfer in its last block. */
async function openUpstream(blocks = 6, options: Parameters<typeof openNode>[0] = {}) {
  const node = await openNode({ timestamp: 1_650_000_000, ...options });
  const contract = text(await node.mined({ data: storeCreation(7) }), 'contractAddress');
  await node.rpc('anvil_setBalance', HOLDER, quantity(5n * ETHER));
  await node.rpc('anvil_mine', blocks - 2);
  const receipt = await node.mined({ to: HOLDER, value: '0x1' });
  return { ...node, contract, receipt };
}

/** Error of a start. */
async function startFailure(options: object): Promise<string> {
  try {
    const node = await createNode({ compat: 'anvil', noStorageCaching: true, retries: 0, ...options });
    await node.close();
  } catch (error) {
    return String(error);
  }
  throw new Error('the node started');
}

describe('a fork', () => {
  ported('fork::test_spawn_fork', 'starts at the fork block', async () => {
    const fork = await openFork(await openUpstream(), { forkBlockNumber: 4 });

    expect(await fork.rpc('eth_blockNumber')).toBe('0x4');
  });

  ported('fork::test_fork_eth_get_balance', 'reads balances', async () => {
    const upstream = await openUpstream();
    const fork = await openFork(upstream);

    for (const address of [HOLDER, randomAddress(), upstream.alice])
      expect(await fork.rpc('eth_getBalance', address, 'latest')).toBe(
        address === upstream.alice
          ? quantity(10_000n * ETHER)
          : await upstream.rpc('eth_getBalance', address, 'latest'),
      );
  });

  ported('fork::test_fork_eth_get_balance_after_mine', 'reads balances after a local block', async () => {
    const fork = await openFork(await openUpstream(), { forkBlockNumber: 6 });
    const address = randomAddress();
    const before = await fork.rpc('eth_getBalance', address, 'latest');

    await fork.mine();

    expect(await fork.rpc('eth_getBalance', address, 'latest')).toBe(before);
  });

  ported(
    'fork::test_fork_eth_get_code_after_mine',
    'reads code of an early block after a local block',
    async () => {
      const fork = await openFork(await openUpstream(), { forkBlockNumber: 6 });
      const address = randomAddress();
      expect(await fork.rpc('eth_getCode', address, '0x1')).toBe('0x');

      await fork.mine();

      expect(await fork.rpc('eth_getCode', address, '0x1')).toBe('0x');
    },
  );

  ported('fork::test_fork_eth_get_code', 'reads code of the fork block and before', async () => {
    const { contract, ...upstream } = await openUpstream();
    const fork = await openFork(upstream);

    for (const block of ['latest', '0x3']) expect(await fork.rpc('eth_getCode', contract, block)).toBe(STORE);
    expect(await fork.rpc('eth_getCode', randomAddress(), 'latest')).toBe('0x');
  });

  ported('fork::test_fork_eth_get_nonce', 'reads nonces', async () => {
    const upstream = await openUpstream();
    const fork = await openFork(upstream);

    for (const address of [upstream.alice, randomAddress()])
      expect(await fork.rpc('eth_getTransactionCount', address, 'latest')).toBe(
        await upstream.rpc('eth_getTransactionCount', address, 'latest'),
      );
  });

  ported('fork::test_fork_eth_fee_history', 'returns the fee history of the upstream', async () => {
    const upstream = await openUpstream();
    const fork = await openFork(upstream);

    const history = await fork.rpc('eth_feeHistory', '0x5', 'latest', []);

    const expected = await upstream.rpc('eth_feeHistory', '0x5', 'latest', []);
    for (const field of ['oldestBlock', 'baseFeePerGas', 'gasUsedRatio'])
      expect(pick(history, field)).toEqual(pick(expected, field));
  });

  ported(
    'fork::test_fork_fee_history_across_fork_boundary',
    'joins fee histories at the fork block',
    async () => {
      const fork = await openFork(await openUpstream());
      await fork.rpc('anvil_mine', 3);

      const history = await fork.rpc('eth_feeHistory', '0x8', 'latest', []);

      expect(pick(history, 'oldestBlock')).toBe('0x2');
      expect(list(history, 'gasUsedRatio')).toHaveLength(8);
      expect(list(history, 'baseFeePerGas')).toHaveLength(9);
      expect(list(history, 'blobGasUsedRatio')).toHaveLength(8);
      expect(list(history, 'baseFeePerBlobGas')).toHaveLength(9);
    },
  );

  ported('fork::test_fork_gas_limit_applied_from_config', 'has the given gas limit', async () => {
    const fork = await openFork(await openUpstream(), { gasLimit: 10_000_000 });

    expect(pick(await fork.rpc('anvil_nodeInfo'), 'environment.gasLimit')).toBe(quantity(10_000_000));
  });

  ported('fork::test_fork_debug_get_raw_receipts', 'returns raw receipts of earlier blocks', async () => {
    const { receipt, ...upstream } = await openUpstream();
    const fork = await openFork(upstream);
    const { blockNumber, blockHash } = Object(receipt);

    const raw = list(await fork.rpc('debug_getRawReceipts', blockNumber));

    expect(raw).toEqual(await upstream.rpc('debug_getRawReceipts', blockNumber));
    expect(await fork.rpc('debug_getRawReceipts', blockHash)).toEqual(raw);
  });

  ported(
    'fork::test_fork_debug_get_raw_transactions',
    'returns raw transactions of earlier blocks',
    async () => {
      const { receipt, ...upstream } = await openUpstream();
      const fork = await openFork(upstream);
      const { blockNumber, blockHash, transactionHash } = Object(receipt);

      const raw = list(await fork.rpc('debug_getRawTransactions', blockNumber));

      expect(raw).toEqual([await fork.rpc('debug_getRawTransaction', transactionHash)]);
      expect(await fork.rpc('debug_getRawTransactions', blockHash)).toEqual(raw);
    },
  );

  ported(
    'fork::test_fork_trace_replay_block_transactions_forwards_trace_types',
    'replays earlier blocks',
    async () => {
      const { receipt, ...upstream } = await openUpstream();
      await upstream.mine();
      const fork = await openFork(upstream);

      const [result] = list(
        await fork.rpc('trace_replayBlockTransactions', pick(receipt, 'blockNumber'), ['trace', 'stateDiff']),
      );

      expect(result).toMatchObject({ trace: [{ action: { from: upstream.alice, to: HOLDER } }] });
      expect(pick(result, 'stateDiff')).toBeTruthy();
    },
  );

  ported('fork::test_fork_set_storage_visible_to_call', 'sets a slot of a contract', async () => {
    const { contract, ...upstream } = await openUpstream();
    const fork = await openFork(upstream);

    expect(await fork.rpc('anvil_setStorageAt', contract, '0x0', word(1))).toBe(true);

    for (let round = 0; round < 3; round++) {
      expect(await fork.rpc('eth_getStorageAt', contract, '0x0', 'latest')).toBe(word(1));
      expect(wordAt(await fork.call({ to: contract }))).toBe(1n);
    }
  });

  ported('fork::test_separate_states', 'keeps its state apart from the upstream', async () => {
    const upstream = await openUpstream();
    const fork = await openFork(upstream);
    const before = await upstream.rpc('eth_getBalance', HOLDER, 'latest');

    await fork.rpc('anvil_setBalance', HOLDER, quantity(1_337));

    expect(await fork.rpc('eth_getBalance', HOLDER, 'latest')).toBe(quantity(1_337));
    expect(await upstream.rpc('eth_getBalance', HOLDER, 'latest')).toBe(before);
  });

  ported('fork::can_deploy_greeter_on_fork', 'creates contracts', async () => {
    const fork = await openFork(await openUpstream());

    for (let round = 0; round < 2; round++)
      expect(wordAt(await fork.call({ to: await fork.deploy('0x602a5f5260205ff3') }))).toBe(42n);
  });

  ported('fork::test_fork_timestamp', 'continues the time of the fork block', async () => {
    const upstream = await openUpstream();
    const time = count(await upstream.block(), 'timestamp');
    const fork = await openFork(upstream);
    const passed = async (): Promise<number> => count(await fork.block(), 'timestamp') - time;
    expect(await passed()).toBe(0);

    for (let round = 0; round < 2; round++) {
      await fork.mined({ to: randomAddress(), value: '0x1' });
      expect(await passed()).toBeLessThan(60);
      await fork.rpc('anvil_reset', { forking: { jsonRpcUrl: upstream.url, blockNumber: 6 } });
      expect(await passed()).toBe(0);
    }
    await fork.rpc('evm_setNextBlockTimestamp', time + 1);
    await fork.mined({ to: randomAddress(), value: '0x1' });
    expect(await passed()).toBe(1);
    await fork.mined({ to: randomAddress(), value: '0x1' });
    expect(await passed()).toBeLessThan(60);
  });

  ported('fork::test_fork_set_empty_code', 'removes the code of a contract', async () => {
    const { contract, ...upstream } = await openUpstream();
    const fork = await openFork(upstream);

    await fork.rpc('anvil_setCode', contract, '0x');

    expect(await fork.rpc('eth_getCode', contract, 'latest')).toBe('0x');
  });

  ported('fork::test_fork_can_send_tx', 'sends from an impersonated account', async () => {
    const fork = await openFork(await openUpstream());
    const [from, to] = [randomAddress(), randomAddress()];
    await fork.rpc('anvil_setBalance', from, `0x${'f'.repeat(64)}`);
    await fork.rpc('anvil_impersonateAccount', from);

    await fork.mined({ from, to, value: '0x539' });

    expect(await fork.rpc('eth_getBalance', to, 'latest')).toBe('0x539');
  });

  for (const [name, title] of [
    ['test_fork_nft_set_approve_all', 'calls a contract of the fork as another owner'],
    ['test_fork_can_send_opensea_tx', 'calls a contract of the fork with a gas price'],
    ['can_impersonate_in_fork', 'sends from a holder only while it is impersonated'],
  ] as const)
    ported(`fork::${name}`, title, async () => {
      const { contract, ...upstream } = await openUpstream();
      const fork = await openFork(upstream, { chainId: 1 });
      const fields = { from: HOLDER, to: contract, data: word(9), gas: quantity(150_000) };
      await fork.failure('eth_sendTransaction', fields);

      await fork.rpc('anvil_impersonateAccount', HOLDER);

      expect(await fork.mined({ ...fields, gasPrice: quantity(22n * 10n ** 9n) })).toMatchObject({
        status: '0x1',
      });
      expect(wordAt(await fork.call({ to: contract }))).toBe(9n);
      await fork.rpc('anvil_stopImpersonatingAccount', HOLDER);
      await fork.failure('eth_sendTransaction', fields);
    });

  for (const [name, chainId] of [
    ['test_fork_with_custom_chain_id', 3_145],
    ['can_override_fork_chain_id', 5],
  ] as const)
    ported(`fork::${name}`, `has the given chain id ${chainId}`, async () => {
      const fork = await openFork(await openUpstream(), { chainId });

      expect(await fork.rpc('eth_chainId')).toBe(quantity(chainId));
      const hash = await fork.send({ to: randomAddress() });
      expect(await fork.rpc('eth_getTransactionByHash', hash)).toMatchObject({ chainId: quantity(chainId) });
    });

  ported('fork::test_fork_base_fee', 'mines with base fee 0', async () => {
    const fork = await openFork(await openUpstream());
    await fork.rpc('anvil_setNextBlockBaseFeePerGas', '0x0');

    expect(await fork.mined({ to: randomAddress(), value: '0x1' })).toMatchObject({ status: '0x1' });
  });

  ported('fork::test_fork_pre_london_base_fee_is_null', 'has no base fee before london', async () => {
    const upstream = await openUpstream(6, { hardfork: 'berlin' });
    const fork = await openFork(upstream, { hardfork: undefined });

    expect(await fork.rpc('eth_baseFee')).toBeNull();
  });

  ported('fork::test_fork_init_base_fee', 'derives the base fee from the fork block', async () => {
    const fork = await openFork(await openUpstream());
    const before = big(await fork.block(), 'baseFeePerGas');

    await fork.mine();

    expect(big(await fork.block(), 'baseFeePerGas')).toBeLessThan(before);
  });

  ported('fork::test_fork_call', 'returns the results of the upstream', async () => {
    const { contract, ...upstream } = await openUpstream();
    const fork = await openFork(upstream, { forkBlockNumber: 4 });

    expect(await fork.call({ to: contract })).toBe(await upstream.call({ to: contract }, '0x4'));
  });

  ported('fork::test_fork_block_timestamp', 'mines later blocks', async () => {
    const fork = await openFork(await openUpstream());
    const before = count(await fork.block(), 'timestamp');

    await fork.rpc('anvil_mine', '0x1');

    expect(count(await fork.block(), 'timestamp')).toBeGreaterThanOrEqual(before);
  });

  ported('fork::test_fork_snapshot_block_timestamp', 'repeats a block after a revert', async () => {
    const fork = await openFork(await openUpstream());
    const snapshot = await fork.rpc('evm_snapshot');
    await fork.rpc('anvil_mine', '0x1');
    const time = count(await fork.block(), 'timestamp');
    await fork.rpc('evm_revert', snapshot);

    await fork.rpc('evm_setNextBlockTimestamp', time);
    await fork.rpc('anvil_mine', '0x1');

    expect(count(await fork.block(), 'timestamp')).toBe(time);
  });

  ported('fork::test_fork_block_transaction_count', 'counts transactions of any block', async () => {
    const { receipt, ...upstream } = await openUpstream();
    const fork = await openFork(upstream);
    await fork.automine(false);
    await fork.send({ value: '0x2a', gas: quantity(100_000) });
    const countAt = async (block: unknown) =>
      count(await fork.rpc('eth_getBlockTransactionCountByNumber', block));

    expect(await countAt('pending')).toBe(1);
    await fork.rpc('anvil_mine');
    expect(await countAt('pending')).toBe(0);
    expect(await countAt('latest')).toBe(1);
    for (const hash of [text(await fork.block(), 'hash'), pick(receipt, 'blockHash')])
      expect(await fork.rpc('eth_getBlockTransactionCountByHash', hash)).toBe('0x1');
    expect(await countAt(pick(receipt, 'blockNumber'))).toBe(1);
  });

  ported('fork::test_transaction_receipt', 'returns receipts up to the fork block', async () => {
    const { receipt, ...upstream } = await openUpstream();
    const fork = await openFork(upstream);
    const later = await upstream.send({ to: HOLDER, value: '0x1' });

    expect(await fork.rpc('eth_getTransactionReceipt', pick(receipt, 'transactionHash'))).toMatchObject({
      blockHash: pick(receipt, 'blockHash'),
    });
    expect(await fork.rpc('eth_getTransactionReceipt', later)).toBeNull();
  });

  ported('fork::test_block_receipts', 'returns receipts of blocks up to the fork block', async () => {
    const { receipt, ...upstream } = await openUpstream();
    const fork = await openFork(upstream);
    await upstream.mine();

    expect(list(await fork.rpc('eth_getBlockReceipts', '0x6'))).toHaveLength(1);
    expect(list(await fork.rpc('eth_getBlockReceipts', pick(receipt, 'blockHash')))).toHaveLength(1);
    expect(await fork.rpc('eth_getBlockReceipts', '0x7')).toBeNull();
  });

  ported('fork::test_fork_execution_reverted', 'reverts in calls at earlier blocks', async () => {
    const upstream = await openNode();
    const reverter = await upstream.deploy('0x5f5ffd');
    await upstream.rpc('anvil_mine', 3);
    const fork = await openFork(upstream);

    expect((await fork.failure('eth_call', { to: reverter, data: '0x8f283b3c' }, '0x2')).message).toContain(
      'execution reverted',
    );
  });

  ported('fork::test_fork_query_at_fork_block', 'keeps the state of the fork block', async () => {
    const fork = await openFork(await openUpstream());
    const address = randomAddress();
    await fork.mine();

    await fork.rpc('anvil_setBalance', address, '0x1');

    expect(await fork.rpc('eth_getBalance', address, '0x6')).toBe('0x0');
    expect(await fork.rpc('eth_getBalance', address, 'latest')).toBe('0x1');
  });

  ported(
    'fork::test_block_by_number_full_refetches_missing_cached_transactions',
    'returns full blocks again',
    async () => {
      const { receipt, ...upstream } = await openUpstream();
      const fork = await openFork(upstream);

      const first = await fork.block(6, true);

      expect(list(first, 'transactions')).toMatchObject([{ hash: pick(receipt, 'transactionHash') }]);
      expect(await fork.block(6, true)).toEqual(first);
    },
  );

  const TOKEN = readArtifact('shanghai', 'Token');

  for (const [name, method] of [
    ['test_set_erc20_balance', 'anvil_dealERC20'],
    ['test_set_erc20_allowance', 'anvil_setERC20Allowance'],
  ] as const)
    ported(`fork::${name}`, `sets values of a token: ${method}`, async () => {
      const { encodeAbiParameters, encodeFunctionData } = await import('viem');
      const upstream = await openNode();
      const builder = TOKEN.abi.find((each) => pick(each, 'type') === 'constructor');
      const inputs = list(builder ?? { inputs: [] }, 'inputs') as { type: string }[];
      const args = encodeAbiParameters(
        inputs,
        inputs.map(({ type }) => (type === 'string' ? 'T' : type === 'address' ? upstream.alice : 1_000n)),
      );
      const data = `${TOKEN.bytecode}${args.slice(2)}`;
      const token = text(await upstream.mined({ data }), 'contractAddress');
      const fork = await openFork(upstream);
      const { alice, bob } = fork;
      const isBalance = method === 'anvil_dealERC20';

      await fork.rpc(method, ...(isBalance ? [alice] : [alice, bob]), token, quantity(500));

      const asked = encodeFunctionData({
        abi: TOKEN.abi,
        functionName: isBalance ? 'balanceOf' : 'allowance',
        args: isBalance ? [alice] : [alice, bob],
      });
      expect(wordAt(await fork.call({ to: token, data: asked }))).toBe(500n);
    });

  ported('fork::test_add_balance', 'adds to a balance', async () => {
    const fork = await openFork(await openUpstream());
    await fork.rpc('anvil_setBalance', fork.alice, quantity(100_000));

    await fork.rpc('anvil_addBalance', fork.alice, quantity(50_000));

    expect(await fork.rpc('eth_getBalance', fork.alice, 'latest')).toBe(quantity(150_000));
  });

  ported('fork::test_fork_get_account', 'returns accounts at any block', async () => {
    const fork = await openFork(await openUpstream());
    const before = await fork.rpc('eth_getAccount', fork.alice, 'latest');

    const receipt = await fork.mined({ to: fork.bob, value: quantity(142) });

    const fee = big(receipt, 'gasUsed') * big(receipt, 'effectiveGasPrice');
    const after = await fork.rpc('eth_getAccount', fork.alice, 'latest');
    expect(big(after, 'balance')).toBe(big(before, 'balance') - 142n - fee);
    expect(big(after, 'nonce')).toBe(big(before, 'nonce') + 1n);
    expect(await fork.rpc('eth_getAccount', fork.alice, '0x6')).toEqual(before);
  });

  ported(
    'fork::test_fork_get_account_info',
    'returns account infos before and after the fork block',
    async () => {
      const upstream = await openUpstream();
      const fork = await openFork(upstream);
      await fork.mine();

      for (const block of ['0x5', '0x6'])
        expect(await fork.rpc('eth_getAccountInfo', HOLDER, block)).toMatchObject({
          balance: await upstream.rpc('eth_getBalance', HOLDER, block),
          nonce: '0x0',
          code: '0x',
        });
      expect(await fork.rpc('eth_getAccountInfo', HOLDER, '0x7')).toEqual(
        await fork.rpc('eth_getAccountInfo', HOLDER, '0x6'),
      );
    },
  );
});

describe('snapshots of a fork', () => {
  for (const [name, title] of [
    ['test_fork_state_snapshotting', 'restore balances and nonces'],
    ['test_fork_state_snapshotting_repeated', 'end with a revert to an older snapshot'],
    ['test_fork_state_snapshotting_blocks', 'can be used once'],
  ] as const)
    ported(`fork::${name}`, title, async () => {
      const fork = await openFork(await openUpstream());
      const { rpc, alice, bob } = fork;
      const state = async () => [
        await rpc('eth_blockNumber'),
        await rpc('eth_getTransactionCount', alice, 'latest'),
        await rpc('eth_getBalance', alice, 'latest'),
        await rpc('eth_getBalance', bob, 'latest'),
      ];
      const before = await state();
      const snapshot = await rpc('evm_snapshot');
      await fork.mined({ to: bob, value: quantity(ETHER) });
      const second = await rpc('evm_snapshot');

      expect(await rpc('evm_revert', snapshot)).toBe(true);

      expect(await state()).toEqual(before);
      expect(await rpc('evm_revert', second)).toBe(false);
      await fork.mined({ to: bob, value: quantity(ETHER) });
      const after = await state();
      expect(await rpc('evm_revert', snapshot)).toBe(false);
      expect(await state()).toEqual(after);
    });

  ported(
    'fork::test_fork_resets_invalidate_state_snapshots_without_mutating_new_context',
    'end with a reset',
    async () => {
      const fork = await openFork(await openUpstream());
      for (const params of [[{ forking: {} }], []]) {
        await fork.rpc('anvil_setBalance', HOLDER, '0x7b');
        await fork.mine();
        const snapshot = await fork.rpc('evm_snapshot');
        expect(Object.keys(Object(pick(await fork.rpc('anvil_metadata'), 'snapshots')))).toHaveLength(1);

        await fork.rpc('anvil_reset', ...params);

        expect(await fork.rpc('anvil_metadata')).toMatchObject({ snapshots: {} });
        const before = [await fork.block(), await fork.rpc('eth_getBalance', HOLDER, 'latest')];
        expect(await fork.rpc('evm_revert', snapshot)).toBe(false);
        expect([await fork.block(), await fork.rpc('eth_getBalance', HOLDER, 'latest')]).toEqual(before);
      }
    },
  );
});

describe('anvil_reset of a fork', () => {
  const reset = (node: Node, jsonRpcUrl?: string, blockNumber?: number) =>
    node.rpc('anvil_reset', {
      forking: { jsonRpcUrl: jsonRpcUrl ?? null, blockNumber: blockNumber ?? null },
    });

  ported('fork::test_fork_reset', 'returns to a block, or moves to the newest block', async () => {
    const upstream = await openUpstream();
    const fork = await openFork(upstream, { forkBlockNumber: 5 });
    const nonce = await fork.rpc('eth_getTransactionCount', fork.alice, 'latest');
    await fork.mined({ to: fork.bob, value: quantity(ETHER) });

    await reset(fork, undefined, 5);

    expect(await fork.rpc('eth_blockNumber')).toBe('0x5');
    expect(await fork.rpc('eth_getTransactionCount', fork.alice, 'latest')).toBe(nonce);
    expect(await fork.rpc('eth_getBalance', fork.bob, 'latest')).toBe(quantity(10_000n * ETHER));
    await fork.rpc('anvil_reset', { forking: {} });
    expect(await fork.rpc('eth_blockNumber')).toBe('0x6');
  });

  ported('fork::test_fork_reset_setup', 'starts a fork on a local chain', async () => {
    const upstream = await openUpstream();
    const node = await openNode();

    await reset(node, upstream.url, 5);

    expect(await node.rpc('eth_blockNumber')).toBe('0x5');
    expect(await node.rpc('eth_getBalance', HOLDER, 'latest')).toBe(
      await upstream.rpc('eth_getBalance', HOLDER, '0x5'),
    );
  });

  ported('fork::can_reset_properly', 'drops local transactions', async () => {
    const upstream = await openNode();
    await upstream.rpc('anvil_setNonce', upstream.alice, '0x1');
    const fork = await openFork(upstream);
    const to = randomAddress();
    const hash = await fork.send({ to, value: '0x539' });

    await fork.rpc('anvil_reset', { forking: {} });

    expect(await fork.rpc('eth_getTransactionCount', fork.alice, 'latest')).toBe('0x1');
    expect(await fork.rpc('eth_getBalance', to, 'latest')).toBe('0x0');
    expect(await fork.rpc('eth_getTransactionByHash', hash)).toBeNull();
  });

  ported('fork::can_reset_fork_to_new_fork', 'forks another chain', async () => {
    const fork = await openFork(await openNode({ chainId: 1 }));
    const { contract, url } = await openUpstream(6, { chainId: 10 });
    expect(await fork.call({ to: contract, data: '0x54fd4d50' })).toBe('0x');

    await reset(fork, url, 5);

    expect(await fork.rpc('eth_getCode', contract, 'latest')).toBe(STORE);
  });

  ported(
    'fork::test_fork_reset_refreshes_derived_gas_settings',
    'takes gas limit and fees of the new chain',
    async () => {
      const [first, second] = [
        await openNode({ gasLimit: 21_000_001, blockBaseFeePerGas: 101 }),
        await openNode({ gasLimit: 22_000_002, blockBaseFeePerGas: 202 }),
      ];
      const fork = await openFork(first, { gasLimit: undefined, hardfork: undefined });
      const environment = async () => pick(await fork.rpc('anvil_nodeInfo'), 'environment');
      expect(await environment()).toMatchObject({ gasLimit: quantity(21_000_001), baseFee: quantity(89) });

      await reset(fork, second.url, 0);

      expect(await environment()).toMatchObject({ gasLimit: quantity(22_000_002), baseFee: quantity(177) });
    },
  );

  ported(
    'fork::test_fork_reset_preserves_explicit_gas_settings_and_restores_memory',
    'keeps given gas settings',
    async () => {
      const [first, second] = [
        await openNode({ gasLimit: 21_000_001, blockBaseFeePerGas: 101, gasPrice: 111 }),
        await openNode({ gasLimit: 22_000_002, blockBaseFeePerGas: 202, gasPrice: 222 }),
      ];
      const fork = await openFork(first, { gasLimit: 31_000_003, blockBaseFeePerGas: 303, gasPrice: 333 });
      const expected = { gasLimit: quantity(31_000_003), baseFee: quantity(303) };
      const environment = async () => pick(await fork.rpc('anvil_nodeInfo'), 'environment');
      for (const { url } of [first, second]) {
        await reset(fork, url, 0);
        expect(await environment()).toMatchObject(expected);
        expect(await fork.rpc('eth_gasPrice')).toBe(quantity(333));
      }

      await fork.rpc('anvil_reset');

      expect(pick(await fork.rpc('anvil_nodeInfo'), 'forkConfig.forkUrl')).toBeNull();
      expect(await environment()).toMatchObject(expected);
    },
  );

  ported(
    'fork::test_fork_reset_restores_implicit_memory_base_fee',
    'returns to the default base fee',
    async () => {
      const fork = await openFork(await openNode({ blockBaseFeePerGas: 123 }), { forkBlockNumber: 0 });
      await fork.rpc('anvil_setNextBlockBaseFeePerGas', quantity(999));

      await fork.rpc('anvil_reset');

      expect(pick(await fork.rpc('anvil_nodeInfo'), 'environment.baseFee')).toBe(quantity(10n ** 9n));
      expect(await fork.block(0)).toMatchObject({ baseFeePerGas: quantity(10n ** 9n) });
      await fork.mine();
      expect(await fork.block(1)).toMatchObject({ baseFeePerGas: quantity(10n ** 9n) });
    },
  );

  ported(
    'fork::test_fork_reset_to_memory_rebuilds_complete_block_environment',
    'returns to the default block',
    async () => {
      const fork = await openFork(await openNode());
      await fork.rpc('anvil_setCoinbase', randomAddress());

      await fork.rpc('anvil_reset');

      const fresh = await openNode();
      await Promise.all([fork.mine(), fresh.mine()]);
      for (const field of ['miner', 'difficulty', 'excessBlobGas'])
        expect(pick(await fork.block(), field)).toBe(pick(await fresh.block(), field));
    },
  );

  ported('fork::test_fork_reset_basefee', 'derives the base fee of an earlier block', async () => {
    const upstream = await openUpstream();
    const fork = await openFork(upstream, { forkBlockNumber: 5 });

    await reset(fork, undefined, 4);
    await fork.mine();

    expect(await fork.block()).toMatchObject({
      baseFeePerGas: pick(await upstream.block(5), 'baseFeePerGas'),
    });
  });

  ported('fork::test_reset_dev_account_nonce', 'returns to the nonce of an earlier block', async () => {
    const upstream = await openUpstream();
    const fork = await openFork(upstream);
    expect(await fork.rpc('eth_getTransactionCount', fork.alice, 'latest')).toBe('0x2');

    await reset(fork, undefined, 2);

    expect(await fork.rpc('eth_getTransactionCount', fork.alice, 'latest')).toBe('0x1');
    expect(await fork.mined({ to: fork.alice, nonce: '0x1', gas: quantity(21_000) })).toMatchObject({
      status: '0x1',
    });
  });

  for (const [name, title] of [
    ['test_fork_reset_block_zero_does_not_reuse_cache_for_new_rpc_url', 'reads block 0 of a new URL'],
    ['test_fork_reset_does_not_reuse_cache_for_new_rpc_url', 'reads a block of a new URL'],
    ['test_fork_reset_to_new_url_does_not_reuse_old_cache', 'reads the newest block of a new URL'],
    ['test_fork_reset_reuses_cached_remote_state', 'reads the same state again'],
  ] as const)
    ported(`fork::${name}`, title, async () => {
      const address = randomAddress();
      const [first, second] = await Promise.all(
        ['1', '2'].map((ether) => openNode({ timestamp: 1_000_000, fundAccounts: [`${address}:${ether}`] })),
      );
      if (first === undefined || second === undefined) throw new Error('no upstream');
      const fork = await openFork(first, { forkBlockNumber: 0 });
      const balance = () => fork.rpc('eth_getBalance', address, 'latest');
      expect(await balance()).toBe(quantity(ETHER));
      await reset(fork, undefined, 0);
      expect(await balance()).toBe(quantity(ETHER));
      const { instanceId } = Object(await fork.rpc('anvil_metadata'));
      await fork.failure('anvil_reset', { forking: { jsonRpcUrl: 'http://127.0.0.1:9', blockNumber: 0 } });

      await reset(fork, second.url, 0);

      expect(pick(await fork.rpc('anvil_metadata'), 'instanceId')).not.toBe(instanceId);
      expect(await balance()).toBe(quantity(2n * ETHER));
      await reset(fork, undefined, 0);
      expect(await balance()).toBe(quantity(2n * ETHER));
    });

  ported(
    'fork::test_fork_reset_after_set_rpc_url_does_not_reuse_old_cache',
    'reads the URL of anvil_setRpcUrl',
    async () => {
      const [first, second] = [
        await openNode({ timestamp: 1_000_000 }),
        await openNode({ timestamp: 1_000_000 }),
      ];
      const fork = await openFork(first);
      await second.rpc('anvil_setBalance', HOLDER, '0x2a');
      await second.mine();
      await fork.rpc('anvil_setRpcUrl', second.url);

      await fork.rpc('anvil_reset', { forking: {} });

      expect(await fork.rpc('eth_getBalance', HOLDER, 'latest')).toBe('0x2a');
    },
  );

  ported(
    'fork::test_fork_reset_invalidates_cache_for_same_url_anvil_identity_change',
    'reads a restarted upstream',
    async () => {
      const upstream = await openNode();
      await upstream.rpc('anvil_setBalance', HOLDER, '0x1');
      const fork = await openFork(upstream);
      expect(await fork.rpc('eth_getBalance', HOLDER, 'latest')).toBe('0x1');
      await upstream.rpc('anvil_reset');
      await upstream.rpc('anvil_setBalance', HOLDER, '0x2');

      await reset(fork, upstream.url, 0);

      expect(await fork.rpc('eth_getBalance', HOLDER, 'latest')).toBe('0x2');
    },
  );

  ported(
    'fork::test_failed_same_family_fork_reset_preserves_live_state',
    'changes nothing if it fails',
    async () => {
      const upstream = await openUpstream();
      const fork = await openFork(upstream);
      await fork.rpc('anvil_setBalance', HOLDER, '0x7b');
      await fork.rpc('anvil_setNonce', HOLDER, '0x11');
      await fork.mine();
      const state = async () => [
        await fork.block(),
        await fork.rpc('anvil_nodeInfo'),
        await fork.rpc('anvil_metadata'),
        await fork.rpc('eth_getBalance', HOLDER, 'latest'),
        await fork.rpc('eth_getTransactionCount', HOLDER, 'latest'),
      ];
      const before = await state();

      await fork.failure('anvil_reset', { forking: { jsonRpcUrl: upstream.url, blockNumber: 1_000_000 } });

      expect(await state()).toEqual(before);
      await fork.mine();
      expect(await fork.rpc('eth_blockNumber')).toBe('0x8');
    },
  );

  for (const name of [
    'test_fork_reset_to_new_url_updates_source_chain_id',
    'test_anvil_reset_updates_inferred_chain_id',
  ])
    ported(`fork::${name}`, `takes the chain id of the new chain: ${name}`, async () => {
      const fork = await openFork(await openNode({ chainId: 1 }));
      expect(await fork.rpc('anvil_metadata')).toMatchObject({ forkedNetwork: { chainId: 1 } });

      await reset(fork, (await openNode({ chainId: 56 })).url);

      expect(await fork.rpc('eth_chainId')).toBe('0x38');
      expect(await fork.rpc('anvil_metadata')).toMatchObject({ forkedNetwork: { chainId: 56 } });
      expect(await fork.mined({ to: randomAddress() })).toMatchObject({ status: '0x1' });
      await fork.rpc('anvil_reset');
      // The default chain id.
      expect(await fork.rpc('eth_chainId')).toBe('0x21');
      expect(await fork.mined({ to: randomAddress() })).toMatchObject({ status: '0x1' });
    });

  ported('fork::test_anvil_reset_with_url_updates_fork_urls', 'reports the new URL', async () => {
    const fork = await openFork(await openNode());
    const { url } = await openNode();

    await reset(fork, url);

    expect(String(pick(await fork.rpc('anvil_nodeInfo'), 'forkConfig.forkUrl')).replace(/\/$/, '')).toBe(url);
  });

  ported(
    'fork::test_anvil_reset_without_url_preserves_offline_fork_chain_id',
    'keeps the given chain id',
    async () => {
      const fork = await openFork(await openNode({ chainId: 1 }), { forkBlockNumber: 0, forkChainId: 1 });

      await reset(fork, undefined, 0);

      expect(await fork.rpc('anvil_metadata')).toMatchObject({ forkedNetwork: { chainId: 1 } });
    },
  );

  ported('fork::test_anvil_reset_replaces_offline_fork_chain_id', 'replaces the given chain id', async () => {
    const fork = await openFork(await openNode({ chainId: 1 }), { forkBlockNumber: 0, forkChainId: 1 });

    await reset(fork, (await openNode({ chainId: 11_155_111 })).url);

    expect(await fork.rpc('eth_chainId')).toBe(quantity(11_155_111));
  });

  ported(
    'fork::test_anvil_reset_rejects_self_reference_without_mutation',
    'rejects the own URL',
    async () => {
      const fork = await openFork(await openUpstream());
      const before = [await fork.rpc('anvil_metadata'), await fork.rpc('anvil_nodeInfo')];

      for (const jsonRpcUrl of [fork.url, fork.webSocketUrl])
        await fork.failure('anvil_reset', { forking: { jsonRpcUrl } });

      expect([await fork.rpc('anvil_metadata'), await fork.rpc('anvil_nodeInfo')]).toEqual(before);
    },
  );
});

describe('anvil_setRpcUrl', () => {
  const urlOf = async (fork: Node) =>
    String(pick(await fork.rpc('anvil_nodeInfo'), 'forkConfig.forkUrl')).replace(/\/$/, '');

  ported('fork::test_anvil_set_rpc_url_syncs_fork_config', 'sets the URL of later resets', async () => {
    const [first, second] = [
      await openNode({ timestamp: 1_700_000_000 }),
      await openNode({ timestamp: 1_700_000_000 }),
    ];
    const fork = await openFork(first);
    const { instanceId } = Object(await fork.rpc('anvil_metadata'));

    await fork.rpc('anvil_setRpcUrl', second.url);

    expect(await urlOf(fork)).toBe(second.url);
    expect(await fork.rpc('anvil_metadata')).toMatchObject({ instanceId });
    await fork.rpc('anvil_reset', { forking: {} });
    expect(await urlOf(fork)).toBe(second.url);
  });

  for (const [name, title] of [
    ['test_anvil_set_rpc_url_rejects_self_reference_without_mutation', 'rejects the own URL'],
    ['test_anvil_set_rpc_url_rejects_different_chain_atomically', 'rejects a chain of another id'],
    [
      'test_anvil_set_rpc_url_rejects_mismatched_pinned_block_atomically',
      'rejects a chain with another fork block',
    ],
  ] as const)
    ported(`fork::${name}`, title, async () => {
      const upstream = await openNode({ chainId: 1, timestamp: 1_700_000_000 });
      await upstream.mine();
      const fork = await openFork(upstream, { forkBlockNumber: 1 });
      const other = name.includes('self')
        ? fork
        : await openNode({ chainId: name.includes('chain') ? 5 : 1, timestamp: 1_700_000_001 });
      if (other !== fork) await other.mine();

      await fork.failure('anvil_setRpcUrl', other.url);

      expect(await urlOf(fork)).toBe(upstream.url);
      await fork.rpc('anvil_reset', { forking: {} });
      expect(await urlOf(fork)).toBe(upstream.url);
    });
});

describe('fork URLs', () => {
  decided(
    'fork::validates_every_fork_url_uses_the_same_supported_network',
    'after the first are not called until the first fails',
    async () => {
      const first = await openNode({ chainId: 1 });

      const fork = await openFork(first, { forkUrl: [first.url, 'http://127.0.0.1:9'] });

      expect(await fork.rpc('eth_chainId')).toBe('0x1');
    },
  );
});

describe('forkTransactionHash', () => {
  /** A chain with three transactions in block 1; the last one reverts. */
  async function openThree(options: Parameters<typeof openNode>[0] = {}) {
    const node = await openNode(options);
    await node.automine(false);
    const hashes = [
      await node.send({ to: randomAddress(), value: '0x1' }),
      await node.send({ to: randomAddress(), value: '0x2' }),
      await node.send({ data: '0x60006000fd', gas: quantity(100_000) }),
    ];
    await node.mine();
    return { ...node, hashes };
  }

  ported(
    'fork::test_fork_transaction_hash_replays_before_startup',
    'replays the block up to the transaction',
    async () => {
      const { hashes, ...upstream } = await openThree();
      const fork = await openFork(upstream, { forkTransactionHash: hashes[2], noMining: true });

      expect(await fork.rpc('eth_blockNumber')).toBe('0x1');
      expect(await fork.block(1)).toMatchObject({ transactions: hashes });
      expect(await fork.rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' });
      expect(await fork.rpc('eth_getTransactionCount', fork.alice, 'latest')).toBe('0x3');
      expect(await fork.rpc('eth_getTransactionReceipt', hashes[2])).toMatchObject({ status: '0x0' });
      const prefix = await openFork(upstream, { forkTransactionHash: hashes[1], noMining: true });
      expect(await prefix.block(1)).toMatchObject({ transactions: hashes.slice(0, 2) });
      expect(await prefix.rpc('eth_getTransactionByHash', hashes[2])).toBeNull();
      await fork.send({ to: randomAddress(), nonce: '0x3' });
      expect(await fork.rpc('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' });
      const mining = await openFork(upstream, { forkTransactionHash: hashes[2] });
      expect(await mining.block(1)).toMatchObject({ transactions: hashes });
    },
  );

  ported(
    'fork::test_fork_transaction_hash_replay_preserves_cancun_header_inputs',
    'keeps time and beacon root',
    async () => {
      const { hashes, ...upstream } = await openThree({ hardfork: 'cancun', timestamp: 1_700_000_000 });
      const source = await upstream.block(1);

      const fork = await openFork(upstream, {
        hardfork: 'cancun',
        forkTransactionHash: hashes[1],
        noMining: true,
      });

      const { timestamp, parentBeaconBlockRoot } = Object(source);
      expect(await fork.block(1)).toMatchObject({
        timestamp,
        parentBeaconBlockRoot,
        transactions: hashes.slice(0, 2),
      });
      await fork.mine();
      expect(count(await fork.block(2), 'timestamp')).toBeGreaterThanOrEqual(count(source, 'timestamp'));
    },
  );

  ported(
    'fork::test_fork_transaction_hash_replay_error_fails_startup',
    'fails the start if the replay fails',
    async () => {
      const { hashes, url } = await openThree();

      expect(await startFailure({ forkUrl: url, forkTransactionHash: hashes[0], gasLimit: 20_000 })).toMatch(
        /gas/,
      );
    },
  );
});

describe('an upstream that fails', () => {
  ported('fork::test_fork_retries_when_anvil_node_info_becomes_available', 'is asked again', async () => {
    const upstream = await openUpstream();
    let failures = 1;
    const server = createServer(async (request, response) => {
      const { json } = await import('node:stream/consumers');
      const body: unknown = await json(request);
      response.setHeader('content-type', 'application/json');
      if (failures-- > 0) response.writeHead(503).end();
      else if (Array.isArray(body)) {
        const all = await Promise.all(
          body.map(async (each) => ({
            ...(await answerAt(upstream.url, String(pick(each, 'method')), list(each, 'params'))),
            jsonrpc: '2.0',
            id: pick(each, 'id'),
          })),
        );
        response.end(JSON.stringify(all));
      } else
        response.end(
          JSON.stringify({
            ...(await answerAt(upstream.url, String(pick(body, 'method')), list(body, 'params'))),
            jsonrpc: '2.0',
            id: pick(body, 'id'),
          }),
        );
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    const fork = await openFork({ ...upstream, url });

    expect(await fork.rpc('eth_blockNumber')).toBe('0x6');
    expect(addressWord(HOLDER)).toMatch(/^0x0/);
  });
});
