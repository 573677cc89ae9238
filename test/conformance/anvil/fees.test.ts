import { describe, expect } from 'vitest';
import { ported } from './ported.ts';
import { big, count, ETHER, list, openNode, pick, quantity, randomAddress, text } from './scene.ts';

const GWEI = 10n ** 9n;
const TRANSFER = 21_000;

describe('gas limits and base fees', () => {
  ported('gas::test_gas_limit_applied_from_config', 'use the given gas limit', async () => {
    const { rpc, block } = await openNode({ gasLimit: 10_000_000 });

    expect(pick(await rpc('anvil_nodeInfo'), 'environment.gasLimit')).toBe(quantity(10_000_000));
    expect(await block('pending')).toMatchObject({ gasLimit: quantity(10_000_000) });
  });

  ported('gas::test_basefee_full_block', 'raise the base fee by an eighth after a full block', async () => {
    const { mined, block } = await openNode({ blockBaseFeePerGas: GWEI, gasLimit: TRANSFER });

    await mined({ to: randomAddress(), value: '0x539' });
    expect(await block()).toMatchObject({ baseFeePerGas: quantity(GWEI) });
    await mined({ to: randomAddress(), value: '0x539' });

    expect(await block()).toMatchObject({ baseFeePerGas: quantity(GWEI + 125_000_000n) });
  });

  ported('gas::test_basefee_half_block', 'keep the base fee after a half-full block', async () => {
    const { mined, block } = await openNode({ blockBaseFeePerGas: GWEI, gasLimit: 2 * TRANSFER });

    await mined({ to: randomAddress(), value: '0x539' });
    await mined({ to: randomAddress(), value: '0x539' });

    expect(await block()).toMatchObject({ baseFeePerGas: quantity(GWEI) });
  });

  ported('gas::test_basefee_empty_block', 'lower the base fee after an empty block', async () => {
    const { mined, block, mine } = await openNode({ blockBaseFeePerGas: GWEI });
    await mined({ to: randomAddress(), value: '0x539' });
    const before = big(await block(), 'baseFeePerGas');

    await mine();

    expect(big(await block(), 'baseFeePerGas')).toBeLessThan(before);
  });

  ported('gas::test_respect_base_fee', 'reject a gas price below the base fee', async () => {
    const { failure, mined, alice } = await openNode({ blockBaseFeePerGas: 50 });
    const fields = { from: alice, to: randomAddress(), value: '0x64' };

    const { message } = await failure('eth_sendTransaction', { ...fields, gasPrice: quantity(49) });

    expect(message).toContain('max fee per gas less than block base fee');
    expect(await mined({ ...fields, gasPrice: quantity(50) })).toMatchObject({ status: '0x1' });
  });

  ported('gas::test_tip_above_fee_cap', 'reject a priority fee above the maximum fee', async () => {
    const { failure, alice } = await openNode({ blockBaseFeePerGas: 50 });
    const fields = { from: alice, to: randomAddress(), maxFeePerGas: '0x32', maxPriorityFeePerGas: '0x33' };

    expect((await failure('eth_sendTransaction', fields)).message).toContain(
      'max priority fee per gas higher than max fee per gas',
    );
  });

  ported('gas::test_can_use_fee_history', 'predict the base fee of the next block', async () => {
    const { rpc, mined, block } = await openNode({ blockBaseFeePerGas: 50 });
    for (let round = 0; round < 10; round++) {
      const next = String(list(await rpc('eth_feeHistory', '0x1', 'latest', []), 'baseFeePerGas').at(-1));

      const receipt = await mined({ to: randomAddress(), value: '0x64', gasPrice: next });

      expect(receipt).toMatchObject({ status: '0x1' });
      expect(await block()).toMatchObject({ baseFeePerGas: next });
      expect(pick(await rpc('eth_feeHistory', '0x1', 'latest', []), 'baseFeePerGas.0')).toBe(next);
    }
  });

  ported(
    'gas::test_fee_history_historical_next_block_fee',
    'read the next fee from the child block',
    async () => {
      const { rpc, mine } = await openNode({ hardfork: 'cancun' });
      for (const fee of [100, 200, 300]) {
        await rpc('anvil_setNextBlockBaseFeePerGas', quantity(fee));
        await mine();
      }
      await rpc('anvil_setNextBlockBaseFeePerGas', quantity(400));

      const history = await rpc('eth_feeHistory', '0x1', '0x1', []);

      expect(pick(history, 'baseFeePerGas')).toEqual([quantity(100), quantity(200)]);
      expect(list(history, 'baseFeePerBlobGas')).toHaveLength(2);
    },
  );

  ported(
    'gas::test_fee_history_ignores_stale_cache_after_reset',
    'read the history of the new chain',
    async () => {
      const { rpc, block, mine } = await openNode();
      const before = await rpc('eth_feeHistory', '0x1', '0x0', []);
      await rpc('anvil_setNextBlockBaseFeePerGas', quantity(123));

      await rpc('anvil_reset');

      const fee = pick(await block(0), 'baseFeePerGas');
      expect(pick(await rpc('eth_feeHistory', '0x1', '0x0', []), 'baseFeePerGas.0')).toBe(fee);
      expect(before).toBeDefined();
      expect(await rpc('eth_baseFee')).toBe(quantity(GWEI));
      await mine();
      expect(await block(1)).toMatchObject({ baseFeePerGas: quantity(GWEI) });
    },
  );

  ported('gas::test_memory_reset_restores_explicit_genesis_base_fee', 'restore a base fee of 0', async () => {
    const { rpc, block, mine } = await openNode({ blockBaseFeePerGas: 0 });
    await rpc('anvil_setNextBlockBaseFeePerGas', quantity(999));

    await rpc('anvil_reset');

    expect(await block(0)).toMatchObject({ baseFeePerGas: '0x0' });
    expect(await rpc('eth_baseFee')).toBe('0x0');
    await mine();
    expect(await block(1)).toMatchObject({ baseFeePerGas: '0x0' });
  });
});

describe('eth_estimateGas', () => {
  const INSUFFICIENT = /insufficient funds for gas \* price \+ value/i;

  ported('gas::test_estimate_gas_empty_data', 'counts the bytes of the data', async () => {
    const { rpc, alice, bob } = await openNode();
    const estimate = (fields: object) =>
      rpc('eth_estimateGas', { from: alice, to: bob, value: '0x1', ...fields });

    expect(await estimate({})).toBe(quantity(TRANSFER));
    expect(await estimate({ data: '0x' })).toBe(quantity(TRANSFER));
    expect(count(await estimate({ data: '0x1234' }))).toBeGreaterThan(TRANSFER);
  });

  ported(
    'gas::test_estimate_gas_simple_transfer_checks_funds',
    'rejects a transfer without funds',
    async () => {
      const { failure, alice } = await openNode();

      expect(
        (await failure('eth_estimateGas', { from: randomAddress(), to: alice, value: '0x1' })).message,
      ).toMatch(INSUFFICIENT);
    },
  );

  ported(
    'gas::test_estimate_gas_simple_transfer_without_from_uses_transfer_fast_path',
    'needs no funds without a sender',
    async () => {
      const { rpc, alice } = await openNode();

      expect(await rpc('eth_estimateGas', { to: alice, value: '0x1' })).toBe(quantity(TRANSFER));
    },
  );

  ported(
    'gas::test_estimate_gas_without_from_with_gas_price_uses_transfer_fast_path',
    'needs no funds without a sender for a gas price',
    async () => {
      const { rpc, alice } = await openNode();

      expect(await rpc('eth_estimateGas', { to: alice, gasPrice: quantity(GWEI) })).toBe(quantity(TRANSFER));
    },
  );

  ported(
    'gas::test_estimate_gas_fee_token_does_not_skip_funds_check_outside_tempo',
    'ignores the fee token of another network',
    async () => {
      const { failure, alice } = await openNode();
      const feeToken = `0x20c${'0'.repeat(36)}1`;

      expect(
        (await failure('eth_estimateGas', { from: randomAddress(), to: alice, value: '0x1', feeToken }))
          .message,
      ).toMatch(INSUFFICIENT);
    },
  );

  ported('transaction::estimates_gas_on_pending_by_default', 'sees pending transactions', async () => {
    const { automine, send, alice, rpc } = await openNode();
    const recipient = randomAddress();
    await automine(false);
    await send({ to: recipient, value: quantity(ETHER) });

    await rpc('eth_estimateGas', { from: recipient, to: alice, value: quantity(10n ** 10n), data: '0x42' });
  });

  ported('transaction::test_estimate_gas', 'checks the funds after state overrides', async () => {
    const { rpc, failure, alice } = await openNode();
    const from = randomAddress();
    const fields = { from, to: alice, value: quantity(10n ** 10n), data: '0x42' };
    expect((await failure('eth_estimateGas', fields)).message).toMatch(INSUFFICIENT);

    const gas = await rpc('eth_estimateGas', fields, 'latest', { [from]: { balance: quantity(ETHER) } });

    expect(count(gas)).toBeGreaterThanOrEqual(TRANSFER);
  });

  ported('transaction::can_estimate_gas_prague', 'estimates data to an account under prague', async () => {
    const { rpc, alice, bob } = await openNode({ hardfork: 'prague' });

    expect(count(await rpc('eth_estimateGas', { data: '0xcafebabe', from: alice, to: bob }))).toBeGreaterThan(
      TRANSFER,
    );
  });
});

describe('failures', () => {
  ported('revert::test_deploy_reverting', 'fail a call but not a send of a reverting creation', async () => {
    const { failure, mined, alice } = await openNode();

    expect((await failure('eth_call', { from: alice, data: '0x5f5ffd' }, 'latest')).message).toContain(
      'execution reverted',
    );
    expect(await mined({ data: '0x5f5ffd' })).toMatchObject({ status: '0x0' });
  });

  ported(
    'revert::test_invalid_opcode_rpc_error_code',
    'report an invalid opcode as -32003 without data',
    async () => {
      const { failure, deploy, alice } = await openNode();
      const to = await deploy('0xfe');

      for (const [method, ...rest] of [['eth_call', 'latest'], ['eth_estimateGas']] as const) {
        const error = await failure(method, { from: alice, to }, ...rest);
        expect(error.code).toBe(-32003);
        expect(error).not.toHaveProperty('data');
        expect(error.message).toContain('EVM error InvalidFEOpcode');
        expect(error.message).not.toContain('execution reverted');
      }
    },
  );

  ported('revert::test_empty_revert_data_rpc_error', 'report a revert without data as 0x', async () => {
    const { failure, alice } = await openNode();

    for (const [method, ...rest] of [['eth_call', 'latest'], ['eth_estimateGas']] as const)
      expect(await failure(method, { from: alice, data: '0x5f5ffd' }, ...rest)).toEqual({
        code: 3,
        message: 'execution reverted',
        data: '0x',
      });
  });

  /** Code that reverts with these bytes. */
  function reverting(bytes: string): string {
    const size = (bytes.length / 2).toString(16).padStart(2, '0');
    return `0x60${size}600b5f3960${size}5ffd00${bytes}`;
  }
  /** `Error(string)` with a text of up to 32 characters. */
  function errorText(words: string): string {
    const hex = Buffer.from(words).toString('hex');
    const head = `${'20'.padStart(64, '0')}${words.length.toString(16).padStart(64, '0')}`;
    return `08c379a0${head}${hex.padEnd(64, '0')}`;
  }

  for (const [name, words] of [
    ['test_revert_messages', '!authorized'],
    ['test_solc_revert_example', 'Not enough Ether provided.'],
    ['test_another_revert_message', 'RevertStringFooBar'],
  ] as const)
    ported(`revert::${name}`, `contain the text of the revert: ${words}`, async () => {
      const { failure, deploy, alice } = await openNode();
      const to = await deploy(reverting(errorText(words)));

      expect((await failure('eth_call', { from: alice, to, value: '0x1' }, 'latest')).message).toContain(
        words,
      );
    });

  ported('revert::test_solc_revert_custom_errors', 'report a custom error as a revert', async () => {
    const { failure, deploy } = await openNode();
    const data = `a2bb3ac0${'01'.padStart(64, '0')}`;
    const to = await deploy(reverting(data));

    const error = await failure('eth_call', { to }, 'latest');

    expect(error.message).toContain('execution reverted');
    expect(text(error, 'data')).toBe(`0x${data}`);
  });
});
