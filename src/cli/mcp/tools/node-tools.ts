// Tools for the node itself: restart, status and JSON-RPC.

import { z } from 'zod';
import { StartError } from '../../../config/errors.ts';
import { namesOf, readableJson } from '../../commands/methods.ts';
import { statusOf, statusText } from '../../commands/status.ts';
import { AnsweredError } from '../../node-client.ts';
import { lane } from '../contract-call.ts';
import type { Session } from '../session.ts';
import { adviceOn, defineTool, refusal, type Tool, type ToolAnswer } from '../tool.ts';

/** Maximum accounts in a list. A node may have thousands. */
const MAX_ACCOUNTS = 20;

/** Resolves to the status of the node, with the URL for other programs. */
async function statusAnswer(session: Session, named: string | undefined, first: string): Promise<ToolAnswer> {
  const node = await session.node(named);
  const status = await statusOf(node);
  const url = session.isRemote ? node.name : named === undefined ? session.url : session.laneUrl(named);
  const known = await node.ask('eth_accounts', []).catch(() => []);
  const accounts = Array.isArray(known) ? known.slice(0, MAX_ACCOUNTS) : [];
  const listed = accounts.map((account) => `  ${String(account)}\n`).join('');
  return {
    text: `${first}${statusText({ ...status, url })}\nAccounts that can send without a key:\n${listed}`,
    content: { ...status, url, accounts },
  };
}

const listItem = z.union([z.string(), z.number()]);
const option = z.union([z.string(), z.number(), z.boolean(), z.array(listItem), z.null()]);

export const NODE_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'start_node',
    title: 'Restart the node',
    description:
      'Replaces the running node with a new node, which has other options and the same URL. The first node starts automatically, so use this tool only for another chain (hardfork, fork, accounts) or after a failed start. The old chain is lost. To return to an earlier state, use snapshot and revert. For a second chain, use create_lane.',
    effect: 'destroys',
    input: z.strictObject({
      options: z
        .record(z.string(), option)
        .optional()
        .describe(
          'Options for accounts, chain and mining, and also forkUrl, forkBlockNumber and compat. Names are in camel case: {"hardfork": "cancun", "accounts": 3, "balance": 100}, {"forkUrl": "https://…", "forkBlockNumber": 7000000}, {"blockTime": 2}, {"noMining": true}. These options override the command line; false turns an option off. Only the user can set options for files, ports and access. help_topic {"topic": "--all"} lists all options.',
        ),
    }),
    async run({ options = {} }, session) {
      try {
        await session.start(options);
      } catch (error) {
        if (!(error instanceof StartError)) throw error;
        return refusal(
          error.message,
          'No node is running now. Correct the options and call start_node again.',
        );
      }
      return statusAnswer(session, undefined, 'A new node is running.\n');
    },
  }),
  defineTool({
    name: 'node_status',
    title: 'Status of the node',
    description:
      'Returns the URL of the node for scripts, tests and wallets. Also returns chain id, hardfork, latest block, pending transactions, fork, and the accounts that can send without a key. Call this tool first.',
    effect: 'reads',
    input: z.strictObject({ lane }),
    run: ({ lane: named }, session) => statusAnswer(session, named, ''),
  }),
  defineTool({
    name: 'rpc_call',
    title: 'Call a JSON-RPC method',
    description:
      'Runs any JSON-RPC method of the node (eth_*, evm_*, anvil_*, hardhat_*, debug_*, inspect_*, lane_* …). Use this tool for tasks without their own tool: balances, storage, logs, impersonation, setting balances or code, dumps, gas reports. method_docs lists the methods and their parameters.',
    effect: 'destroys',
    input: z.strictObject({
      method: z.string().describe('The method, such as eth_getBalance.'),
      params: z.array(z.unknown()).optional().describe('The parameters in order. Write quantities as "0x…".'),
      lane,
    }),
    async run({ method, params = [], lane: named }, session) {
      const node = await session.node(named);
      try {
        const result = await node.ask(method, params);
        return { text: readableJson(result), content: { result } };
      } catch (error) {
        if (!(error instanceof AnsweredError)) throw error;
        const { METHODS } = await import('../../../rpc/method-table.ts');
        const names = namesOf(METHODS).map(({ name }) => name);
        const { code, message, data } = error;
        const bytes = typeof data === 'string' && data !== '0x' ? ` (data ${data})` : '';
        return refusal(
          `${method} returned error ${code}: ${message}${bytes}`,
          adviceOn(error, method, names),
        );
      }
    },
  }),
];
