// Tools that transfer coins between Rootstock and its parent chain.

import { z } from 'zod';
import { lane, textIn } from '../contract-call.ts';
import { defineTool, type Tool } from '../tool.ts';

const NEEDS = 'The node needs the option parentChain (start_node {"options": {"parentChain": true}}).';

const satoshis = z.int().min(1).describe('Satoshis; 100,000,000 satoshis are one coin.');

export const PEG_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'peg_in',
    title: 'Transfer coins from the parent chain',
    description: `Transfers coins from the simulated parent chain (Bitcoin) to an account on Rootstock, and mines the blocks of both chains that the transfer needs. The minimum is 500,000 satoshis. ${NEEDS}`,
    effect: 'adds',
    input: z.strictObject({
      to: z.string().describe('The address that receives exactly this amount.'),
      satoshis,
      lane,
    }),
    async run({ to, satoshis: amount, lane: named }, session) {
      const node = await session.node(named);
      const pegin = await node.ask('peg_in', [{ to, satoshis: amount }]);
      const [txid, hash] = [textIn(pegin, 'txid'), textIn(pegin, 'hash')];
      return {
        text: `${to} received ${amount} satoshis. Transaction of the parent chain: ${txid}. Registered by ${hash}.`,
        content: { txid, hash },
      };
    },
  }),
  defineTool({
    name: 'peg_out',
    title: 'Transfer coins to the parent chain',
    description: `Transfers coins of an account to the simulated parent chain (Bitcoin), and mines the blocks of both chains that the transfer needs. The key of the account receives the coins. The fee is taken from the amount. The minimum is 250,000 satoshis. ${NEEDS}`,
    effect: 'adds',
    input: z.strictObject({
      from: z.string().describe('The address that pays: an account of the node, not an impersonated one.'),
      satoshis,
      lane,
    }),
    async run({ from, satoshis: amount, lane: named }, session) {
      const node = await session.node(named);
      const pegout = await node.ask('peg_out', [{ from, satoshis: amount }]);
      const [hash, txid] = [textIn(pegout, 'hash'), textIn(pegout, 'txid')];
      const blocks = Number(Reflect.get(Object(pegout), 'blocks'));
      return {
        text: `${from} sent ${amount} satoshis to the parent chain. Payment: ${txid}. Request: ${hash}. Mined Rootstock blocks: ${blocks}.`,
        content: { hash, txid, blocks },
      };
    },
  }),
];
