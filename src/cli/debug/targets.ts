/** Finds the execution of a launch on a node: the lane, and the target of `inspect_steps`. */

import { isRecord } from '../../primitives/record.ts';
import {
  encodedCall,
  functionOf,
  functionsIn,
  selectedFunction,
  type Taker,
  weiOf,
} from '../trace/written-call.ts';
import { DebugError } from './debug-error.ts';
import type { DebugNode } from './execution.ts';
import type { LaunchArguments, LaunchCall, NodeArguments } from './launch-arguments.ts';

/** The node with its lanes. */
export interface DebugNodes {
  readonly base: DebugNode;
  /** Returns a lane. Throws {@link DebugError} if the URL of the node already contains another lane or key. */
  lane(key: string): DebugNode;
  /** Returns the node with an API key. Throws like {@link lane}. */
  key(key: string): DebugNode;
}

export interface FoundTarget {
  readonly node: DebugNode;
  /** The name of the thread. */
  readonly name: string;
  /** A target of `inspect_steps`. */
  readonly target: unknown;
}

/** Resolves to the lane, to the node with the API key, or to the base chain. Rejects with {@link DebugError}. */
export async function findNode({ lane, key }: NodeArguments, nodes: DebugNodes): Promise<DebugNode> {
  if (key !== null) return nodes.key(key);
  if (lane === null) return nodes.base;
  const node = nodes.lane(lane);
  await checkLane(lane, nodes);
  return node;
}

/** Resolves to the execution of a launch. Rejects with {@link DebugError} if it does not exist. */
export async function findTarget(args: LaunchArguments, nodes: DebugNodes): Promise<FoundTarget> {
  const { target, lane, key } = args;
  const node = await findNode(args, nodes);
  switch (target.kind) {
    case 'transaction':
      return { node, name: `transaction ${target.hash.slice(0, 10)}…`, target: target.hash };
    case 'failure': {
      const number = target.number === 'last' ? await newestFailure(node) : target.number;
      if (number === null)
        throw new DebugError(
          `failure: no call or transaction has failed on ${node.name}; run the failing request first`,
        );
      return failureTarget(node, number);
    }
    case 'call':
      return callTarget(target.call, node);
    case 'test':
      return testTarget(
        target.name,
        lane === null && key === null ? await laneOfTest(target.name, nodes) : node,
      );
  }
}

function failureTarget(node: DebugNode, number: number): FoundTarget {
  return { node, name: `failure #${number}`, target: { failure: number } };
}

/** Resolves to the number of the newest failure; `null` if nothing failed. */
async function newestFailure(node: DebugNode): Promise<number | null> {
  const page = { first: 0, count: 1, changes: false };
  const answer = await node.ask('inspect_failures', ['0x1', '0x0', page]);
  const [failure] = isRecord(answer) && Array.isArray(answer.failures) ? answer.failures : [];
  return isRecord(failure) ? Number(failure.number) : null;
}

const TAKER: Taker = { name: 'call.function', example: 'for example "transfer(address,uint256)"' };
const NAME = /^[A-Za-z_$][\w$]*$/;

/** A later block must not change the call, so a tag becomes a number. */
async function fixedBlock(node: DebugNode, block: string): Promise<string> {
  if (/^\d+$/.test(block)) return `0x${BigInt(block).toString(16)}`;
  if (block.startsWith('0x') || block === 'pending' || block === 'earliest') return block;
  const found = await node.ask('eth_getBlockByNumber', [block, false]);
  return isRecord(found) && typeof found.number === 'string' ? found.number : block;
}

async function callTarget(call: LaunchCall, node: DebugNode): Promise<FoundTarget> {
  const data = call.function === null ? call.data : await encodedFunction(call, call.function, node);
  const { to, from, value } = call;
  const wei = value === null ? null : value.startsWith('0x') ? BigInt(value) : weiOf(value, 'call.value');
  const message = {
    to,
    ...(data === null ? {} : { data }),
    ...(from === null ? {} : { from }),
    ...(wei === null ? {} : { value: `0x${wei.toString(16)}` }),
  };
  const name = `call of ${call.function ?? `${to.slice(0, 10)}…`}`;
  return { node, name, target: { call: message, block: await fixedBlock(node, call.block) } };
}

async function encodedFunction({ to, args }: LaunchCall, name: string, node: DebugNode): Promise<string> {
  const written = args.map(writtenArgument);
  if (!NAME.test(name)) return encodedCall(functionOf(name, TAKER), written, TAKER);
  const functions = functionsIn(await node.ask('inspect_source', [to, false]));
  if (functions.length === 0)
    throw new DebugError(
      `call.function: the node has no ABI of ${to}; write ${name} with its parameter types`,
    );
  return encodedCall(selectedFunction(name, args.length, functions), written, TAKER);
}

/** Returns a JSON value as it is written on a command line. Members of structs are arrays or objects. */
function writtenArgument(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(writtenArgument).join(',')}]`;
  if (isRecord(value)) return `(${Object.values(value).map(writtenArgument).join(',')})`;
  return String(value);
}

interface LabelledLane {
  readonly key: string;
  readonly name: string | null;
}

async function lanesOf(nodes: DebugNodes): Promise<LabelledLane[]> {
  const answer = await nodes.base.ask('lane_list', []).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DebugError(`cannot list the lanes of ${nodes.base.name}: ${reason}`);
  });
  return (Array.isArray(answer) ? answer : []).filter(isRecord).map(({ key, label }) => ({
    key: String(key),
    name: isRecord(label) && typeof label.name === 'string' ? label.name : null,
  }));
}

async function checkLane(lane: string, nodes: DebugNodes): Promise<void> {
  const lanes = await lanesOf(nodes);
  if (lanes.some(({ key }) => key === lane)) return;
  throw new DebugError(`lane: unknown lane ${lane}; ${listed(lanes.map(({ key }) => key))}`);
}

const MAX_LISTED = 20;

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'the node has no lanes';
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '';
  return `expected one of ${names.slice(0, MAX_LISTED).join(', ')}${more}`;
}

/** The test runners label the lane of a test `file > test`, and the shared lane of a file with its name. */
async function laneOfTest(test: string, nodes: DebugNodes): Promise<DebugNode> {
  const lanes = await lanesOf(nodes);
  const [file = test] = test.split(' > ');
  const found =
    lanes.find(({ key, name }) => name === test || key === test) ?? lanes.find(({ name }) => name === file);
  if (found !== undefined) return nodes.lane(found.key);
  const names = lanes.flatMap(({ name }) => name ?? []);
  throw new DebugError(
    `test: no lane belongs to ${test}; ${listed(names)}; run the test first, and pass the URL of its node`,
  );
}

async function testTarget(test: string, node: DebugNode): Promise<FoundTarget> {
  const number = await newestFailure(node);
  if (number !== null) return { ...failureTarget(node, number), name: test };
  const answer = await node.ask('inspect_transactions', [{}, null, '0x1']);
  const [newest] = isRecord(answer) && Array.isArray(answer.transactions) ? answer.transactions : [];
  const hash: unknown = isRecord(newest) ? newest.hash : null;
  if (typeof hash === 'string') return { node, name: test, target: hash };
  throw new DebugError(`test: the lane of ${test} has no failure and no transaction`);
}
