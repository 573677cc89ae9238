import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, onTestFinished } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { provenBlobs } from '../../support/blobs.ts';
import { decided, ported } from './ported.ts';
import {
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
  startCommandLine,
  text,
  wordAt,
} from './scene.ts';

const ETHEREUM = ['--hardfork', 'osaka', '--chain-id', '31337'] as const;
const GWEI = 10n ** 9n;
const BOB = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');

const openWith = (...flags: readonly string[]): Promise<Node> => startCommandLine(...ETHEREUM, ...flags);

describe('--number', () => {
  for (const [name, number] of [
    ['test_can_set_genesis_block_number', 1_337],
    ['test_number_opcode_reflects_genesis_block_number', 4_242],
  ] as const)
    ported(`anvil::${name}`, `sets the number of the first block: ${number}`, async () => {
      const { rpc, block, call } = await openWith('--number', String(number));
      const probe = randomAddress();
      await rpc('anvil_setCode', probe, '0x435f5260205ff3');

      expect(await rpc('eth_blockNumber')).toBe(quantity(number));
      expect(await block(number)).toMatchObject({ number: quantity(number) });
      expect(wordAt(await call({ to: probe }, 'pending'))).toBe(BigInt(number + 1));
    });
});

describe('--slots-in-an-epoch', () => {
  for (const [name, slots, blocks] of [
    ['anvil_api::test_safe_and_finalized_use_configured_slots_in_epoch', 2, 5],
    ['api::can_resolve_safe_and_finalized_block_tags_with_configured_epoch_slots', 3, 8],
    ['api::can_resolve_safe_and_finalized_block_tags_to_genesis_before_configured_epoch', 3, 2],
  ] as const)
    ported(name, `places safe and finalized: ${slots} slots, ${blocks} blocks`, async () => {
      const { rpc, block } = await openWith('--slots-in-an-epoch', String(slots));
      await rpc('anvil_mine', blocks);

      for (const [tag, distance] of [
        ['safe', slots],
        ['finalized', 2 * slots],
      ] as const) {
        const number = quantity(Math.max(0, blocks - distance));
        expect(await block(tag)).toEqual(await block(Number(number)));
        expect(pick(await rpc('eth_feeHistory', '0x1', tag, []), 'oldestBlock')).toBe(number);
      }
    });

  ported(
    'simulate::test_fork_simulate_pins_delegated_tag_selector_rpc',
    'pins the tag of a fork',
    async () => {
      const upstream = await openWith('--slots-in-an-epoch', '2');
      await upstream.rpc('anvil_mine', 4);
      const fork = await openWith(
        '--fork-url',
        upstream.url,
        '--slots-in-an-epoch',
        '2',
        '--no-storage-caching',
      );
      await upstream.rpc('anvil_mine', 4);

      expect(await fork.rpc('eth_simulateV1', { blockStateCalls: [{}] }, 'safe')).toMatchObject([
        { number: '0x3' },
      ]);
    },
  );
});

describe('--disable-block-gas-limit', () => {
  ported('gas::test_gas_limit_disabled_from_config', 'removes the limit', async () => {
    const { rpc } = await openWith('--disable-block-gas-limit');

    expect(big(await rpc('anvil_nodeInfo'), 'environment.gasLimit')).toBeGreaterThan(2n ** 50n);
  });

  ported('transaction::can_mine_large_gas_limit', 'accepts much gas', async () => {
    const { mined } = await openWith('--disable-block-gas-limit', '--tx-gas-limit', 'none');

    expect(await mined({ to: randomAddress(), gas: quantity(60_000_000) })).toMatchObject({ status: '0x1' });
  });

  ported('fork::test_fork_gas_limit_disabled_from_config', 'removes the limit of a fork', async () => {
    const upstream = await openNode();
    const { rpc, mined } = await openWith(
      '--fork-url',
      upstream.url,
      '--disable-block-gas-limit',
      '--no-storage-caching',
    );

    expect(big(await rpc('anvil_nodeInfo'), 'environment.gasLimit')).toBeGreaterThan(2n ** 50n);
    for (let round = 0; round < 2; round++)
      expect(await mined({ to: randomAddress(), value: '0x539' })).toMatchObject({ status: '0x1' });
  });
});

describe('--disable-pool-balance-checks', () => {
  ported(
    'txpool::accepts_spend_after_funding_when_pool_checks_disabled',
    'accepts funds of the same block',
    async () => {
      const { rpc, automine, send, mine, alice } = await openWith('--disable-pool-balance-checks');
      const spender = randomAddress();
      const price = GWEI;
      await automine(false);
      await rpc('anvil_impersonateAccount', spender);
      const first = await send({ to: spender, value: quantity(ETHER), gasPrice: quantity(2_000n * GWEI) });
      const second = await send({
        from: spender,
        to: alice,
        value: quantity(ETHER - 21_000n * price),
        gas: quantity(21_000),
        gasPrice: quantity(price),
      });
      expect(await rpc('txpool_status')).toEqual({ pending: '0x2', queued: '0x0' });

      await mine();

      for (const hash of [first, second])
        expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' });
    },
  );
});

describe('bundles and conditional transactions', () => {
  const signed = (fields: object): Promise<string> =>
    BOB.signTransaction({
      type: 'eip1559',
      chainId: 31_337,
      nonce: 0,
      gas: 21_000n,
      maxFeePerGas: 3n * GWEI,
      maxPriorityFeePerGas: GWEI,
      to: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      ...fields,
    });

  ported('api::can_call_bundle', 'are simulated by eth_callBundle', async () => {
    const { rpc, failure, accounts, bob } = await openNode();
    const coinbase = accounts[2] as `0x${string}`;
    const txs = [
      await signed({ to: coinbase, value: 1n }),
      await signed({ to: coinbase, value: 2n, nonce: 1 }),
    ];
    const bundle = { txs, blockNumber: '0x1', stateBlockNumber: 'latest', coinbase };

    const result = await rpc('eth_callBundle', bundle);

    const hashes = txs.map((raw) => keccak256(raw as `0x${string}`).slice(2)).join('');
    expect(result).toMatchObject({
      bundleHash: keccak256(`0x${hashes}`),
      results: [{ fromAddress: bob, toAddress: coinbase }, {}],
    });
    expect(Number(pick(result, 'totalGasUsed'))).toBe(42_000);
    expect(BigInt(String(pick(result, 'ethSentToCoinbase')))).toBe(3n);
    expect((await failure('eth_callBundle', { ...bundle, txs: [] })).message).toContain('bundle missing txs');
    expect((await failure('eth_callBundle', { ...bundle, blockNumber: '0x0' })).message).toContain(
      'bundle missing blockNumber',
    );
  });

  ported('api::can_send_raw_transaction_conditional', 'accept conditional transactions', async () => {
    const { rpc, alice, bob } = await openNode();

    const hash = await rpc('eth_sendRawTransactionConditional', await signed({}), { blockNumberMin: '0x0' });

    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ from: bob, to: alice });
  });

  ported('api::ignores_raw_transaction_conditional_prestate', 'reject empty data first', async () => {
    const { failure } = await openNode();

    expect(
      (await failure('eth_sendRawTransactionConditional', '0x', { blockNumberMin: '0x0' })).message,
    ).toMatch(/empty transaction data/i);
  });
});

describe('IPC', () => {
  async function openSocket() {
    const folder = mkdtempSync(join(tmpdir(), 'ipc-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'node.ipc');
    const node = await openWith('--ipc', path);
    const socket = connect(path);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    const lines = createInterface(socket)[Symbol.asyncIterator]();
    const next = async (): Promise<unknown> => JSON.parse(String((await lines.next()).value));
    return { node, socket, next };
  }
  const request = (method: string, ...params: readonly unknown[]): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

  ported('ipc::can_get_block_number_ipc', 'answers requests', async () => {
    const { socket, next } = await openSocket();

    socket.write(request('eth_blockNumber'));

    expect(await next()).toMatchObject({ result: '0x0' });
  });

  ported('ipc::dropping_handle_closes_ipc_connections', 'closes connections with the node', async () => {
    const { node, socket, next } = await openSocket();
    socket.write(request('eth_blockNumber'));
    await next();
    const closed = once(socket, 'close');

    await node.close();

    await closed;
  });

  ported(
    'ipc::malformed_delimiter_does_not_corrupt_ipc_connection',
    'continues after malformed input',
    async () => {
      const { socket, next } = await openSocket();

      socket.write('}');
      expect(await next()).toMatchObject({ error: { code: -32_700 } });
      socket.write(request('eth_chainId'));

      expect(await next()).toMatchObject({ result: '0x7a69' });
    },
  );

  ported('ipc::test_sub_new_heads_ipc', 'sends subscriptions', async () => {
    const { node, socket, next } = await openSocket();
    socket.write(request('eth_subscribe', 'newHeads'));
    await next();

    await node.rpc('anvil_mine', 3);

    for (const number of ['0x1', '0x2', '0x3'])
      expect(await next()).toMatchObject({ params: { result: { number } } });
  });
});

describe('eth_config', () => {
  for (const [name, hardfork, precompiles] of [
    ['test_config_with_cancun_hardfork', 'cancun', 10],
    ['test_config_with_osaka_hardfork', 'osaka', 18],
  ] as const)
    ported(`fork::${name}`, `describes ${hardfork}`, async () => {
      const { rpc } = await openNode({ hardfork });

      const config = await rpc('eth_config');

      expect(config).toMatchObject({ next: null, last: null, current: { chainId: quantity(31_337) } });
      expect(Object.keys(Object(pick(config, 'current.precompiles')))).toHaveLength(precompiles);
      expect(pick(config, 'current.blobSchedule')).toMatchObject({ max: hardfork === 'cancun' ? 6 : 9 });
    });
});

describe('debug_accountInfoAt and debug_codeByHash', () => {
  ported('traces::test_debug_account_info_at_local', 'return an account inside a block', async () => {
    const { rpc, mined, bob } = await openNode();
    const { blockNumber, blockHash } = Object(await mined({ to: bob, value: '0x3e8' }));

    for (const block of [blockNumber, blockHash])
      expect(await rpc('debug_accountInfoAt', block, '0x0', bob)).toMatchObject({
        balance: quantity(10_000n * ETHER + 1_000n),
        code: '0x',
      });
  });

  ported(
    'traces::test_debug_account_info_at_local_block_on_fork',
    'return an account of a fork',
    async () => {
      const upstream = await openNode();
      const contract = await upstream.deploy(STORE);
      const fork = await openFork(upstream);
      const number = text(await fork.mined({ to: fork.bob, value: '0x1' }), 'blockNumber');

      expect(await fork.rpc('debug_accountInfoAt', number, '0x0', contract)).toMatchObject({ code: STORE });
    },
  );

  for (const name of [
    'traces::test_debug_account_info_at_delegates_pre_fork_block',
    'fork::test_fork_debug_account_info_at',
  ])
    ported(name, `return an account before the fork block: ${name}`, async () => {
      const upstream = await openNode();
      const to = randomAddress();
      const number = text(await upstream.mined({ to, value: '0x3e8' }), 'blockNumber');
      const fork = await openFork(upstream);
      await upstream.mined({ to, value: '0x3e8' });

      for (const block of [number, 'latest'])
        expect(big(await fork.rpc('debug_accountInfoAt', block, '0x0', to), 'balance')).toBe(1_000n);
    });

  ported('api::can_get_code_by_hash', 'return code by its hash', async () => {
    const { rpc, deploy } = await openNode();
    await deploy(STORE);

    expect(await rpc('debug_codeByHash', keccak256(STORE))).toBe(STORE);
  });

  ported('api::can_get_network_id', 'return the network id', async () => {
    const { rpc } = await openNode();

    expect(await rpc('eth_networkId')).toBe('31337');
    expect(await rpc('net_version')).toBe('31337');
  });
});

describe('beacon routes', () => {
  const [PROVEN] = provenBlobs();
  const sidecar = {
    blobs: [toHex(PROVEN.blob)],
    commitments: [toHex(PROVEN.commitment)],
    proofs: [toHex(PROVEN.blobProof)],
  };

  ported('beacon_api::test_beacon_api_get_genesis', 'return the genesis', async () => {
    const { url } = await openNode({ hardfork: 'cancun' });

    const response = await fetch(`${url}/eth/v1/beacon/genesis`);

    const body: unknown = await response.json();
    expect(count(body, 'data.genesis_time')).toBeGreaterThan(0);
    expect(body).toMatchObject({
      data: { genesis_validators_root: `0x${'00'.repeat(32)}`, genesis_fork_version: '0x00000000' },
    });
  });

  decided('beacon_api::test_beacon_api_get_blobs', 'return the blobs of a slot', async () => {
    const { url, rpc, automine, send, mine, block, bob } = await openNode({ hardfork: 'cancun' });
    await automine(false);
    for (let index = 0; index < 3; index++) await send({ to: bob, ...sidecar });
    await rpc('evm_setNextBlockTimestamp', Number(big(await block(0), 'timestamp')) + 7);
    await mine();
    const get = (path: string): Promise<Response> => fetch(`${url}/eth/v1/beacon/blobs/${path}`);

    for (const id of ['7', 'head', text(await block(), 'hash')]) {
      const body: unknown = await (await get(id)).json();
      expect(body).toMatchObject({ execution_optimistic: false, finalized: false });
      expect(list(body, 'data')).toHaveLength(3);
    }
    const none = `0x${'01'.repeat(32)}`;
    expect(list(await (await get(`7?versioned_hashes=${none}`)).json(), 'data')).toEqual([]);
    for (const [id, status] of [
      ['1', 404],
      ['0x1', 400],
      ['latest', 400],
    ] as const)
      expect({ id, status: (await get(id)).status }).toEqual({ id, status });
  });

  decided('beacon_api::test_beacon_api_get_blob_sidecars', 'serve the older route', async () => {
    const { url } = await openNode({ hardfork: 'cancun' });

    const response = await fetch(`${url}/eth/v1/beacon/blob_sidecars/head`);

    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ version: 'deneb', data: [] });
  });
});
