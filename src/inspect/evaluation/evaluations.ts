/** Evaluates expressions at the steps of executions. */

import type { StorageLayout, StorageVariable } from '../../artifacts/layout/storage-type.ts';
import type { Chain } from '../../chain/chain.ts';
import { equalBytes, padLeft } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import type { CancelCheck } from '../../scheduling/cancel-check.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { ContractsAt } from '../deployed-contracts.ts';
import { EvaluationError, StepOutOfRangeError } from '../errors.ts';
import type { RecordedExecution } from '../execution-recorder.ts';
import { type InspectedExecution, isSameExecution, type Run } from '../executions.ts';
import { inspectionRecorder } from '../inspection-recorder.ts';
import type { ContractsOfFrames, KnownContract, KnownContracts } from '../known-contracts.ts';
import type { KnownLayouts } from '../storage/contract-storage.ts';
import type { KnownKeys } from '../storage/contract-storage-tree.ts';
import { rootsOf } from '../storage/slot-finder.ts';
import { readerOf } from '../storage/storage-changes.ts';
import { slotBytes } from '../storage/storage-value.ts';
import type { KnownVariablePlaces } from '../variables/step-variables.ts';
import { KnownCallableContracts } from './callable-contracts.ts';
import type { EvaluationSite, RunningFunction } from './evaluation-site.ts';
import { Evaluator } from './evaluator.ts';
import { ExpressionError } from './expression.ts';
import { KnownFunctionPlaces } from './function-places.ts';
import { type Moment, MomentRecorder } from './moment-recorder.ts';
import { OperationError } from './operators.ts';
import { parseExpression } from './parser.ts';
import { type ContractScope, contractScope } from './scope.ts';
import { type EvaluatedExpression, ResultBuilder } from './shown-result.ts';
import { StoragePlaces } from './storage-places.ts';
import { ViewCalls } from './view-calls.ts';

/** Maximum memory in bytes of a moment to keep. */
const MAX_KEPT_MEMORY = 2 ** 22;

/** An execution that can be run again. */
export interface Replay {
  readonly execution: InspectedExecution;
  readonly run: Run;
}

/** The parts of the inspector that evaluations share. */
export interface EvaluationParts {
  readonly chain: Chain;
  readonly known: KnownContracts;
  readonly layouts: KnownLayouts;
  readonly variables: KnownVariablePlaces;
  readonly keys: KnownKeys;
  contractsAt(state: WorldState, address: Uint8Array): Promise<ContractsAt>;
  contractsOf(
    recorded: RecordedExecution,
    replay: Replay,
    checkCancelled: CancelCheck,
  ): Promise<ContractsOfFrames>;
}

/** A state variable with its value. */
export interface EvaluatedVariable extends EvaluatedExpression {
  readonly name: string;
}

/** Maximum slots of transient storage per result. */
const MAX_TRANSIENT_SLOTS = 1_000;

/** The state variables of the running contract. */
export interface EvaluatedState {
  /** The contract's name; `null` if unknown. */
  readonly contract: string | null;
  /** The account whose storage the code uses. */
  readonly address: string;
  /** `null` without a storage layout. */
  readonly state: readonly EvaluatedVariable[] | null;
  readonly transient: readonly EvaluatedVariable[];
  /** The slots of transient storage that the account wrote, with their values. */
  readonly transientSlots: readonly (readonly [slot: string, value: string])[];
  /** The number of written slots beyond the maximum. */
  readonly omittedTransientSlots: number;
}

/** A moment with the contract and the code of its frame. */
interface KnownMoment {
  readonly moment: Moment;
  readonly contract: KnownContract | null;
  readonly code: Uint8Array;
}

interface KeptMoment {
  readonly execution: InspectedExecution;
  readonly step: number;
  /** The version of the artifacts. */
  readonly version: number;
  readonly found: KnownMoment;
}

/** The frames of an execution. They are the same at all of its steps. */
interface KnownFrames {
  readonly execution: InspectedExecution;
  /** The version of the artifacts. */
  readonly version: number;
  readonly contracts: ContractsOfFrames;
  readonly codes: readonly Uint8Array[];
}

export class Evaluations {
  readonly #parts: EvaluationParts;
  readonly #places = new KnownFunctionPlaces();
  readonly #scopes = new WeakMap<KnownContract, Promise<ContractScope | null>>();
  /** The latest moment, because an editor evaluates many expressions at one step. */
  #kept: KeptMoment | null = null;
  /** The latest frames, because a condition is evaluated at many steps of one execution. */
  #frames: KnownFrames | null = null;

  constructor(parts: EvaluationParts) {
    this.#parts = parts;
  }

  /** Resolves to the value of an expression before a step. Rejects with {@link EvaluationError}. */
  async evaluate(
    replay: Replay,
    step: number,
    expression: string,
    checkCancelled: CancelCheck,
  ): Promise<EvaluatedExpression> {
    try {
      const parsed = parseExpression(expression);
      const known = await this.#momentAt(replay, step, checkCancelled);
      const site = await this.#siteOf(known, checkCancelled);
      const evaluator = new Evaluator(site);
      const value = await evaluator.value(parsed);
      return await new ResultBuilder(site, evaluator.parts).build(value);
    } catch (error) {
      if (error instanceof ExpressionError) throw new EvaluationError(expression, error.range, error.reason);
      if (error instanceof OperationError)
        throw new EvaluationError(expression, { start: 0, end: expression.length }, error.message);
      throw error;
    }
  }

  /** Resolves to the state variables of the running contract before a step. Rejects like {@link evaluate}. */
  async state(replay: Replay, step: number, checkCancelled: CancelCheck): Promise<EvaluatedState> {
    const known = await this.#momentAt(replay, step, checkCancelled);
    const site = await this.#siteOf(known, checkCancelled);
    const { layout, moment, contract } = site;
    const { parts } = new Evaluator(site);
    const evaluated = async ({ name, type, slot, offset }: StorageVariable, isTransient: boolean) => {
      const shown = await site.places
        .value({ type, slot, offset, isTransient })
        .then((value) => new ResultBuilder(site, parts).build(value))
        .catch((error: unknown) => {
          if (error instanceof OperationError) return { type: type.label, value: `<${error.message}>` };
          throw error;
        });
      return { ...shown, name, type: type.label };
    };
    const state: EvaluatedVariable[] = [];
    const transient: EvaluatedVariable[] = [];
    for (const variable of layout === null ? [] : rootsOf(layout))
      state.push(await evaluated(variable, false));
    for (const variable of layout?.transient ?? []) transient.push(await evaluated(variable, true));
    const { storageAddress } = moment.frame;
    const written = moment.transient.filter(({ address }) => equalBytes(address, storageAddress));
    const slots = written
      .slice(0, MAX_TRANSIENT_SLOTS)
      .map(({ slot, value }) => [toHex(slot), toHex(padLeft(value, 32))] as const);
    const name = contract?.name ?? null;
    return {
      contract: name,
      address: toHex(storageAddress),
      state: layout === null ? null : state,
      transient,
      transientSlots: slots,
      omittedTransientSlots: written.length - slots.length,
    };
  }

  async #momentAt(replay: Replay, step: number, checkCancelled: CancelCheck): Promise<KnownMoment> {
    const { version } = this.#parts.known.artifacts;
    const { execution } = replay;
    const kept = this.#kept;
    const isKept = kept !== null && kept.step === step && kept.version === version;
    if (isKept && isSameExecution(kept.execution, execution)) return kept.found;
    const { contracts, codes } = await this.#framesOf(replay, version, checkCancelled);
    const variables = await this.#parts.variables.of(contracts);
    const places = await this.#places.of(contracts);
    const { moment, count } = await replay.run(
      (subject) => new MomentRecorder(subject, step, places, variables),
    );
    if (moment === null) throw new StepOutOfRangeError(step, count);
    await this.#parts.keys.add(moment.preimages, checkCancelled);
    const { index } = moment.frame;
    const found = {
      moment,
      contract: contracts[index] ?? null,
      code: codes[index] ?? new Uint8Array(0),
    };
    this.#kept = moment.memory.length > MAX_KEPT_MEMORY ? null : { execution, step, version, found };
    return found;
  }

  async #framesOf(replay: Replay, version: number, checkCancelled: CancelCheck): Promise<KnownFrames> {
    const { execution } = replay;
    const known = this.#frames;
    if (known?.version === version && isSameExecution(known.execution, execution)) return known;
    const recorded = await replay.run(inspectionRecorder({ guides: null, hasState: false }));
    const contracts = await this.#parts.contractsOf(recorded, replay, checkCancelled);
    const codes = recorded.frames.map(({ code }) => code);
    this.#frames = { execution, version, contracts, codes };
    return this.#frames;
  }

  async #siteOf(
    { moment, contract, code }: KnownMoment,
    checkCancelled: CancelCheck,
  ): Promise<EvaluationSite> {
    const { chain, known, layouts, keys } = this.#parts;
    const { frame, state, transient } = moment;
    const ofAccount = new Map(
      transient
        .filter(({ address }) => Buffer.compare(address, frame.storageAddress) === 0)
        .map(({ slot, value }) => [Buffer.from(slot).toString('hex'), value]),
    );
    const reads = {
      storage: readerOf(state, frame.storageAddress),
      transient: (slot: bigint): Uint8Array =>
        padLeft(ofAccount.get(Buffer.from(slotBytes(slot)).toString('hex')) ?? new Uint8Array(0), 32),
    };
    const layout: StorageLayout | null = contract === null ? null : await layouts.of(contract);
    const scope = contract === null ? null : await this.#scopeOf(contract);
    return {
      moment,
      contract,
      code,
      layout,
      scope,
      running: contract === null ? null : await runningFunction(contract, scope, frame.functionPc),
      places: new StoragePlaces(reads, checkCancelled),
      calls: new ViewCalls(chain, moment, checkCancelled),
      contracts: new KnownCallableContracts(known, contract, state, (at, address) =>
        this.#parts.contractsAt(at, address),
      ),
      preimages: keys.preimages,
      ruleSet: chain.ruleSet,
      chainId: chain.settings.chainId,
      checkCancelled,
    };
  }

  #scopeOf(contract: KnownContract): Promise<ContractScope | null> {
    const scope = this.#scopes.get(contract) ?? contractScope(contract);
    this.#scopes.set(contract, scope);
    return scope;
  }
}

/** Resolves to the function that contains an instruction; `null` for none. */
async function runningFunction(
  contract: KnownContract,
  scope: ContractScope | null,
  pc: number | null,
): Promise<RunningFunction | null> {
  const range = pc === null ? null : (contract.map?.rangeAt(pc) ?? null);
  const file = range === null ? null : await contract.file(range.file);
  if (range === null || file === null) return null;
  const around = file.outline.functionAt(range.start);
  if (around === null) return null;
  const text = file.outline.textOf(around.start, around.end - around.start);
  const contracts = scope === null ? [] : [...scope.contracts.values(), ...scope.own];
  for (const { name, functions } of contracts)
    for (const declared of functions) {
      const { file: index, start, length } = declared.range;
      if (index === range.file && start <= range.start && range.start < start + length)
        return { declared, owner: name === '' ? null : name, text };
    }
  return { declared: null, owner: null, text };
}
