import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import { checksumAddress } from '../../src/wallet/address.ts';
import {
  accountFromSeed,
  DEFAULT_ACCOUNTS,
  DEFAULT_DERIVATION_PATH,
  DEFAULT_MNEMONIC,
  deriveDevAccounts,
  NETWORK_ACCOUNTS,
} from '../../src/wallet/dev-accounts.ts';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';

/** Keys and addresses as published by Rootstock. */
const PUBLISHED_ACCOUNTS = [
  [
    '0xc85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4',
    '0xCd2a3D9f938e13Cd947EC05aBc7fE734df8dD826',
  ],
  [
    '0x0c06818f82e04c564290b32ab86b25676731fc34e9a546108bf109194c8e3aae',
    '0x7986b3df570230288501EeA3D890bD66948C9B79',
  ],
  [
    '0x88fcad7d65de4bf854b88191df9bf38648545e7e5ea367dff6e025b06a28244d',
    '0x0a3AA774752ec2042C46548456c094A76C7f3a79',
  ],
  [
    '0x1786958bf8781c0047f94c9bd7e39402cdadebef6f8faca6b503b991814f5e75',
    '0xCf7CDBBb5f7ba79d3FfE74a0Bba13FC0295F6036',
  ],
  [
    '0x3927ff59ac5da854e7633682792aae26e8f83b515c3c6dc7520b5733d4588b8a',
    '0x39B12c05e8503356e3a7DF0B7B33EfA4C054c409',
  ],
  [
    '0x20e4a6381bd3826a14f8da63653d94e7102b38eb5f929c7a94652f41fa7ba323',
    '0xc354D97642FAa06781B76ffb6786F72Cd7746c97',
  ],
  [
    '0xc1783a9a8222e47778911c58bb5aac1343eb425159ff140799e0a283bfb8fa16',
    '0xdeBe71E1De41Fc77c44df4b6dB940026E31b0E71',
  ],
  [
    '0xe88b7bfb0b3ffe2245e3293e20901022ea01ebc19898dfe468289c9a07672627',
    '0x7857288e171C6159C5576D1BD9ac40c0C48A771c',
  ],
  [
    '0xd77b8a342be95c5c31fa85c20450b424663c4fb4a499cfc80c202c592c85c219',
    '0xa4DEa4d5c954f5Fd9E87f0e9752911E83A3D18b3',
  ],
  [
    '0x082f57b8084286a079aeb9f2d0e17e565ced44a2cb9ce4844e6d4b9d89f3f595',
    '0x09A1Eda29F664aC8F68106f6567276Df0c65D859',
  ],
] as const;

describe('deriveDevAccounts', () => {
  it('derives the common accounts of development nodes by default', () => {
    const accounts = deriveDevAccounts({
      mnemonic: DEFAULT_MNEMONIC,
      derivationPath: DEFAULT_DERIVATION_PATH,
      count: 10,
    });
    expect(accounts).toHaveLength(10);
    expect(toHex(accounts[0]?.address ?? new Uint8Array(0))).toBe(
      '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    );
    for (const [index, expected] of DEV_ACCOUNTS.entries()) {
      expect(toHex(accounts[index]?.address ?? new Uint8Array(0))).toBe(expected.address.toLowerCase());
      expect(toHex(accounts[index]?.privateKey ?? new Uint8Array(0))).toBe(expected.privateKey);
    }
  });
});

describe('DEFAULT_ACCOUNTS', () => {
  it('equals the accounts of the default mnemonic and path', () => {
    const shared = { mnemonic: DEFAULT_MNEMONIC, derivationPath: DEFAULT_DERIVATION_PATH };
    const derived = deriveDevAccounts({ ...shared, count: DEFAULT_ACCOUNTS.length + 1 });
    expect(derived.slice(0, -1)).toEqual(DEFAULT_ACCOUNTS);
    expect(deriveDevAccounts({ ...shared, count: 3 })).toEqual(DEFAULT_ACCOUNTS.slice(0, 3));
  });
});

describe('NETWORK_ACCOUNTS', () => {
  it('contains the published keys, addresses and checksums in order', () => {
    const accounts = NETWORK_ACCOUNTS.map(({ address, privateKey }) => [
      toHex(privateKey),
      checksumAddress(address, 33),
    ]);
    expect(accounts).toEqual(PUBLISHED_ACCOUNTS);
  });
});

describe('accountFromSeed', () => {
  it('derives the Rootstock coinbase from the secret of the local miner', () => {
    const { address, privateKey } = accountFromSeed('regtest_miner_secret_please_change');
    expect(toHex(privateKey)).toBe('0xbcf6db3716f6a1100ac34bc8e102be662e04b1f7f297094a35e9859ab20c4130');
    expect(checksumAddress(address, 33)).toBe('0xEC4DdeB4380ad69b3e509baad9F158cdF4E4681d');
  });
});
