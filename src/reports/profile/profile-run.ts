/** Runs transactions twice: first to identify the contracts, then to attribute gas by their source maps. */

import { wellKnown } from '../../artifacts/well-known.ts';
import type { RunTraced } from '../../chain/execution/tracing.ts';
import { isCreation } from '../../evm/observer.ts';
import { creationIndexes } from '../../inspect/creations.ts';
import {
  ExecutionRecorder,
  type RecordedExecution,
  type RecordedFrame,
} from '../../inspect/execution-recorder.ts';
import { contractsOfFrames } from '../../inspect/inspection.ts';
import {
  type KnownContract,
  type KnownContracts,
  UNRECOGNIZED_SELECTOR,
} from '../../inspect/known-contracts.ts';
import { isMinimalProxy } from '../../inspect/proxies.ts';
import { SourceIndex } from '../../inspect/source-index.ts';
import { toHex } from '../../primitives/hex.ts';
import { ready } from '../../primitives/steps.ts';
import type { CancelCheck } from '../../scheduling/cancel-check.ts';
import { GasProfiler, type GasSample, type ProfiledCode } from './gas-profiler.ts';

/** The name of EIP-1167 proxies. */
const MINIMAL_PROXY = 'minimal proxy';

interface KnownCode {
  readonly guide: SourceIndex | null;
  readonly lineAt: (pc: number) => string | null;
}

const NO_CODE: KnownCode = { guide: null, lineAt: () => null };

/** Profiles transactions. The data of a contract are cached as long as the contract. */
export class ProfileRuns {
  readonly #known: KnownContracts;
  readonly #codes = new WeakMap<KnownContract, Promise<KnownCode>>();

  constructor(known: KnownContracts) {
    this.#known = known;
  }

  /** Resolves to the samples of a transaction, which add up to its gas. Rejects like `run`. */
  async samples(run: RunTraced, checkCancelled: CancelCheck): Promise<GasSample[]> {
    const recorded = await run<RecordedExecution>((subject) => new ExecutionRecorder(subject));
    const contracts = await contractsOfFrames(recorded, this.#known, checkCancelled, () =>
      creationIndexes(run),
    );
    const codes: ProfiledCode[] = [];
    for (const frame of recorded.frames) {
      const contract = contracts[frame.index] ?? null;
      const { guide, lineAt } = contract === null ? NO_CODE : await this.#codeOf(contract);
      codes.push({ name: this.#nameOf(frame, contract), guide, lineAt });
    }
    return run<GasSample[]>(() => {
      const profiler = new GasProfiler(codes);
      return {
        frameStart: (start) => profiler.frameStart(start),
        frameEnd: (end) => profiler.frameEnd(end),
        step: (step) => profiler.step(step),
        result: (result) => ready(profiler.samples(result)),
      };
    });
  }

  #codeOf(contract: KnownContract): Promise<KnownCode> {
    const known = this.#codes.get(contract) ?? readCode(contract);
    this.#codes.set(contract, known);
    return known;
  }

  #nameOf({ start, end, code }: RecordedFrame, contract: KnownContract | null): string {
    const { kind, to, input, isPrecompile } = start;
    const address = toHex(to);
    const creates = isCreation(kind);
    // Each minimal proxy has its own code and address, so use one name for all.
    if (contract === null && isMinimalProxy(creates ? end.output : code))
      return creates ? `new ${MINIMAL_PROXY}` : MINIMAL_PROXY;
    const subject = contract?.name ?? this.#known.labelOf(address) ?? wellKnown.nameAt(address) ?? address;
    if (creates) return contract === null ? `new ${subject}` : `${subject}.constructor`;
    if (isPrecompile) return subject === address ? `precompile ${BigInt(address)}` : subject;
    const called = contract?.functionMeantBy(input) ?? UNRECOGNIZED_SELECTOR;
    if (called !== UNRECOGNIZED_SELECTOR) return `${subject}.${called}`;
    return input.length < 4 ? subject : `${subject}.${toHex(input.subarray(0, 4))}`;
  }
}

async function readCode(contract: KnownContract): Promise<KnownCode> {
  const { map, match, side } = contract;
  const size = match.artifact[side]?.bytes.length ?? 0;
  const lines: (string | null)[] = [];
  const known = new Map<string, string | null>();
  for (let pc = 0; map !== null && pc < size; pc++) {
    const range = map.rangeAt(pc);
    if (range === null) {
      lines.push(null);
      continue;
    }
    const key = `${range.file}:${range.start}`;
    let line = known.get(key);
    if (line === undefined) {
      const file = await contract.file(range.file);
      line = file === null ? null : `${file.name}:${file.outline.positionOf(range.start).line}`;
      known.set(key, line);
    }
    lines.push(line);
  }
  return { guide: await SourceIndex.of(contract), lineAt: (pc) => lines[pc] ?? null };
}
