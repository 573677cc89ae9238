/** Collects the coverage of a node and its lanes. The interpreter counts opcodes; reports are by source. */

import type { CodeTemplate, ContractArtifact } from '../../artifacts/artifact.ts';
import type { IndexedContract } from '../../artifacts/contract-index.ts';
import type { LazyArtifacts } from '../../artifacts/lazy-artifacts.ts';
import { SourceMap } from '../../artifacts/source-map.ts';
import { type CodeCounts, ExecutionCounts } from '../../evm/execution-counts.ts';
import type { InterpreterCounting } from '../../evm/interpreter/interpreter-module.ts';
import type { Steps } from '../../primitives/steps.ts';
import { nextIteration } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { CodeCounter } from './code-counter.ts';
import { countDecisions } from './code-decisions.ts';
import { CodeFlow } from './code-flow.ts';
import { type CodeOrigin, countPlaces, FileProbes, type OutsideCalls, type Reading } from './code-probes.ts';
import {
  type CompiledFiles,
  type CountedFile,
  type CoveredContract,
  CoveredFiles,
  isCovered,
} from './covered-files.ts';
import { type LcovFile, mergeLcov } from './lcov.ts';
import { callsBySelector, creations, type OtherCalls, otherCalls } from './outside-calls.ts';
import type { FunctionItem } from './source-items.ts';

/** Maximum bytes of separately counted codes. Beyond it, codes of the same contract are counted together. */
const MAX_CODE_BYTES = 64 * 1024 * 1024;
const FOLDED_AFTER = 8 * 1024 * 1024;

export interface CoverageReport {
  readonly files: readonly LcovFile[];
  /** The contracts of the files, by file name. */
  readonly contracts: ReadonlyMap<string, readonly CoveredContract[]>;
  /** The reasons why the report is not exact, as sentences. */
  readonly notes: readonly string[];
}

/**
 * Counts executed code of a node and its lanes, and reports it by source. It is independent of chains, so
 * resetting a chain keeps the counts.
 */
export class Coverage {
  readonly counts = new ExecutionCounts(() => this.#grown());
  readonly #artifacts: LazyArtifacts;
  readonly #excluded: readonly string[];
  #foldedBytes = 0;
  #isFolding = false;
  #dropped = 0;

  /** `excluded` are file patterns to leave out; see `isCovered`. */
  constructor(artifacts: LazyArtifacts, excluded: readonly string[] = []) {
    this.#artifacts = artifacts;
    this.#excluded = excluded;
  }

  /** Resolves to the counting interpreter for the engines. */
  async counting(): Promise<InterpreterCounting> {
    const { interpreterCounting } = await import('../../evm/interpreter/counting-module.ts');
    return interpreterCounting(this.counts);
  }

  #grown(): void {
    if (this.#isFolding || this.counts.bytes < this.#foldedBytes + FOLDED_AFTER) return;
    this.#isFolding = true;
    void this.#fold().finally(() => {
      this.#isFolding = false;
      this.#foldedBytes = this.counts.bytes;
    });
  }

  /** Merges codes of a contract that differ only in parts set at deployment. Drops excess unknown codes. */
  async #fold(): Promise<void> {
    const artifacts = await this.#artifacts.load();
    await artifacts.ready();
    const first = new Map<IndexedContract, Map<string, CodeCounts>>();
    const unknown: CodeCounts[] = [];
    for (const counted of [...this.counts.codes]) {
      const [match] = await artifacts.find(counted.side, counted.code, counted.hash);
      if (match === undefined) {
        unknown.push(counted);
        continue;
      }
      const ofContract = first.get(match.contract) ?? new Map<string, CodeCounts>();
      first.set(match.contract, ofContract);
      const same = ofContract.get(counted.side);
      if (same === undefined) ofContract.set(counted.side, counted);
      else {
        same.add(counted.ranges());
        this.counts.remove(counted);
      }
    }
    for (const counted of unknown) {
      if (this.counts.bytes <= MAX_CODE_BYTES) break;
      this.counts.remove(counted);
      this.#dropped++;
    }
  }

  /** Resolves to the coverage so far of all known sources, including sources that never ran. */
  async report(): Promise<CoverageReport> {
    const artifacts = await this.#artifacts.load();
    await artifacts.ready();
    const slice = new TimeSlice();
    const files = new CoveredFiles(this.#excluded, slice);
    const notes = new Set<string>();
    for (const contract of artifacts.contracts) await files.add(contract);
    let unknown = this.#dropped;
    let isAnyKnown = false;
    for (const counted of this.counts.codes) {
      const [match] = await artifacts.find(counted.side, counted.code, counted.hash);
      const template = match?.artifact[counted.side] ?? null;
      const map =
        template === null
          ? null
          : ((await runTask(SourceMap.read(template), slice)) ??
            (await placelessMap(template, match?.artifact, slice)));
      if (match === undefined) {
        unknown++;
        continue;
      }
      isAnyKnown = true;
      const { sourceName, name } = match.artifact;
      const isOwn = isCovered(sourceName, this.#excluded);
      const origin = originOf(match.artifact);
      if (isOwn && (origin.optimizer || origin.viaIR)) notes.add(coarseNote(match.artifact));
      const compiled = map === null ? null : await files.compiledWith(match.contract);
      if (map === null || compiled === null) {
        const missing = map === null ? 'has no source map in its build output' : 'has no known sources';
        if (isOwn) notes.add(`${sourceName}:${name} ${missing}.`);
        continue;
      }
      const probes = new ProbesOfCode();
      const ofMap = [...map.files].flatMap((index) => {
        const file = compiled.byIndex.get(index);
        return file === undefined ? [] : [[index, file === null ? null : probes.of(file)] as const];
      });
      const counts = counted.opcodes();
      const { code, side } = counted;
      // The largest code takes hundreds of milliseconds in total, so yield before each code.
      await nextIteration();
      const flow = await runTask(CodeFlow.of(code, counts, map), slice);
      const reading: Reading = { flow, map, counts, code, files: new Map(ofMap), origin };
      await runTask(countPlaces(reading), slice);
      await runTask(countDecisions(reading), slice);
      const isExact = !origin.optimizer && !origin.viaIR;
      const functions = new ContractFunctions(compiled, match.artifact, probes);
      if (!isExact && side === 'creation') functions.create(creations(reading));
      else if (!isExact) {
        functions.call(await runTask(callsBySelector(reading), slice));
        const others = otherCalls(reading);
        if (others !== null) functions.callOthers(others);
      }
      await runTask(probes.addCounts(isExact, compiled, functions.overridden), slice);
    }
    if (unknown > 0) {
      const [codes, them] =
        unknown === 1
          ? ['One executed bytecode matches', 'it']
          : [`${unknown} executed bytecodes match`, 'them'];
      notes.add(`${codes} no build output; the coverage omits ${them}.`);
    }
    const counted = await runTask(files.coverage(), slice);
    const merged = await runTask(mergeLcov(counted), slice);
    if (merged.length === 0 && !isAnyKnown) notes.add(NO_SOURCES);
    return { files: merged, contracts: files.contracts(), notes: [...notes] };
  }
}

const NO_SOURCES =
  'No sources found: start in the folder of a built project, or pass the folder of its build output with --artifacts.';

/** The counts of one code, by file. */
class ProbesOfCode {
  readonly #probes = new Map<CountedFile, FileProbes>();

  of(file: CountedFile): FileProbes {
    const probes = this.#probes.get(file) ?? new FileProbes(file.ranges);
    this.#probes.set(file, probes);
    return probes;
  }

  /** Adds the counts of this code to the counts of the files. */
  *addCounts(isExact: boolean, files: CompiledFiles, overridden: ReadonlySet<number>): Steps<void> {
    const counter = new CodeCounter({ files, isExact, overridden, probesOf: (file) => this.of(file) });
    const counted = new Set(this.#probes.keys());
    for (const file of counted) {
      const { items, counts } = file;
      counts.add(yield* counter.countsOf(file));
      // Files of inlined functions have no code of their own.
      for (const { declaration } of isExact ? [] : items.calls) {
        const called = files.declaredIn.get(declaration);
        if (called !== undefined) counted.add(called);
      }
    }
  }
}

/** A contract and its base contracts, nearest first. */
class ContractFunctions {
  readonly #probes: ProbesOfCode;
  readonly #contracts: { readonly file: CountedFile; readonly functions: readonly number[] }[] = [];

  constructor(files: CompiledFiles, { sourceName, name }: ContractArtifact, probes: ProbesOfCode) {
    this.#probes = probes;
    const own = [...files.byIndex.values()].find((file) => file?.name === sourceName);
    const contract = own?.items.contracts.find((one) => one.name === name);
    if (own === undefined || own === null || contract === undefined) return;
    this.#contracts.push({ file: own, functions: contract.functions });
    for (const declaration of contract.line) {
      if (declaration === contract.declaration) continue;
      const file = files.declaredIn.get(declaration);
      const found = file?.items.contracts.find((one) => one.declaration === declaration);
      if (file !== undefined && found !== undefined) {
        this.#contracts.push({ file, functions: found.functions });
      }
    }
  }

  /** The declarations of functions that these contracts override. */
  get overridden(): ReadonlySet<number> {
    const overrides = this.#contracts.flatMap(({ file, functions }) =>
      functions.flatMap((index) => file.items.functions[index]?.overrides ?? []),
    );
    return new Set(overrides);
  }

  /** Adds the calls of the contract's functions, by selector. */
  call(calls: ReadonlyMap<string, OutsideCalls>): void {
    for (const [selector, times] of calls) {
      for (const { file, functions } of this.#contracts) {
        const found = functions.find((index) => file.items.functions[index]?.selector === selector);
        if (found === undefined) continue;
        this.#probes.of(file).call(found, times);
        break;
      }
    }
  }

  /** Adds the calls of `receive` and `fallback`. */
  callOthers({ receive, fallback }: OtherCalls): void {
    this.#first('receive', receive);
    this.#first('fallback', fallback);
  }

  #first(kind: FunctionItem['kind'], calls: OutsideCalls): void {
    for (const { file, functions } of this.#contracts) {
      const found = functions.find((index) => file.items.functions[index]?.kind === kind);
      if (found === undefined) continue;
      this.#probes.of(file).call(found, calls);
      return;
    }
  }

  /** Adds creations. Each one runs the constructors of all base contracts. */
  create({ completions }: OutsideCalls): void {
    for (const { file, functions } of this.#contracts) {
      const found = functions.find((index) => file.items.functions[index]?.kind === 'constructor');
      if (found !== undefined) {
        this.#probes.of(file).call(found, { calls: completions, completions });
      }
    }
  }
}

/** Returns how reliable a contract's source map is. Vyper's source map places few instructions. */
function originOf({ compiler }: ContractArtifact): CodeOrigin {
  const isVyper = compiler.language === 'Vyper';
  return { optimizer: compiler.optimizer || isVyper, viaIR: compiler.viaIR, isVyper };
}

/** Vyper 0.3 writes no source map for creation code. An empty map still counts the creations. */
async function placelessMap(
  template: CodeTemplate,
  artifact: ContractArtifact | undefined,
  slice: TimeSlice,
): Promise<SourceMap | null> {
  return artifact?.compiler.language === 'Vyper'
    ? runTask(SourceMap.read({ ...template, sourceMap: '-1:-1:-1:-' }), slice)
    : null;
}

function coarseNote({ compiler }: ContractArtifact): string {
  if (compiler.language === 'Vyper') {
    return 'Vyper source maps cover few instructions: some counts of lines and branches in Vyper contracts may be wrong.';
  }
  const [cause, effect] = compiler.viaIR
    ? ['the IR pipeline', 'source positions are coarse, and inlined functions have no code']
    : ['the optimizer', 'statements with equal code are merged'];
  return `Contracts were compiled with ${cause} (${effect}): some counts of lines and branches may be wrong. Compile without ${cause} for exact coverage.`;
}
