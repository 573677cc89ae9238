import { getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { configFileText } from '../../src/cli/start-entry.ts';
import { startEntryWith } from './support/entries.ts';

const FACTS = { baseFee: null, gasPrice: 7n, genesisTimestamp: 1_700_000_000, apiKey: null };

describe('configFileText', () => {
  it("returns Anvil's format with chain id, URL and chain-specific checksum addresses", () => {
    expect(JSON.parse(configFileText(startEntryWith(), FACTS))).toEqual({
      available_accounts: [`0x${'A1'.repeat(20)}`, `0x${'B2'.repeat(20)}`],
      private_keys: [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`],
      wallet: { mnemonic: 'test test junk', derivation_path: "m/44'/60'/0'/0/" },
      base_fee: '0',
      gas_price: '7',
      gas_limit: '30000000',
      genesis_timestamp: '1700000000',
      checksum_addresses: [getAddress(`0x${'a1'.repeat(20)}`, 33), getAddress(`0x${'b2'.repeat(20)}`, 33)],
      chain_id: 33,
      url: 'http://127.0.0.1:8545',
    });
  });

  it('returns a URL with the API key if one is required', () => {
    const text = configFileText(startEntryWith({ needsApiKey: true }), { ...FACTS, apiKey: 'my-key' });
    expect(JSON.parse(text)).toMatchObject({ url: 'http://127.0.0.1:8545/my-key' });
  });

  it('returns the base fee of the rules, and an empty wallet if there is none', () => {
    const text = configFileText(startEntryWith({ wallet: null }), { ...FACTS, baseFee: 10n ** 9n });
    expect(JSON.parse(text)).toMatchObject({ base_fee: '1000000000', wallet: {} });
  });
});
