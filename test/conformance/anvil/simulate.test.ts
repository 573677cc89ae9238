import { describe, expect } from 'vitest';
import { decided, ported } from './ported.ts';
import { addressWord, count, list, openFork, openNode, pick, quantity, STORE, text } from './scene.ts';

const word = (value: number | bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
const at = (prefix: string): string => `0x${prefix.padEnd(40, '0')}`;
const [SENDER, RECEIVER, THIRD, FOURTH] = ['c0', 'c1', 'c2', 'c3'].map(at) as [
  string,
  string,
  string,
  string,
];
const IDENTITY = '0x0000000000000000000000000000000000000004';
const MOVED = '0x0000000000000000000000000000000000123456';
const TRANSFER_EMITTER = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';
const NO_BLOOM = `0x${'00'.repeat(256)}`;
const ZERO = word(0);

describe('eth_simulateV1', () => {
  ported('simulate::test_fork_simulate_native_transfers_rpc', 'transfers value on a fork', async () => {
    const fork = await openFork(await openNode());
    const calls = [RECEIVER, THIRD].map((to) => ({ from: fork.alice, to, value: '0x1' }));

    const blocks = await fork.rpc(
      'eth_simulateV1',
      { blockStateCalls: [{ calls }], validation: false },
      'latest',
    );

    expect(blocks).toMatchObject([{ calls: [{ status: '0x1' }, { status: '0x1' }] }]);
  });

  ported(
    'simulate::test_fork_simulate_multiple_blocks_rpc',
    'simulates several blocks on a fork',
    async () => {
      const upstream = await openNode({ hardfork: 'shanghai' });
      await upstream.rpc('anvil_setCode', at('42'), '0x60014360010340' + '5500');
      await upstream.mine();
      const { rpc, alice, bob } = await openFork(upstream, { hardfork: 'shanghai', forkBlockNumber: 1 });

      const blocks = await rpc(
        'eth_simulateV1',
        {
          blockStateCalls: [
            { calls: [{ from: alice, to: bob, value: '0x1' }] },
            { calls: [{ from: alice, to: at('42') }] },
          ],
          validation: false,
        },
        'latest',
      );

      expect(blocks).toMatchObject([{ calls: [{ status: '0x1' }] }, { calls: [{ status: '0x1' }] }]);
    },
  );

  ported(
    'simulate::test_simulate_v1_moves_precompiles_per_block_rpc',
    'moves a precompile for one block',
    async () => {
      const { rpc } = await openNode();
      const calls = [IDENTITY, MOVED].map((to) => ({ to, input: '0x1234' }));
      const stateOverrides = {
        [IDENTITY]: { code: '0x602a60005260206000f3', movePrecompileToAddress: MOVED },
      };

      const blocks = await rpc(
        'eth_simulateV1',
        { blockStateCalls: [{ stateOverrides, calls }, { calls }] },
        'latest',
      );

      expect(blocks).toMatchObject([
        { calls: [{ returnData: word(42) }, { returnData: '0x1234' }] },
        { calls: [{ returnData: '0x1234' }, { returnData: '0x' }] },
      ]);
    },
  );

  ported(
    'simulate::test_simulate_v1_preserves_precompile_warming_rpc',
    'keeps the original address warm',
    async () => {
      const { rpc } = await openNode();
      const measure = (address: string): string => `5a73${address.slice(2)}31505a9003`;
      const code = `0x${measure(IDENTITY)}5f52${measure(MOVED)}602052${measure(MOVED)}60405260605ff3`;
      const stateOverrides = { [IDENTITY]: { movePrecompileToAddress: MOVED }, [RECEIVER]: { code } };

      const blocks = await rpc(
        'eth_simulateV1',
        { blockStateCalls: [{ stateOverrides, calls: [{ to: RECEIVER }] }] },
        'latest',
      );

      const data = text(blocks, '0.calls.0.returnData').slice(2);
      expect([0, 1, 2].map((index) => Number(`0x${data.slice(64 * index, 64 * index + 64)}`))).toEqual([
        107, 2_607, 107,
      ]);
    },
  );

  ported(
    'simulate::test_simulate_v1_validates_precompile_moves_rpc',
    'has a code for each invalid move of a precompile',
    async () => {
      const { failure } = await openNode();
      const older = await openNode({ hardfork: 'petersburg' });
      const [one, two, nine] = ['1', '2', '9'].map((digit) => IDENTITY.replace(/4$/, digit)) as [
        string,
        string,
        string,
      ];
      const move = (from: string, to: string) => ({ [from]: { movePrecompileToAddress: to } });
      const codeOf = async (stateOverrides: object, ask = failure): Promise<number> =>
        (await ask('eth_simulateV1', { blockStateCalls: [{ stateOverrides }] }, 'latest')).code;

      expect(await codeOf(move(RECEIVER, RECEIVER))).toBe(-32_000);
      expect(await codeOf(move(one, one))).toBe(-38_022);
      expect(await codeOf({ ...move(RECEIVER, THIRD), ...move(FOURTH, THIRD) })).toBe(-32_000);
      expect(await codeOf({ ...move(one, THIRD), ...move(two, THIRD) })).toBe(-38_023);
      expect(await codeOf(move(nine, THIRD), older.failure)).toBe(-32_000);
    },
  );

  decided(
    'simulate::test_fork_simulate_normalizes_delegated_block_sequence_rpc',
    'fills gaps on a fork',
    async () => {
      const upstream = await openNode({ timestamp: 1_000 });
      await upstream.rpc('anvil_mine', 2);
      const { rpc, failure, block } = await openFork(upstream, { forkBlockNumber: 2 });
      await rpc('anvil_setBlockTimestampInterval', 7);
      const time = count(await block(1), 'timestamp');
      const simulate = (blockOverrides: object) =>
        [{ blockStateCalls: [{ blockOverrides }] }, '0x1'] as const;

      const blocks = list(await rpc('eth_simulateV1', ...simulate({ number: '0x4' })));

      expect(blocks.map((each) => [count(each, 'number'), count(each, 'timestamp')])).toEqual([
        [2, time + 12],
        [3, time + 24],
        [4, time + 36],
      ]);
      for (const [overrides, code] of [
        [{ number: '0x1' }, -38_020],
        [{ time: quantity(time) }, -38_021],
        [{ number: quantity(258) }, -38_026],
      ] as const)
        expect((await failure('eth_simulateV1', ...simulate(overrides))).code).toBe(code);
    },
  );

  ported(
    'simulate::test_simulate_normalizes_block_sequence_rpc',
    'fills gaps with blocks of 12 s',
    async () => {
      const { rpc, block } = await openNode({ timestamp: 1_000 });
      const parent = await block();
      const time = count(parent, 'timestamp');

      const blocks = list(
        await rpc(
          'eth_simulateV1',
          {
            blockStateCalls: [
              { blockOverrides: { number: '0x3', time: quantity(time + 100) } },
              {},
              { blockOverrides: { number: '0x7' } },
            ],
          },
          'latest',
        ),
      );

      expect(blocks.map((each) => count(each, 'timestamp') - time)).toEqual([
        12, 24, 100, 112, 124, 136, 148,
      ]);
      expect(blocks.map((each) => count(each, 'number'))).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(blocks.map((each) => text(each, 'parentHash'))).toEqual(
        [parent, ...blocks.slice(0, -1)].map((each) => text(each, 'hash')),
      );
      for (const index of [0, 1, 4, 5]) expect(pick(blocks[index], 'calls')).toEqual([]);
    },
  );

  ported(
    'simulate::test_simulate_uses_configured_block_interval_rpc',
    'uses the interval of the chain',
    async () => {
      for (const mixedMining of [false, true]) {
        const { rpc, block } = await openNode({ timestamp: 1_000, mixedMining, blockTime: 1.5 });
        const offsets = async (blocks: number): Promise<number[]> => {
          const time = count(await block(0), 'timestamp');
          const result = await rpc(
            'eth_simulateV1',
            { blockStateCalls: Array.from({ length: blocks }, () => ({})) },
            '0x0',
          );
          return list(result).map((each) => count(each, 'timestamp') - time);
        };

        expect(await offsets(2)).toEqual([2, 4]);
        await rpc('anvil_setBlockTimestampInterval', 7);
        expect(await offsets(2)).toEqual([7, 14]);
        expect(await rpc('anvil_removeBlockTimestampInterval')).toBe(true);
        await rpc('anvil_setIntervalMining', 3);
        expect(await offsets(1)).toEqual([3]);
      }
    },
  );

  ported(
    'simulate::test_simulate_rejects_invalid_block_sequence_rpc',
    'rejects falling numbers and times',
    async () => {
      const { failure, block } = await openNode({ timestamp: 1_000 });
      const time = count(await block(), 'timestamp');
      for (const [blockOverrides, code] of [
        [{ number: '0x0' }, -38_020],
        [{ time: quantity(time) }, -38_021],
        [{ number: '0x2', time: quantity(time + 12) }, -38_021],
        [{ number: quantity(257) }, -38_026],
      ] as const)
        expect(
          (await failure('eth_simulateV1', { blockStateCalls: [{ blockOverrides }] }, 'latest')).code,
        ).toBe(code);
    },
  );

  ported('simulate::test_simulate_chains_block_hashes_rpc', 'has hashes for BLOCKHASH', async () => {
    const { rpc, block } = await openNode();
    const hash = text(await block(), 'hash');
    const blocks = await rpc(
      'eth_simulateV1',
      {
        blockStateCalls: [
          { stateOverrides: { [SENDER]: { code: '0x5f405f5260205ff3' } }, calls: [{ to: SENDER }] },
          { stateOverrides: { [RECEIVER]: { code: '0x6001405f5260205ff3' } }, calls: [{ to: RECEIVER }] },
        ],
      },
      'latest',
    );

    expect(blocks).toMatchObject([
      { parentHash: hash, calls: [{ returnData: hash }] },
      { parentHash: pick(blocks, '0.hash'), calls: [{ returnData: pick(blocks, '0.hash') }] },
    ]);
  });

  ported('simulate::test_simulate_includes_prevrandao_in_chained_hash_rpc', 'hashes PREVRANDAO', async () => {
    const { rpc } = await openNode();
    const hashes = new Set<string>();
    for (const random of [word(42), word(43)]) {
      const blocks = await rpc(
        'eth_simulateV1',
        {
          blockStateCalls: [
            { blockOverrides: { prevRandao: random } },
            { stateOverrides: { [SENDER]: { code: '0x6001405f5260205ff3' } }, calls: [{ to: SENDER }] },
          ],
        },
        'latest',
      );
      const hash = text(blocks, '0.hash');
      expect(blocks).toMatchObject([
        { mixHash: random },
        { parentHash: hash, calls: [{ returnData: hash }] },
      ]);
      hashes.add(hash);
    }
    expect(hashes.size).toBe(2);
  });

  ported(
    'simulate::test_simulate_scopes_block_hash_overrides_rpc',
    'overrides BLOCKHASH for one block',
    async () => {
      const { rpc, block } = await openNode();
      const fake = `0x${'42'.repeat(32)}`;
      const calls = [{ to: SENDER }];

      const blocks = await rpc(
        'eth_simulateV1',
        {
          blockStateCalls: [
            {
              blockOverrides: { blockHash: { 0: fake } },
              stateOverrides: { [SENDER]: { code: '0x5f405f5260205ff3' } },
              calls,
            },
            { calls },
          ],
        },
        'latest',
      );

      expect(blocks).toMatchObject([
        { calls: [{ returnData: fake }] },
        { calls: [{ returnData: text(await block(), 'hash') }] },
      ]);
    },
  );

  ported(
    'simulate::test_simulate_inherits_parent_block_context_rpc',
    'inherits gas limit and miner',
    async () => {
      const { rpc } = await openNode({ hardfork: 'london' });
      const code = '0x45600052416020524460405260606000f3';

      const blocks = list(
        await rpc(
          'eth_simulateV1',
          {
            blockStateCalls: [
              {
                blockOverrides: { gasLimit: quantity(1_000_000), feeRecipient: THIRD, difficulty: '0x2a' },
                stateOverrides: { [SENDER]: { code } },
                calls: [{ to: SENDER }],
              },
              { calls: [{ to: SENDER }] },
            ],
          },
          'latest',
        ),
      );

      const returnData = `${word(1_000_000)}${addressWord(THIRD).slice(2)}${word(42).slice(2)}`;
      for (const block of blocks)
        expect(block).toMatchObject({
          gasLimit: quantity(1_000_000),
          miner: THIRD,
          difficulty: '0x2a',
          calls: [{ returnData }],
        });
    },
  );

  ported(
    'simulate::test_simulate_scopes_block_overrides_and_derives_base_fee_rpc',
    'derives base fees',
    async () => {
      const { rpc } = await openNode({ hardfork: 'cancun', blockBaseFeePerGas: 0 });
      const code = '0x445f52486020524a60405260605ff3';
      const calls = [{ to: RECEIVER }];

      const scoped = await rpc(
        'eth_simulateV1',
        {
          blockStateCalls: [
            {
              blockOverrides: { prevRandao: word(42), baseFeePerGas: '0xa', blobBaseFee: '0x15' },
              stateOverrides: { [RECEIVER]: { code } },
              calls,
            },
            { calls },
          ],
        },
        'latest',
      );
      const words = (...values: number[]): string =>
        `0x${values.map((value) => word(value).slice(2)).join('')}`;
      expect(scoped).toMatchObject([
        { calls: [{ returnData: words(42, 10, 21) }] },
        { calls: [{ returnData: words(0, 0, 1) }] },
      ]);
      const derived = await rpc(
        'eth_simulateV1',
        { blockStateCalls: [{ blockOverrides: { baseFeePerGas: '0x3e8' } }, {}], validation: true },
        'latest',
      );
      expect(derived).toMatchObject([{ baseFeePerGas: '0x3e8' }, { baseFeePerGas: '0x36b' }]);
    },
  );

  ported(
    'simulate::test_simulate_pre_london_blocks_keep_base_fee_disabled_rpc',
    'has no base fee under berlin',
    async () => {
      const { rpc } = await openNode({ hardfork: 'berlin' });

      const blocks = list(
        await rpc('eth_simulateV1', { blockStateCalls: [{}, {}], validation: true }, 'latest'),
      );

      expect(blocks).toHaveLength(2);
      for (const block of blocks) expect(block).not.toHaveProperty('baseFeePerGas');
    },
  );

  ported(
    'simulate::test_simulate_derives_from_historical_base_rpc',
    'starts at an earlier block',
    async () => {
      const { rpc, mine, block } = await openNode({ timestamp: 1_000 });
      await mine();

      expect(await rpc('eth_simulateV1', { blockStateCalls: [{}] }, '0x0')).toMatchObject([
        {
          number: '0x1',
          parentHash: text(await block(0), 'hash'),
          timestamp: quantity(count(await block(0), 'timestamp') + 12),
        },
      ]);
    },
  );

  ported('simulate::test_simulate_returns_unchanged_state_root_rpc', 'returns the state root', async () => {
    const { rpc, block } = await openNode({ hardfork: 'shanghai' });

    expect(await rpc('eth_simulateV1', { blockStateCalls: [{}] })).toMatchObject([
      {
        stateRoot: text(await block(), 'stateRoot'),
        withdrawals: [],
        withdrawalsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
      },
    ]);
  });

  ported(
    'simulate::test_simulated_and_mined_ethereum_transitions_match_rpc',
    'equals a mined block',
    async () => {
      for (const hardfork of ['cancun', 'prague'] as const) {
        const { rpc, block, mine } = await openNode({ hardfork });
        const [simulated] = list(await rpc('eth_simulateV1', { blockStateCalls: [{}] }));

        await rpc('evm_setNextBlockTimestamp', count(await block(0), 'timestamp') + 12);
        await mine();

        const { stateRoot, parentBeaconBlockRoot, requestsHash } = Object(await block(1));
        expect(simulated).toMatchObject({
          stateRoot,
          parentBeaconBlockRoot: ZERO,
          ...(requestsHash === undefined ? {} : { requestsHash }),
        });
        expect(parentBeaconBlockRoot).toBe(ZERO);
      }
    },
  );

  ported(
    'simulate::test_simulate_preserves_beacon_root_override_rpc',
    'overrides the beacon root',
    async () => {
      const { rpc, block } = await openNode({ hardfork: 'cancun' });
      const time = quantity(count(await block(), 'timestamp') + 12);
      const beaconRoot = `0x${'42'.repeat(32)}`;

      const given = await rpc('eth_simulateV1', {
        blockStateCalls: [{ blockOverrides: { time, beaconRoot } }],
      });
      const plain = await rpc('eth_simulateV1', { blockStateCalls: [{ blockOverrides: { time } }] });

      expect(given).toMatchObject([{ parentBeaconBlockRoot: beaconRoot }]);
      expect(pick(given, '0.stateRoot')).not.toBe(pick(plain, '0.stateRoot'));
    },
  );

  /** Code of a system contract that returns a byte. */
  const returning = (byte: string): string => `0x60${byte}5f5360015ff3`;
  const WITHDRAWALS = '0x00000961ef480eb55e80d19ad83579a64c007002';
  const CONSOLIDATIONS = '0x0000bbddc7ce488642fb579f8b00f3a590007251';

  ported(
    'simulate::test_multiblock_simulation_applies_transitions_per_block_rpc',
    'runs system calls per block',
    async () => {
      const { rpc, block } = await openNode({ hardfork: 'prague' });
      const before = text(await block(), 'stateRoot');
      // Counts its calls in slot 0, and returns the count.
      await rpc('anvil_setCode', WITHDRAWALS, '0x5f54600101805f555f5360015ff3');
      const roots = ['11', '22'].map((byte) => `0x${byte.repeat(32)}`);

      const blocks = await rpc('eth_simulateV1', {
        blockStateCalls: roots.map((beaconRoot) => ({ blockOverrides: { beaconRoot } })),
      });

      expect(blocks).toMatchObject(roots.map((parentBeaconBlockRoot) => ({ parentBeaconBlockRoot })));
      expect(pick(blocks, '0.requestsHash')).not.toBe(pick(blocks, '1.requestsHash'));
      expect(pick(blocks, '0.stateRoot')).not.toBe(pick(blocks, '1.stateRoot'));
      expect(pick(blocks, '1.parentHash')).toBe(pick(blocks, '0.hash'));
      expect(text(await block(), 'stateRoot')).toBe(before);
    },
  );

  ported(
    'simulate::test_simulated_and_mined_prague_request_hashes_match_rpc',
    'has the requests of a mined block',
    async () => {
      const { rpc, block, mine } = await openNode({ hardfork: 'prague' });
      await rpc('anvil_setCode', WITHDRAWALS, returning('aa'));
      await rpc('anvil_setCode', CONSOLIDATIONS, returning('bb'));
      const [simulated] = list(await rpc('eth_simulateV1', { blockStateCalls: [{}] }));

      await rpc('evm_setNextBlockTimestamp', count(await block(0), 'timestamp') + 12);
      await mine();

      const { stateRoot, requestsHash } = Object(await block(1));
      expect(simulated).toMatchObject({ stateRoot, requestsHash });
      expect(requestsHash).not.toBe('0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    },
  );

  ported(
    'simulate::test_simulate_discards_candidate_after_post_block_failure_rpc',
    'fails with a system call',
    async () => {
      const { rpc, failure, block } = await openNode({ hardfork: 'prague' });
      await rpc('anvil_setCode', WITHDRAWALS, '0x5f5ffd');
      const before = text(await block(), 'stateRoot');

      await failure('eth_simulateV1', {
        blockStateCalls: [{ stateOverrides: { [SENDER]: { balance: '0x1' } } }],
      });

      expect(text(await block(), 'stateRoot')).toBe(before);
      expect(await rpc('eth_blockNumber')).toBe('0x0');
    },
  );

  ported(
    'simulate::test_simulate_empty_state_override_preserves_root_rpc',
    'ignores empty overrides',
    async () => {
      const { rpc } = await openNode();
      const rootOf = async (stateOverrides: object) =>
        pick(await rpc('eth_simulateV1', { blockStateCalls: [{ stateOverrides }] }), '0.stateRoot');

      const root = await rootOf({});

      expect(await rootOf({ [SENDER]: {} })).toBe(root);
      expect(await rootOf({ [SENDER]: { stateDiff: {} } })).toBe(root);
    },
  );

  const DESTRUCT = `0x73${RECEIVER.slice(2)}ff`;

  ported(
    'simulate::test_simulate_selfdestruct_state_root_matches_mined_rpc',
    'has the root of a self-destruct',
    async () => {
      const { rpc, alice, mine, mined, block } = await openNode({
        hardfork: 'london',
        blockBaseFeePerGas: 0,
      });
      await rpc('anvil_setCode', SENDER, DESTRUCT);
      await rpc('anvil_setBalance', SENDER, '0x1');
      await rpc('anvil_setStorageAt', SENDER, '0x0', word(42));
      await mine();
      const destruct = { from: alice, to: SENDER, gas: quantity(100_000), gasPrice: '0x0' };
      const transfer = { from: alice, to: SENDER, gas: quantity(21_000), gasPrice: '0x0', value: '0x1' };

      const simulated = await rpc('eth_simulateV1', {
        blockStateCalls: [{ calls: [destruct] }, { calls: [transfer] }],
        validation: true,
      });

      for (const [index, fields] of [destruct, transfer].entries()) {
        await mined(fields);
        expect(pick(simulated, `${index}.stateRoot`)).toBe(pick(await block(), 'stateRoot'));
      }
      expect(await rpc('eth_getCode', SENDER, 'latest')).toBe('0x');
      expect(await rpc('eth_getStorageAt', SENDER, '0x0', 'latest')).toBe(ZERO);
    },
  );

  ported(
    'simulate::test_simulate_state_override_preserves_selfdestructed_storage_rpc',
    'keeps destroyed storage empty',
    async () => {
      const { rpc, alice, mine } = await openNode({ hardfork: 'london', blockBaseFeePerGas: 0 });
      await rpc('anvil_setCode', SENDER, DESTRUCT);
      await rpc('anvil_setStorageAt', SENDER, '0x0', word(42));
      await mine();
      const calls = [{ from: alice, to: SENDER, gas: quantity(100_000), gasPrice: '0x0' }];
      const code = '0x60005460005260206000f3';
      const simulate = (override: object) =>
        rpc('eth_simulateV1', {
          blockStateCalls: [{ calls }, { stateOverrides: { [SENDER]: override }, calls }],
          validation: true,
        });

      const [codeOnly, cleared] = [await simulate({ code }), await simulate({ code, state: {} })];

      for (const result of [codeOnly, cleared]) expect(pick(result, '1.calls.0.returnData')).toBe(ZERO);
      expect(pick(codeOnly, '1.stateRoot')).toBe(pick(cleared, '1.stateRoot'));
    },
  );

  ported(
    'simulate::test_simulate_derives_from_pending_base_rpc',
    'starts after the pending block',
    async () => {
      const { rpc, block } = await openNode();
      await rpc('anvil_setBlockTimestampInterval', 12);
      const pending = await block('pending');

      expect(await rpc('eth_simulateV1', { blockStateCalls: [{}] }, 'pending')).toMatchObject([
        {
          number: quantity(count(pending, 'number') + 1),
          parentHash: text(pending, 'hash'),
          timestamp: quantity(count(pending, 'timestamp') + 12),
        },
      ]);
    },
  );

  ported('simulate::test_simulate_executes_on_pending_state_rpc', 'sees pending transactions', async () => {
    const { rpc, send } = await openNode({ noMining: true });
    await send({ to: RECEIVER, value: '0x1' });
    const stateOverrides = { [THIRD]: { code: `0x73${RECEIVER.slice(2)}315f5260205ff3` } };

    const blocks = await rpc(
      'eth_simulateV1',
      { blockStateCalls: [{ stateOverrides, calls: [{ to: THIRD }] }] },
      'pending',
    );

    expect(pick(blocks, '0.calls.0.returnData')).toBe(word(1));
  });

  ported(
    'simulate::test_simulate_finalizes_call_and_transaction_metadata_rpc',
    'returns full transactions',
    async () => {
      const { rpc, alice } = await openNode();
      const gasPrice = quantity(10n ** 9n);
      const calls = [RECEIVER, THIRD].map((to) => ({ from: alice, to, gasPrice }));

      const [block] = list(
        await rpc('eth_simulateV1', { blockStateCalls: [{ calls }], returnFullTransactions: true }, 'latest'),
      );

      const { hash, number, timestamp } = Object(block);
      for (const [index, transaction] of list(block, 'transactions').entries())
        expect(transaction).toMatchObject({
          blockHash: hash,
          blockNumber: number,
          transactionIndex: quantity(index),
          blockTimestamp: timestamp,
          gasPrice,
        });
      for (const call of list(block, 'calls'))
        expect(count(call, 'maxUsedGas')).toBeGreaterThanOrEqual(count(call, 'gasUsed'));
    },
  );

  ported(
    'simulate::test_simulate_prague_max_used_gas_includes_calldata_floor_rpc',
    'counts the floor of call data',
    async () => {
      const { rpc } = await openNode({ hardfork: 'prague', blockBaseFeePerGas: 0 });
      const calls = [{ to: RECEIVER, input: `0x${'ff'.repeat(1_000)}` }];

      expect(await rpc('eth_simulateV1', { blockStateCalls: [{ calls }] }, 'latest')).toMatchObject([
        { calls: [{ gasUsed: '0xee48', maxUsedGas: '0xee48' }] },
      ]);
    },
  );

  ported('simulate::test_simulate_max_used_gas_before_refund_rpc', 'returns gas before refunds', async () => {
    const { rpc } = await openNode({ hardfork: 'cancun', blockBaseFeePerGas: 0 });
    const stateOverrides = { [THIRD]: { code: '0x5f5f5500', state: { [ZERO]: word(1) } } };

    expect(
      await rpc(
        'eth_simulateV1',
        { blockStateCalls: [{ stateOverrides, calls: [{ from: SENDER, to: THIRD }] }] },
        'latest',
      ),
    ).toMatchObject([{ calls: [{ gasUsed: '0x52d4', maxUsedGas: '0x6594' }] }]);
  });

  ported(
    'simulate::test_simulate_reports_non_gas_halts_rpc',
    'reports an invalid opcode as -32015',
    async () => {
      const { rpc } = await openNode();
      const stateOverrides = { [RECEIVER]: { code: '0xfe' } };

      const blocks = await rpc(
        'eth_simulateV1',
        { blockStateCalls: [{ stateOverrides, calls: [{ to: RECEIVER }] }] },
        'latest',
      );

      expect(pick(blocks, '0.calls.0.error')).toMatchObject({
        code: -32_015,
        message: expect.stringMatching(/^vm execution error:/),
      });
    },
  );

  ported(
    'simulate::test_simulate_enforces_block_gas_limit',
    'gives the last call the rest of the block',
    async () => {
      const { rpc } = await openNode();
      const blockStateCalls = [
        {
          blockOverrides: { gasLimit: quantity(100_000) },
          stateOverrides: { [THIRD]: { code: '0x5b5f56' } },
          calls: [
            { from: SENDER, to: RECEIVER },
            { from: SENDER, to: THIRD },
          ],
        },
      ];

      const [block] = list(await rpc('eth_simulateV1', { blockStateCalls }));

      expect(block).toMatchObject({
        gasUsed: quantity(100_000),
        calls: [{ status: '0x1' }, { status: '0x0', gasUsed: quantity(79_000), error: { code: -32_015 } }],
      });
    },
  );

  ported(
    'simulate::test_simulate_rejects_call_above_remaining_block_gas',
    'rejects more gas than the block has',
    async () => {
      const { failure } = await openNode();
      const calls = [
        { from: SENDER, to: RECEIVER },
        { from: SENDER, to: RECEIVER, gas: quantity(100_000) },
      ];
      const blockStateCalls = [{ blockOverrides: { gasLimit: quantity(100_000) }, calls }];

      expect((await failure('eth_simulateV1', { blockStateCalls })).code).toBe(-38_015);
    },
  );

  ported(
    'simulate::test_simulate_tracks_amsterdam_gas_dimensions_separately',
    'counts state gas apart',
    async () => {
      const { rpc } = await openNode({ hardfork: 'amsterdam' });
      const blockStateCalls = [
        {
          blockOverrides: { gasLimit: quantity(130_000) },
          stateOverrides: { [THIRD]: { code: '0x600160005500' } },
          calls: [
            { from: SENDER, to: THIRD },
            { from: SENDER, to: RECEIVER },
          ],
        },
      ];

      const [block] = list(await rpc('eth_simulateV1', { blockStateCalls }));

      const used = list(block, 'calls').map((call) => count(call, 'gasUsed'));
      expect(block).toMatchObject({ calls: [{ status: '0x1' }, { status: '0x1' }] });
      expect(used.reduce((sum, each) => sum + each)).toBeGreaterThan(130_000);
      expect(count(block, 'gasUsed')).toBeLessThanOrEqual(130_000);
    },
  );

  ported('simulate::test_simulate_create_calls_rpc', 'creates contracts', async () => {
    const { rpc } = await openNode();
    const calls = [
      {},
      { from: SENDER },
      { input: '0x602a5f526001601ff3' },
      { input: '0x63deadbeef5f526004601cfd' },
    ];

    const blocks = await rpc(
      'eth_simulateV1',
      { blockStateCalls: [{}, { calls }], returnFullTransactions: true },
      'latest',
    );

    expect(blocks).toMatchObject([
      { calls: [], transactions: [] },
      {
        calls: [
          { status: '0x1', returnData: '0x' },
          { status: '0x1', returnData: '0x' },
          { status: '0x1', returnData: '0x2a' },
          { status: '0x0', returnData: '0x', error: { code: 3, data: '0xdeadbeef' } },
        ],
        transactions: [{ to: null }, { to: null }, { to: null }, { to: null }],
      },
    ]);
  });
});

describe('transfers in the logs of eth_simulateV1', () => {
  const OPTIONS = { hardfork: 'cancun', blockBaseFeePerGas: 0 } as const;
  /** Calls an address with this value. */
  const paying = (to: string, value = '01'): string => `0x5f5f5f5f60${value}73${to.slice(2)}5af15000`;
  const traced = (stateOverrides: object, calls: readonly object[], traceTransfers = true) => ({
    blockStateCalls: [{ stateOverrides, calls }],
    traceTransfers,
  });

  ported('simulate::test_simulate_trace_transfer_response_logs_rpc', 'appear on request', async () => {
    const { rpc } = await openNode(OPTIONS);
    const asked = [
      { [SENDER]: { balance: '0x2' }, [RECEIVER]: { code: paying(THIRD) } },
      [{ from: SENDER, to: RECEIVER, value: '0x2' }],
    ] as const;

    const [block] = list(await rpc('eth_simulateV1', traced(...asked), 'latest'));

    expect(pick(block, 'logsBloom')).toBe(NO_BLOOM);
    const logs = list(block, 'calls.0.logs').map((log) => [
      pick(log, 'address'),
      pick(log, 'topics.1'),
      pick(log, 'topics.2'),
      pick(log, 'data'),
      pick(log, 'logIndex'),
    ]);
    expect(logs).toEqual([
      [TRANSFER_EMITTER, addressWord(SENDER), addressWord(RECEIVER), word(2), '0x0'],
      [TRANSFER_EMITTER, addressWord(RECEIVER), addressWord(THIRD), word(1), '0x1'],
    ]);
    const [plain] = list(await rpc('eth_simulateV1', traced(...asked, false), 'latest'));
    expect(pick(plain, 'calls.0.logs')).toEqual([]);
  });

  ported(
    'simulate::test_simulate_preserves_amsterdam_transfer_logs_rpc',
    'are real logs under amsterdam',
    async () => {
      const { rpc } = await openNode({ hardfork: 'amsterdam', blockBaseFeePerGas: 0 });
      const calls = [{ from: SENDER, to: RECEIVER, value: '0x1' }];

      const [block] = list(
        await rpc('eth_simulateV1', traced({ [SENDER]: { balance: '0x1' } }, calls, false), 'latest'),
      );

      expect(pick(block, 'logsBloom')).not.toBe(NO_BLOOM);
      expect(pick(block, 'calls.0.logs')).toMatchObject([
        { address: `0x${'f'.repeat(39)}e`, logIndex: '0x0' },
      ]);
    },
  );

  ported('simulate::test_simulate_trace_transfer_excludes_callcode_rpc', 'exclude CALLCODE', async () => {
    const { rpc } = await openNode(OPTIONS);
    const code = `0x5f5f5f5f600173${THIRD.slice(2)}5af200`;

    const blocks = await rpc(
      'eth_simulateV1',
      traced({ [RECEIVER]: { balance: '0x1', code } }, [{ to: RECEIVER }]),
      'latest',
    );

    expect(blocks).toMatchObject([{ calls: [{ status: '0x1', logs: [] }] }]);
  });

  ported(
    'simulate::test_simulate_trace_transfer_create_nonce_overflow_rpc',
    'exclude creations by an account with the nonce 2^64 - 1',
    async () => {
      const { rpc } = await openNode(OPTIONS);
      const override = { balance: '0x1', nonce: '0xffffffffffffffff', code: '0x600060006001f0505f5fa000' };

      const asked = traced({ [RECEIVER]: override }, [{ to: RECEIVER }]);

      const blocks = await rpc('eth_simulateV1', asked, 'latest');

      expect(list(blocks, '0.calls.0.logs')).toHaveLength(1);
      expect(blocks).toMatchObject([
        { calls: [{ status: '0x1', logs: [{ address: RECEIVER, logIndex: '0x1' }] }] },
      ]);
    },
  );

  ported(
    'simulate::test_simulate_trace_create_and_selfdestruct_transfers_rpc',
    'include creations and self-destructs',
    async () => {
      const { rpc } = await openNode(OPTIONS);
      const target = at('c4');
      const overrides = {
        [RECEIVER]: { balance: '0x1', code: '0x600060006001f000' },
        [THIRD]: { balance: '0x1', code: '0x6000600060006001f500' },
        [FOURTH]: { balance: '0x2', code: `0x73${target.slice(2)}ff` },
      };

      const [block] = list(
        await rpc(
          'eth_simulateV1',
          traced(overrides, [{ to: RECEIVER }, { to: THIRD }, { to: FOURTH }]),
          'latest',
        ),
      );

      const calls = list(block, 'calls');
      for (const [index, sender] of [RECEIVER, THIRD].entries()) {
        expect(list(calls[index], 'logs')).toMatchObject([{ data: word(1) }]);
        expect(pick(calls[index], 'logs.0.topics.1')).toBe(addressWord(sender));
        expect(pick(calls[index], 'logs.0.topics.2')).not.toBe(ZERO);
      }
      expect(pick(calls[2], 'logs.0')).toMatchObject({ data: word(2) });
      expect(pick(calls[2], 'logs.0.topics.2')).toBe(addressWord(target));
    },
  );

  ported(
    'simulate::test_simulate_trace_transfer_reverts_and_log_order_rpc',
    'keep the order of logs',
    async () => {
      const { rpc } = await openNode(OPTIONS);
      const caller = at('c4');
      const logsOf = async (request: object) =>
        list(await rpc('eth_simulateV1', request, 'latest'), '0.calls.0.logs').map((log) => [
          pick(log, 'address'),
          pick(log, 'logIndex'),
        ]);
      const calling = (to: string): string => `0x5f5fa05f5f5f5f5f73${to.slice(2)}5af1505f5fa000`;
      const destroyed = {
        [THIRD]: { balance: '0x2', code: `0x73${'00'.repeat(20)}ff` },
        [caller]: { code: calling(THIRD) },
      };
      expect(await logsOf(traced(destroyed, [{ to: caller }]))).toEqual([
        [caller, '0x0'],
        [TRANSFER_EMITTER, '0x1'],
        [caller, '0x2'],
      ]);

      const reverted = { [FOURTH]: { code: '0x5f5fa05f5ffd' }, [caller]: { code: calling(FOURTH) } };
      for (const transfers of [true, false])
        expect(await logsOf(traced(reverted, [{ to: caller }], transfers))).toEqual([
          [caller, '0x0'],
          [caller, '0x2'],
        ]);

      const failing = {
        [SENDER]: { balance: '0x2' },
        [RECEIVER]: { code: '0x6000' },
      };
      const pays = { from: SENDER, to: RECEIVER, value: '0x1' };
      const blocks = await rpc(
        'eth_simulateV1',
        traced(failing, [{ ...pays, gas: '0x5208' }, pays]),
        'latest',
      );
      expect(blocks).toMatchObject([
        { calls: [{ status: '0x0', logs: [] }, { logs: [{ logIndex: '0x1' }] }] },
      ]);
    },
  );

  ported(
    'simulate::test_simulate_transfer_traces_do_not_change_header_bloom',
    'stay out of the bloom',
    async () => {
      const { rpc, alice } = await openNode();

      const blocks = await rpc(
        'eth_simulateV1',
        traced({}, [{ from: alice, to: RECEIVER, value: '0x1' }]),
        'latest',
      );

      expect(blocks).toMatchObject([
        { logsBloom: NO_BLOOM, calls: [{ logs: [{ address: TRANSFER_EMITTER }] }] },
      ]);
    },
  );

  ported(
    'simulate::test_simulate_preserves_canonical_transfer_emitter_log',
    'differ from logs of the same address',
    async () => {
      const { rpc } = await openNode();
      const code = '0x7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef5f5fa100';
      const simulate = async (transfers: boolean) =>
        list(
          await rpc(
            'eth_simulateV1',
            traced({ [TRANSFER_EMITTER]: { code } }, [{ to: TRANSFER_EMITTER }], transfers),
            'latest',
          ),
        )[0];

      const [with_, without] = [await simulate(true), await simulate(false)];

      expect(list(with_, 'calls.0.logs')).toHaveLength(1);
      for (const field of ['logsBloom', 'receiptsRoot'])
        expect(pick(with_, field)).toBe(pick(without, field));
      expect(pick(with_, 'logsBloom')).not.toBe(NO_BLOOM);
    },
  );
});

describe('the validation of eth_simulateV1', () => {
  ported(
    'simulate::test_simulate_validation_defaults_base_fee_to_zero',
    'is off by default, with base fee 0',
    async () => {
      const { rpc } = await openNode();

      expect(
        await rpc(
          'eth_simulateV1',
          { blockStateCalls: [{}, { blockOverrides: { baseFeePerGas: '0x9' } }, {}] },
          'latest',
        ),
      ).toMatchObject([{ baseFeePerGas: '0x0' }, { baseFeePerGas: '0x9' }, { baseFeePerGas: '0x0' }]);
    },
  );

  ported('simulate::test_simulate_resolves_nonces_from_state', 'uses the nonces of the state', async () => {
    const { rpc } = await openNode();
    const call = { from: SENDER, to: RECEIVER };
    const noncesOf = async (
      nonce: string,
      calls: readonly object[],
      more: object = {},
      override: object = {},
    ) =>
      list(
        await rpc(
          'eth_simulateV1',
          {
            blockStateCalls: [{ ...more, stateOverrides: { [SENDER]: { nonce, ...override } }, calls }],
            returnFullTransactions: true,
            ...('blockOverrides' in more ? { validation: true } : {}),
          },
          'latest',
        ),
        '0.transactions',
      ).map((transaction) => pick(transaction, 'nonce'));

    expect(
      await noncesOf(
        '0x7',
        [call, call],
        { blockOverrides: { baseFeePerGas: '0x0' } },
        { balance: '0x1', code: '0x00' },
      ),
    ).toEqual(['0x7', '0x8']);
    expect(await noncesOf('0xfffffffffffffffe', [call, call, call])).toEqual([
      '0xfffffffffffffffe',
      '0xffffffffffffffff',
      '0x0',
    ]);
    expect(await noncesOf('0xffffffffffffffff', [{ from: SENDER }, call])).toEqual([
      '0xffffffffffffffff',
      '0xffffffffffffffff',
    ]);
  });

  decided('simulate::test_simulate_maps_validation_errors', 'has a code for each rule', async () => {
    const { failure } = await openNode();
    const call = { from: SENDER, to: RECEIVER };
    const validated = (nonce: string, fields: object, baseFeePerGas = '0x0') => ({
      blockStateCalls: [
        {
          blockOverrides: { baseFeePerGas },
          stateOverrides: { [SENDER]: { nonce } },
          calls: [{ ...call, ...fields }],
        },
      ],
      validation: true,
    });
    for (const [payload, code] of [
      [validated('0x1', { nonce: '0x0' }), -38_010],
      [validated('0x1', { nonce: '0x2' }), -38_011],
      [validated('0xffffffffffffffff', {}), -32_000],
      [validated('0x0', { maxFeePerGas: '0x0' }, '0xa'), -38_012],
      [{ blockStateCalls: [{ calls: [{ ...call, gas: '0x0' }] }] }, -38_013],
      [{ blockStateCalls: [{ calls: [{ ...call, value: '0x3e8' }] }] }, -38_014],
    ] as const)
      expect((await failure('eth_simulateV1', payload, 'latest')).code, JSON.stringify(payload)).toBe(code);
  });

  ported('simulate::test_simulate_enforces_request_block_limits_rpc', 'accepts 1 to 256 blocks', async () => {
    const { rpc, failure } = await openNode();
    const blocks = (length: number) => ({ blockStateCalls: Array.from({ length }, () => ({})) });

    expect(await failure('eth_simulateV1', blocks(0), 'latest')).toMatchObject({
      code: -32_602,
      message: expect.stringContaining('empty input'),
    });
    expect(list(await rpc('eth_simulateV1', blocks(256), 'latest'))).toHaveLength(256);
    expect(await failure('eth_simulateV1', blocks(257), 'latest')).toMatchObject({
      code: -38_026,
      message: expect.stringContaining('too many blocks'),
    });
  });

  ported(
    'simulate::test_simulate_future_base_block_returns_header_not_found_rpc',
    'needs a known block',
    async () => {
      const { failure } = await openNode();

      expect(await failure('eth_simulateV1', { blockStateCalls: [{}] }, '0x1')).toMatchObject({
        code: -32_000,
        message: 'header not found',
      });
    },
  );

  ported(
    'simulate::test_simulate_enforces_request_gas_budget_rpc',
    'has 50 million gas for all calls',
    async () => {
      const { rpc } = await openNode({
        blockBaseFeePerGas: 0,
        gasLimit: 75_398_208,
        callGasLimit: 50_000_000,
      });
      const stateOverrides = { [SENDER]: { balance: '0x1' }, [THIRD]: { code: '0x5f5ffd' } };

      const blocks = await rpc(
        'eth_simulateV1',
        {
          blockStateCalls: [
            { stateOverrides, calls: [{ from: SENDER, to: THIRD }] },
            { calls: [{ from: SENDER, to: RECEIVER }] },
          ],
          validation: true,
          returnFullTransactions: true,
        },
        'latest',
      );

      const failed = count(blocks, '0.calls.0.gasUsed');
      expect(blocks).toMatchObject([
        { calls: [{ status: '0x0' }], transactions: [{ gas: quantity(50_000_000) }] },
        { transactions: [{ gas: quantity(50_000_000 - failed) }] },
      ]);
      expect(STORE).toMatch(/^0x/);
    },
  );
});
