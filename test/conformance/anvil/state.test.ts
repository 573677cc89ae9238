import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished } from 'vitest';
import { ANVIL_ERAS, recordedFile } from '../../support/anvil-eras.ts';
import { ported } from './ported.ts';
import {
  big,
  count,
  ETHER,
  HASH_PROBE,
  list,
  type Node,
  openFork,
  openNode,
  pick,
  quantity,
  startCommandLine,
  storeCreation,
  text,
  wordAt,
} from './scene.ts';

type Fields = Record<string, unknown>;

const YEAR = 31_536_000;
const now = (): number => Math.floor(Date.now() / 1_000);
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;

/** A dump as JSON. */
function decoded(dump: unknown): Fields {
  const bytes = Buffer.from(String(dump).slice(2), 'hex');
  const json: unknown = JSON.parse((bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString());
  return { ...Object(json) };
}

function encoded(state: object): string {
  return `0x${Buffer.from(JSON.stringify(state)).toString('hex')}`;
}

async function dumpOf(node: Node, ...params: readonly unknown[]): Promise<string> {
  return String(await node.rpc('anvil_dumpState', ...params));
}

/** A node that loaded this state at its start. */
async function startedWith(state: object | string): Promise<Node> {
  const folder = mkdtempSync(join(tmpdir(), 'state-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, `${randomUUID()}.json`);
  writeFileSync(file, typeof state === 'string' ? Buffer.from(state.slice(2), 'hex') : JSON.stringify(state));
  return startCommandLine('--hardfork', 'osaka', '--chain-id', '31337', '--load-state', file);
}

/** A node without blocks in its state, as older files of Anvil. */
async function stateWithoutBlocks(): Promise<{ state: Fields; account: string; baseFee: unknown }> {
  const node = await openNode();
  const account = `0x${'10363'.padStart(40, '0')}`;
  await node.rpc('anvil_setBalance', account, quantity(10_363));
  await node.rpc('anvil_mine', 2);
  const { blocks: _, transactions: __, historical_states: ___, ...state } = decoded(await dumpOf(node));
  const { beneficiary, ...block } = Object(state.block);
  const baseFee = await node.rpc('eth_baseFee');
  return { state: { ...state, block: { ...block, coinbase: beneficiary } }, account, baseFee };
}

describe('state files', () => {
  ported('state::can_load_state', 'restore the newest block', async () => {
    const source = await openNode();
    await source.rpc('anvil_mine', 2);

    const node = await startedWith(await dumpOf(source));

    expect(await node.rpc('eth_blockNumber')).toBe('0x2');
    expect(await node.block()).toEqual(await source.block());
  });

  ported('state::test_load_state_continues_saved_timeline', 'continue the saved time', async () => {
    const source = await openNode();
    const future = now() + YEAR;
    await source.rpc('evm_setNextBlockTimestamp', future);
    await source.mine();

    const node = await openNode();
    await node.rpc('anvil_loadState', await dumpOf(source));
    await node.mine();

    expect(count(await node.block(), 'timestamp')).toBeGreaterThanOrEqual(future);
  });

  ported(
    'state::test_load_state_equal_height_fork_keeps_fork_anchor',
    'keep the block of a fork',
    async () => {
      const source = await openNode();
      const future = now() + YEAR;
      await source.rpc('evm_setNextBlockTimestamp', future);
      await source.mine();
      const upstream = await openNode();
      await upstream.mine();
      const fork = await openFork(upstream);

      await fork.rpc('anvil_loadState', await dumpOf(source));
      await fork.mine();

      const time = count(await fork.block(), 'timestamp');
      expect(time).toBeLessThan(future);
      expect(time).toBeGreaterThanOrEqual(count(await upstream.block(), 'timestamp'));
    },
  );

  ported(
    'state::test_load_blockless_state_reanchors_time_to_fork_head',
    'drop next-block settings of a fork',
    async () => {
      const upstream = await openNode();
      await upstream.mine();
      const head = await upstream.block();
      const fork = await openFork(upstream);
      const future = count(head, 'timestamp') + YEAR;
      await fork.rpc('evm_increaseTime', 60);
      await fork.rpc('evm_setNextBlockTimestamp', future);

      expect(await fork.rpc('anvil_loadState', encoded({ accounts: {} }))).toBe(true);

      await fork.mine();
      expect(await fork.block()).toMatchObject({ parentHash: text(head, 'hash') });
      expect(count(await fork.block(), 'timestamp')).toBeLessThan(future);
    },
  );

  ported(
    'state::test_load_state_fork_rollback_reanchors_time_to_fork_head',
    'drop local blocks of a fork',
    async () => {
      const state = await dumpOf(await openNode());
      const upstream = await openNode();
      await upstream.mine();
      const head = text(await upstream.block(), 'hash');
      const fork = await openFork(upstream);
      const future = now() + YEAR;
      await fork.rpc('evm_setNextBlockTimestamp', future);
      await fork.mine();

      expect(await fork.rpc('anvil_loadState', state)).toBe(true);

      expect(text(await fork.block(), 'hash')).toBe(head);
      await fork.mine();
      expect(await fork.block()).toMatchObject({ parentHash: head });
      expect(count(await fork.block(), 'timestamp')).toBeLessThan(future);
    },
  );

  ported('state::test_load_state_stale_blocks_preserve_canonical_head', 'replace later blocks', async () => {
    const node = await openNode();
    await node.rpc('evm_setNextBlockTimestamp', now() + YEAR);
    await node.mine();
    const older = await dumpOf(node);
    await node.rpc('evm_setNextBlockTimestamp', now() + 2 * YEAR);
    await node.mine();
    await node.rpc('anvil_loadState', older);
    await node.rpc('evm_setNextBlockTimestamp', now() + YEAR + 10);
    await node.mine();
    const head = text(await node.block(), 'hash');
    const dump = await dumpOf(node);
    expect(decoded(dump)).toMatchObject({ best_block_number: 2 });

    const loaded = await openNode();
    await loaded.rpc('anvil_loadState', dump);

    expect(text(await loaded.block(), 'hash')).toBe(head);
    await loaded.mine();
    const next = await loaded.block();
    expect(next).toMatchObject({ parentHash: head });
    expect(count(next, 'timestamp')).toBeLessThan(now() + 2 * YEAR - 100);
  });

  ported('state::finalized_block_hash_consistent_after_load_state', 'restore the genesis block', async () => {
    const source = await openNode();
    await source.mine();
    const genesis = text(await source.block(0), 'hash');

    const node = await openNode({ timestamp: now() + 1_000 });
    await node.rpc('anvil_loadState', await dumpOf(source));

    expect(text(await node.block(0), 'hash')).toBe(genesis);
    expect(text(await node.block('earliest'), 'hash')).toBe(genesis);
    const finalized = await node.block('finalized');
    expect(text(await node.block(count(finalized, 'number')), 'hash')).toBe(text(finalized, 'hash'));
  });

  for (const [name, era] of [
    ['can_load_existing_state_legacy', 'minedTransactions'],
    ['can_load_existing_state', 'recorded'],
    ['test_backward_compatibility_deserialization_v1_2', 'environment'],
    ['test_backward_compatibility_mixed_formats_deserialization_v1_2', 'paddedHeaders'],
    ['test_backward_compatibility_optional_fields_deserialization_v1_2', 'accounts'],
    ['test_backward_compatibility_state_dump_deserialization_v1_2', 'namedTypes'],
  ] as const)
    ported(`state::${name}`, `can be from an older Anvil: ${era}`, async () => {
      const file = ANVIL_ERAS[era]?.file() ?? recordedFile();
      const node = await openNode();

      expect(await node.rpc('anvil_loadState', encoded(file))).toBe(true);

      if (file.blocks !== undefined)
        expect(count(await node.rpc('eth_blockNumber'))).toBe(Number(file.best_block_number));
      const [address = '', account] =
        Object.entries(file.accounts).find(([, { balance }]) => BigInt(String(balance)) > 0n) ?? [];
      expect(big(await node.rpc('eth_getBalance', address, 'latest'))).toBe(BigInt(String(account?.balance)));
    });

  ported('state::can_load_state_without_block_history', 'without blocks add their newest block', async () => {
    const { state, account, baseFee } = await stateWithoutBlocks();

    const node = await startedWith(state);

    expect(big(await node.rpc('eth_getBalance', account, 'latest'))).toBe(10_363n);
    const head = await node.block();
    expect(head).toMatchObject({ number: '0x2' });
    expect(await node.rpc('eth_baseFee')).toBe(baseFee);
    await node.mine();
    const next = await node.block();
    expect(next).toMatchObject({ number: '0x3', parentHash: text(head, 'hash'), baseFeePerGas: baseFee });
    const dump = await dumpOf(node);
    const numbers = list(decoded(dump).blocks).map((block) => count(block, 'header.number'));
    expect(numbers).toContain(2);
    const reloaded = await startedWith(dump);
    expect(await reloaded.block()).toEqual(next);
  });

  ported(
    'state::can_load_state_without_block_history_at_runtime',
    'without blocks replace the block with the same number',
    async () => {
      const { state } = await stateWithoutBlocks();
      const coinbase = `0x${'10363'.padStart(40, '0')}`;
      const node = await openNode();
      await node.rpc('anvil_mine', 2);
      const [parent, previous] = [await node.block(1), await node.block()];

      await node.rpc('anvil_loadState', encoded({ ...state, block: { ...Object(state.block), coinbase } }));

      const head = await node.block();
      expect(head).toMatchObject({ number: '0x2', parentHash: text(parent, 'hash'), miner: coinbase });
      expect(text(head, 'hash')).not.toBe(text(previous, 'hash'));
      await node.mine();
      expect(await node.block()).toMatchObject({ number: '0x3', parentHash: text(head, 'hash') });
    },
  );

  ported(
    'state::rejects_nonempty_block_history_without_best_block',
    'without their newest block are rejected',
    async () => {
      const source = await openNode();
      await source.rpc('anvil_mine', 3);
      const state = decoded(await dumpOf(source));
      const blocks = (state.blocks as object[]).filter((block) => Number(pick(block, 'header.number')) !== 3);
      const node = await openNode();
      await node.mine();
      const head = await node.block();

      const failure = await node.failure('anvil_loadState', encoded({ ...state, blocks }));

      expect(failure.message).toContain('Best hash not found for best number 3');
      expect(await node.block()).toEqual(head);
      expect(await node.rpc('eth_getBlockByHash', text(await source.block(2), 'hash'), false)).toBeNull();
      await node.mine();
      expect(await node.block()).toMatchObject({
        number: '0x2',
        parentHash: text(head, 'hash'),
        miner: text(head, 'miner'),
      });
    },
  );

  ported('state::loaded_state_fees_use_selected_head', 'ignore blocks above their newest block', async () => {
    const source = await openNode();
    await source.mine();
    const state = decoded(await dumpOf(source));
    const [head, fee] = [text(await source.block(), 'hash'), await source.rpc('eth_baseFee')];
    await source.mine();
    const newer = (decoded(await dumpOf(source)).blocks as object[]).filter(
      (block) => Number(pick(block, 'header.number')) === 2,
    );

    const node = await openNode();
    await node.rpc(
      'anvil_loadState',
      encoded({ ...state, blocks: [...(state.blocks as object[]), ...newer] }),
    );

    expect(text(await node.block(), 'hash')).toBe(head);
    expect(await node.rpc('eth_baseFee')).toBe(fee);
    await node.mine();
    expect(await node.block()).toMatchObject({ parentHash: head, baseFeePerGas: fee });
  });

  ported('state::can_load_existing_state_legacy_stress', 'can have several blocks of a number', async () => {
    const source = await openNode();
    await source.rpc('anvil_mine', 5);
    const state = decoded(await dumpOf(source));
    const other = await openNode({ timestamp: now() - 1_000 });
    await other.rpc('anvil_mine', 4);
    const stale = (decoded(await dumpOf(other)).blocks as object[]).filter(
      (block) => Number(pick(block, 'header.number')) > 0,
    );

    const node = await openNode();
    await node.rpc(
      'anvil_loadState',
      encoded({ ...state, blocks: [...(state.blocks as object[]), ...stale] }),
    );

    expect(await node.rpc('eth_blockNumber')).toBe('0x5');
  });

  ported(
    'state::test_make_sure_historical_state_is_not_cleared_on_dump',
    'leave earlier states in place',
    async () => {
      const node = await openNode();
      const contract = text(await node.mined({ data: storeCreation(7) }), 'contractAddress');
      await node.mined({ to: contract, data: word(8) });
      await node.mine();

      await dumpOf(node, true);

      expect(await node.rpc('eth_blockNumber')).toBe('0x3');
      expect(await node.rpc('eth_getCode', contract, '0x2')).not.toBe('0x');
    },
  );

  ported(
    'state::can_preserve_historical_states_between_dump_and_load',
    'contain earlier states',
    async () => {
      const source = await openNode();
      const to = text(await source.mined({ data: storeCreation(7) }), 'contractAddress');
      await source.mined({ to, data: word(8) });
      await source.mine();

      const node = await openNode();
      await node.rpc('anvil_loadState', await dumpOf(source, true));

      expect(await node.rpc('eth_blockNumber')).toBe('0x3');
      expect(wordAt(await node.call({ to }, '0x1'))).toBe(7n);
      expect(wordAt(await node.call({ to }, '0x2'))).toBe(8n);
    },
  );

  ported('state::state_dump_is_deterministic', 'are equal for equal chains', async () => {
    const node = await openNode({ timestamp: 1_700_000_000 });
    const to = text(await node.mined({ data: storeCreation(7) }), 'contractAddress');
    await node.mined({ to, data: word(8) });
    await node.mine();
    const dump = await dumpOf(node, true);
    expect(await dumpOf(node, true)).toBe(dump);

    const loaded = await openNode({ timestamp: 1_700_000_000 });
    await loaded.rpc('anvil_loadState', dump);

    expect(decoded(await dumpOf(loaded, true))).toEqual(decoded(dump));
  });

  ported('state::test_fork_load_state', 'of a fork restore accounts on a later fork block', async () => {
    const upstream = await openNode();
    await upstream.rpc('anvil_mine', 10);
    const source = await openFork(upstream, { forkBlockNumber: 4 });
    const alice = `0x${'a1'.repeat(20)}`;
    await source.mined({ to: alice, value: quantity(ETHER) });

    const fork = await openFork(upstream, { forkBlockNumber: 8 });
    await fork.rpc('anvil_loadState', await dumpOf(source));

    expect(await fork.rpc('eth_blockNumber')).toBe('0x8');
    expect(await fork.rpc('eth_getTransactionCount', fork.alice, 'latest')).toBe('0x1');
    expect(big(await fork.rpc('eth_getBalance', alice, 'latest'))).toBe(ETHER);
    for (const nonce of [{}, { nonce: '0x2' }])
      expect(await fork.mined({ to: alice, value: quantity(ETHER), ...nonce })).toMatchObject({
        status: '0x1',
      });
    expect(big(await fork.rpc('eth_getBalance', alice, 'latest'))).toBe(3n * ETHER);
  });

  ported(
    'state::test_fork_load_state_keeps_number_opcode_in_sync',
    'of a fork keep NUMBER in step',
    async () => {
      const upstream = await openNode();
      await upstream.rpc('anvil_mine', 10);
      const source = await openFork(upstream, { forkBlockNumber: 4 });
      const target = `0x${'10501'.padStart(40, '0')}`;
      await source.rpc('anvil_setCode', target, '0x435f5500');
      await source.mine();

      const fork = await openFork(upstream, { forkBlockNumber: 8 });
      await fork.rpc('anvil_loadState', await dumpOf(source));

      const number = text(await fork.mined({ to: target }), 'blockNumber');
      expect(number).toBe('0x9');
      expect(count(await fork.rpc('eth_getStorageAt', target, '0x0', 'latest'))).toBe(9);
    },
  );

  ported(
    'state::test_fork_load_state_with_greater_state_block',
    'of a fork restore later local blocks',
    async () => {
      const upstream = await openNode();
      await upstream.rpc('anvil_mine', 4);
      const source = await openFork(upstream, { forkBlockNumber: 4 });
      await source.mine();
      const dump = await dumpOf(source);
      expect(decoded(dump)).toMatchObject({ best_block_number: 5 });

      const fork = await openFork(upstream, { forkBlockNumber: 4 });
      await fork.rpc('anvil_loadState', dump);

      expect(await fork.rpc('eth_blockNumber')).toBe('0x5');
    },
  );

  ported('state::computes_next_base_fee_after_loading_state', 'restore the next base fee', async () => {
    const source = await openNode();
    await source.mined({ to: source.bob, value: quantity(ETHER) });

    const node = await startedWith(await dumpOf(source));

    expect(await node.rpc('eth_baseFee')).toBe(await source.rpc('eth_baseFee'));
  });

  ported('state::blockhash_opcode_consistent_after_load_state', 'restore BLOCKHASH', async () => {
    const source = await openNode();
    await source.rpc('anvil_mine', 2);
    const hash = text(await source.block(1), 'hash');
    const to = `0x${'b10c4'.padStart(40, '0')}`;

    const node = await openNode();
    await node.rpc('anvil_loadState', await dumpOf(source));

    expect(await node.call({ to, data: word(1) }, 'latest', { [to]: { code: HASH_PROBE } })).toBe(hash);
  });

  ported(
    'state::blockhash_opcode_consistent_after_loading_older_state',
    'restore BLOCKHASH on a longer chain',
    async () => {
      const source = await openNode({ timestamp: 1_000_000 });
      await source.rpc('anvil_mine', 2);
      const hash = text(await source.block(1), 'hash');
      const to = `0x${'b10c4'.padStart(40, '0')}`;

      const node = await openNode();
      await node.rpc('anvil_mine', 258);
      await node.rpc('anvil_loadState', await dumpOf(source));

      expect(await node.rpc('eth_blockNumber')).toBe('0x2');
      expect(await node.call({ to, data: word(1) }, 'latest', { [to]: { code: HASH_PROBE } })).toBe(hash);
    },
  );

  ported(
    'state::state_without_block_history_restores_osaka_blob_excess_gas',
    'without blocks restore blob fees',
    async () => {
      const { state } = await stateWithoutBlocks();
      const node = await openNode();

      await node.rpc(
        'anvil_loadState',
        encoded({
          ...state,
          block: {
            ...Object(state.block),
            basefee: 1,
            blob_excess_gas_and_price: { excess_blob_gas: 786_432, blob_gasprice: 1 },
          },
        }),
      );

      expect(await node.block('pending')).toMatchObject({ excessBlobGas: '0x0' });
    },
  );
});
