import { address, storageKey } from '../../codecs/data.ts';
import { storageValue } from '../../codecs/settings.ts';
import { defineMethod, param } from '../../method.ts';
import { TRUE } from '../../result-shapes.ts';

/** Sets a slot of the storage of an account in the state after the head. Short values stand at the right of the slot. */
export const anvil_setStorageAt = defineMethod({
  name: 'anvil_setStorageAt',
  aliases: { hardhat_setStorageAt: TRUE, ganache_setStorageAt: TRUE, evm_setAccountStorageAt: TRUE },
  summary: 'Sets a slot of the storage of an account',
  differs: {
    anvil_setStorageAt: 'Short values are padded',
    hardhat_setStorageAt: 'Short values are padded',
    evm_setAccountStorageAt: 'Mines no block; short slots are padded',
  },
  params: [param('address', address), param('slot', storageKey), param('value', storageValue)],
  result: { description: 'True', schema: { const: true } },
  shape: TRUE,
  example: { params: ['0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', '0x0', '0x2b'], result: true },
  handler: ({ chain }, account, slot, value) => chain.cheats.setStorageAt(account, slot, value),
});
