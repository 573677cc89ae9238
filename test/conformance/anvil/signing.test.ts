import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect } from 'vitest';
import { ported } from './ported.ts';
import { openNode, quantity, text } from './scene.ts';

const ACCOUNT = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');

const MAIL = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'chainId', type: 'uint256' },
    ],
    Mail: [
      { name: 'to', type: 'address' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  domain: { name: 'Mail', chainId: 1 },
  message: { to: ACCOUNT.address, contents: 'Hello' },
} as const;

const ITEMS = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Order: [
      { name: 'offerer', type: 'address' },
      { name: 'items', type: 'Item[]' },
      { name: 'salt', type: 'uint256' },
      { name: 'key', type: 'bytes32' },
    ],
    Item: [
      { name: 'kind', type: 'uint8' },
      { name: 'token', type: 'address' },
      { name: 'amount', type: 'uint256' },
    ],
  },
  primaryType: 'Order',
  domain: { name: 'Market', verifyingContract: ACCOUNT.address },
  message: {
    offerer: ACCOUNT.address,
    items: [
      { kind: 2, token: ACCOUNT.address, amount: '1' },
      { kind: 0, token: ACCOUNT.address, amount: '9875000000000000' },
    ],
    salt: '0x1234',
    key: `0x${'07'.repeat(32)}`,
  },
} as const;

describe('signing', () => {
  for (const [name, data] of [
    ['can_sign_typed_data', MAIL],
    ['can_sign_typed_data_os', ITEMS],
    [
      'can_sign_typed_seaport_data',
      {
        ...ITEMS,
        message: {
          ...ITEMS.message,
          salt: '24446860302761739304752683030156737591518664810215442929818227897836383814680',
        },
      },
    ],
  ] as const)
    ported(`sign::${name}`, `signs typed data as viem does: ${name}`, async () => {
      const { rpc, alice } = await openNode();

      expect(await rpc('eth_signTypedData_v4', alice, data)).toBe(await ACCOUNT.signTypedData(data as never));
    });

  ported(
    'sign::can_sign_transaction',
    'signs a transaction with a priority fee above the maximum fee',
    async () => {
      const { rpc, alice, bob } = await openNode();

      const signed = await rpc('eth_signTransaction', {
        from: alice,
        to: bob,
        nonce: '0xa',
        maxFeePerGas: quantity(100),
        maxPriorityFeePerGas: quantity(101),
        value: quantity(1_001),
      });

      expect(typeof signed === 'string' ? signed : text(signed, 'raw')).toBe(
        '0x02f866827a690a65648252089470997970c51812dc3a010c7d01b50e0d17dc79c88203e980c001a0e4de88aefcf87ccb04466e60de66a83192e46aa26177d5ea35efbfd43fd0ecdca00e3148e0e8e0b9a6f9b329efd6e30c4a461920f3a27497be3dbefaba996601da',
      );
    },
  );

  for (const [name, chainId] of [
    ['rejects_different_chain_id', 1],
    ['rejects_invalid_chain_id', 99],
  ] as const)
    ported(`sign::${name}`, `rejects a transaction for chain ${chainId}`, async () => {
      const { failure, bob } = await openNode();
      const raw = await ACCOUNT.signTransaction({
        type: 'eip1559',
        chainId,
        nonce: 0,
        to: bob as `0x${string}`,
        value: 100n,
        gas: 21_000n,
        maxFeePerGas: 10n ** 10n,
        maxPriorityFeePerGas: 10n ** 9n,
      });

      expect((await failure('eth_sendRawTransaction', raw)).message).toMatch(/chain ?id/i);
    });
});
