import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Failure, type RunArtifact, runFailure } from '../../fixtures/projects/run-failure.mjs';
import { createNode, type LocalNode } from '../../src/index.ts';
import { answerAt, resultAt } from '../support/json-rpc.ts';

/** The trace that Hardhat printed for a failure in process, as written by `record-traces.mjs`. */
interface RecordedTrace {
  readonly name: string;
  /** `Token.transfer (contracts/Token.sol:12)`, innermost first. */
  readonly frames: readonly string[];
}

interface Recording {
  readonly traces: readonly RecordedTrace[];
}

interface ToldFrame {
  readonly contract: string | null;
  readonly function: string | null;
  readonly source: string | null;
  readonly line: number | null;
  readonly address: string;
}

interface CompiledContract {
  readonly abi: readonly unknown[];
  readonly evm: { readonly bytecode: { readonly object: string; readonly linkReferences: unknown } };
}

interface Compilation {
  readonly contracts: Readonly<Record<string, Readonly<Record<string, CompiledContract>>>>;
}

/** A trace of the node that differs from Hardhat, with the reason. */
interface Difference {
  readonly why: string;
  readonly frames: readonly string[];
}

type Differences = Readonly<Record<string, Difference>>;

const projects = new URL('../../fixtures/projects/', import.meta.url);

function readJson<Content>(path: string): Content {
  return JSON.parse(readFileSync(new URL(path, projects), 'utf8')) as Content;
}

const IN_BOTH: Differences = {
  'Bare with a parameter out of range': {
    why: 'the check stands in code that the compiler adds, which Hardhat places in no function',
    frames: ['Bare.flag (contracts/Calls.sol:20)'],
  },
  'Calls.outOfGas': {
    why: 'Hardhat has no frame where the whole transaction ran out of gas',
    frames: ['Calls.outOfGas (contracts/Calls.sol:91)'],
  },
  'new Heir whose parent refuses': {
    why: 'Hardhat puts the line of the base under the name of the heir, and leaves out how the heir came to it',
    frames: [
      'Parent.constructor (contracts/Creations.sol:29)',
      'Heir.constructor (contracts/Creations.sol:37)',
    ],
  },
  'Safe.withdraw behind EIP-1167': {
    why: 'a minimal proxy has its name here, which Hardhat calls unrecognized',
    frames: [
      'Safe.withdraw (contracts/Proxies.sol:11)',
      '<MinimalProxy>.<fallback> (<address>)',
      'Cloner.withdrawFromLast (contracts/Proxies.sol:122)',
    ],
  },
  'precompile 8 called directly': {
    why: 'the place of a precompile is its address, which Hardhat calls unknown',
    frames: ['<PrecompileContract 8>.<precompile> (<address>)'],
  },
};

const IN_HARDHAT_3: Differences = {
  ...IN_BOTH,
  'Creations.createTooLarge': {
    why: 'Hardhat 3 leaves out the constructor whose code was too large, which Hardhat 2 shows',
    frames: [
      'TooLarge.constructor (contracts/Creations.sol:46)',
      'Creations.createTooLarge (contracts/Creations.sol:72)',
    ],
  },
};

const TOOLS: readonly (readonly [tool: string, differences: Differences])[] = [
  ['hardhat-2', IN_BOTH],
  ['hardhat-3', IN_HARDHAT_3],
];

/** `Token.transfer (contracts/Token.sol:12)`: a frame in Hardhat's format, with sources in `contracts`. */
function frameText({ contract, function: name, source, line, address }: ToldFrame): string {
  const isUnknown = contract === null && source === null;
  const subject = isUnknown
    ? '<UnrecognizedContract>.<unknown>'
    : [contract, name].filter((part) => part !== null).join('.');
  const place = source === null ? address : `contracts/${source}${line === null ? '' : `:${line}`}`;
  return `${subject} (${place})`;
}

/** The frame without the address of an unknown contract, because it depends on earlier deployments. */
function withoutAddress(frame: string): string {
  return frame.replace(/\(0x\w{40}\)/, '(<address>)');
}

describe('stack traces over HTTP, compared with Hardhat in process', () => {
  const recordings = TOOLS.map(([tool, differences]) => {
    const { traces } = readJson<Recording>(`${tool}/traces.json`);
    const framesOf = new Map(traces.map(({ name, frames }) => [name, frames]));
    return { tool, differences, framesOf };
  });
  const recorded = new Set(recordings.flatMap(({ framesOf }) => [...framesOf.keys()]));
  const failures = readJson<readonly Failure[]>('failures.json').filter(({ name }) => recorded.has(name));
  // The version and settings of both projects. Not all of their artifacts are stored.
  const input = readJson<unknown>('solc/0.8.28/input.json');
  const output = readJson<Compilation>('solc/0.8.28/output.json');
  const contracts = new Map(Object.values(output.contracts).flatMap((ofFile) => Object.entries(ofFile)));
  const readArtifact = async (name: string): Promise<RunArtifact> => {
    const compiled = contracts.get(name);
    if (compiled === undefined) throw new Error(`there is no ${name}`);
    const { object, linkReferences } = compiled.evm.bytecode;
    return { abi: compiled.abi, bytecode: `0x${object}`, linkReferences };
  };

  let node: LocalNode;
  let url: string;
  beforeAll(async () => {
    node = await createNode({ compat: 'hardhat', hardfork: 'prague', artifacts: [] });
    ({ url } = await node.listen());
    await resultAt(url, 'inspect_addArtifacts', [input, output]);
  });
  afterAll(() => node.close());

  /** The data of an error is an object in compat mode hardhat. */
  const request = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const { result, error } = await answerAt(url, method, params);
    if (error === undefined) return result;
    throw Object.assign(new Error(error.message), error);
  };

  /** The stack trace of the failed send, which `inspect_transaction` returns as well. */
  async function traceOf(failure: Failure): Promise<string[]> {
    const snapshot = await request('evm_snapshot', []);
    const { error } = await runFailure(failure, request, readArtifact);
    expect(error).toBeDefined();
    const data = error?.data as { stackTrace?: readonly ToldFrame[]; txHash?: string } | undefined;
    const trace = data?.stackTrace ?? [];
    if (data?.txHash !== undefined) {
      const told = (await request('inspect_transaction', [data.txHash])) as { stackTrace: unknown };
      expect(told.stackTrace).toEqual(trace);
    }
    await request('evm_revert', [snapshot]);
    return trace.map(frameText).map(withoutAddress);
  }

  it.each(failures)('$name', async (failure) => {
    const trace = await traceOf(failure);
    for (const { tool, differences, framesOf } of recordings) {
      const theirs = framesOf.get(failure.name)?.map(withoutAddress) ?? [];
      const difference = differences[failure.name];
      if (difference !== undefined) expect(theirs, `${tool} has the same now`).not.toEqual(trace);
      expect(trace, `beside ${tool}: ${difference?.why ?? 'they are the same'}`).toEqual(
        difference?.frames ?? theirs,
      );
    }
  });

  it('every recorded failure is compared, and every listed difference exists', () => {
    expect(failures.length).toBe(75);
    const known = new Set(failures.map(({ name }) => name));
    for (const { differences } of recordings)
      for (const name of Object.keys(differences)) expect(known).toContain(name);
  });
});
