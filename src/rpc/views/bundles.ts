// The results of simulated bundles. Loaded with the first simulation.

import type { BundleSimulation, SimulatedTransaction } from '../../chain/execution/bundle-simulation.ts';
import { failureText } from '../../chain/mining/bundle-inclusion.ts';
import { dueState } from '../../chain/pool/bundles.ts';
import type { ExecutionResult } from '../../evm/engine.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { hexInSteps, type Steps } from '../../primitives/steps.ts';
import { logViewsInSteps } from '../../wire/log.ts';
import type { Json } from '../../wire/values.ts';
import { bundleHash, type ReadMevBundle } from '../signed-bundles.ts';

function sumOf(
  results: readonly SimulatedTransaction[],
  amountOf: (one: SimulatedTransaction) => bigint,
): bigint {
  return results.reduce((total, one) => total + amountOf(one), 0n);
}

/** The income of the coinbase per gas, in wei. It includes direct payments. */
function perGas(income: bigint, gasUsed: bigint): bigint {
  return gasUsed === 0n ? 0n : income / gasUsed;
}

function* resultView({ transaction, execution, coinbaseDiff, gasFees }: SimulatedTransaction): Steps<Json> {
  const failure = failureText(execution);
  const output = yield* hexInSteps(execution.returnData);
  return {
    txHash: toHex(transaction.hash),
    fromAddress: toHex(transaction.sender),
    toAddress: transaction.to === null ? null : toHex(transaction.to),
    gasUsed: Number(execution.gasUsed),
    gasPrice: `${perGas(coinbaseDiff, execution.gasUsed)}`,
    gasFees: `${gasFees}`,
    coinbaseDiff: `${coinbaseDiff}`,
    ethSentToCoinbase: `${coinbaseDiff - gasFees}`,
    ...(failure === null ? { value: output } : { error: failure, revert: output }),
  };
}

/** Returns the result of eth_callBundle. */
export function* simulationView({ stateBlock, results }: BundleSimulation): Steps<Json> {
  const sum = (amountOf: (result: SimulatedTransaction) => bigint): bigint => sumOf(results, amountOf);
  const gasUsed = sum(({ execution }) => execution.gasUsed);
  const gasFees = sum((result) => result.gasFees);
  const coinbaseDiff = sum((result) => result.coinbaseDiff);
  const views: Json[] = [];
  for (const result of results) views.push(yield* resultView(result));
  return {
    bundleHash: toHex(bundleHash(results.map(({ transaction }) => transaction.hash))),
    bundleGasPrice: `${perGas(coinbaseDiff, gasUsed)}`,
    coinbaseDiff: `${coinbaseDiff}`,
    ethSentToCoinbase: `${coinbaseDiff - gasFees}`,
    gasFees: `${gasFees}`,
    results: views,
    stateBlockNumber: stateBlock.header.number,
    totalGasUsed: Number(gasUsed),
  };
}

/** The simulated block has no hash. */
const NO_HASH = new Uint8Array(32);

/** The reason why a bundle is not mined. */
interface SimulationFault {
  readonly error: string;
  /** The failed execution; absent for other reasons. */
  readonly execution?: ExecutionResult;
}

/** Returns the reason why the bundle is not mined; `null` if it is mined. */
function faultOf(
  { bundle }: ReadMevBundle,
  { number, results, fault }: BundleSimulation,
): SimulationFault | null {
  const { firstBlock, lastBlock } = bundle;
  if (dueState({ ...bundle, minTimestamp: null, maxTimestamp: null }, number, 0) !== 'due')
    return { error: `block ${number} is not in the range from ${firstBlock} to ${lastBlock}` };
  for (const [index, { execution, transaction }] of results.entries()) {
    const failure = failureText(execution);
    if (failure !== null && bundle.transactions[index]?.ifFailed === 'fails')
      return { error: `${failure}; txhash ${toHex(transaction.hash)}`, execution };
  }
  return fault === null ? null : { error: `${fault.text}; txhash ${toHex(fault.transaction.hash)}` };
}

/** Returns the logs of each item of the body. A nested bundle has one list of logs. */
function* logsOf({ parts }: ReadMevBundle, { results, number, timestamp }: BundleSimulation): Steps<Json[]> {
  const views: Json[] = [];
  let next = 0;
  let nextLog = 0;
  for (const { transactions, range } of parts) {
    const logs: Json[] = [];
    const own = results.slice(next, next + transactions.length);
    for (const [index, { transaction, execution }] of own.entries()) {
      const transactionIndex = next + index;
      const located = execution.logs.map((log) => ({
        log,
        blockNumber: number,
        blockHash: NO_HASH,
        blockTimestamp: timestamp,
        transactionHash: transaction.hash,
        transactionIndex,
        logIndex: nextLog++,
        removed: false,
      }));
      logs.push({ txLogs: yield* logViewsInSteps(located) });
    }
    next += transactions.length;
    if (range !== null) views.push({ bundleLogs: logs });
    else views.push(...logs);
  }
  return views;
}

/** The value of the items without a refund: MEV-Share shares it with the other items. */
function refundableValue(
  { parts }: ReadMevBundle,
  { results }: BundleSimulation,
  refunds: ReadonlySet<number>,
): bigint {
  let value = 0n;
  let next = 0;
  for (const [index, { transactions }] of parts.entries()) {
    const own = results.slice(next, next + transactions.length);
    next += transactions.length;
    if (!refunds.has(index)) value += sumOf(own, ({ coinbaseDiff }) => coinbaseDiff);
  }
  return value;
}

function positive(value: bigint): string {
  return toQuantity(value > 0n ? value : 0n);
}

function* failureView({ execution }: SimulationFault): Steps<Json> {
  if (execution === undefined) return {};
  const { returnData } = execution;
  const execError = failureText(execution);
  return { execError, ...(returnData.length > 0 && { revert: yield* hexInSteps(returnData) }) };
}

/** Returns the result of mev_simBundle. `refunds` contains the indexes of items with a refund. */
export function* mevSimulationView(
  read: ReadMevBundle,
  simulation: BundleSimulation,
  refunds: ReadonlySet<number>,
): Steps<Json> {
  const { results, stateBlock } = simulation;
  const fault = faultOf(read, simulation);
  const gasUsed = sumOf(results, ({ execution }) => execution.gasUsed);
  const profit = fault === null ? sumOf(results, ({ coinbaseDiff }) => coinbaseDiff) : 0n;
  return {
    success: fault === null,
    ...(fault !== null && { error: fault.error, ...(yield* failureView(fault)) }),
    stateBlock: toQuantity(stateBlock.header.number),
    mevGasPrice: positive(perGas(profit, gasUsed)),
    profit: positive(profit),
    refundableValue: positive(fault === null ? refundableValue(read, simulation, refunds) : 0n),
    gasUsed: toQuantity(gasUsed),
    logs: yield* logsOf(read, simulation),
  };
}
