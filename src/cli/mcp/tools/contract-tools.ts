// Tools that deploy and call contracts.

import { z } from 'zod';
import type { InspectedCall, Inspection } from '../../../inspect/inspection.ts';
import { parametersText } from '../../../inspect/value-text.ts';
import { isRecord } from '../../../primitives/record.ts';
import { AnsweredError, type NodeClient } from '../../node-client.ts';
import { readInspection } from '../../trace/read-inspection.ts';
import {
  abi,
  address,
  amountsOf,
  CALL,
  call,
  callWithData,
  lane,
  senderOf,
  textIn,
  values,
} from '../contract-call.ts';
import {
  artifactNamed,
  constructorInputs,
  linkedCode,
  listed,
  signatureInputs,
  withArguments,
} from '../creation.ts';
import { ToolError } from '../session.ts';
import { adviceOn, defineTool, refusal, type Tool, type ToolAnswer } from '../tool.ts';

function numberIn(answer: unknown, name: string): number | null {
  const text = textIn(answer, name);
  return text === null ? null : Number(text);
}

/** Resolves to the trace of a transaction; `null` if the node does not support it. */
async function inspected(node: NodeClient, hash: string): Promise<Inspection | null> {
  try {
    return readInspection(await node.ask('inspect_transaction', [hash]));
  } catch {
    return null;
  }
}

/** Returns the answer for an error of a transaction or call. */
export function rejectedExecution(error: unknown, method: string): ToolAnswer {
  if (!(error instanceof AnsweredError)) throw error;
  return refusal(`the node returned error ${error.code}: ${error.message}`, adviceOn(error, method, []));
}

/** Sends a transaction. Resolves to its result when it is mined or pending. `what` starts the text. */
async function sent(
  node: NodeClient,
  transaction: Readonly<Record<string, unknown>>,
  what: string,
): Promise<ToolAnswer> {
  let hash: string;
  try {
    hash = String(await node.ask('eth_sendTransaction', [transaction]));
  } catch (error) {
    return rejectedExecution(error, 'eth_sendTransaction');
  }
  const receipt = await node.ask('eth_getTransactionReceipt', [hash]);
  if (!isRecord(receipt))
    return {
      text: `${what} ${hash} is pending: the node does not automine.\n\nNext: mine, then trace_transaction {"hash": "${hash}"}.`,
      content: { transactionHash: hash, status: 'waiting' },
    };
  const isSuccess = receipt.status === '0x1';
  const blockNumber = numberIn(receipt, 'blockNumber');
  const gasUsed = numberIn(receipt, 'gasUsed');
  const contractAddress = textIn(receipt, 'contractAddress');
  const facts = { transactionHash: hash, blockNumber, gasUsed, contractAddress };
  if (!isSuccess) {
    const reason = (await inspected(node, hash))?.failure?.message ?? 'it failed';
    const next = `explain_failure {"hash": "${hash}"} returns the reason and the source lines; trace_transaction returns all calls.`;
    return {
      text: `${what} ${hash} was mined in block ${blockNumber} and failed: ${reason}`,
      content: { ...facts, status: 'failed', failure: reason },
      next,
    };
  }
  const created = contractAddress === null ? '' : `Contract: ${contractAddress}\n`;
  return {
    text: `${created}${what} ${hash} was mined in block ${blockNumber} and used ${gasUsed} gas.`,
    content: { ...facts, status: 'success' },
  };
}

const block = z
  .union([z.int().nonnegative(), z.string()])
  .optional()
  .describe('A block number, latest, earliest or pending; latest by default.');

/** Returns the block in the format of JSON-RPC. */
export function blockParameter(given: number | string | undefined): string {
  if (given === undefined) return 'latest';
  return /^\d+$/.test(String(given)) ? `0x${BigInt(given).toString(16)}` : String(given);
}

/** Returns the console output in order. */
function consoleOf(root: InspectedCall): string[] {
  return root.items.flatMap((item) =>
    item.kind === 'console' ? [item.text] : item.kind === 'call' ? consoleOf(item) : [],
  );
}

function calledAnswer(answer: unknown): ToolAnswer {
  const { call: root, gasUsed, failure } = readInspection(answer);
  const console = consoleOf(root);
  const logged = console.map((line) => `console ${line}\n`).join('');
  if (failure !== null) {
    const next = 'Call explain_failure with the same arguments. It returns the reason and the source lines.';
    return {
      text: `${logged}The call fails: ${failure.message}`,
      content: { status: 'failed', failure: failure.message, output: root.output, console },
      next,
    };
  }
  const decoded = root.results === null ? root.output : parametersText(root.results);
  return {
    text: `${logged}${decoded === '' ? 'The call succeeds and returns nothing.' : `Returns ${decoded}`}`,
    content: {
      status: 'success',
      results: root.results,
      output: root.output,
      gasUsed: gasUsed.toString(),
      console,
    },
  };
}

export const CONTRACT_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'deploy_contract',
    title: 'Deploy a contract',
    description:
      'Deploys a contract by the name of its artifact or by bytecode, and returns its address. The node reads the artifacts of the project and of folders that add_artifacts adds. With artifact instead of bytecode, traces and failures contain names and source lines.',
    effect: 'adds',
    input: z.strictObject({
      artifact: z
        .string()
        .optional()
        .describe(
          'The name of the contract, such as "Token"; if the name is ambiguous, "contracts/Token.sol:Token".',
        ),
      bytecode: z
        .string()
        .regex(/^0x(?:[0-9a-fA-F]{2})+$/, 'expected bytes: 0x and pairs of hexadecimal digits')
        .optional()
        .describe('Creation bytecode; use it instead of artifact.'),
      args: values.optional().describe('Arguments of the constructor in order.'),
      constructorSignature: z
        .string()
        .optional()
        .describe(
          'Required with bytecode and args, unless abi is given: the signature of the constructor, such as "constructor(string,uint256)".',
        ),
      abi: abi
        .optional()
        .describe('The ABI of the contract; use it with bytecode and args instead of constructorSignature.'),
      libraries: z
        .record(z.string(), address)
        .optional()
        .describe('An object with the names of libraries as keys and their addresses as values.'),
      from: CALL.from,
      value: CALL.value,
      gas: CALL.gas,
      lane,
    }),
    async run(given, session) {
      const { artifact: named, bytecode, constructorSignature: own, args = [], libraries = {} } = given;
      if ((named === undefined) === (bytecode === undefined))
        throw new ToolError('expected either artifact or bytecode', 'Pass one of them.');
      const node = await session.node(given.lane);
      const artifact = named === undefined ? null : await artifactNamed(named, session);
      const code = artifact === null ? (bytecode ?? '') : linkedCode(artifact, libraries);
      const inputs =
        own === undefined ? constructorInputs(artifact?.abi ?? given.abi ?? []) : signatureInputs(own);
      const input = withArguments(code, inputs, args);
      const from = await senderOf(node, given.from);
      return sent(
        node,
        { from, data: input, ...amountsOf(given) },
        `The creation of ${named ?? 'the contract'}`,
      );
    },
  }),
  defineTool({
    name: 'send_transaction',
    title: 'Send a transaction',
    description:
      'Sends a transaction from an account of the node: a function call (by signature, name or ABI) or a transfer of value. Returns hash and gas of the mined transaction, and the reason if the transaction failed. Without automine, the transaction stays pending. To read values without a transaction, use call_contract.',
    effect: 'adds',
    input: call.extend({ lane }),
    async run(given, session) {
      const node = await session.node(given.lane);
      const { call: made } = await callWithData(given, node);
      return sent(node, made, 'Transaction');
    },
  }),
  defineTool({
    name: 'call_contract',
    title: 'Call a contract without a transaction',
    description:
      'Runs a call on the state of a block without sending it, and returns the decoded results and console output. Use this tool to read values, or to try a transaction before you send it.',
    effect: 'reads',
    input: call.extend({ block, lane }),
    async run(given, session) {
      const node = await session.node(given.lane);
      const { call: made } = await callWithData(given, node);
      try {
        return calledAnswer(await node.ask('inspect_call', [made, blockParameter(given.block)]));
      } catch (error) {
        return rejectedExecution(error, 'inspect_call');
      }
    },
  }),
  defineTool({
    name: 'add_artifacts',
    title: 'Read build outputs',
    description:
      'Reads and watches a folder of build outputs (Hardhat, Foundry, Truffle, solc, Vyper). Contracts can then be deployed by name, and traces and failures contain names and source lines. The project in the working directory is read automatically.',
    effect: 'adds',
    isIdempotent: true,
    input: z.strictObject({
      folder: z
        .string()
        .describe(
          'The folder, such as "./out" or "./artifacts", relative to the working directory of the server.',
        ),
    }),
    async run({ folder }, session) {
      const { contracts, isRead } = await session.addFolder(folder);
      const names = [...new Set(contracts.map(({ name }) => name))];
      if (names.length === 0 && !isRead)
        throw new ToolError(
          `no build outputs found in ${folder} so far; the node has not finished reading this folder`,
          'Pass the output folder of the compiler, such as "./out" or "./artifacts".',
        );
      if (names.length === 0)
        throw new ToolError(
          `no build outputs in ${folder}`,
          'Compile the project, or pass the output folder of the compiler. Later changes in the folder are read automatically.',
        );
      const note = session.isRemote
        ? '\nThe node at the URL does not read this folder. For decoded traces, start the node with --artifacts.'
        : '';
      const rest = isRead
        ? ''
        : '\nThe node has not finished reading the folder, so it may find more contracts.';
      return { text: `Found ${listed(names)}.${rest}${note}`, content: { contracts: names } };
    },
  }),
];
