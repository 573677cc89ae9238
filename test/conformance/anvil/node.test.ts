import { createServer } from 'node:net';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect } from 'vitest';
import { ported } from './ported.ts';
import {
  addressWord,
  BLOCK_PROBE,
  big,
  count,
  creationOf,
  list,
  openFork,
  openNode,
  pick,
  quantity,
  RECOVER,
  randomAddress,
  STORE,
  subscribe,
  text,
  wordAt,
} from './scene.ts';

const EMPTY_TRIE = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

describe('a node', () => {
  ported('anvil::dropping_handle_releases_http_listener', 'frees its port when it closes', async () => {
    const node = await openNode();
    const port = Number(new URL(node.url).port);

    await node.close();

    await new Promise<void>((resolve, reject) => {
      const server = createServer().once('error', reject);
      server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
    });
  });

  ported('anvil::test_can_change_mining_mode', 'mines by interval instead of automine', async () => {
    const node = await openNode();
    expect(await node.rpc('anvil_getAutomine')).toBe(true);
    expect(await node.rpc('anvil_getIntervalMining')).toBeNull();

    await node.rpc('anvil_setIntervalMining', 1_000);

    expect(await node.rpc('anvil_getAutomine')).toBe(false);
    expect(await node.rpc('anvil_getIntervalMining')).toBe(1_000);
    expect(await node.rpc('eth_blockNumber')).toBe('0x0');
    await node.rpc('anvil_setIntervalMining', 0);
    expect(await node.rpc('anvil_getAutomine')).toBe(false);
    expect(await node.rpc('anvil_getIntervalMining')).toBeNull();
  });

  ported('anvil::can_get_default_dev_keys', 'lists the accounts of the default mnemonic', async () => {
    const { accounts } = await openNode();

    expect(accounts).toHaveLength(10);
    expect(accounts[0]).toBe('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266');
  });

  ported('anvil::can_set_empty_code', 'accepts empty code', async () => {
    const { rpc } = await openNode();
    const address = randomAddress();

    await rpc('anvil_setCode', address, '0x');

    expect(await rpc('eth_getCode', address, 'latest')).toBe('0x');
  });

  ported('anvil::test_can_set_genesis_timestamp', 'starts at the given time', async () => {
    const { block } = await openNode({ timestamp: 1_000 });

    expect(count(await block(0), 'timestamp')).toBe(1_000);
  });

  ported('anvil::test_can_use_default_genesis_timestamp', 'starts now by default', async () => {
    const { block } = await openNode();

    expect(count(await block(0), 'timestamp')).toBeGreaterThan(1_600_000_000);
  });

  ported('anvil::test_can_handle_large_timestamp', 'accepts a time after the year 9999', async () => {
    const { rpc, mine, block } = await openNode();

    await rpc('evm_setNextBlockTimestamp', 317_071_597_274);
    await mine();

    expect(count(await block(), 'timestamp')).toBe(317_071_597_274);
  });

  ported('anvil::test_shanghai_fields', 'has withdrawals but no blob fields under shanghai', async () => {
    const { mine, block } = await openNode({ hardfork: 'shanghai' });
    await mine();

    const head = await block();

    expect(head).toMatchObject({ withdrawalsRoot: EMPTY_TRIE, withdrawals: [] });
    expect(head).not.toHaveProperty('blobGasUsed');
    expect(head).not.toHaveProperty('excessBlobGas');
  });

  ported('anvil::test_cancun_fields', 'has withdrawals and blob fields under cancun', async () => {
    const { mine, block } = await openNode({ hardfork: 'cancun' });
    await mine();

    expect(await block()).toMatchObject({
      withdrawalsRoot: EMPTY_TRIE,
      withdrawals: [],
      blobGasUsed: '0x0',
      excessBlobGas: '0x0',
    });
  });

  ported('anvil::test_can_use_default_genesis_block_number', 'starts with block 0', async () => {
    const { block } = await openNode();

    expect(await block(0)).toMatchObject({ number: '0x0' });
  });

  ported('anvil::test_anvil_recover_signature', 'recovers a faked signer in a call', async () => {
    const { rpc, call, deploy } = await openNode();
    const recover = await deploy(RECOVER);
    const signer = '0x1234567890123456789012345678901234567890';
    const half = '11'.repeat(32);

    await rpc('anvil_impersonateSignature', `0x${'11'.repeat(65)}`, signer);

    const hash = '22'.repeat(32);
    const output = await call({ to: recover, data: `0x${hash}${'11'.padStart(64, '0')}${half}${half}` });
    expect(wordAt(output)).toBe(BigInt(signer));
  });

  ported('anvil::test_fake_signature_transaction', 'recovers a faked signer in a transaction', async () => {
    const { rpc, deploy, mined } = await openNode();
    // Stores the recovered address in slot 0.
    const recover = await deploy('0x365f5f3760205f365f60015afa505f515f5500');
    const signer = '0x1234567890123456789012345678901234567890';
    const half = '11'.repeat(32);
    await rpc('anvil_impersonateSignature', `0x${'11'.repeat(65)}`, signer);

    await mined({ to: recover, data: `0x${'22'.repeat(32)}${'11'.padStart(64, '0')}${half}${half}` });

    expect(big(await rpc('eth_getStorageAt', recover, '0x0', 'latest'))).toBe(BigInt(signer));
  });
});

describe('general methods', () => {
  ported('api::can_get_block_number', 'return block 0 for a new chain', async () => {
    expect(await (await openNode()).rpc('eth_blockNumber')).toBe('0x0');
  });

  ported('api::can_dev_get_balance', 'return the genesis balance of each account', async () => {
    const { accounts, rpc } = await openNode();

    for (const account of accounts)
      expect(big(await rpc('eth_getBalance', account, 'latest'))).toBe(10_000n * 10n ** 18n);
  });

  ported('api::can_get_price', 'return a gas price', async () => {
    expect(big(await (await openNode()).rpc('eth_gasPrice'))).toBeGreaterThan(0n);
  });

  ported('api::can_get_base_fee', 'return the base fee of the next block', async () => {
    const { rpc } = await openNode({ hardfork: 'london' });
    expect(await rpc('eth_baseFee')).toBe(quantity(10n ** 9n));

    await rpc('anvil_setNextBlockBaseFeePerGas', quantity(1_234));

    expect(await rpc('eth_baseFee')).toBe(quantity(1_234));
  });

  ported('api::can_get_null_base_fee_before_london', 'return no base fee under berlin', async () => {
    const { rpc, block } = await openNode({ hardfork: 'berlin' });
    expect(await rpc('eth_baseFee')).toBeNull();

    await rpc('anvil_reset');

    expect(await rpc('eth_baseFee')).toBeNull();
    expect(pick(await block(0), 'baseFeePerGas')).toBeUndefined();
  });

  ported('api::can_get_accounts', 'return all accounts of the node', async () => {
    expect((await openNode({ accounts: 3 })).accounts).toHaveLength(3);
  });

  ported('api::can_get_client_version', 'return a version in the form of Anvil', async () => {
    expect(await (await openNode()).rpc('web3_clientVersion')).toMatch(/^anvil\/v\d/);
  });

  ported('api::can_get_chain_id', 'return the default chain id', async () => {
    expect(await (await openNode()).rpc('eth_chainId')).toBe('0x7a69');
  });

  ported('api::can_modify_chain_id', 'return the given chain id as network id too', async () => {
    const { rpc } = await openNode({ chainId: 777 });

    expect(await rpc('eth_chainId')).toBe('0x309');
    expect(await rpc('net_version')).toBe('777');
  });

  ported('api::can_get_block_by_number', 'return a block by number and by hash', async () => {
    const { mined, bob, block, rpc } = await openNode();
    await mined({ to: bob, value: '0x1' });

    const byNumber = await block(1, true);

    expect(list(byNumber, 'transactions')).toHaveLength(1);
    expect(await rpc('eth_getBlockByHash', text(byNumber, 'hash'), true)).toEqual(byNumber);
  });

  ported('api::can_get_header_by_number', 'return a header by number', async () => {
    const { mined, bob, block, rpc } = await openNode();
    await mined({ to: bob, value: '0x1' });
    const { hash, number, transactionsRoot } = (await block(1)) as Record<string, unknown>;

    expect(await rpc('eth_getHeaderByNumber', '0x1')).toMatchObject({ hash, number, transactionsRoot });
    expect(await rpc('eth_getHeaderByNumber', '0x2')).toBeNull();
  });

  ported('api::can_get_header_by_hash', 'return a header by hash', async () => {
    const { mined, bob, block, rpc } = await openNode();
    await mined({ to: bob, value: '0x1' });
    const { hash, number, transactionsRoot } = (await block(1)) as Record<string, unknown>;

    expect(await rpc('eth_getHeaderByHash', hash)).toMatchObject({ hash, number, transactionsRoot });
    expect(await rpc('eth_getHeaderByHash', `0x${'00'.repeat(32)}`)).toBeNull();
  });

  ported('api::can_get_pending_block', 'return the pending block with pending transactions', async () => {
    const { automine, block, send, bob, rpc } = await openNode();
    expect(await block('pending')).toMatchObject({ number: '0x1' });
    expect(await rpc('eth_blockNumber')).toBe('0x0');
    await automine(false);

    const hash = await send({ to: bob, value: '0x64' });

    expect(await rpc('eth_blockNumber')).toBe('0x0');
    expect(await block('pending')).toMatchObject({ number: '0x1', transactions: [hash] });
    expect(list(await block('pending', true), 'transactions')).toMatchObject([{ hash }]);
  });

  ported('api::can_mine_while_mining', 'run two requests for blocks one after the other', async () => {
    const { rpc, block } = await openNode();

    await Promise.all([rpc('anvil_mine', 100), rpc('anvil_mine', 100)]);

    expect(await block()).toMatchObject({ number: quantity(200) });
    expect(await block(200)).toMatchObject({ number: quantity(200) });
  });

  ported('api::can_debug_get_modified_accounts_by_number', 'return null for modified accounts', async () => {
    expect(await (await openNode()).rpc('debug_getModifiedAccountsByNumber', 0, 1)).toBeNull();
  });

  ported('api::can_debug_free_os_memory', 'accept a request to free memory', async () => {
    expect(await (await openNode()).rpc('debug_freeOSMemory')).toBeNull();
  });

  ported('wsapi::can_get_block_number_ws', 'return the block number over WebSocket', async () => {
    const { rpc } = await subscribe(await openNode(), 'newHeads');

    expect(await rpc('eth_blockNumber')).toBe('0x0');
  });

  ported('wsapi::can_dev_get_balance_ws', 'return balances over WebSocket', async () => {
    const node = await openNode();
    const { rpc } = await subscribe(node, 'newHeads');

    for (const account of node.accounts)
      expect(big(await rpc('eth_getBalance', account, 'latest'))).toBe(10_000n * 10n ** 18n);
  });

  ported(
    'state::executes_rpc_notification_without_response',
    'run a notification without a reply',
    async () => {
      const { url, rpc } = await openNode();
      const account = '0x0000000000000000000000000000000000000001';

      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', method: 'anvil_setBalance', params: [account, '0x2a'] }),
      });

      expect(response.status).toBe(204);
      expect(await response.text()).toBe('');
      expect(await rpc('eth_getBalance', account, 'latest')).toBe('0x2a');
    },
  );
});

describe('eth_fillTransaction', () => {
  ported('api::test_fill_transaction_fills_chain_id', 'fills the chain id', async () => {
    const { rpc, alice } = await openNode();

    const filled = await rpc('eth_fillTransaction', { from: alice, to: randomAddress(), gas: '0x5208' });

    expect(pick(filled, 'tx.chainId')).toBe('0x7a69');
  });

  ported('api::test_fill_transaction_fills_nonce', 'fills the next nonce', async () => {
    const { rpc, alice, bob, mined } = await openNode();
    await mined({ to: bob, value: '0x64' });

    const filled = await rpc('eth_fillTransaction', { from: alice, to: bob, value: '0x1', gas: '0x5208' });

    expect(pick(filled, 'tx.nonce')).toBe('0x1');
  });

  ported('api::test_fill_transaction_preserves_provided_fields', 'keeps the given fields', async () => {
    const { rpc, alice } = await openNode();
    const given = { from: alice, to: randomAddress(), value: '0x3e8', nonce: '0x64', gas: '0xc350' };

    expect(pick(await rpc('eth_fillTransaction', given), 'tx')).toMatchObject({
      nonce: '0x64',
      gas: '0xc350',
    });
  });

  ported('api::test_fill_transaction_fills_all_missing_fields', 'fills gas and fees of type 2', async () => {
    const { rpc, alice } = await openNode();

    const tx = pick(await rpc('eth_fillTransaction', { from: alice, to: randomAddress() }), 'tx');

    expect(tx).toMatchObject({ type: '0x2', maxPriorityFeePerGas: expect.stringMatching(/^0x/) });
    expect(big(tx, 'gas')).toBeGreaterThan(0n);
    expect(big(tx, 'maxFeePerGas')).toBeGreaterThan(0n);
  });

  ported(
    'api::test_fill_transaction_non_blob_tx_no_blob_fee',
    'fills no blob fee without blobs',
    async () => {
      const { rpc, alice } = await openNode();

      const tx = pick(
        await rpc('eth_fillTransaction', { from: alice, to: randomAddress(), type: '0x2' }),
        'tx',
      );

      expect(tx).not.toHaveProperty('maxFeePerBlobGas');
    },
  );

  ported('api::test_fill_transaction_reverts_on_gas_estimation_failure', 'returns the revert', async () => {
    const { failure, alice, deploy } = await openNode();
    const contract = await deploy('0x5f5ffd');

    expect((await failure('eth_fillTransaction', { from: alice, to: contract })).message).toContain(
      'execution reverted',
    );
  });
});

describe('eth_send…Sync', () => {
  const KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';

  function signed(fields: object = {}): Promise<string> {
    return privateKeyToAccount(KEY).signTransaction({
      type: 'eip1559',
      chainId: 31_337,
      nonce: 0,
      gas: 100_000n,
      maxFeePerGas: 3n * 10n ** 9n,
      maxPriorityFeePerGas: 10n ** 9n,
      to: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      data: '0x11112222',
      ...fields,
    });
  }

  ported('api::can_send_raw_tx_sync', 'returns the receipt of a raw transaction', async () => {
    const { rpc, alice, bob } = await openNode({ hardfork: 'prague' });

    expect(await rpc('eth_sendRawTransactionSync', await signed())).toMatchObject({ from: bob, to: alice });
  });

  ported('api::can_parse_raw_tx_sync_timeout', 'rejects empty data with any timeout', async () => {
    const { failure } = await openNode();

    for (const timeout of [[], [null], ['0x1'], [1]])
      expect((await failure('eth_sendRawTransactionSync', '0x', ...timeout)).message).toMatch(
        /empty transaction data/i,
      );
  });

  ported(
    'api::raw_tx_sync_timeout_returns_transaction_hash',
    'returns the hash after the timeout',
    async () => {
      const { failure, rpc } = await openNode({ noMining: true });

      const error = await failure('eth_sendRawTransactionSync', await signed(), 1);

      expect(error).toMatchObject({ code: 4, message: 'Transaction confirmation timeout' });
      expect(await rpc('eth_getTransactionByHash', error.data)).toMatchObject({ blockHash: null });
    },
  );

  ported('api::can_send_tx_sync', 'returns the receipt of a transaction', async () => {
    const { rpc, alice } = await openNode({ hardfork: 'prague' });

    const asked = { from: alice, nonce: '0x0', data: '0x66365f5f37365fa05f5260076019f3' };

    expect(await rpc('eth_sendTransactionSync', asked)).toMatchObject({ from: alice, status: '0x1' });
  });

  ported(
    'api::test_send_transaction_uses_valid_fallback_gas_on_osaka',
    'mines a failing transaction under the gas cap of osaka',
    async () => {
      const { rpc, alice, deploy } = await openNode({ txGasLimit: 'hardfork' });
      const contract = await deploy('0x5f5ffd');

      expect(await rpc('eth_sendTransactionSync', { from: alice, to: contract })).toMatchObject({
        status: '0x0',
      });
    },
  );
});

describe('calls', () => {
  ported('api::can_estimate_gas_with_undersized_max_fee_per_gas', 'estimate below the base fee', async () => {
    const { rpc, alice, deploy } = await openNode();
    const probe = await deploy(BLOCK_PROBE);

    const gas = await rpc('eth_estimateGas', { from: alice, to: probe, maxFeePerGas: '0x1' });

    expect(big(gas)).toBeGreaterThan(21_000n);
  });

  ported('api::can_call_with_undersized_max_fee_per_gas', 'run below the base fee', async () => {
    const { call, deploy } = await openNode();
    const probe = await deploy(BLOCK_PROBE);

    expect(wordAt(await call({ to: probe, maxFeePerGas: '0x1' }))).toBe(1n);
  });

  ported('api::can_call_on_pending_block', 'see the block that they ask for', async () => {
    const { rpc, automine, send, alice, call, accounts, block } = await openNode();
    await automine(false);
    await send({ data: creationOf(BLOCK_PROBE) });
    const probe = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
    expect(await rpc('eth_getCode', probe, 'latest')).toBe('0x');
    expect(wordAt(await call({ to: probe }, 'pending'))).toBe(1n);
    for (let index = 1; index < 10; index++) {
      await rpc('anvil_setCoinbase', accounts[index % accounts.length] ?? alice);
      await rpc('evm_setBlockGasLimit', quantity(30_000_000 + index));
      await rpc('anvil_mine', '0x1');
    }

    for (let number = 1; number < 10; number++) {
      const { timestamp, gasLimit, miner } = (await block(number)) as Record<string, string>;
      const output = await call({ to: probe }, quantity(number));
      expect(wordAt(output, 1)).toBe(BigInt(String(timestamp)));
      expect(wordAt(output, 2)).toBe(BigInt(String(gasLimit)));
      expect(wordAt(output, 3)).toBe(BigInt(String(miner)));
    }
  });

  ported('api::can_call_with_state_override', 'apply balance, state and stateDiff', async () => {
    const { call, alice, deploy, mined } = await openNode();
    const store = await deploy(STORE);
    await mined({ to: store, data: `0x${'00'.repeat(31)}07` });
    const slot = `0x${'00'.repeat(32)}`;
    const other = `0x${'00'.repeat(31)}01`;
    const balanceOf = { [store]: { code: '0x33315f5260205ff3' }, [alice]: { balance: '0x2a' } };

    expect(wordAt(await call({ to: store }, 'latest', balanceOf))).toBe(42n);
    expect(wordAt(await call({ to: store }, 'latest', {}))).toBe(7n);
    const diff = (kind: string, key: string) => ({ [store]: { [kind]: { [key]: addressWord(alice) } } });
    expect(wordAt(await call({ to: store }, 'latest', diff('stateDiff', slot)))).toBe(BigInt(alice));
    expect(wordAt(await call({ to: store }, 'latest', diff('stateDiff', other)))).toBe(7n);
    expect(wordAt(await call({ to: store }, 'latest', diff('state', slot)))).toBe(BigInt(alice));
    expect(wordAt(await call({ to: store }, 'latest', diff('state', other)))).toBe(0n);
  });

  ported('api::can_call_many', 'run bundles on each other, and return a list for each bundle', async () => {
    const { rpc, alice, deploy } = await openNode();
    const store = await deploy(STORE);
    const transactions = [
      { from: alice, to: store, data: `0x${'00'.repeat(31)}09` },
      { from: alice, to: store },
    ];

    const results = list(await rpc('eth_callMany', [{ transactions }, { transactions: [] }]));

    expect(results).toHaveLength(2);
    expect(results[1]).toEqual([]);
    expect(pick(results, '0.0.error')).toBeUndefined();
    expect(wordAt(text(results, '0.1.value'))).toBe(9n);
  });

  ported('api::call_many_progresses_block_context', 'run later bundles in later blocks', async () => {
    const { rpc } = await openNode();
    const probe = `0x${'42'.repeat(20)}`;
    await rpc('anvil_setCode', probe, BLOCK_PROBE);
    const transactions = [{ to: probe, gas: '0x186a0' }];

    const results = await rpc('eth_callMany', [
      { transactions, blockOverride: { number: '0x63', time: '0x4d2' } },
      { transactions: [] },
      { transactions },
    ]);

    const [first, third] = [text(results, '0.0.value'), text(results, '2.0.value')];
    expect([wordAt(first), wordAt(first, 1)]).toEqual([99n, 1_234n]);
    expect([wordAt(third), wordAt(third, 1)]).toEqual([101n, 1_236n]);
  });

  ported('api::can_get_execution_witness', 'return the witness of a block', async () => {
    const { rpc, alice, bob, deploy, mined, failure } = await openNode();
    const store = await deploy(STORE);
    const number = text(await mined({ to: store, data: `0x${'00'.repeat(31)}09` }), 'blockNumber');

    await failure('debug_executionWitness', '0x0');
    const witness = await rpc('debug_executionWitness', number);

    expect(list(witness, 'state').length).toBeGreaterThan(1);
    expect(list(witness, 'keys')).toContain(alice);
    expect(list(witness, 'codes').length).toBeGreaterThan(0);
    expect(list(witness, 'headers').length).toBeGreaterThan(0);
    await mined({ to: bob, value: '0x1' });
    expect(await rpc('debug_executionWitness', number)).toEqual(witness);
  });
});

describe('a fork of a chain of other rules', () => {
  ported(
    'anvil_api::fork_fee_rules_follow_exact_endpoint_hardfork',
    'has no base fee if the upstream has none',
    async () => {
      const upstream = await openNode({ hardfork: 'berlin' });

      const fork = await openFork(upstream, { forkBlockNumber: 0, hardfork: undefined });

      expect(await fork.rpc('eth_baseFee')).toBeNull();
    },
  );
});
