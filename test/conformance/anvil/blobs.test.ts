import { sha256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { provenBlobs } from '../../support/blobs.ts';
import { decided, ported } from './ported.ts';
import {
  big,
  creationOf,
  ETHER,
  list,
  openFork,
  openNode,
  pick,
  quantity,
  randomAddress,
  text,
} from './scene.ts';

const BLOB = 131_072;
const GWEI = 10n ** 9n;
const [PROVEN] = provenBlobs();
const VERSIONED_HASH = `0x01${sha256(toHex(PROVEN.commitment)).slice(4)}`;
const POOLED_FIELDS = ['blobs', 'commitments', 'proofs', 'cellProofs'];

/** The sidecar of N equal blobs, with proofs of EIP-4844. */
function sidecar(blobs: number): object {
  const repeated = (bytes: Uint8Array): string[] => Array.from({ length: blobs }, () => toHex(bytes));
  return {
    blobs: repeated(PROVEN.blob),
    commitments: repeated(PROVEN.commitment),
    proofs: repeated(PROVEN.blobProof),
  };
}
const FEES = {
  maxFeePerBlobGas: quantity(2n * GWEI),
  maxFeePerGas: quantity(3n * GWEI),
  maxPriorityFeePerGas: quantity(GWEI),
};

describe('blob transactions', () => {
  ported('eip4844::can_send_eip4844_transaction', 'are mined without their sidecars', async () => {
    const { mined, rpc, bob } = await openNode({ hardfork: 'cancun' });

    const receipt = await mined({ to: bob, value: '0x5', ...FEES, ...sidecar(1) });

    expect(receipt).toMatchObject({ type: '0x3', blobGasUsed: quantity(BLOB), blobGasPrice: '0x1' });
    const { transactionHash, blockNumber } = Object(receipt);
    const [transaction] = list(await rpc('eth_getBlockByNumber', blockNumber, true), 'transactions');
    for (const field of POOLED_FIELDS) expect(transaction).not.toHaveProperty(field);
    const raw = String(await rpc('eth_getRawTransactionByHash', transactionHash));
    expect(raw.length).toBeLessThan(BLOB);
    expect(await rpc('debug_getRawTransactions', blockNumber)).toEqual([raw]);
    const block = String(await rpc('debug_getRawBlock', blockNumber));
    expect(await rpc('eth_getBlockByNumber', blockNumber, false)).toMatchObject({
      size: quantity(block.length / 2 - 1),
    });
    expect(await rpc('anvil_getBlobsByTransactionHash', transactionHash)).toEqual([toHex(PROVEN.blob)]);
  });

  for (const [name, hardfork] of [
    ['can_send_eip4844_transaction_fork', 'cancun'],
    ['can_send_eip4844_transaction_eth_send_transaction', 'cancun'],
  ] as const)
    ported(`eip4844::${name}`, `are mined on a fork: ${name}`, async () => {
      const fork = await openFork(await openNode({ hardfork }), { hardfork });

      const receipt = await fork.mined({ to: fork.bob, ...sidecar(1) });

      expect(
        await fork.rpc('anvil_getBlobsByTransactionHash', text(receipt, 'transactionHash')),
      ).toHaveLength(1);
    });

  ported(
    'eip4844::can_send_eip4844_transaction_with_eip7594_sidecar_format',
    'accept cell proofs',
    async () => {
      const { mined, rpc, bob } = await openNode();
      const fields = { ...sidecar(1), proofs: PROVEN.cellProofs.map((proof) => toHex(proof)) };

      const receipt = await mined({ to: bob, ...fields });

      expect(await rpc('anvil_getBlobsByTransactionHash', text(receipt, 'transactionHash'))).toHaveLength(1);
    },
  );

  ported('eip4844::can_send_multiple_blobs_in_one_tx', 'have up to six blobs', async () => {
    const { mined, bob } = await openNode({ hardfork: 'cancun' });

    expect(await mined({ to: bob, ...FEES, ...sidecar(6) })).toMatchObject({
      blobGasUsed: quantity(6 * BLOB),
      blobGasPrice: '0x1',
    });
  });

  ported('eip4844::cannot_exceed_six_blobs', 'are rejected with seven blobs', async () => {
    const { failure, alice, bob } = await openNode({ hardfork: 'cancun' });

    const { message } = await failure('eth_sendTransaction', {
      from: alice,
      to: bob,
      ...FEES,
      ...sidecar(7),
    });

    expect(message).toContain('too many blobs');
  });

  ported(
    'eip4844::can_mine_blobs_when_exceeds_max_blobs',
    'wait for the next block if a block is full',
    async () => {
      const { send, rpc, automine, bob } = await openNode({ hardfork: 'cancun' });
      await automine(false);
      const first = await send({ to: bob, ...FEES, ...sidecar(4) });
      const second = await send({ to: bob, ...FEES, ...sidecar(3) });

      await rpc('anvil_mine', '0x1');
      await rpc('anvil_mine', '0x1');

      expect(await rpc('eth_getTransactionReceipt', first)).toMatchObject({ blockNumber: '0x1' });
      expect(await rpc('eth_getTransactionReceipt', second)).toMatchObject({ blockNumber: '0x2' });
      expect(await rpc('eth_getBlockByNumber', '0x1', false)).toMatchObject({
        blobGasUsed: quantity(4 * BLOB),
      });
      expect(await rpc('eth_getBlockByNumber', '0x2', false)).toMatchObject({
        blobGasUsed: quantity(3 * BLOB),
      });
    },
  );

  ported('eip4844::can_check_blob_fields_on_genesis', 'have fields in the genesis block', async () => {
    const { block } = await openNode({ hardfork: 'cancun' });

    expect(await block(0)).toMatchObject({ blobGasUsed: '0x0', excessBlobGas: '0x0' });
  });

  ported(
    'eip4844::can_correctly_estimate_blob_gas_with_recommended_fillers',
    'have default fees',
    async () => {
      const { mined, rpc, alice, bob } = await openNode({ hardfork: 'cancun' });

      const receipt = await mined({ to: bob, ...sidecar(1) });

      expect(receipt).toMatchObject({ from: alice, to: bob, blobGasUsed: quantity(BLOB) });
      const transaction = await rpc('eth_getTransactionByHash', text(receipt, 'transactionHash'));
      expect(big(transaction, 'maxFeePerBlobGas')).toBeGreaterThanOrEqual(1n);
    },
  );

  ported(
    'eip4844::can_correctly_estimate_blob_gas_with_recommended_fillers_with_signer',
    'can be filled',
    async () => {
      const { rpc, alice, bob } = await openNode({ hardfork: 'cancun' });

      const filled = await rpc('eth_fillTransaction', { from: alice, to: bob, ...sidecar(1) });

      expect(pick(filled, 'tx')).toMatchObject({ type: '0x3', blobVersionedHashes: [VERSIONED_HASH] });
      expect(big(filled, 'tx.maxFeePerBlobGas')).toBeGreaterThanOrEqual(1n);
    },
  );

  ported('api::test_fill_transaction_eip4844_blob_fee', 'are filled with a blob fee', async () => {
    const { rpc, alice } = await openNode({ hardfork: 'cancun' });

    const filled = await rpc('eth_fillTransaction', {
      from: alice,
      to: randomAddress(),
      type: '0x3',
      ...sidecar(1),
    });

    expect(pick(filled, 'tx')).toMatchObject({
      maxFeePerBlobGas: expect.stringMatching(/^0x/),
      blobVersionedHashes: [VERSIONED_HASH],
    });
  });

  ported('api::test_fill_transaction_eip4844_preserves_blob_fee', 'keep their blob fee', async () => {
    const { rpc, alice } = await openNode({ hardfork: 'cancun' });
    const fields = { from: alice, to: randomAddress(), type: '0x3', maxFeePerBlobGas: quantity(5_000_000) };

    expect(pick(await rpc('eth_fillTransaction', { ...fields, ...sidecar(1) }), 'tx.maxFeePerBlobGas')).toBe(
      quantity(5_000_000),
    );
  });

  ported(
    'eip4844::can_bypass_sidecar_requirement',
    'need no sidecar from an impersonated account',
    async () => {
      const { mined, rpc } = await openNode({ hardfork: 'cancun', autoImpersonate: true });
      const from = randomAddress();
      await rpc('anvil_setBalance', from, quantity(ETHER));

      const receipt = await mined({
        from,
        to: randomAddress(),
        nonce: '0x0',
        value: '0x0',
        type: '0x3',
        ...FEES,
        blobVersionedHashes: ['0x01d5446006b21888d0267829344ab8624fdf1b425445a8ae1ca831bf1b8fbcd4'],
      });

      expect(receipt).toMatchObject({ status: '0x1', type: '0x3' });
    },
  );

  ported('eip4844::can_get_blobs_by_versioned_hash', 'leave their blobs by versioned hash', async () => {
    const { mined, rpc, bob } = await openNode({ hardfork: 'prague' });
    await mined({ to: bob, ...FEES, ...sidecar(1) });

    expect(await rpc('anvil_getBlobByHash', VERSIONED_HASH)).toBe(toHex(PROVEN.blob));
  });

  ported('eip4844::can_get_blobs_by_tx_hash', 'leave their blobs by transaction', async () => {
    const { send, rpc, bob } = await openNode({ hardfork: 'prague' });

    const hash = await send({ to: bob, ...FEES, ...sidecar(1) });

    expect(await rpc('anvil_getBlobsByTransactionHash', hash)).toEqual([toHex(PROVEN.blob)]);
  });
});

describe('simulated blob transactions', () => {
  const READ_FEE = '0x4a5f5260205ff3';
  const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;

  ported(
    'eip4844::simulate_v1_derives_blob_hashes_from_sidecars',
    'have the hashes of their sidecars',
    async () => {
      const { rpc, alice } = await openNode({ hardfork: 'cancun' });
      const to = `0x${'42'.padStart(40, '0')}`;

      const [block] = list(
        await rpc(
          'eth_simulateV1',
          {
            blockStateCalls: [
              {
                stateOverrides: { [to]: { code: '0x5f495f5260205ff3' } },
                calls: [{ from: alice, to, ...sidecar(1) }],
              },
            ],
            returnFullTransactions: true,
          },
          'latest',
        ),
      );

      expect(block).toMatchObject({ calls: [{ returnData: VERSIONED_HASH }] });
      for (const field of POOLED_FIELDS) expect(pick(block, 'transactions.0')).not.toHaveProperty(field);
    },
  );

  ported(
    'eip4844::simulate_v1_defaults_blob_fee_cap_to_zero',
    'have a blob fee of 0 by default',
    async () => {
      const { rpc, failure, alice } = await openNode({ hardfork: 'cancun' });
      const to = `0x${'42'.padStart(40, '0')}`;
      const call = {
        from: alice,
        to,
        blobVersionedHashes: [VERSIONED_HASH],
        maxFeePerGas: quantity(2n * GWEI),
        maxPriorityFeePerGas: '0x0',
      };
      const payload = (
        validation: boolean,
        blobBaseFee?: string,
        fields: object = {},
        overrides: object = {},
      ) => ({
        blockStateCalls: [
          {
            ...(blobBaseFee === undefined ? {} : { blockOverrides: { blobBaseFee } }),
            stateOverrides: { [to]: { code: READ_FEE }, ...overrides },
            calls: [{ ...call, ...fields }],
          },
        ],
        validation,
        returnFullTransactions: true,
      });

      expect((await failure('eth_simulateV1', payload(true), 'latest')).code).toBe(-32_003);
      for (const [fee, shown] of [
        [undefined, 1],
        ['0x15', 21],
      ] as const)
        expect(await rpc('eth_simulateV1', payload(false, fee), 'latest')).toMatchObject([
          { calls: [{ returnData: word(shown) }], transactions: [{ maxFeePerBlobGas: '0x0' }] },
        ]);
      const from = `0x${'43'.padStart(40, '0')}`;
      const poor = (maxFeePerBlobGas: string | undefined, balance: number) =>
        payload(
          false,
          '0x15',
          { from, gas: quantity(30_000), maxFeePerGas: '0x0', ...(maxFeePerBlobGas && { maxFeePerBlobGas }) },
          { [from]: { balance: quantity(balance) } },
        );
      for (const fee of [undefined, '0x0'])
        expect(await rpc('eth_simulateV1', poor(fee, 0), 'latest')).toMatchObject([
          { calls: [{ returnData: word(21) }], transactions: [{ maxFeePerBlobGas: '0x0' }] },
        ]);
      expect((await failure('eth_simulateV1', poor('0x14', 4_000_000), 'latest')).code).toBe(-32_003);
      expect((await failure('eth_simulateV1', poor('0x1e', 3_000_000), 'latest')).code).toBe(-38_014);
      expect(await rpc('eth_simulateV1', poor('0x1e', 4_000_000), 'latest')).toMatchObject([
        { calls: [{ returnData: word(21) }], transactions: [{ maxFeePerBlobGas: '0x1e' }] },
      ]);
    },
  );

  decided(
    'eip4844::simulate_v1_executes_the_canonical_transaction_type',
    'have the newest type of the rules',
    async () => {
      const { rpc, alice, bob } = await openNode({ hardfork: 'berlin' });

      expect(
        await rpc(
          'eth_simulateV1',
          {
            blockStateCalls: [{ calls: [{ from: alice, to: bob, accessList: [] }] }],
            returnFullTransactions: true,
          },
          'latest',
        ),
      ).toMatchObject([{ transactions: [{ type: '0x1' }] }]);
    },
  );

  ported(
    'eip4844::simulate_v1_only_accounts_blobs_for_canonical_eip4844_transactions',
    'have no blobs with authorizations',
    async () => {
      const { rpc, alice, bob, accounts } = await openNode({ hardfork: 'prague' });
      const signer = privateKeyToAccount(
        '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
      );
      const { r, s, yParity } = await signer.signAuthorization({
        chainId: 31_337,
        contractAddress: accounts[2] as `0x${string}`,
        nonce: 0,
      });
      const authorization = {
        chainId: quantity(31_337),
        address: accounts[2],
        nonce: '0x0',
        r,
        s,
        yParity: quantity(yParity ?? 0),
      };

      const [block] = list(
        await rpc(
          'eth_simulateV1',
          {
            blockStateCalls: [
              { calls: [{ from: alice, to: bob, ...sidecar(1), authorizationList: [authorization] }] },
            ],
            returnFullTransactions: true,
          },
          'latest',
        ),
      );

      expect(block).toMatchObject({ blobGasUsed: '0x0', transactions: [{ type: '0x4' }] });
      for (const field of ['blobVersionedHashes', ...POOLED_FIELDS])
        expect(pick(block, 'transactions.0')).not.toHaveProperty(field);
    },
  );

  const request = (from: string, to: string, blobs: number): object => ({
    from,
    to,
    blobVersionedHashes: Array.from({ length: blobs }, () => VERSIONED_HASH),
  });

  ported(
    'eip4844::simulate_v1_uses_canonical_blob_transaction_root',
    'have a root without sidecars',
    async () => {
      const { rpc, alice, bob, mined, block } = await openNode({ hardfork: 'cancun' });
      const fields = { type: '0x3', blobVersionedHashes: [VERSIONED_HASH], maxFeePerBlobGas: '0x1' };

      const [simulated] = list(
        await rpc(
          'eth_simulateV1',
          {
            blockStateCalls: [{ calls: [{ from: alice, to: bob, ...fields }] }],
            returnFullTransactions: true,
          },
          'latest',
        ),
      );

      expect(text(simulated, 'transactionsRoot')).toMatch(/^0x[\da-f]{64}$/);
      await mined({ to: bob, value: '0x1' });
      expect(text(await block(), 'transactionsRoot')).not.toBe(text(simulated, 'transactionsRoot'));
    },
  );

  ported(
    'eip4844::simulate_v1_rejects_cumulative_blob_gas_overflow',
    'cannot exceed the blobs of a block',
    async () => {
      const { failure, alice, bob } = await openNode({ hardfork: 'cancun' });
      const calls = [request(alice, bob, 6), { from: alice, to: bob, ...sidecar(1) }];

      expect((await failure('eth_simulateV1', { blockStateCalls: [{ calls }] }, 'latest')).code).toBe(
        -32_602,
      );
    },
  );

  ported('eip4844::simulate_v1_uses_bpo_blob_gas_limits', 'have the limits of bpo1 and bpo2', async () => {
    for (const [hardfork, most] of [
      ['bpo1', 15],
      ['bpo2', 21],
    ] as const) {
      const { rpc, failure, alice, bob } = await openNode({ hardfork });
      const calls = Array.from({ length: Math.ceil(most / 6) }, (_, index) =>
        request(alice, bob, Math.min(6, most - 6 * index)),
      );

      expect(await rpc('eth_simulateV1', { blockStateCalls: [{ calls }] }, 'latest')).toMatchObject([
        { blobGasUsed: quantity(most * BLOB) },
      ]);
      const above = [...calls, request(alice, bob, 1)];
      expect((await failure('eth_simulateV1', { blockStateCalls: [{ calls: above }] }, 'latest')).code).toBe(
        -32_602,
      );
    }
  });

  ported('eip4844::simulate_v1_advances_excess_blob_gas', 'raise the excess blob gas', async () => {
    const { rpc, alice, bob } = await openNode({ hardfork: 'cancun' });

    const blocks = await rpc(
      'eth_simulateV1',
      { blockStateCalls: [{ calls: [request(alice, bob, 6)] }, { calls: [request(alice, bob, 1)] }] },
      'latest',
    );

    expect(blocks).toMatchObject([
      { blobGasUsed: quantity(6 * BLOB), excessBlobGas: '0x0' },
      { blobGasUsed: quantity(BLOB), excessBlobGas: quantity(3 * BLOB) },
    ]);
  });
});

describe('transactions with authorizations', () => {
  /** Emits the call data. */
  const LOGGER = '0x365f5f37365fa000';
  const KEYS = [
    '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
    '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  ] as const;
  const authority = privateKeyToAccount(KEYS[0]);
  const sender = privateKeyToAccount(KEYS[1]);

  ported('eip7702::can_send_eip7702_tx', 'delegate an account', async () => {
    const { rpc, mined, alice } = await openNode({ hardfork: 'prague' });
    const contract = text(await mined({ data: creationOf(LOGGER) }), 'contractAddress') as `0x${string}`;
    const authorization = await authority.signAuthorization({
      chainId: 31_337,
      contractAddress: contract,
      nonce: 1,
    });

    const raw = await sender.signTransaction({
      type: 'eip7702',
      chainId: 31_337,
      nonce: 0,
      to: authority.address,
      data: '0x11112222',
      gas: 100_000n,
      maxFeePerGas: 3n * GWEI,
      maxPriorityFeePerGas: GWEI,
      authorizationList: [authorization],
    });

    const receipt = await rpc('eth_getTransactionReceipt', await rpc('eth_sendRawTransaction', raw));
    expect(receipt).toMatchObject({ logs: [{ address: alice, topics: [], data: '0x11112222' }] });
  });

  ported('eip7702::can_send_eip7702_request', 'are sent from an impersonated account', async () => {
    const { rpc, mined, alice, bob } = await openNode({ hardfork: 'prague' });
    const contract = text(await mined({ data: creationOf(LOGGER) }), 'contractAddress');
    const signed = await authority.signAuthorization({
      chainId: 31_337,
      contractAddress: contract as `0x${string}`,
      nonce: 1,
    });
    await rpc('anvil_impersonateAccount', bob);

    const receipt = await mined({
      from: bob,
      to: alice,
      data: '0x11112222',
      gas: quantity(100_000),
      authorizationList: [
        {
          chainId: quantity(31_337),
          address: contract,
          nonce: '0x1',
          r: signed.r,
          s: signed.s,
          yParity: quantity(signed.yParity ?? 0),
        },
      ],
    });

    expect(receipt).toMatchObject({ logs: [{ address: alice, data: '0x11112222' }] });
  });

  ported(
    'eip7702::eip7702_authorization_bypass',
    'accept a faked signature of an authorization',
    async () => {
      const { rpc, mined, alice, bob } = await openNode({ hardfork: 'prague' });
      const contract = text(await mined({ data: creationOf(LOGGER) }), 'contractAddress');
      await rpc('anvil_impersonateSignature', `0x${'00'.repeat(64)}1c`, alice);

      const receipt = await mined({
        from: bob,
        to: alice,
        data: '0x11112222',
        gas: quantity(100_000),
        authorizationList: [
          { chainId: quantity(31_337), address: contract, nonce: '0x1', r: '0x0', s: '0x0', yParity: '0x1' },
        ],
      });

      expect(receipt).toMatchObject({ logs: [{ address: alice, data: '0x11112222' }] });
    },
  );
});
