import {
  changeSettings,
  setMinimumGasPrice,
  setNextBaseFee,
  setNextBeaconRoot,
  setNextPrevRandao,
} from '../../../chain/controls.ts';
import { address, word32 } from '../../codecs/data.ts';
import { quantity } from '../../codecs/quantity.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Sets the wei per gas below which the pool takes no transaction; the next blocks have it in their headers. */
const anvil_setMinGasPrice = defineMethod({
  name: 'anvil_setMinGasPrice',
  aliases: { hardhat_setMinGasPrice: TRUE, ganache_setMinGasPrice: TRUE },
  summary: 'Sets the least gas price that is taken',
  differs: {
    anvil_setMinGasPrice: 'Works under rules with a base fee too',
    hardhat_setMinGasPrice: 'Works under rules with a base fee too',
  },
  params: [param('price', quantity)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  handler: ({ chain }, minimumGasPrice) => chain.change(setMinimumGasPrice(minimumGasPrice)),
});

export const ANVIL_NEXT_BLOCK: readonly Method[] = [
  /** Sets the address that the next blocks pay fees to. */
  defineMethod({
    name: 'anvil_setCoinbase',
    aliases: { hardhat_setCoinbase: TRUE, ganache_setCoinbase: TRUE, miner_setEtherbase: TRUE },
    summary: 'Sets the address that gets the fees of the next blocks',
    params: [param('address', address)],
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ chain }, coinbase) => chain.change(changeSettings({ coinbase })),
  }),
  anvil_setMinGasPrice,
  /** Sets the base fee (wei per gas) of the next block, once. An error under rule sets without one; there the least gas price
   * can be set. */
  defineMethod({
    name: 'anvil_setNextBlockBaseFeePerGas',
    aliases: { hardhat_setNextBlockBaseFeePerGas: TRUE, ganache_setNextBlockBaseFeePerGas: TRUE },
    summary: 'Sets the base fee of the next block',
    differs: "An error under the network's own rules, which have no base fee",
    params: [param('baseFee', quantity)],
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ chain }, baseFee) => chain.change(setNextBaseFee(baseFee)),
  }),
  /** Sets what PREVRANDAO answers in the next block, once; the values after it follow from that block. An error under rule
   * sets before proof of stake. */
  defineMethod({
    name: 'anvil_setNextBlockPrevRandao',
    aliases: { anvil_setPrevRandao: NULL, hardhat_setPrevRandao: TRUE },
    summary: 'Sets PREVRANDAO of the next block',
    differs: "An error under the network's own rules, which have no PREVRANDAO",
    params: [param('prevRandao', word32)],
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ chain }, prevRandao) => chain.change(setNextPrevRandao(prevRandao)),
  }),
  /** Sets the root of the beacon block before the next block (EIP-4788), once; blocks have zeros otherwise. An error under rule sets
   * without it. */
  defineMethod({
    name: 'anvil_setNextBlockParentBeaconBlockRoot',
    summary: 'Sets the parent beacon block root of the next block',
    differs: "An error under the network's own rules, which know no beacon chain",
    params: [param('root', word32)],
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ chain }, root) => chain.change(setNextBeaconRoot(root)),
  }),
];
