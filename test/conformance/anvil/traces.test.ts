import { keccak256, toRlp } from 'viem';
import { describe, expect } from 'vitest';
import { ported } from './ported.ts';
import {
  big,
  ETHER,
  list,
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
/** Passes its call data to another contract. */
const proxyOf = (address: string): string => `0x365f5f375f5f365f5f73${address.slice(2)}5af100`;
const SELF_DESTRUCT = '0x33ff';

describe('trace methods', () => {
  ported(
    'traces::test_get_transfer_parity_traces',
    'trace a transfer, by transaction and by block',
    async () => {
      const { mined, rpc, alice, bob } = await openNode();
      const value = quantity(5_000n * ETHER);
      const receipt = await mined({ to: bob, value });

      const traces = await rpc('trace_transaction', text(receipt, 'transactionHash'));

      expect(traces).toMatchObject([{ action: { from: alice, to: bob, value } }]);
      expect(await rpc('trace_block', text(receipt, 'blockNumber'))).toEqual(traces);
    },
  );

  ported('traces::test_trace_transaction_opcode_gas_local', 'sum up gas by opcode', async () => {
    const { mined, rpc, deploy } = await openNode();
    const receipt = await mined({ to: await deploy(STORE), data: word(5) });
    const hash = text(receipt, 'transactionHash');

    const result = await rpc('trace_transactionOpcodeGas', hash);

    expect(result).toMatchObject({ transactionHash: hash });
    expect(list(result, 'opcodeGas').map((each) => pick(each, 'opcode'))).toContain('SSTORE');
  });

  ported('traces::test_trace_block_opcode_gas_local', 'sum up gas by opcode of a block', async () => {
    const { mined, rpc, deploy, block } = await openNode();
    const genesis = text(await block(0), 'hash');
    for (const selector of ['0x0', genesis, 'earliest'])
      expect(await rpc('trace_blockOpcodeGas', selector)).toMatchObject({
        blockHash: genesis,
        transactions: [],
      });
    const receipt = await mined({ to: await deploy(STORE), data: word(5) });
    const { transactionHash, blockHash, blockNumber } = Object(receipt);

    for (const selector of [blockNumber, blockHash]) {
      const result = await rpc('trace_blockOpcodeGas', selector);
      expect(result).toMatchObject({ blockHash, transactions: [{ transactionHash }] });
      expect(list(result, 'transactions.0.opcodeGas').map((each) => pick(each, 'opcode'))).toContain(
        'SSTORE',
      );
    }
  });

  ported(
    'traces::test_trace_raw_transaction_local',
    'trace a signed transaction without mining it',
    async () => {
      const { rpc, alice, bob } = await openNode();
      const value = quantity(10n ** 9n);
      const raw = await rpc('eth_signTransaction', {
        from: alice,
        to: bob,
        value,
        gas: quantity(21_000),
        nonce: '0x0',
        maxFeePerGas: quantity(20n * 10n ** 9n),
        maxPriorityFeePerGas: quantity(10n ** 9n),
      });
      const bytes = typeof raw === 'string' ? raw : text(raw, 'raw');

      const result = await rpc('trace_rawTransaction', bytes, ['trace', 'stateDiff', 'vmTrace']);

      expect(result).toMatchObject({ trace: [{ action: { from: alice, to: bob, value } }] });
      expect(pick(result, 'stateDiff')).toBeTruthy();
      expect(pick(result, 'vmTrace')).toBeTruthy();
      expect(await rpc('eth_getTransactionCount', alice, 'latest')).toBe('0x0');
    },
  );

  ported('traces::test_trace_call_local', 'trace a call with its state diff', async () => {
    const { rpc, alice, bob } = await openNode();
    const before = await rpc('eth_getBalance', bob, 'latest');

    const result = await rpc(
      'trace_call',
      { from: alice, to: bob, value: '0x3e8' },
      ['trace', 'vmTrace', 'stateDiff'],
      'latest',
    );

    expect(result).toMatchObject({ trace: [{ action: { from: alice, to: bob, value: '0x3e8' } }] });
    expect(pick(result, 'vmTrace')).toBeTruthy();
    const change = pick(result, `stateDiff.${bob}.balance.*`);
    expect(big(change, 'to') - big(change, 'from')).toBe(1_000n);
    expect(await rpc('eth_getBalance', bob, 'latest')).toBe(before);
  });

  ported('traces::test_trace_call_many_local', 'trace calls on each other', async () => {
    const { rpc, bob, deploy, call } = await openNode();
    const to = await deploy(STORE);

    const results = list(
      await rpc('trace_callMany', [
        [{ from: bob, to, data: word(9) }, ['trace']],
        [{ from: bob, to }, ['trace']],
      ]),
    );

    expect(results).toHaveLength(2);
    expect(wordAt(text(results[1], 'output'))).toBe(9n);
    expect(wordAt(await call({ to }))).toBe(0n);
  });

  ported('traces::test_trace_get_local', 'get a trace by its position', async () => {
    const { rpc, send, bob } = await openNode();
    const hash = await send({ to: bob, value: '0x3e8' });
    const [first] = list(await rpc('trace_transaction', hash));

    expect(await rpc('trace_get', hash, ['0x0'])).toEqual(first);
    expect(await rpc('trace_get', hash, [quantity(999)])).toBeNull();
    expect(await rpc('trace_get', hash, ['0x0', '0x1'])).toBeNull();
  });

  ported('traces::test_parity_suicide_trace', 'contain a self-destruct', async () => {
    const { rpc, send, deploy } = await openNode({ hardfork: 'shanghai' });
    const hash = await send({ to: await deploy(SELF_DESTRUCT), gas: quantity(100_000) });

    expect(list(await rpc('trace_transaction', hash))[1]).toMatchObject({ type: 'suicide' });
  });

  ported('traces::test_trace_filter', 'filter by range, address, mode, after and count', async () => {
    const { rpc, failure, send, alice, bob, accounts, deploy } = await openNode();
    const [, , third, fourth] = accounts;
    const filter = async (fields: object) => list(await rpc('trace_filter', fields));
    for (let value = 0; value <= 5; value++) await send({ to: bob, value: quantity(value) });
    expect(await filter({})).toHaveLength(6);

    const start = await rpc('eth_blockNumber');
    for (let value = 0; value <= 5; value++) {
      await send({ to: bob, value: quantity(value) });
      await send({ from: third, to: fourth, value: quantity(value) });
    }
    expect(await filter({ fromBlock: start, fromAddress: [third], toAddress: [fourth] })).toHaveLength(6);

    const contract = await deploy(SELF_DESTRUCT);
    const created = await rpc('eth_blockNumber');
    await send({ to: contract, gas: quantity(100_000) });
    for (let value = 0; value <= 5; value++) await send({ from: third, to: fourth, value: quantity(value) });
    expect(await filter({ fromBlock: created, fromAddress: [alice, contract], mode: 'union' })).toHaveLength(
      3,
    );

    const head = Number(await rpc('eth_blockNumber'));
    await failure('trace_filter', { fromBlock: quantity(head), toBlock: quantity(head + 301) });
    await filter({ fromBlock: quantity(head), toBlock: quantity(head) });
    await failure('trace_filter', { fromBlock: quantity(head + 10), toBlock: quantity(head) });

    for (let value = 0; value <= 10; value++) await send({ to: bob, value: quantity(value) });
    expect(await filter({ fromBlock: quantity(head), after: 3, count: 5 })).toHaveLength(5);
  });

  ported('traces::test_trace_replay_block_transactions_local', 'replay a block', async () => {
    const { rpc, automine, send, mine, alice, bob } = await openNode();
    await automine(false);
    const hashes = [
      await send({ to: bob, value: quantity(10 ** 6) }),
      await send({ to: bob, value: quantity(10 ** 6) }),
    ];
    await mine();

    const results = list(
      await rpc('trace_replayBlockTransactions', '0x1', ['trace', 'vmTrace', 'stateDiff']),
    );

    expect(results.map((result) => pick(result, 'transactionHash'))).toEqual(hashes);
    for (const result of results) {
      expect(result).toMatchObject({ trace: [{ action: { from: alice, to: bob } }] });
      expect(pick(result, 'vmTrace')).toBeTruthy();
      const change = pick(result, `stateDiff.${bob}.balance.*`);
      expect(big(change, 'to') - big(change, 'from')).toBe(10n ** 6n);
    }
  });

  ported('traces::test_trace_replay_transaction', 'replay a transaction', async () => {
    const { rpc, send, alice, bob } = await openNode();
    const hash = await send({ to: bob, value: quantity(12_345) });

    const result = await rpc('trace_replayTransaction', hash, ['trace', 'stateDiff']);

    expect(result).toMatchObject({ trace: [{ action: { from: alice, to: bob } }] });
    const change = pick(result, `stateDiff.${bob}.balance.*`);
    expect(big(change, 'to') - big(change, 'from')).toBe(12_345n);
  });
});

describe('debug tracers', () => {
  ported('traces::test_transfer_debug_trace_call', 'trace a self-destruct in a call', async () => {
    const { rpc, bob, deploy } = await openNode();
    const to = await deploy(SELF_DESTRUCT);

    expect(await rpc('debug_traceCall', { from: bob, to }, 'latest', {})).toMatchObject({ failed: false });
  });

  ported('traces::test_call_tracer_debug_trace_call', 'trace inner calls and logs', async () => {
    const { rpc, bob, deploy, send } = await openNode();
    const store = await deploy(STORE);
    const proxy = await deploy(proxyOf(store));
    const tracer = (config: object) => ({ tracer: 'callTracer', tracerConfig: { withLog: true, ...config } });
    const asked = { from: bob, to: proxy, data: word(5) };

    const traced = await rpc('debug_traceCall', asked, 'latest', tracer({}));
    expect(traced).toMatchObject({ calls: [{ to: store }] });
    expect(list(traced, 'calls.0.logs')).toHaveLength(1);
    expect(await rpc('debug_traceCall', asked, 'latest', tracer({ onlyTopCall: true }))).not.toHaveProperty(
      'calls',
    );
    const hash = await send({ to: proxy, data: word(5) });
    expect(await rpc('debug_traceTransaction', hash, tracer({}))).toMatchObject({ calls: [{ to: store }] });
    for (const config of [{ onlyTopCall: true }, { onlyTopLevelCall: true }])
      expect(await rpc('debug_traceTransaction', hash, tracer(config))).not.toHaveProperty('calls');
    const direct = await rpc(
      'debug_traceCall',
      { from: bob, to: store, data: word(5) },
      'latest',
      tracer({}),
    );
    expect(direct).toMatchObject({ to: store });
    expect(direct).not.toHaveProperty('calls');
    expect(list(direct, 'logs')).toHaveLength(1);
  });

  ported('traces::test_debug_trace_call_state_override', 'apply state overrides', async () => {
    const { rpc, bob } = await openNode();
    const to = '0x1234567890123456789012345678901234567890';
    const stateOverrides = { [to]: { balance: '0x01', code: '0x30315f5260205ff3' } };

    const traced = await rpc('debug_traceCall', { from: bob, to }, 'latest', { stateOverrides });

    expect(String(pick(traced, 'returnValue')).replace(/^0x/, '')).toBe(word(1).slice(2));
  });

  ported('traces::test_debug_trace_call_tx_index', 'run a call before a transaction of a block', async () => {
    const { rpc, automine, send, mine, mined, alice } = await openNode();
    const to = text(await mined({ data: storeCreation(7) }), 'contractAddress');
    await automine(false);
    for (const value of [1, 2, 3]) await send({ to, data: word(value) });
    await mine();

    for (const [txIndex, value] of [
      ['0x0', 7],
      ['0x1', 1],
      ['0x2', 2],
    ] as const) {
      const traced = await rpc('debug_traceCall', { from: alice, to }, '0x2', { txIndex });
      expect(String(pick(traced, 'returnValue')).replace(/^0x/, '')).toBe(word(value).slice(2));
    }
  });

  ported(
    'traces::test_debug_trace_transaction_reports_transaction_gas',
    'report the gas of one transaction',
    async () => {
      const { rpc, automine, send, mine, bob } = await openNode();
      await automine(false);
      await send({ to: bob, value: '0x1' });
      const hash = await send({ to: bob, value: '0x2' });
      await mine();

      expect(await rpc('debug_traceTransaction', hash)).toMatchObject({ gas: 21_000 });
      expect(await rpc('debug_traceTransaction', hash, { tracer: 'callTracer' })).toMatchObject({
        gasUsed: quantity(21_000),
      });
    },
  );

  ported(
    'traces::test_debug_trace_call_tx_index_fork_lazy_state',
    'read the state of the fork before a transaction',
    async () => {
      const upstream = await openNode();
      const to = text(await upstream.mined({ data: storeCreation(7) }), 'contractAddress');
      const { rpc, mined, alice } = await openFork(upstream);
      const number = text(await mined({ to: randomAddress(), value: '0x1' }), 'blockNumber');

      const traced = await rpc('debug_traceCall', { from: alice, to }, number, { txIndex: '0x0' });

      expect(pick(traced, 'returnValue')).toBe(
        pick(await rpc('debug_traceCall', { from: alice, to }, number, {}), 'returnValue'),
      );
      expect(String(pick(traced, 'returnValue'))).toContain('07');
    },
  );

  for (const [name, title] of [
    ['test_trace_address_fork', 'trace addresses of calls to contracts of a fork'],
    ['test_trace_address_fork2', 'trace addresses of an impersonated sender on a fork'],
  ] as const)
    ported(`traces::${name}`, title, async () => {
      const upstream = await openNode();
      const store = await upstream.deploy(STORE);
      const middle = await upstream.deploy(proxyOf(store));
      const outer = await upstream.deploy(proxyOf(middle));
      const { rpc, mined } = await openFork(upstream);
      const from = randomAddress();
      await rpc('anvil_setBalance', from, quantity(ETHER));
      await rpc('anvil_impersonateAccount', from);

      const receipt = await mined({ from, to: outer, data: word(5), gas: quantity(300_000) });

      expect(receipt).toMatchObject({ status: '0x1' });
      expect(await rpc('trace_transaction', text(receipt, 'transactionHash'))).toMatchObject([
        { action: { from, to: outer }, subtraces: 1, traceAddress: [] },
        { action: { from: outer, to: middle }, subtraces: 1, traceAddress: [0] },
        { action: { from: middle, to: store }, subtraces: 0, traceAddress: [0, 0] },
      ]);
    });

  const SCRIPT = `{ data: [], step: function(log) { if (log.op.toString() === 'SSTORE')
    this.data.push(log.getPC() + ': SSTORE ' + log.contract.getAddress() + ':' + log.stack.peek(0) + ' <- ' + log.stack.peek(1)); },
    result: function() { return this.data; }, fault: function(log) {} }`;

  for (const [name, method] of [
    ['test_call_tracer_debug_trace_call_js_tracer', 'debug_traceCall'],
    ['test_debug_trace_transaction_js_tracer', 'debug_traceTransaction'],
  ] as const)
    ported(`traces::${name}`, `run a tracer in JavaScript: ${method}`, async () => {
      const { rpc, deploy, send, alice } = await openNode();
      const store = await deploy(STORE);
      const bytes = store
        .slice(2)
        .match(/../g)
        ?.map((byte) => Number.parseInt(byte, 16));
      const fields = { from: alice, to: store, data: word(5) };

      const traced =
        method === 'debug_traceCall'
          ? await rpc(method, fields, 'latest', { tracer: SCRIPT })
          : await rpc(method, await send(fields), { tracer: SCRIPT });

      expect(traced).toEqual([`17: SSTORE ${bytes}:0 <- 5`]);
    });

  for (const [name, method] of [
    ['test_call_tracer_debug_trace_call_pre_state_tracer', 'debug_traceCall'],
    ['test_debug_trace_transaction_pre_state_tracer', 'debug_traceTransaction'],
  ] as const)
    ported(`traces::${name}`, `return the accounts before the transaction: ${method}`, async () => {
      const { rpc, mined, send, bob } = await openNode();
      const store = text(await mined({ data: storeCreation(7) }), 'contractAddress');
      const fields = { from: bob, to: store, data: word(5) };
      const balance = await rpc('eth_getBalance', bob, 'latest');

      const traced =
        method === 'debug_traceCall'
          ? await rpc(method, fields, 'latest', { tracer: 'prestateTracer' })
          : await rpc(method, await send(fields), { tracer: 'prestateTracer' });

      expect(traced).toMatchObject({
        [bob]: { balance },
        [store]: { balance: '0x0', nonce: 1, storage: { [word(0)]: word(7) } },
      });
    });

  for (const [name, method] of [
    ['test_debug_trace_block_by_number', 'debug_traceBlockByNumber'],
    ['test_debug_trace_block_by_hash', 'debug_traceBlockByHash'],
    ['test_debug_trace_block', 'debug_traceBlock'],
  ] as const)
    ported(`traces::${name}`, `trace a block: ${method}`, async () => {
      const { rpc, mined, alice, bob } = await openNode();
      const receipt = await mined({ to: bob, value: '0x3e8' });
      const block =
        method === 'debug_traceBlockByNumber'
          ? pick(receipt, 'blockNumber')
          : method === 'debug_traceBlockByHash'
            ? pick(receipt, 'blockHash')
            : await rpc('debug_getRawBlock', pick(receipt, 'blockNumber'));

      const traces = await rpc(method, block, { tracer: 'callTracer' });

      expect(traces).toMatchObject([{ result: { from: alice, to: bob, value: '0x3e8' } }]);
    });
});

describe('system calls', () => {
  const HISTORY = '0x0000f90827f1c53a10cb7a02335b175320002935';

  ported(
    'eip2935::eip2935_contract_deployed_at_genesis',
    'find the history contract at genesis',
    async () => {
      const { rpc } = await openNode({ hardfork: 'prague' });

      expect(await rpc('eth_getCode', HISTORY, '0x0')).not.toBe('0x');
    },
  );

  ported('eip2935::eip2935_stores_parent_block_hash', 'store the hash of the parent', async () => {
    const { rpc, call, block } = await openNode({ hardfork: 'prague' });
    await rpc('anvil_mine', 3);

    expect(await call({ to: HISTORY, data: word(1) })).toBe(text(await block(1), 'hash'));
  });

  ported('eip2935::eip2935_no_system_call_on_genesis', 'store nothing at genesis', async () => {
    const { rpc } = await openNode({ hardfork: 'prague' });

    expect(await rpc('eth_getStorageAt', HISTORY, '0x0', 'latest')).toBe(word(0));
  });

  ported('eip2935::eip2935_not_deployed_before_prague', 'need prague', async () => {
    const { rpc } = await openNode({ hardfork: 'cancun' });

    expect(await rpc('eth_getCode', HISTORY, 'latest')).toBe('0x');
  });

  ported(
    'eip2935::eip2935_local_block_replay_applies_pre_execution_changes',
    'run before a replay',
    async () => {
      const { rpc, mine, automine, send, block } = await openNode({ hardfork: 'prague' });
      const probe = '0x0000000000000000000000000000000000001000';
      // Stores the answer of the history contract to the call data.
      await rpc('anvil_setCode', probe, `0x60205f5f3760205f60205f73${HISTORY.slice(2)}5afa505f515f5500`);
      await mine();
      const parent = text(await block(), 'hash');
      await automine(false);
      await send({ to: probe, data: word(1), gas: quantity(100_000) });
      await mine();

      const replay = await rpc('trace_replayBlockTransactions', '0x2', ['stateDiff']);

      expect(pick(replay, `0.stateDiff.${probe}.storage.${word(0)}.*`)).toEqual({
        from: word(0),
        to: parent,
      });
      const gas = await rpc('trace_blockOpcodeGas', '0x2');
      expect(list(gas, 'transactions.0.opcodeGas').map((each) => pick(each, 'opcode'))).toContain('SSTORE');
    },
  );
});

describe('eth_getProof', () => {
  ported('proof::test_account_proof', 'proves accounts against the state root', async () => {
    const { rpc, mine, block } = await openNode({ noPredeploys: true });
    for (let index = 1; index <= 4; index++)
      await rpc('anvil_setBalance', `0x${String(index).repeat(40)}`, quantity(index));
    await mine();

    for (let index = 1; index <= 4; index++) {
      const proof = list(
        await rpc('eth_getProof', `0x${String(index).repeat(40)}`, [], 'latest'),
        'accountProof',
      );
      expect(keccak256(String(proof[0]) as `0x${string}`)).toBe(text(await block(), 'stateRoot'));
      expect(proof.length).toBeGreaterThan(1);
    }
  });

  ported('proof::test_storage_proof', 'proves slots against the storage root', async () => {
    const { rpc } = await openNode();
    const target = '0x1ed9b1dd266b607ee278726d324b855a093394a6';
    await rpc('anvil_setStorageAt', target, word(0x22), word(0x22));

    const proof = await rpc('eth_getProof', target, [word(0x22)], 'latest');

    const path = keccak256(word(0x22) as `0x${string}`);
    const leaf = toRlp([`0x20${path.slice(2)}`, toRlp('0x22')]);
    expect(pick(proof, 'storageProof.0.proof')).toEqual([leaf]);
    expect(pick(proof, 'storageHash')).toBe(keccak256(leaf));
  });

  ported('proof::can_get_random_account_proofs', 'proves the absence of accounts', async () => {
    const { rpc } = await openNode();

    for (let round = 0; round < 10; round++)
      expect(await rpc('eth_getProof', randomAddress(), [], 'latest')).toMatchObject({
        balance: '0x0',
        nonce: '0x0',
      });
  });
});
