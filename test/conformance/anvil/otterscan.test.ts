import { describe, expect } from 'vitest';
import { ported } from './ported.ts';
import { BLOCK_PROBE, ETHER, list, openNode, pick, quantity, randomAddress, text } from './scene.ts';

const TARGET = '0xdcdd539da22bffaa499dbea4d37d086dde196e75';
const FACTORY = '0x4e59b44847b379578588920ca78fbf26c0b4956c';

describe('ots methods', () => {
  ported('otterscan::erigon_get_header_by_number', 'return headers by number', async () => {
    const { rpc, mine } = await openNode();
    await mine();

    expect(await rpc('erigon_getHeaderByNumber', '0x0')).toMatchObject({ number: '0x0' });
    expect(await rpc('erigon_getHeaderByNumber', '0x1')).toMatchObject({ number: '0x1' });
  });

  ported('otterscan::ots_get_api_level', 'have API level 8', async () => {
    expect(await (await openNode()).rpc('ots_getApiLevel')).toBe(8);
  });

  ported(
    'otterscan::ots_get_internal_operations_contract_deploy',
    'return the creation of a contract',
    async () => {
      const { mined, rpc, alice } = await openNode();
      const receipt = await mined({ data: '0x5f5ff3' });

      expect(await rpc('ots_getInternalOperations', text(receipt, 'transactionHash'))).toEqual([
        { type: 2, from: alice, to: text(receipt, 'contractAddress'), value: '0x0' },
      ]);
    },
  );

  ported('otterscan::ots_get_internal_operations_contract_transfer', 'return a plain transfer', async () => {
    const { send, rpc, alice, bob } = await openNode();
    const value = quantity(5_000n * ETHER);

    expect(await rpc('ots_getInternalOperations', await send({ to: bob, value }))).toEqual([
      { type: 0, from: alice, to: bob, value },
    ]);
  });

  ported(
    'otterscan::ots_get_internal_operations_contract_create2',
    'return a CREATE2 of the factory',
    async () => {
      const { send, rpc, deploy } = await openNode();
      // Calls the factory with salt 0 and 32 zero bytes of initcode.
      const caller = await deploy(`0x5f5f60405f5f73${FACTORY.slice(2)}5af100`);

      expect(await rpc('ots_getInternalOperations', await send({ to: caller }))).toEqual([
        { type: 3, from: FACTORY, to: '0x347bcdad821abc09b8c275881b368de36476b62c', value: '0x0' },
      ]);
    },
  );

  for (const [name, hardfork] of [
    ['ots_get_internal_operations_contract_selfdestruct_london', 'london'],
    ['ots_get_internal_operations_contract_selfdestruct_cancun', 'cancun'],
  ] as const)
    ported(`otterscan::${name}`, `return a self-destruct under ${hardfork}`, async () => {
      const { send, rpc } = await openNode({ hardfork });
      const contract = randomAddress();
      await rpc('anvil_setCode', contract, `0x73${TARGET.slice(2)}ff`);
      await rpc('anvil_setBalance', contract, '0x45');

      expect(
        await rpc('ots_getInternalOperations', await send({ to: contract, gas: quantity(100_000) })),
      ).toEqual([{ type: 1, from: contract, to: TARGET, value: '0x45' }]);
    });

  ported('otterscan::ots_has_code', 'detect code by block', async () => {
    const { rpc, deploy, mine } = await openNode();
    await mine();
    const contract = await deploy(BLOCK_PROBE);

    expect(await rpc('ots_hasCode', contract, '0x1')).toBe(false);
    expect(await rpc('ots_hasCode', contract, '0x2')).toBe(true);
  });

  ported(
    'otterscan::test_call_ots_trace_transaction',
    'trace calls with depth, and value 0 for static calls',
    async () => {
      const { mined, rpc, deploy, alice } = await openNode();
      const inner = await deploy('0x60015f5260205ff3');
      // STATICCALL, CALL with the balance to the caller, DELEGATECALL.
      const address = inner.slice(2);
      const outer = await deploy(`0x5f5f5f5f73${address}5afa505f5f5f5f47335af1505f5f5f5f73${address}5af400`);

      const hash = text(await mined({ to: outer, value: '0x539', data: '0x12345678' }), 'transactionHash');

      const output = `0x${'1'.padStart(64, '0')}`;
      expect(await rpc('ots_traceTransaction', hash)).toEqual([
        { type: 'CALL', depth: 0, from: alice, to: outer, value: '0x539', input: '0x12345678', output: '0x' },
        { type: 'STATICCALL', depth: 1, from: outer, to: inner, value: '0x0', input: '0x', output },
        { type: 'CALL', depth: 1, from: outer, to: alice, value: '0x539', input: '0x', output: '0x' },
        { type: 'DELEGATECALL', depth: 1, from: outer, to: inner, value: '0x539', input: '0x', output },
      ]);
    },
  );

  ported('otterscan::ots_get_transaction_error', 'return the data of a revert', async () => {
    const { send, rpc, deploy } = await openNode();
    const contract = await deploy('0x63deadbeef5f526004601cfd');

    const hash = await send({ to: contract, gas: quantity(100_000) });

    expect(await rpc('ots_getTransactionError', hash)).toBe('0xdeadbeef');
  });

  ported('otterscan::ots_get_transaction_error_no_error', 'return no error data of a success', async () => {
    const { send, rpc } = await openNode();

    expect(await rpc('ots_getTransactionError', await send({ to: randomAddress(), value: '0x64' }))).toBe(
      '0x',
    );
  });

  ported('otterscan::ots_get_block_details', 'count the transactions of a block', async () => {
    const { send, rpc } = await openNode();
    await send({ to: randomAddress(), value: '0x64' });

    expect(await rpc('ots_getBlockDetails', '0x1')).toMatchObject({ block: { transactionCount: 1 } });
  });

  ported(
    'otterscan::ots_get_block_details_by_hash',
    'count the transactions of a block by hash',
    async () => {
      const { mined, rpc } = await openNode();
      const hash = text(await mined({ to: randomAddress(), value: '0x64' }), 'blockHash');

      expect(await rpc('ots_getBlockDetailsByHash', hash)).toMatchObject({ block: { transactionCount: 1 } });
    },
  );

  ported(
    'otterscan::ots_get_block_transactions',
    'page through a block from its first transaction',
    async () => {
      const { automine, send, mine, rpc } = await openNode();
      await automine(false);
      const hashes: string[] = [];
      for (let nonce = 0; nonce < 10; nonce++)
        hashes.push(await send({ to: randomAddress(), value: '0x64' }));
      await mine();

      for (const page of [0, 1, 2, 3]) {
        const expected = hashes.slice(3 * page, 3 * page + 3);
        const result = await rpc('ots_getBlockTransactions', 1, page, 3);
        expect(list(result, 'receipts').map((receipt) => pick(receipt, 'transactionHash'))).toEqual(expected);
        expect(pick(result, 'fullblock.transactionCount')).toBe(expected.length);
        expect(list(result, 'fullblock.transactions').map((tx) => pick(tx, 'hash') ?? tx)).toEqual(expected);
      }
    },
  );

  ported('otterscan::ots_search_transactions_before', 'search backwards in pages', async () => {
    const { send, rpc, alice } = await openNode();
    const hashes: string[] = [];
    for (let nonce = 0; nonce < 7; nonce++) hashes.push(await send({ to: randomAddress(), value: '0x64' }));
    let block: unknown = 0;

    for (const page of [0, 1, 2, 3]) {
      const result = await rpc('ots_searchTransactionsBefore', alice, block, 2);
      expect(result).toMatchObject({ firstPage: page === 0, lastPage: page === 3 });
      for (const transaction of list(result, 'txs')) expect(pick(transaction, 'hash')).toBe(hashes.pop());
      block = Number(pick(list(result, 'txs').at(-1), 'blockNumber'));
    }
    expect(hashes).toEqual([]);
  });

  ported('otterscan::ots_search_transactions_after', 'search forwards in pages', async () => {
    const { send, rpc, alice } = await openNode();
    const hashes: string[] = [];
    for (let nonce = 0; nonce < 7; nonce++) hashes.push(await send({ to: randomAddress(), value: '0x64' }));
    let block: unknown = 0;

    for (const page of [0, 1, 2, 3]) {
      const result = await rpc('ots_searchTransactionsAfter', alice, block, 2);
      expect(result).toMatchObject({ firstPage: page === 3, lastPage: page === 0 });
      for (const transaction of list(result, 'txs').toReversed())
        expect(pick(transaction, 'hash')).toBe(hashes.shift());
      block = Number(pick(list(result, 'txs')[0], 'blockNumber'));
    }
    expect(hashes).toEqual([]);
  });

  ported('otterscan::ots_get_transaction_by_sender_and_nonce', 'find a transaction by nonce', async () => {
    const { send, rpc, alice } = await openNode();
    const hashes = [await send({ to: randomAddress() }), await send({ to: randomAddress() })];

    for (const nonce of [0, 1])
      expect(await rpc('ots_getTransactionBySenderAndNonce', alice, nonce)).toBe(hashes[nonce]);
  });

  ported('otterscan::ots_get_contract_creator', 'find the creator of a contract', async () => {
    const { mined, rpc, alice } = await openNode();
    const receipt = await mined({ data: '0x6001600c60003960016000f300' });

    expect(await rpc('ots_getContractCreator', text(receipt, 'contractAddress'))).toEqual({
      creator: alice,
      hash: text(receipt, 'transactionHash'),
    });
  });
});
