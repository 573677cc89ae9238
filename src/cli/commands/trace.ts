/** Prints the trace of a transaction or of a call, as reported by a running node. */

import { printable, StartError, UsageError } from '../../config/errors.ts';
import type { NodeOptions } from '../../config/options.ts';
import { quoted } from '../../config/usage-messages.ts';
import type { InspectedCall, Inspection } from '../../inspect/inspection.ts';
import { toQuantity } from '../../primitives/hex.ts';
import { type Command, EXIT_CODES, jsonText } from '../command.ts';
import { AnsweredError, METHOD_NOT_FOUND, NodeClient } from '../node-client.ts';
import { gasLimitOf } from '../trace/gas-limit.ts';
import { inspectionText, styleOf } from '../trace/inspection-text.ts';
import { readInspection, UnknownAnswerError } from '../trace/read-inspection.ts';

/** A method of the node with its parameters. */
interface Question {
  readonly method: 'inspect_transaction' | 'inspect_call' | 'inspect_source';
  readonly params: readonly unknown[];
}

/** Resolves to the request for the operands. Rejects with {@link UsageError}. */
async function questionOf(
  operands: readonly string[],
  options: NodeOptions,
  node: NodeClient,
): Promise<Question> {
  if (options.call) {
    const { tracedCall } = await import('../trace/traced-call.ts');
    const { functionsIn } = await import('../trace/written-call.ts');
    const call = await tracedCall(operands, options, async (address) =>
      functionsIn(await answerOf(node, { method: 'inspect_source', params: [address, false] })),
    );
    return { method: 'inspect_call', params: [call, blockOf(options.block)] };
  }
  const [hash = '', surplus] = operands;
  if (!/^0x[0-9a-fA-F]{64}$/.test(hash)) {
    throw new UsageError(
      `trace: expected a transaction hash (0x and 64 hexadecimal digits), got ${quoted(hash)}; add --call to trace a call`,
    );
  }
  if (surplus !== undefined)
    throw new UsageError(
      `trace: unexpected argument ${quoted(surplus)} after the hash; add --call to trace a call`,
    );
  return { method: 'inspect_transaction', params: [hash] };
}

/** Returns the block parameter with numbers as QUANTITY. */
function blockOf(text: string): string {
  return /^\d+$/.test(text) ? toQuantity(BigInt(text)) : text;
}

/** Resolves to the node's result. Rejects with {@link StartError}, whose message contains a remedy. */
async function answerOf(node: NodeClient, { method, params }: Question): Promise<unknown> {
  try {
    return await node.ask(method, params);
  } catch (error) {
    if (!(error instanceof AnsweredError)) throw error;
    if (error.code !== METHOD_NOT_FOUND) {
      const isUnknown = method === 'inspect_transaction' && / not found$/.test(error.message);
      const remedy =
        isUnknown && (await node.hasLanes()) ? '; if it is on a lane, pass --url <url>/<lane>' : '';
      throw new StartError(`error from ${node.name}: ${error.message}${remedy}`);
    }
    const version = await node.ask('web3_clientVersion', []).catch(() => null);
    const name = typeof version === 'string' ? ` (${printable(version)})` : '';
    throw new StartError(
      `the node at ${node.name}${name} does not support ${method}; pass --url with the URL of a node-cli node`,
    );
  }
}

/** True if the tree has a call or creation that no artifact decodes. */
function hasUnknown(root: InspectedCall): boolean {
  const left = [root];
  for (let call = left.pop(); call !== undefined; call = left.pop()) {
    const isDecoded = (call.call !== null && !call.isGuess) || call.input === '0x';
    if (!isDecoded) return true;
    for (const item of call.items) if (item.kind === 'call') left.push(item);
  }
  return false;
}

/** Resolves to a hint if the node has no artifacts, else `null`. */
async function adviceOf(node: NodeClient): Promise<string | null> {
  const known = await node.ask('inspect_contracts', []).catch(() => null);
  if (!Array.isArray(known) || known.length > 0) return null;
  return 'the node has no build outputs, so some calls are not decoded; start the node in your project folder, pass --artifacts <dir>, or call inspect_addArtifacts';
}

/** Prints the call tree of a transaction or call, with the stack trace of a failure. */
export const printTrace: Command = async ({ operands, options }, host) => {
  const node = new NodeClient(options.url, true);
  const question = await questionOf(operands, options, node);
  const answer = await answerOf(node, question);
  if (options.json) {
    await host.print(jsonText(answer));
    return EXIT_CODES.success;
  }
  const inspection = inspectionOf(node, answer);
  const { method, params } = question;
  const gas = method === 'inspect_transaction' ? { gasLimit: await gasLimitOf(node, params[0]) } : {};
  const style = await styleOf(options, host);
  await host.print(inspectionText(inspection, style, { isDetailed: options.verbose, ...gas }));
  const advice = hasUnknown(inspection.call) ? await adviceOf(node) : null;
  if (advice !== null) host.errorOutput.write(`node-cli: note: ${advice}\n`);
  return EXIT_CODES.success;
};

function inspectionOf(node: NodeClient, answer: unknown): Inspection {
  try {
    return readInspection(answer);
  } catch (error) {
    if (!(error instanceof UnknownAnswerError)) throw error;
    throw new StartError(
      `this version of node-cli cannot read the response of ${node.name} (${error.message}); --json prints the response unchanged`,
    );
  }
}
