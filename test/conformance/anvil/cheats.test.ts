import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect } from 'vitest';
import { decided, ported } from './ported.ts';
import {
  addressWord,
  BLOCK_PROBE,
  big,
  count,
  creationOf,
  ETHER,
  HASH_PROBE,
  list,
  type Node,
  openFork,
  openNode,
  pick,
  quantity,
  randomAddress,
  STORE,
  subscribe,
  text,
  wordAt,
} from './scene.ts';

const RANDAO = `0x${'1234567890abcdef'.repeat(4)}`;
const WITHDRAWALS = '0x00000961ef480eb55e80d19ad83579a64c007002';
const DEPOSITS = '0x00000000219ab540356cbb839cbe05303d7705fa';
const REVERT = '0x5f5ffd';

describe('cheat methods', () => {
  ported('anvil_api::can_set_gas_price', 'set the gas price under berlin', async () => {
    const { rpc } = await openNode({ hardfork: 'berlin' });

    await rpc('anvil_setMinGasPrice', quantity(1_337));

    expect(await rpc('eth_gasPrice')).toBe(quantity(1_337));
  });

  ported('anvil_api::can_set_block_gas_limit', 'set the gas limit of blocks', async () => {
    const { rpc, mine, block } = await openNode({ hardfork: 'berlin' });

    expect(await rpc('evm_setBlockGasLimit', quantity(1_337))).toBe(true);

    await mine();
    expect(await block()).toMatchObject({ gasLimit: quantity(1_337) });
  });

  ported('anvil_api::can_set_storage', 'set a slot by the name of Hardhat', async () => {
    const { rpc } = await openNode();
    const contract = randomAddress();
    const slot = `0xa6${'ee'.repeat(31)}`;

    await rpc('hardhat_setStorageAt', contract, slot, `0x${'3039'.padStart(64, '0')}`);

    expect(count(await rpc('eth_getStorageAt', contract, slot, 'latest'))).toBe(12_345);
  });

  ported('anvil_api::can_impersonate_account', 'send from an impersonated account', async () => {
    const { rpc, failure, mined } = await openNode();
    const [from, to] = [randomAddress(), randomAddress()];
    const fields = { from, to, value: '0x539' };
    await rpc('anvil_setBalance', from, quantity(ETHER));
    await failure('eth_sendTransaction', fields);

    await rpc('anvil_impersonateAccount', from);

    expect(await rpc('eth_accounts')).toContain(from);
    expect(await mined(fields)).toMatchObject({ from });
    expect(await rpc('eth_getTransactionCount', from, 'latest')).toBe('0x1');
    expect(await rpc('eth_getBalance', to, 'latest')).toBe('0x539');
    await rpc('anvil_stopImpersonatingAccount', from);
    await failure('eth_sendTransaction', fields);
  });

  ported('anvil_api::can_auto_impersonate_account', 'send from any account', async () => {
    const { rpc, failure, mined } = await openNode();
    const [from, to] = [randomAddress(), randomAddress()];
    const fields = { from, to, value: '0x539' };
    await rpc('anvil_setBalance', from, quantity(ETHER));
    await failure('eth_sendTransaction', fields);

    await rpc('anvil_autoImpersonateAccount', true);

    expect(await mined(fields)).toMatchObject({ from });
    await rpc('anvil_autoImpersonateAccount', false);
    await failure('eth_sendTransaction', fields);
    await rpc('anvil_impersonateAccount', from);
    expect(await rpc('eth_accounts')).toContain(from);
  });

  ported('anvil_api::can_impersonate_contract', 'send from a contract, which keeps its code', async () => {
    const { rpc, failure, mined, deploy, call } = await openNode();
    const from = await deploy(STORE);
    const fields = { from, to: randomAddress(), value: '0x539' };
    await rpc('anvil_setBalance', from, quantity(ETHER));
    await failure('eth_sendTransaction', fields);

    await rpc('anvil_impersonateAccount', from);

    expect(await mined(fields)).toMatchObject({ from, status: '0x1' });
    await rpc('anvil_stopImpersonatingAccount', from);
    await failure('eth_sendTransaction', fields);
    expect(wordAt(await call({ to: from }))).toBe(0n);
  });

  ported('anvil_api::can_impersonate_gnosis_safe', 'keep the code of a contract of the fork', async () => {
    const upstream = await openNode();
    const safe = await upstream.deploy(STORE);
    const { rpc } = await openFork(upstream);

    await rpc('anvil_impersonateAccount', safe);
    expect(await rpc('eth_getCode', safe, 'latest')).toBe(STORE);
    await rpc('anvil_setBalance', safe, quantity(ETHER));
    expect(await rpc('eth_getBalance', safe, 'latest')).toBe(quantity(ETHER));
    await rpc('anvil_stopImpersonatingAccount', safe);

    expect(await rpc('eth_getCode', safe, 'latest')).toBe(STORE);
  });

  ported('anvil_api::can_impersonate_multiple_accounts', 'send from two impersonated accounts', async () => {
    const { rpc, mined } = await openNode();
    for (const from of [randomAddress(), randomAddress()]) {
      await rpc('anvil_setBalance', from, quantity(ETHER));
      await rpc('anvil_impersonateAccount', from);

      const receipt = await mined({ from, to: randomAddress(), value: '0x539' });

      expect(receipt).toMatchObject({ from });
      expect(await rpc('eth_getTransactionCount', from, 'latest')).toBe('0x1');
      expect(await rpc('eth_getTransactionReceipt', text(receipt, 'transactionHash'))).toEqual(receipt);
    }
  });

  ported('anvil_api::can_mine_manually', 'mine one block per request', async () => {
    const { rpc, mine } = await openNode();

    for (let number = 1; number <= 10; number++) {
      await mine();
      expect(await rpc('eth_blockNumber')).toBe(quantity(number));
    }
  });

  ported(
    'anvil_api::get_last_block_wall_time_updates_after_mining',
    'return the wall time of the newest block, not its timestamp',
    async () => {
      const before = Date.now();
      const { rpc, mine } = await openNode();
      const first = count(await rpc('anvil_getLastBlockWallTime'));
      expect(first).toBeGreaterThanOrEqual(before);
      expect(first).toBeLessThanOrEqual(Date.now());

      await rpc('evm_setTime', Math.floor(Date.now() / 1_000) + 60);

      expect(await rpc('anvil_getLastBlockWallTime')).toBe(first);
      const start = Date.now();
      await mine();
      expect(count(await rpc('anvil_getLastBlockWallTime'))).toBeGreaterThanOrEqual(start);
      expect(count(await rpc('anvil_getLastBlockWallTime'))).toBeLessThanOrEqual(Date.now());
    },
  );

  ported('anvil_api::can_get_node_info', 'describe the node', async () => {
    const { rpc, block } = await openNode();

    expect(await rpc('anvil_nodeInfo')).toEqual({
      currentBlockNumber: '0x0',
      currentBlockTimestamp: count(await block(), 'timestamp'),
      currentBlockHash: text(await block(), 'hash'),
      hardFork: 'Osaka',
      transactionOrder: 'fees',
      environment: {
        baseFee: quantity(10n ** 9n),
        chainId: 31_337,
        gasLimit: quantity(30_000_000),
        gasPrice: quantity(2n * 10n ** 9n),
      },
      forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
      network: 'ethereum',
    });
  });

  ported('anvil_api::can_get_metadata', 'describe the chain', async () => {
    const { rpc, block } = await openNode();

    expect(await rpc('anvil_metadata')).toMatchObject({
      latestBlockHash: text(await block(), 'hash'),
      latestBlockNumber: 0,
      chainId: 31_337,
      clientVersion: await rpc('web3_clientVersion'),
      clientSemver: expect.any(String),
      clientCommitSha: expect.any(String),
      instanceId: expect.stringMatching(/^0x[\da-f]{64}$/),
      forkedNetwork: null,
      snapshots: {},
    });
  });

  ported('anvil_api::can_get_metadata_on_fork', 'describe the fork', async () => {
    const upstream = await openNode({ chainId: 56 });
    await upstream.mine();
    const fork = await openFork(upstream);

    expect(await fork.rpc('anvil_metadata')).toMatchObject({
      latestBlockHash: text(await upstream.block(), 'hash'),
      latestBlockNumber: 1,
      chainId: 56,
      forkedNetwork: { chainId: 56, forkBlockNumber: 1, forkBlockHash: text(await upstream.block(), 'hash') },
    });
  });

  ported('anvil_api::metadata_changes_on_reset', 'change the instance id at a reset', async () => {
    const fork = await openFork(await openNode());
    const before = text(await fork.rpc('anvil_metadata'), 'instanceId');

    await fork.rpc('anvil_reset', { forking: {} });

    expect(text(await fork.rpc('anvil_metadata'), 'instanceId')).not.toBe(before);
  });

  ported('anvil_api::test_get_transaction_receipt', 'keep the gas price of a receipt', async () => {
    const { rpc, mined, block, mine } = await openNode();
    await rpc('anvil_setNextBlockBaseFeePerGas', quantity(1_000));

    const receipt = await mined({ to: randomAddress(), value: '0x539' });

    expect(await block()).toMatchObject({ baseFeePerGas: quantity(1_000) });
    await mine();
    expect(await rpc('eth_getTransactionReceipt', text(receipt, 'transactionHash'))).toEqual(receipt);
  });

  ported('anvil_api::test_set_chain_id', 'set the chain id of new transactions', async () => {
    const { rpc, mined } = await openNode();

    await rpc('anvil_setChainId', 1_234);

    expect(await rpc('eth_chainId')).toBe(quantity(1_234));
    expect(await mined({ to: randomAddress(), value: '0x1' })).toMatchObject({ status: '0x1' });
  });

  ported('anvil_api::can_remove_pool_transactions', 'remove the transactions of a sender', async () => {
    const { rpc, alice, send } = await openNode({ blockTime: 1_000 });
    await send({ to: randomAddress(), value: '0x539' });
    expect(Object.keys(Object(pick(await rpc('txpool_inspect'), 'pending')))).toHaveLength(1);

    await rpc('anvil_removePoolTransactions', alice);

    expect(pick(await rpc('txpool_inspect'), 'pending')).toEqual({});
  });

  ported('anvil_api::test_arb_get_block', 'mine with the chain id of Arbitrum', async () => {
    const { mine, rpc, block } = await openNode({ chainId: 421_611 });
    await mine();
    await mine();

    expect(await rpc('eth_blockNumber')).toBe('0x2');
    expect(await block(1)).toMatchObject({ number: '0x1' });
  });
});

describe('the clock', () => {
  const now = (): number => Math.floor(Date.now() / 1_000);
  const timeOf = async (node: Node): Promise<number> => count(await node.block(), 'timestamp');

  ported('anvil_api::test_set_next_timestamp', 'sets the time of the next block', async () => {
    const node = await openNode();
    const next = now() + 60;

    await node.rpc('evm_setNextBlockTimestamp', next);
    await node.mine();

    expect(await timeOf(node)).toBe(next);
    await node.mine();
    expect(await timeOf(node)).toBeGreaterThanOrEqual(next);
  });

  ported('anvil_api::test_evm_set_time', 'moves forward', async () => {
    const node = await openNode();
    const time = now() + 120;

    await node.rpc('evm_setTime', time);
    await node.mine();

    expect(await timeOf(node)).toBeGreaterThanOrEqual(time);
  });

  decided('anvil_api::test_evm_set_time_in_past', 'never moves back below the newest block', async () => {
    const node = await openNode();
    const head = await timeOf(node);

    await node.rpc('evm_setTime', now() - 120);
    await node.mine();

    expect(await timeOf(node)).toBe(head + 1);
  });

  ported('anvil_api::test_timestamp_interval', 'keeps an interval between blocks', async () => {
    const node = await openNode();
    await node.mine();
    await node.rpc('anvil_setBlockTimestampInterval', 10);
    for (let round = 0; round < 3; round++) {
      const before = await timeOf(node);
      await node.mine();
      expect(await timeOf(node)).toBe(before + 10);
    }
    const next = (await timeOf(node)) + 50;
    await node.rpc('evm_setNextBlockTimestamp', next);
    await node.mine();
    expect(await timeOf(node)).toBe(next);
    await node.mine();
    expect(await timeOf(node)).toBe(next + 10);

    expect(await node.rpc('anvil_removeBlockTimestampInterval')).toBe(true);

    await node.mine();
    expect(await timeOf(node)).toBeGreaterThan(next + 10);
    await node.mine();
    expect((await timeOf(node)) - next).toBeLessThan(10 + 10);
  });

  ported('anvil_api::test_fork_revert_next_block_timestamp', 'continues after a revert', async () => {
    const fork = await openFork(await openNode());
    await fork.mine();
    const before = await fork.block();
    const snapshot = await fork.rpc('evm_snapshot');
    await fork.mine();

    await fork.rpc('evm_revert', snapshot);

    expect(await fork.block()).toEqual(before);
    await fork.mine();
    expect(await timeOf(fork)).toBeGreaterThanOrEqual(count(before, 'timestamp'));
  });

  ported('anvil_api::test_mine_blk_with_prev_timestamp', 'accepts the time of the newest block', async () => {
    const node = await openNode();
    const first = await timeOf(node);

    await node.rpc('evm_setNextBlockTimestamp', first);
    await node.mine();

    expect(await node.block()).toMatchObject({ number: '0x1', timestamp: quantity(first) });
    await node.rpc('evm_increaseTime', 1);
    await node.mine();
    expect(await timeOf(node)).toBeGreaterThan(first);
  });

  ported('anvil_api::test_increase_time_by_zero', 'can stand still', async () => {
    const node = await openNode();
    const first = await timeOf(node);

    await node.rpc('anvil_setNextBlockTimestamp', quantity(first));
    await node.mine();

    expect(await timeOf(node)).toBe(first);
  });

  ported('anvil_api::evm_mine_blk_with_same_timestamp', 'stands still for evm_mine', async () => {
    const node = await openNode();
    const first = await timeOf(node);

    await node.rpc('evm_mine', first);

    expect(await node.block()).toMatchObject({ number: '0x1', timestamp: quantity(first) });
  });

  ported('anvil_api::test_mine_blk_with_same_timestamp', 'stands still for many blocks', async () => {
    const node = await openNode();
    const first = await timeOf(node);

    await node.rpc('anvil_mine', 4);

    const times = await Promise.all([1, 2, 3, 4].map(async (n) => count(await node.block(n), 'timestamp')));
    expect(new Set(times).size).toBe(1);
    expect(times[0]).toBeGreaterThanOrEqual(first);
  });

  ported(
    'anvil_api::test_mine_first_block_with_interval',
    'starts an interval at the newest block',
    async () => {
      const node = await openNode();
      const first = await timeOf(node);

      await node.rpc('anvil_mine', 2, 60);

      expect(count(await node.block(1), 'timestamp')).toBe(first + 60);
      expect(count(await node.block(2), 'timestamp')).toBe(first + 120);
    },
  );
});

describe('snapshots', () => {
  ported(
    'anvil_api::test_revert_invalidates_newer_snapshots',
    'end with the revert to an older one',
    async () => {
      const { rpc, mine, block } = await openNode();
      const before = await block();
      const first = await rpc('evm_snapshot');
      await mine();
      const second = await rpc('evm_snapshot');

      expect(await rpc('evm_revert', first)).toBe(true);

      expect(await rpc('evm_revert', second)).toBe(false);
      expect(await block()).toEqual(before);
    },
  );

  ported('anvil_api::test_revert_restores_next_block_base_fee', 'restore the next base fee', async () => {
    const { rpc, mine, block } = await openNode();
    const fee = await rpc('eth_baseFee');
    const snapshot = await rpc('evm_snapshot');
    await mine();
    const mined = pick(await block(), 'baseFeePerGas');
    expect(await rpc('eth_baseFee')).not.toBe(fee);

    await rpc('evm_revert', snapshot);

    expect(await rpc('eth_baseFee')).toBe(fee);
    await mine();
    expect(await block()).toMatchObject({ baseFeePerGas: mined });
  });

  ported('anvil_api::test_set_next_block_prevrandao', 'set PREVRANDAO once', async () => {
    const { rpc, mine, block } = await openNode();

    await rpc('anvil_setNextBlockPrevRandao', RANDAO);

    await mine();
    expect(await block()).toMatchObject({ mixHash: RANDAO });
    await mine();
    expect(await block()).not.toMatchObject({ mixHash: RANDAO });
  });

  ported('anvil_api::test_set_next_block_prevrandao_evm', 'set PREVRANDAO for contracts', async () => {
    const { rpc, mine, call, deploy } = await openNode();
    const probe = await deploy(BLOCK_PROBE);

    await rpc('anvil_setNextBlockPrevRandao', RANDAO);
    await mine();

    expect(wordAt(await call({ to: probe }), 4)).toBe(BigInt(RANDAO));
  });

  ported(
    'anvil_api::test_set_next_block_prevrandao_cleared_on_reset',
    'drop PREVRANDAO at a reset',
    async () => {
      const { rpc, mine, block } = await openNode();
      await rpc('anvil_setNextBlockPrevRandao', RANDAO);

      await rpc('anvil_reset');

      await mine();
      expect(await block()).not.toMatchObject({ mixHash: RANDAO });
    },
  );

  ported(
    'anvil_api::test_set_next_block_prevrandao_cleared_on_revert',
    'drop PREVRANDAO at a revert',
    async () => {
      const { rpc, mine, block } = await openNode();
      const snapshot = await rpc('evm_snapshot');
      await rpc('anvil_setNextBlockPrevRandao', RANDAO);

      await rpc('evm_revert', snapshot);

      await mine();
      expect(await block()).not.toMatchObject({ mixHash: RANDAO });
    },
  );

  ported(
    'anvil_api::test_fork_revert_call_latest_block_timestamp',
    'restore the block of calls',
    async () => {
      const fork = await openFork(await openNode());
      const probe = await fork.deploy(BLOCK_PROBE);
      await fork.mine();
      const { timestamp, gasLimit, miner } = (await fork.block()) as Record<string, string>;
      const snapshot = await fork.rpc('evm_snapshot');
      await fork.mine();

      await fork.rpc('evm_revert', snapshot);

      const output = await fork.call({ to: probe });
      expect([1, 2, 3].map((index) => wordAt(output, index))).toEqual(
        [timestamp, gasLimit, miner].map((value) => BigInt(String(value))),
      );
    },
  );
});

describe('a failing block', () => {
  for (const [name, address, code, expected] of [
    ['reverting_prague_transition_rolls_back_mining', WITHDRAWALS, REVERT, /execution reverted/],
    [
      'malformed_deposit_request_rolls_back_mining',
      DEPOSITS,
      '0x60015f557f649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c55f5fa100',
      /deposit|decode/,
    ],
  ] as const)
    ported(`anvil_api::${name}`, `changes nothing: ${name}`, async () => {
      const { rpc, automine, alice, send, block, failure, mine } = await openNode({
        hardfork: 'prague',
        blockBaseFeePerGas: 0,
      });
      const contract = address === DEPOSITS ? DEPOSITS : '0x1000000000000000000000000000000000000000';
      await automine(false);
      await rpc('anvil_setCode', contract, '0x60015f5500');
      await rpc('anvil_setCode', address, code);
      const before = await block();
      const balance = await rpc('eth_getBalance', alice, 'latest');
      await send({ to: contract, gasPrice: '0x0', gas: '0x186a0' });

      expect((await failure('evm_mine')).message).toMatch(expected);

      expect(await block()).toEqual(before);
      expect(await rpc('eth_getBalance', alice, 'latest')).toBe(balance);
      expect(await rpc('eth_getTransactionCount', alice, 'latest')).toBe('0x0');
      expect(count(await rpc('eth_getStorageAt', contract, '0x0', 'latest'))).toBe(0);
      expect(await rpc('txpool_status')).toMatchObject({ pending: '0x1' });
      await rpc('anvil_setCode', address, address === DEPOSITS ? '0x60015f5500' : '0x');
      await mine();
      expect(count(await rpc('eth_getStorageAt', contract, '0x0', 'latest'))).toBe(1);
    });

  ported(
    'anvil_api::manual_mining_rpcs_preserve_controls_on_failure',
    'keeps next-block settings',
    async () => {
      for (const [method, params] of [
        ['anvil_mine', ['0x1']],
        ['evm_mine', [{ blocks: 1 }]],
        ['evm_mine_detailed', [{ blocks: 1 }]],
      ] as const) {
        const { rpc, block, failure, mine } = await openNode({ hardfork: 'prague', blockBaseFeePerGas: 0 });
        await rpc('anvil_setCode', WITHDRAWALS, REVERT);
        const next = count(await block(), 'timestamp') + 100;
        await rpc('evm_setNextBlockTimestamp', next);
        await rpc('anvil_setNextBlockPrevRandao', RANDAO);

        expect((await failure(method, ...params)).message).toContain('execution reverted');

        expect(await rpc('eth_blockNumber')).toBe('0x0');
        await rpc('anvil_setCode', WITHDRAWALS, '0x');
        await mine();
        expect(await block()).toMatchObject({ timestamp: quantity(next), mixHash: RANDAO });
        await rpc('evm_increaseTime', 1);
        await mine();
        expect(count(await block(), 'timestamp')).toBeGreaterThan(next);
        expect(await block()).not.toMatchObject({ mixHash: RANDAO });
      }
    },
  );

  ported('anvil_api::failed_anvil_mine_preserves_interval_adjustment', 'keeps the interval', async () => {
    const { rpc, block, failure, mine } = await openNode({ hardfork: 'prague', blockBaseFeePerGas: 0 });
    await rpc('anvil_setCode', WITHDRAWALS, REVERT);
    const start = count(await block(), 'timestamp');
    await rpc('anvil_setBlockTimestampInterval', 17);
    await failure('anvil_mine', 2, 60);
    await rpc('anvil_setCode', WITHDRAWALS, '0x');

    await mine();

    expect(count(await block(), 'timestamp')).toBe(start + 17);
    expect(await rpc('anvil_removeBlockTimestampInterval')).toBe(true);
  });

  ported(
    'anvil_api::instant_mining_reselects_from_live_pool_after_failure',
    'leaves the pool usable',
    async () => {
      for (const drops of [false, true]) {
        const { rpc, accounts, url } = await openNode({ hardfork: 'prague', blockBaseFeePerGas: 0 });
        const [first, second, third] = accounts;
        await rpc('anvil_setCode', WITHDRAWALS, REVERT);
        const { answerAt } = await import('../../support/json-rpc.ts');
        const answer = await answerAt(url, 'eth_sendTransaction', [
          { from: first, to: second, value: '0x1' },
        ]);
        const pending = list(await rpc('eth_pendingTransactions'));
        const hash = String(answer.result ?? text(pending, '0.hash'));
        expect(await rpc('eth_blockNumber')).toBe('0x0');
        expect(await rpc('eth_getTransactionReceipt', hash)).toBeNull();
        if (drops) expect(await rpc('anvil_dropTransaction', hash)).toBe(hash);
        await rpc('anvil_setCode', WITHDRAWALS, '0x');

        const next = await rpc('eth_sendTransaction', { from: second, to: third, value: '0x1' });

        expect(await rpc('eth_getTransactionReceipt', next)).not.toBeNull();
        expect((await rpc('eth_getTransactionReceipt', hash)) === null).toBe(drops);
      }
    },
  );
});

describe('timed mining', () => {
  ported(
    'anvil_api::fixed_and_mixed_mining_failures_remain_bounded',
    'recovers after failed blocks',
    async () => {
      for (const sends of [false, true]) {
        const node = await openNode({ hardfork: 'prague', blockBaseFeePerGas: 0, noMining: true });
        const heads = await subscribe(node, 'newHeads');
        await node.rpc('anvil_setCode', WITHDRAWALS, REVERT);
        await node.rpc('evm_setIntervalMining', [1, 2]);
        if (sends) await node.send({ to: node.bob });
        for (let round = 0; round < 20; round++) expect(await node.rpc('eth_blockNumber')).toBe('0x0');

        await node.rpc('anvil_setCode', WITHDRAWALS, '0x');

        expect(await heads.next()).toMatchObject({ number: '0x1' });
        await node.rpc('evm_setIntervalMining', 0);
      }
    },
  );
});

describe('anvil_reorg and anvil_rollback', () => {
  const KEY = '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba';

  ported('anvil_api::flaky_test_reorg', 'replace blocks, and keep older ones', async () => {
    const { rpc, automine, accounts, send, mine, block, deploy, call, mined, failure } = await openNode();
    const [one = '', two = '', three = ''] = accounts;
    await automine(false);
    for (let index = 0; index < 10; index++) {
      await send({ from: two, to: one, value: quantity(index) });
      await send({ from: three, to: two, value: quantity(index) });
      await mine();
    }
    await automine(true);
    const pairs = [0, 1, 2].flatMap((group) =>
      [0, 1, 2, 3, 4].map((value) => [
        { from: accounts[group], to: accounts[group + 1], value: quantity(value) },
        group,
      ]),
    );

    await rpc('anvil_reorg', 7, pairs);

    expect(await rpc('eth_blockNumber')).toBe(quantity(10));
    for (const number of [4, 5, 6]) expect(list(await block(number), 'transactions')).toHaveLength(5);
    for (const number of [0, 1, 2, 3]) expect(await block(number)).not.toBeNull();

    const contract = await deploy(STORE);
    await rpc('anvil_reorg', 5, []);
    expect(await rpc('eth_getCode', contract, 'latest')).toBe('0x');

    const store = await deploy(STORE);
    await rpc('evm_mine', { blocks: 5 });
    await mined({ to: store, data: addressWord(one) });
    await rpc('anvil_reorg', 3, []);
    expect(wordAt(await call({ to: store }))).toBe(0n);

    const sixth = privateKeyToAccount(KEY);
    const raw = await sixth.signTransaction({
      type: 'eip1559',
      chainId: 31_337,
      nonce: 0,
      to: two as `0x${string}`,
      value: 100n,
      gas: 21_000n,
      maxFeePerGas: 10n ** 13n,
      maxPriorityFeePerGas: 10n ** 12n,
    });
    await mine();
    await rpc('anvil_reorg', 1, [[raw, 0]]);
    expect(big(await rpc('eth_getBalance', sixth.address, 'latest'))).toBeLessThan(10_000n * ETHER);
    await failure('anvil_reorg', 100, []);
    await failure('anvil_reorg', 1, [[{}, 10]]);
  });

  ported(
    'anvil_api::test_reorg_blockhash_opcode_consistency',
    'change BLOCKHASH with the blocks',
    async () => {
      const { rpc, alice, deploy, block, call, mine } = await openNode();
      const probe = await deploy(HASH_PROBE);
      await rpc('evm_mine', { blocks: 200 });
      const tip = count(await rpc('eth_blockNumber'));
      const hashes = async (): Promise<string[]> => {
        const found: string[] = [];
        for (let number = tip - 10; number < tip; number++) {
          const hash = text(await block(number), 'hash');
          expect(await call({ to: probe, data: `0x${number.toString(16).padStart(64, '0')}` })).toBe(hash);
          found.push(hash);
        }
        return found;
      };
      const before = await hashes();

      await rpc('anvil_reorg', 5, [[{ from: alice }, 0]]);
      await mine();

      const after = await hashes();
      expect(after.slice(0, 6)).toEqual(before.slice(0, 6));
      expect(after[6]).not.toBe(before[6]);
    },
  );

  ported('anvil_api::test_reorg_deep_blockhash_consistency', 'keep BLOCKHASH in its window', async () => {
    const { rpc, alice, deploy, block, call, mine } = await openNode();
    const probe = await deploy(HASH_PROBE);
    await rpc('evm_mine', { blocks: 300 });
    const tip = count(await rpc('eth_blockNumber'));
    const hashAt = (number: number) =>
      call({ to: probe, data: `0x${number.toString(16).padStart(64, '0')}` });
    const before = text(await block(tip - 100), 'hash');
    expect(await hashAt(tip - 100)).toBe(before);

    await rpc('anvil_reorg', 50, [[{ from: alice }, 0]]);
    await mine();

    expect(await hashAt(tip - 100)).toBe(before);
    expect(wordAt(await hashAt(tip + 1 - 257))).toBe(0n);
  });

  ported('anvil_api::test_rollback', 'remove the newest blocks', async () => {
    const { rpc, block } = await openNode();
    await rpc('anvil_mine', 5);
    const [one, four] = [await block(1), await block(4)];

    await rpc('anvil_rollback');
    expect(await block()).toEqual(four);
    await rpc('anvil_rollback', 3);

    expect(await block()).toEqual(one);
  });
});

describe('anvil_reset', () => {
  ported('anvil_api::test_anvil_reset_non_fork', 'returns to the genesis block', async () => {
    const { rpc, alice, mined, mine, block } = await openNode();
    const instance = text(await rpc('anvil_metadata'), 'instanceId');
    const balance = await rpc('eth_getBalance', alice, 'latest');
    const to = randomAddress();
    await rpc('anvil_mine', 5);
    await mined({ to, value: '0x539' });

    await rpc('anvil_reset');

    expect(text(await rpc('anvil_metadata'), 'instanceId')).not.toBe(instance);
    expect(await block()).toMatchObject({ number: '0x0' });
    expect(await rpc('eth_getBalance', alice, 'latest')).toBe(balance);
    expect(await rpc('eth_getBalance', to, 'latest')).toBe('0x0');
    await mine();
    expect(await block()).toMatchObject({ number: '0x1' });
  });

  ported('anvil_api::test_anvil_reset_fork_to_non_fork', 'ends a fork', async () => {
    const upstream = await openNode();
    await upstream.rpc('anvil_mine', 7);
    const fork = await openFork(upstream);
    expect(await fork.rpc('anvil_metadata')).toMatchObject({ forkedNetwork: { forkBlockNumber: 7 } });
    await fork.rpc('anvil_mine', 3);

    await fork.rpc('anvil_reset');

    expect(await fork.rpc('anvil_metadata')).toMatchObject({ forkedNetwork: null });
    expect(await fork.block()).toMatchObject({ number: '0x0' });
    await fork.mine();
    expect(await fork.block()).toMatchObject({ number: '0x1' });
  });

  ported(
    'anvil_api::test_can_set_storage_bsc_fork',
    'leaves room for a token balance on a fork',
    async () => {
      const upstream = await openNode();
      // Returns the slot of the word of the call data.
      const token = await upstream.deploy('0x5f35545f5260205ff3');
      const fork = await openFork(upstream);
      const slot = `0x${'ab'.repeat(32)}`;

      await fork.rpc('anvil_setStorageAt', token, slot, `0x${'3039'.padStart(64, '0')}`);

      expect(count(await fork.rpc('eth_getStorageAt', token, slot, 'latest'))).toBe(12_345);
      expect(wordAt(await fork.call({ to: token, data: slot }))).toBe(12_345n);
      expect(creationOf('0x00')).toMatch(/^0x/);
    },
  );
});
