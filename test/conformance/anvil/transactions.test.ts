import { keccak256 } from 'viem';
import { describe, expect } from 'vitest';
import { answerAt } from '../../support/json-rpc.ts';
import { decided, ported } from './ported.ts';
import {
  BLOCK_PROBE,
  big,
  count,
  creationOf,
  ETHER,
  list,
  type Node,
  openNode,
  pick,
  quantity,
  randomAddress,
  STORE,
  storeCreation,
  subscribe,
  text,
  wordAt,
} from './scene.ts';

const CAP = 2 ** 24;
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;

/** Hashes of the transactions of a block. */
async function hashesIn(node: Node, number: number): Promise<readonly unknown[]> {
  return list(await node.block(number), 'transactions');
}

describe('transactions', () => {
  ported('transaction::can_transfer_eth', 'transfer value', async () => {
    const { rpc, alice, bob, mined } = await openNode();
    const before = big(await rpc('eth_getBalance', bob, 'latest'));

    const receipt = await mined({ to: bob, value: quantity(5_000n * ETHER) });

    expect(receipt).toMatchObject({ blockNumber: '0x1', transactionIndex: '0x0' });
    expect(await rpc('eth_getTransactionCount', alice, 'latest')).toBe('0x1');
    expect(big(await rpc('eth_getBalance', bob, 'latest'))).toBe(before + 5_000n * ETHER);
  });

  ported(
    'transaction::can_get_pending_transactions',
    'are pending for all senders, unless queued',
    async () => {
      const { rpc, bob, send, automine } = await openNode();
      await automine(false);
      const first = await send({ to: bob, nonce: '0x0' });
      await send({ to: bob, nonce: '0x2' });
      const other = await send({ from: bob, to: bob, nonce: '0x0' });

      const hashes = list(await rpc('eth_pendingTransactions')).map((transaction) =>
        pick(transaction, 'hash'),
      );

      expect(new Set(hashes)).toEqual(new Set([first, other]));
    },
  );

  ported('transaction::can_order_transactions', 'are ordered by price', async () => {
    const node = await openNode();
    const price = big(await node.rpc('eth_gasPrice'));
    await node.automine(false);
    const lower = await node.send({ to: node.bob, gasPrice: quantity(price) });
    const higher = await node.send({ from: node.bob, to: node.alice, gasPrice: quantity(price + 1n) });

    await node.mine();

    expect(await hashesIn(node, 1)).toEqual([higher, lower]);
  });

  ported('transaction::can_respect_nonces', 'wait for an earlier nonce, and share its block', async () => {
    const node = await openNode();
    const second = await node.send({ to: node.bob, nonce: '0x1' });
    expect(await node.rpc('eth_getTransactionReceipt', second)).toBeNull();

    const first = await node.send({ to: node.bob, nonce: '0x0' });

    expect(await hashesIn(node, 1)).toEqual([first, second]);
  });

  ported('transaction::can_replace_transaction', 'are replaced by a higher price', async () => {
    const node = await openNode();
    const price = big(await node.rpc('eth_gasPrice'));
    await node.automine(false);
    await node.send({ to: node.bob, nonce: '0x0', gasPrice: quantity(price) });

    const higher = await node.send({ to: node.bob, nonce: '0x0', gasPrice: quantity(price + 1n) });

    await node.mine();
    expect(await hashesIn(node, 1)).toEqual([higher]);
  });

  ported('transaction::can_resend_transaction', 'are replaced by eth_resend', async () => {
    const node = await openNode();
    const price = big(await node.rpc('eth_gasPrice'));
    const fields = { from: node.alice, to: node.bob, nonce: '0x0', gasPrice: quantity(price) };
    await node.automine(false);
    const original = await node.send(fields);

    const hash = await node.rpc('eth_resend', fields, quantity(price + 1n), quantity(22_000));

    expect(hash).not.toBe(original);
    await node.mine();
    expect(await hashesIn(node, 1)).toEqual([hash]);
    expect(await node.rpc('eth_getTransactionByHash', hash)).toMatchObject({
      gas: quantity(22_000),
      gasPrice: quantity(price + 1n),
    });
  });

  ported('transaction::can_reject_invalid_resend_transaction', 'cannot be resent if unknown', async () => {
    const { rpc, failure, alice, bob, automine, send } = await openNode();
    const price = big(await rpc('eth_gasPrice'));
    const fields = { from: alice, to: bob, gasPrice: quantity(price) };
    await automine(false);

    expect((await failure('eth_resend', fields)).message).toContain('missing transaction nonce');
    expect((await failure('eth_resend', { ...fields, nonce: '0x0' })).message).toContain(
      'transaction not found',
    );
    await send({ ...fields, nonce: '0x0', gasPrice: quantity(price + 1n) });
    const cheaper = { ...fields, nonce: '0x0', gasPrice: quantity(price + 1n) };
    expect((await failure('eth_resend', cheaper, quantity(price))).message).toContain(
      'replacement transaction underpriced',
    );
  });

  ported(
    'transaction::can_reject_too_high_gas_limits',
    'may use all gas of a block, but no more',
    async () => {
      const { rpc, failure, mined, alice, bob } = await openNode();
      const fields = { from: alice, to: bob, value: quantity(ETHER) };
      expect(await mined({ ...fields, gas: quantity(30_000_000) })).toMatchObject({ status: '0x1' });

      const { message } = await failure('eth_sendTransaction', { ...fields, gas: quantity(30_000_001) });

      expect(message).toContain('gas too high');
      await rpc('anvil_setBalance', alice, `0x${'f'.repeat(64)}`);
      expect(await mined({ ...fields, gas: quantity(30_000_000) })).toMatchObject({ status: '0x1' });
    },
  );

  ported('transaction::can_reject_underpriced_replacement', 'are not replaced by a lower price', async () => {
    const node = await openNode();
    const price = big(await node.rpc('eth_gasPrice'));
    const fields = { from: node.alice, to: node.bob, nonce: '0x0' };
    await node.automine(false);
    const higher = await node.send({ ...fields, gasPrice: quantity(price + 1n) });

    const { message } = await node.failure('eth_sendTransaction', { ...fields, gasPrice: quantity(price) });

    expect(message).toContain('replacement transaction underpriced');
    await node.mine();
    expect(await hashesIn(node, 1)).toEqual([higher]);
  });

  ported('transaction::can_deploy_greeter_http', 'create contracts over HTTP', async () => {
    const { deploy, call } = await openNode();

    expect(wordAt(await call({ to: await deploy('0x602a5f5260205ff3') }))).toBe(42n);
  });

  ported('transaction::can_deploy_greeter_ws', 'create contracts over WebSocket', async () => {
    const node = await openNode();
    const { rpc } = await subscribe(node, 'newHeads');

    const hash = await rpc('eth_sendTransaction', {
      from: node.alice,
      data: creationOf('0x602a5f5260205ff3'),
    });

    const to = text(await rpc('eth_getTransactionReceipt', hash), 'contractAddress');
    expect(wordAt(String(await rpc('eth_call', { to }, 'latest')))).toBe(42n);
  });

  ported('transaction::can_deploy_and_mine_manually', 'are mined on request', async () => {
    const { rpc, mine, automine, send, call } = await openNode();
    await mine();
    await automine(false);
    await mine();
    const hash = await send({ data: storeCreation(7) });
    await mine();
    const to = text(await rpc('eth_getTransactionReceipt', hash), 'contractAddress');
    expect(wordAt(await call({ to }))).toBe(7n);

    await send({ to, data: word(8) });
    await mine();

    expect(wordAt(await call({ to }))).toBe(8n);
  });

  ported('transaction::can_mine_automatically', 'are mined when automine is switched on', async () => {
    const { rpc, automine, send } = await openNode();
    await automine(false);
    const hash = await send({ data: storeCreation(7) });

    await automine(true);

    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x1' });
  });

  ported('transaction::can_call_greeter_historic', 'leave earlier states readable', async () => {
    const { mined, mine, call } = await openNode();
    const to = text(await mined({ data: storeCreation(7) }), 'contractAddress');
    await mined({ to, data: word(8) });
    expect(wordAt(await call({ to }))).toBe(8n);

    await mine();

    expect(wordAt(await call({ to }, '0x1'))).toBe(7n);
  });

  ported('transaction::can_deploy_get_code', 'leave the code of a contract', async () => {
    const { rpc, deploy } = await openNode();

    expect(await rpc('eth_getCode', await deploy(STORE), 'latest')).toBe(STORE);
  });

  ported('transaction::get_blocktimestamp_works', 'see the time of the block', async () => {
    const { rpc, deploy, call, block } = await openNode();
    const probe = await deploy(BLOCK_PROBE);
    const timestamp = count(await block(), 'timestamp');
    for (let round = 0; round < 2; round++)
      expect(wordAt(await call({ to: probe }), 1)).toBe(BigInt(timestamp));

    await rpc('evm_setNextBlockTimestamp', timestamp + 1_337);

    for (let round = 0; round < 2; round++)
      expect(wordAt(await call({ to: probe }, 'pending'), 1)).toBe(BigInt(timestamp + 1_337));
  });

  ported('transaction::call_past_state', 'leave earlier states readable by number and hash', async () => {
    const { mined, block, call } = await openNode();
    const to = text(await mined({ data: storeCreation(7) }), 'contractAddress');
    await mined({ to, data: word(8) });

    expect(wordAt(await call({ to }))).toBe(8n);
    expect(wordAt(await call({ to }, '0x1'))).toBe(7n);
    expect(wordAt(await call({ to }, { blockHash: text(await block(1), 'hash') }))).toBe(7n);
  });

  for (const [name, fields] of [
    ['can_handle_multiple_concurrent_transfers_with_same_nonce', [{ value: '0x64', gas: quantity(21_000) }]],
    [
      'can_handle_multiple_concurrent_deploys_with_same_nonce',
      [{ data: storeCreation(7), gas: quantity(300_000) }],
    ],
    [
      'can_handle_multiple_concurrent_transactions_with_same_nonce',
      [
        { data: storeCreation(7), gas: quantity(300_000) },
        { to: randomAddress(), gas: quantity(300_000) },
      ],
    ],
  ] as const)
    ported(`transaction::${name}`, `succeed once for a nonce: ${name}`, async () => {
      const { url, alice, bob, rpc } = await openNode();

      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => {
          const each: object = fields[index % fields.length] ?? {};
          const to = 'data' in each ? {} : { to: bob };
          return answerAt(url, 'eth_sendTransaction', [{ from: alice, nonce: '0x0', ...to, ...each }]);
        }),
      );

      expect(answers.filter(({ error }) => error === undefined)).toHaveLength(1);
      expect(await rpc('eth_getTransactionCount', alice, 'latest')).toBe('0x1');
    });

  ported('transaction::can_get_pending_transaction', 'are found before and after mining', async () => {
    const { rpc, automine, send, mine } = await openNode();
    await automine(false);
    const hash = await send({ to: randomAddress(), value: '0x539' });
    expect(await rpc('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockHash: null });

    await mine();

    expect(await rpc('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockNumber: '0x1' });
  });

  ported('transaction::can_listen_full_pending_transaction', 'reach a subscription of objects', async () => {
    const node = await openNode();
    await node.automine(false);
    const pending = await subscribe(node, 'newPendingTransactions', true);

    const hash = await node.send({ to: randomAddress(), value: '0x539' });

    expect(await pending.next()).toMatchObject({ hash, value: '0x539' });
  });

  ported('transaction::can_get_raw_transaction', 'have the same bytes before and after mining', async () => {
    const { rpc, automine, send, mine } = await openNode();
    await automine(false);
    const hash = await send({ to: randomAddress(), value: '0x5d0' });
    const raw = await rpc('debug_getRawTransaction', hash);
    expect(raw).toMatch(/^0x02/);

    await mine();

    expect(await rpc('debug_getRawTransaction', hash)).toBe(raw);
  });

  ported('transaction::can_get_raw_transactions', 'are listed as bytes by block', async () => {
    const { rpc, automine, send, bob, mine, block } = await openNode();
    await automine(false);
    const hashes = [await send({ to: randomAddress() }), await send({ from: bob, to: randomAddress() })];
    await mine();

    const raw = list(await rpc('debug_getRawTransactions', '0x1'));

    expect(raw).toHaveLength(2);
    expect(await rpc('debug_getRawTransactions', text(await block(1), 'hash'))).toEqual(raw);
    for (const hash of hashes) expect(raw).toContain(await rpc('debug_getRawTransaction', hash));
    expect(await rpc('debug_getRawTransactions', quantity(999))).toEqual([]);
  });

  ported('transaction::can_get_raw_receipts', 'have receipts as bytes by block', async () => {
    const { rpc, failure, automine, send, bob, mine, block } = await openNode();
    await automine(false);
    await send({ to: randomAddress() });
    await send({ from: bob, to: randomAddress() });
    await mine();

    const raw = list(await rpc('debug_getRawReceipts', '0x1'));

    expect(raw).toHaveLength(2);
    expect(await rpc('debug_getRawReceipts', text(await block(1), 'hash'))).toEqual(raw);
    await failure('debug_getRawReceipts', quantity(999));
    const state = await rpc('anvil_dumpState');
    const loaded = await openNode();
    expect(await loaded.rpc('anvil_loadState', state)).toBe(true);
    expect(await loaded.rpc('debug_getRawReceipts', '0x1')).toEqual(raw);
  });

  for (const [method, name] of [
    ['debug_getRawHeader', 'can_get_raw_header'],
    ['debug_getRawBlock', 'can_get_raw_block'],
  ] as const)
    ported(`transaction::${name}`, `are in the bytes of ${method}`, async () => {
      const { rpc, mined, block } = await openNode();
      await mined({ to: randomAddress(), value: '0x1' });
      const { hash } = Object(await block(1));

      const raw = String(await rpc(method, '0x1'));

      expect(await rpc(method, hash)).toBe(raw);
      if (method === 'debug_getRawHeader') expect(keccak256(raw as `0x${string}`)).toBe(hash);
      else expect(raw).toContain(String(await rpc('debug_getRawHeader', '0x1')).slice(2));
    });

  ported('transaction::test_first_nonce_is_zero', 'start with nonce 0', async () => {
    const { rpc, alice, automine } = await openNode();
    await automine(false);

    expect(await rpc('eth_getTransactionCount', alice, 'pending')).toBe('0x0');
  });

  ported(
    'transaction::can_handle_different_sender_nonce_calculation',
    'raise the nonce per sender',
    async () => {
      const { rpc, alice, bob, automine, send } = await openNode();
      await automine(false);
      for (let nonce = 1; nonce <= 10; nonce++)
        for (const from of [alice, bob]) {
          await send({ from, to: randomAddress(), value: '0x539' });
          expect(await rpc('eth_getTransactionCount', from, 'pending')).toBe(quantity(nonce));
        }
    },
  );

  ported('transaction::includes_pending_tx_for_transaction_count', 'raise the pending nonce', async () => {
    const { rpc, alice, automine, send, mine } = await openNode();
    await automine(false);
    for (let nonce = 1; nonce <= 10; nonce++) {
      await send({ to: randomAddress(), value: '0x539' });
      expect(await rpc('eth_getTransactionCount', alice, 'pending')).toBe(quantity(nonce));
    }

    await mine();

    expect(await rpc('eth_getTransactionCount', alice, 'pending')).toBe('0xa');
  });

  ported('transaction::can_get_historic_info', 'leave earlier balances and nonces readable', async () => {
    const { rpc, alice, bob, mined } = await openNode();
    await mined({ to: bob, value: quantity(ETHER) });

    expect(await rpc('eth_getTransactionCount', alice, '0x0')).toBe('0x0');
    expect(await rpc('eth_getTransactionCount', alice, 'latest')).toBe('0x1');
    expect(big(await rpc('eth_getBalance', alice, '0x0'))).toBe(10_000n * ETHER);
    expect(big(await rpc('eth_getBalance', bob, 'latest'))).toBe(10_001n * ETHER);
  });

  ported(
    'transaction::test_tx_receipt',
    'have a recipient or a contract address in the receipt',
    async () => {
      const { mined } = await openNode();
      const to = randomAddress();

      expect(await mined({ to, value: '0x539' })).toMatchObject({ to, contractAddress: null });
      expect(await mined({ data: creationOf(STORE) })).toMatchObject({
        to: null,
        contractAddress: expect.stringMatching(/^0x/),
      });
    },
  );

  ported(
    'transaction::test_reverted_contract_creation_has_contract_address',
    'have a contract address after a failed creation',
    async () => {
      const { mined } = await openNode();

      expect(await mined({ data: '0x60006000fd' })).toMatchObject({
        status: '0x0',
        to: null,
        contractAddress: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
      });
    },
  );

  ported(
    'transaction::can_stream_pending_transactions',
    'reach filters and subscriptions before a block',
    async () => {
      const node = await openNode({ blockTime: 1_000 });
      const filter = await node.rpc('eth_newPendingTransactionFilter');
      const pending = await subscribe(node, 'newPendingTransactions');
      const hashes: string[] = [];
      for (let nonce = 0; nonce < 5; nonce++) hashes.push(await node.send({ to: node.alice, value: '0x1' }));

      expect(await node.rpc('eth_getFilterChanges', filter)).toEqual(hashes);
      for (const hash of hashes) expect(await pending.next()).toBe(hash);
    },
  );
});

describe('eth_createAccessList', () => {
  ported(
    'transaction::test_tx_access_list',
    'lists slots and accounts, but no sender or precompile',
    async () => {
      const { rpc, deploy, alice } = await openNode();
      const store = await deploy(STORE);
      const from = randomAddress();
      const other = randomAddress();
      const listOf = async (fields: object) =>
        pick(await rpc('eth_createAccessList', { from, ...fields }), 'accessList');
      const entry = [{ address: store, storageKeys: [word(0)] }];

      expect(await listOf({ to: store, data: word(5) })).toEqual(entry);
      const balance = await deploy(`0x73${other.slice(2)}3100`);
      expect(await listOf({ to: balance })).toEqual([{ address: other, storageKeys: [] }]);
      const proxy = await deploy(`0x5f5f365f5f375f5f365f5f73${store.slice(2)}5af100`);
      expect(await listOf({ to: proxy, data: word(5) })).toEqual(entry);
      const reverter = await deploy('0x60003554600060' + '00fd');
      const result = await rpc('eth_createAccessList', { from: alice, to: reverter, data: word(0x42ff) });
      expect(result).toMatchObject({
        error: 'execution reverted',
        accessList: [{ address: reverter, storageKeys: [word(0x42ff)] }],
      });
      expect(count(result, 'gasUsed')).toBeGreaterThan(0);
    },
  );

  ported('transaction::can_create_access_list_with_state_override', 'applies overrides', async () => {
    const { rpc } = await openNode();
    const [from, to] = [randomAddress(), randomAddress()];

    const result = await rpc('eth_createAccessList', { from, to }, null, { [to]: { code: '0x60005400' } });

    expect(pick(result, 'accessList')).toEqual([{ address: to, storageKeys: [word(0)] }]);
  });
});

describe('the admission of transactions', () => {
  ported('transaction::test_block_override', 'leaves the block of a call to its overrides', async () => {
    const { call, alice } = await openNode();
    const to = randomAddress();
    const state = { [to]: { code: '0x435f5260205ff3' }, [alice]: { balance: quantity(ETHER) } };

    expect(wordAt(await call({ to }, 'latest', state, { number: '0x63' }))).toBe(99n);
  });

  ported('transaction::test_reject_gas_too_low', 'rejects too little gas', async () => {
    const { failure, alice } = await openNode();
    const fields = { from: alice, to: randomAddress(), value: '0x539', gas: quantity(20_999) };

    expect((await failure('eth_sendTransaction', fields)).message).toContain('intrinsic gas too low');
  });

  ported('transaction::can_call_with_high_gas_limit', 'allows a call above 30 million gas', async () => {
    const { call, deploy } = await openNode({ gasLimit: 100_000_000 });

    expect(wordAt(await call({ to: await deploy(BLOCK_PROBE), gas: quantity(60_000_000) }))).toBe(1n);
  });

  ported('transaction::test_reject_eip1559_pre_london', 'rejects dynamic fees under berlin', async () => {
    const { failure, mined, rpc, alice } = await openNode({ hardfork: 'berlin' });
    const price = await rpc('eth_gasPrice');
    const fields = { from: alice, data: '0x60006000f3', gas: quantity(100_000) };

    const { message } = await failure('eth_sendTransaction', {
      ...fields,
      maxFeePerGas: price,
      maxPriorityFeePerGas: price,
    });

    expect(message).toContain('not supported by the current hardfork');
    expect(await mined({ ...fields, gasPrice: price })).toMatchObject({ status: '0x1' });
  });

  ported('transaction::can_mine_multiple_in_block', 'accepts two equal creations without data', async () => {
    const node = await openNode();
    await node.automine(false);
    const hashes = [await node.send({}), await node.send({})];

    await node.rpc('anvil_mine', '0x1', '0x0');

    expect(await hashesIn(node, 1)).toEqual(hashes);
  });

  for (const [name, txGasLimit] of [
    ['can_send_tx_osaka_valid_with_limit_enabled', 'hardfork'],
    ['can_send_tx_osaka_valid_with_limit_disabled', 'none'],
  ] as const)
    ported(`transaction::${name}`, `has the gas cap of osaka: ${txGasLimit}`, async () => {
      const { mined, failure, alice } = await openNode({ txGasLimit });
      const fields = { from: alice, to: randomAddress(), value: quantity(ETHER) };
      for (const gas of [CAP - 1, CAP])
        expect(await mined({ ...fields, gas: quantity(gas) })).toMatchObject({ status: '0x1' });
      const above = { ...fields, gas: quantity(CAP + 1) };

      if (txGasLimit === 'none') expect(await mined(above)).toMatchObject({ status: '0x1' });
      else
        expect((await failure('eth_sendTransaction', above)).message).toContain(
          'intrinsic gas too high -- tx.gas_limit > resolved tx gas limit cap',
        );
    });

  ported(
    'transaction::can_get_tx_by_sender_and_nonce',
    'finds transactions by sender and nonce',
    async () => {
      const { rpc, automine, send, mine, alice, bob, accounts } = await openNode();
      await automine(false);
      const hashes: string[] = [];
      for (let nonce = 0; nonce < 4; nonce++)
        hashes.push(await send({ to: bob, value: quantity(1_000 + nonce) }));
      await mine();
      const found = (sender: unknown, nonce: number) =>
        rpc('eth_getTransactionBySenderAndNonce', sender, quantity(nonce));

      for (let nonce = 0; nonce < 4; nonce++)
        expect(await found(alice, nonce)).toMatchObject({
          hash: hashes[nonce],
          value: quantity(1_000 + nonce),
        });
      expect(await found(alice, 999)).toBeNull();
      expect(await found(accounts[2], 0)).toBeNull();
      const pending = await send({ to: bob, value: '0x1388', nonce: '0x4' });
      expect(await found(alice, 4)).toMatchObject({ hash: pending });
      await mine();
      expect(await found(alice, 4)).toMatchObject({ hash: pending, nonce: '0x4' });
    },
  );
});

describe('automine', () => {
  decided(
    'transaction::instant_mine_groups_json_rpc_batch_in_one_block',
    'mines a block for each transaction of a batch',
    async () => {
      const { url, rpc, alice, accounts } = await openNode();
      const batch = [1, 2].map((id) => ({
        jsonrpc: '2.0',
        id,
        method: 'eth_sendTransaction',
        params: [{ from: accounts[id], to: alice, value: '0x1' }],
      }));

      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(batch),
      });

      const blocks = await Promise.all(
        list(await response.json()).map(async (answer) =>
          pick(await rpc('eth_getTransactionReceipt', pick(answer, 'result')), 'blockNumber'),
        ),
      );
      expect(blocks).toEqual(['0x1', '0x2']);
    },
  );

  decided(
    'transaction::instant_mine_groups_in_process_parallel_http_in_one_block',
    'mines a block for each parallel request',
    async () => {
      const { mined, alice, accounts } = await openNode();

      const receipts = await Promise.all(
        [1, 2].map((id) => mined({ from: accounts[id], to: alice, value: '0x1' })),
      );

      expect(new Set(receipts.map((receipt) => pick(receipt, 'blockNumber')))).toEqual(
        new Set(['0x1', '0x2']),
      );
    },
  );

  ported(
    'transaction::instant_mine_does_not_group_sequential_sends_beyond_window',
    'mines requests one after the other in two blocks',
    async () => {
      const { mined, alice, accounts } = await openNode();

      const first = await mined({ from: accounts[1], to: alice, value: '0x1' });
      const second = await mined({ from: accounts[2], to: alice, value: '0x1' });

      expect(pick(first, 'blockNumber')).not.toBe(pick(second, 'blockNumber'));
    },
  );
});
