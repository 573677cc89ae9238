/** Synthetic contracts and executions, without a compiler and without a chain. */

import type { ContractArtifact } from '../../src/artifacts/artifact.ts';
import { AbiTable } from '../../src/artifacts/decoding.ts';
import { SourceMap } from '../../src/artifacts/source-map.ts';
import type { ExecutionStep, FrameStart } from '../../src/evm/observer.ts';
import type { TraceBudget, TraceSubject } from '../../src/evm/tracers/tracer.ts';
import type { ExecutionRecorder, RecordedExecution } from '../../src/inspect/execution-recorder.ts';
import { KnownContract } from '../../src/inspect/known-contracts.ts';
import { KnownFiles } from '../../src/inspect/known-files.ts';
import { EMPTY_BYTES } from '../../src/primitives/bytes.ts';
import { finish } from '../../src/primitives/steps.ts';

const ADDRESS = new Uint8Array(20).fill(7);
export const START: FrameStart = {
  kind: 'CALL',
  depth: 0,
  from: ADDRESS,
  to: ADDRESS,
  input: new Uint8Array(4),
  gas: 1000n,
  value: 0n,
  isPrecompile: false,
};
export const NOTHING = {
  outcome: 'success',
  haltReason: null,
  output: new Uint8Array(),
  gasUsed: 0n,
} as const;

export interface Parts {
  readonly bytes: Uint8Array;
  readonly sourceMap: string;
  readonly source: string;
  readonly isOptimized: boolean;
}

export function contractOf({ bytes, sourceMap, source, isOptimized }: Parts): KnownContract {
  const template = { bytes, holes: [], sourceMap, variables: null };
  const artifact: ContractArtifact = {
    name: 'A',
    sourceName: 'A.sol',
    abi: [{ type: 'function', name: 'f', inputs: [], outputs: [], stateMutability: 'nonpayable' }],
    signatures: [],
    creation: template,
    deployed: template,
    compiler: {
      language: 'Solidity',
      version: '0.8.28',
      optimizer: isOptimized,
      viaIR: false,
      runs: null,
      evmVersion: null,
    },
    storageLayout: null,
    transientStorageLayout: null,
  };
  const sources = { names: new Map([[0, 'A.sol']]), content: async () => source, ast: async () => null };
  const contract = {
    name: 'A',
    sourceName: 'A.sol',
    creation: null,
    deployed: null,
    hasTrailingImmutables: false,
    deployments: [],
    file: null,
    load: async () => artifact,
    sources: async () => sources,
  };
  return new KnownContract(
    [{ contract, artifact, fit: 'exact' }],
    'deployed',
    finish(AbiTable.read(artifact.abi, [])),
    finish(SourceMap.read(template)),
    new KnownFiles(),
  );
}

function stepAt(pc: number, opcode: number): ExecutionStep {
  return {
    pc,
    opcode,
    gas: 0n,
    gasCost: 0n,
    depth: 0,
    refund: 0n,
    address: ADDRESS,
    stackHeight: 0,
    stack: () => [],
    stackItem: () => undefined,
    copyStack: () => undefined,
    memory: () => new Uint8Array(),
    storageAt: () => new Uint8Array(),
    returnData: () => new Uint8Array(),
  };
}

/** Passes a step to the recorder, like an engine. */
export function takeStep(recorder: ExecutionRecorder, pc: number, opcode: number): void {
  recorder.trail?.(Uint32Array.of(pc));
  if (recorder.wantedSteps.has(opcode)) recorder.step?.(stepAt(pc, opcode));
}

/** The members of the subject that a recorder reads. The accounts have no code. */
export function subject(budget: TraceBudget): TraceSubject {
  const read: Pick<TraceSubject, 'budget'> & { readonly before: unknown; readonly message: unknown } = {
    budget,
    before: { account: () => undefined },
    message: { authorizationList: [] },
  };
  return read as TraceSubject;
}

export const RESULT = {} as RecordedExecution['result'];

/** The state after an execution without code. */
export const AFTER = { code: () => EMPTY_BYTES };

export function recordingOf(recorder: ExecutionRecorder): RecordedExecution {
  return finish(recorder.result(RESULT, AFTER));
}
