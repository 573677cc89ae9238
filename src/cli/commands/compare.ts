/** Prints how transactions of a running node or of a dump differ between hardforks. */

import { printable, StartError, UsageError } from '../../config/errors.ts';
import type { NodeOptions } from '../../config/options.ts';
import { PLAIN_STYLE } from '../../log/log-writer.ts';
import { PlainLog } from '../../log/plain-log.ts';
import { toQuantity } from '../../primitives/hex.ts';
import { isRecord } from '../../primitives/record.ts';
import {
  NEWEST_RULE_SET_NAME,
  PREVIEW_RULE_SET_NAMES,
  ruleSetNamed,
  ruleSetNameOf,
} from '../../protocol/hardforks/registry.ts';
import type { Connection } from '../../rpc/connection.ts';
import { UnknownStateError } from '../../state/errors.ts';
import { type Command, EXIT_CODES, jsonText } from '../command.ts';
import type { Host } from '../host.ts';
import { AnsweredError, METHOD_NOT_FOUND, NodeClient } from '../node-client.ts';
import { openChain } from '../open-chain.ts';
import { statePath } from '../state/state-path.ts';
import {
  type CallGas,
  callGasLines,
  changesOf,
  comparedCall,
  comparisonLine,
  comparisonLines,
  needsMoreGas,
  styleOf,
} from '../trace/inspection-text.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/** Calls a method of a node. Rejects with a `StartError` that contains the error of the node. */
type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

const HASH = /^0x[0-9a-fA-F]{64}$/;

/** The connection of this command to its own node. */
const OWN_CONNECTION: Connection = {
  transport: 'in-process',
  remoteAddress: 'in-process',
  isClosed: false,
  notify: null,
  onClose: () => () => undefined,
};

/** Returns the previews to compare with a hardfork. Ethereum's hardforks are not compared with Rootstock's. */
function previewsFor(own: string): readonly string[] {
  const ownName = ruleSetNameOf(own);
  const isRootstock = ownName === undefined || ruleSetNamed(ownName).encoding === 'network';
  return PREVIEW_RULE_SET_NAMES.filter((name) => isRootstock || ruleSetNamed(name).encoding === 'ethereum');
}

/**
 * Resolves to the distinct hardforks to compare. If fewer than two are given, adds the chain's own one, and
 * if none is given, the newest final one and the previews. Rejects with a {@link UsageError} for only one.
 */
async function comparedHardforks(ask: Ask, { hardforks }: NodeOptions): Promise<readonly string[]> {
  const asked = [...new Set(hardforks)];
  if (asked.length >= 2) return asked;
  const known = await ask('inspect_hardforks', []);
  const own = Array.isArray(known) ? known.filter(isRecord).find(({ isOwn }) => isOwn === true)?.name : null;
  if (typeof own !== 'string')
    throw new StartError('this version of node-cli cannot read the response to inspect_hardforks');
  const others = asked.length === 0 ? [NEWEST_RULE_SET_NAME, ...previewsFor(own)] : asked;
  const names = [...new Set([own, ...others])];
  if (names.length >= 2) return names;
  throw new UsageError(
    `--hardfork: ${own} is the chain's own hardfork; add a second hardfork, for example --hardfork ${own === 'osaka' ? 'prague' : 'osaka'}`,
  );
}

/** A node and a function that closes it. */
interface Subject {
  readonly ask: Ask;
  readonly close: () => Promise<unknown>;
}

function runningNode({ url }: NodeOptions): Subject {
  const node = new NodeClient(url, true);
  const ask: Ask = async (method, params) => {
    try {
      return await node.ask(method, params);
    } catch (error) {
      if (!(error instanceof AnsweredError)) throw error;
      const isOther = error.code === METHOD_NOT_FOUND;
      const why = isOther
        ? `the node at ${node.name} does not support ${method}; pass --url with the URL of a node-cli node`
        : `error from ${node.name}: ${error.message}`;
      throw new StartError(why);
    }
  };
  return { ask, close: () => Promise.resolve() };
}

/** Opens a node from a dump. Rejects with a {@link UsageError} if absent, a {@link StartError} if invalid. */
async function nodeOfDump(file: string, options: NodeOptions, host: Host): Promise<Subject> {
  const { output, errorOutput, fileSystem } = host;
  if ((await fileSystem.read(await statePath(fileSystem, file))) === null)
    throw new UsageError(
      `compare: no file ${printable(file)}; expected a transaction hash, a dump file, or no argument`,
    );
  const log = new PlainLog({ output, errorOutput, style: PLAIN_STYLE, isVerbose: false });
  const asked: NodeOptions = {
    ...options,
    // Dumps of node-cli contain their hardfork. State files of Anvil do not, and get the newest one.
    hardfork: NEWEST_RULE_SET_NAME,
    loadState: file,
    quiet: true,
    given: new Set([...options.given, 'loadState']),
  };
  const { opened } = await openChain(asked, log, host);
  const service = opened.serviceOf(opened.node, null);
  return {
    ask: async (method, params) => {
      try {
        return await service.call(method, params, OWN_CONNECTION);
      } catch (error) {
        if (!(error instanceof UnknownStateError)) throw error;
        throw new StartError(
          `${printable(file)} contains only the last state, so the transactions cannot be executed again; create the dump with anvil_dumpState [true], which includes all states`,
        );
      }
    },
    close: () => opened.close(),
  };
}

/** Yields the hashes of the locally mined transactions, oldest first. Skips the Remasc transactions. */
async function* minedTransactions(ask: Ask): AsyncGenerator<string, void, undefined> {
  const head = Number(await ask('eth_blockNumber', []));
  const info = await ask('anvil_nodeInfo', []);
  const forked =
    isRecord(info) && isRecord(info.forkConfig) ? Number(info.forkConfig.forkBlockNumber ?? 0) : 0;
  for (let number = forked + 1; number <= head; number++) {
    const block = await ask('eth_getBlockByNumber', [toQuantity(number), true]);
    if (!isRecord(block) || !Array.isArray(block.transactions)) continue;
    for (const transaction of block.transactions) {
      if (isRecord(transaction) && typeof transaction.hash === 'string' && !endsBlock(transaction))
        yield transaction.hash;
    }
  }
}

/** True for the Remasc transaction, the last one of a Rootstock block. It has no sender and runs no code. */
function endsBlock({ from, gas, gasPrice, to }: JsonRecord): boolean {
  const isOfNobody = typeof from === 'string' && /^0x0{40}$/.test(from);
  return isOfNobody && Number(gas) === 0 && Number(gasPrice) === 0 && to === REMASC;
}

const REMASC = '0x0000000000000000000000000000000001000008';

async function compare(ask: Ask, hash: string, hardforks: readonly string[]): Promise<JsonRecord> {
  const answer = await ask('inspect_compare', [hash, hardforks]);
  if (isRecord(answer) && Array.isArray(answer.runs)) return answer;
  throw new StartError('this version of node-cli cannot read the response to inspect_compare');
}

/** Prints the full comparison of one transaction. */
async function printOne(subject: Subject, hash: string, options: NodeOptions, host: Host): Promise<void> {
  const answer = await compare(subject.ask, hash, await comparedHardforks(subject.ask, options));
  if (options.json) return host.print(jsonText(answer));
  const style = await styleOf(options, host);
  const same = answer.isSame === true ? [style.dim('no differences')] : [];
  const lines = [style.contract(comparedCall(answer)), ...comparisonLines(answer, style), ...same];
  return host.print(`${lines.join('\n')}\n`);
}

/** Returns the gas of a run: with a higher gas limit, if only the gas limit makes it fail. */
function neededGas({ gasUsed, gasUsedWithMore }: JsonRecord): bigint {
  const used = gasUsedWithMore ?? gasUsed;
  return typeof used === 'string' ? BigInt(used) : 0n;
}

/** Prints one line per different transaction, or with `--verbose` all its differences, then the gas by call and in total. */
async function printAll(subject: Subject, options: NodeOptions, host: Host): Promise<void> {
  const hardforks = await comparedHardforks(subject.ask, options);
  const style = await styleOf(options, host);
  let [count, different, needing] = [0, 0, 0];
  const gas = hardforks.map(() => 0n);
  const found: JsonRecord[] = [];
  const calls = new Map<string, CallGas>();
  for await (const hash of minedTransactions(subject.ask)) {
    const answer = await compare(subject.ask, hash, hardforks);
    count++;
    const runs = Array.isArray(answer.runs) ? answer.runs.filter(isRecord) : [];
    if (runs.some(needsMoreGas)) needing++;
    const used = runs.map(neededGas);
    for (const [run, amount] of used.entries()) gas[run] = (gas[run] ?? 0n) + amount;
    const call = comparedCall(answer);
    const { count: earlier = 0, gas: before = [] } = calls.get(call) ?? {};
    calls.set(call, { count: earlier + 1, gas: used.map((amount, run) => amount + (before[run] ?? 0n)) });
    if (answer.isSame === true) continue;
    different++;
    if (options.json) {
      const { runs: _, ...rest } = answer;
      found.push({ transactionHash: hash, ...rest, runs: runs.map(({ inspection: __, ...run }) => run) });
      continue;
    }
    const head = `${style.dim(hash)} ${style.contract(call)}`;
    const lines = options.verbose ? comparisonLines(answer, style) : [style.plain(comparisonLine(answer))];
    await host.print(`${[head, ...lines.map((line) => `  ${line}`)].join('\n')}\n`);
  }
  const totals = hardforks.map((hardfork, run) => ({ hardfork, gasUsed: gas[run] ?? 0n }));
  if (options.json) {
    const total = totals.map(({ hardfork, gasUsed }) => ({ hardfork, gasUsed: toQuantity(gasUsed) }));
    const needMoreGas = needing;
    return host.print(jsonText({ transactions: count, different, needMoreGas, total, differences: found }));
  }
  const changes = changesOf(gas);
  const sums = hardforks.map((hardfork, run) => `${hardfork} ${changes[run]}`).join(', ');
  const summary = count > 1 ? callGasLines(calls, hardforks, style) : [];
  if (summary.length > 0) await host.print(`${summary.join('\n')}\n`);
  const more =
    needing === 0
      ? ''
      : `; executed with a higher gas limit, because the gas limit of the transaction is too low: ${needing}`;
  return host.print(`Transactions with differences: ${different} of ${count}; total gas: ${sums}${more}\n`);
}

/** Prints how one transaction or all of them differ between hardforks. */
export const printComparison: Command = async ({ operands, options }, host) => {
  const [operand] = operands;
  const isFile = operand !== undefined && !HASH.test(operand);
  const subject = isFile ? await nodeOfDump(operand, options, host) : runningNode(options);
  try {
    if (operand !== undefined && !isFile) await printOne(subject, operand, options, host);
    else await printAll(subject, options, host);
  } finally {
    await subject.close();
  }
  return EXIT_CODES.success;
};
