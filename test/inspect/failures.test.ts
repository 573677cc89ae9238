import { readdirSync, readFileSync } from 'node:fs';
import { getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { Artifacts } from '../../src/artifacts/artifacts.ts';
import { Inspector } from '../../src/inspect/inspector.ts';
import { KnownContracts } from '../../src/inspect/known-contracts.ts';
import type { StackFrame } from '../../src/inspect/stack-trace.ts';
import { frameText } from '../../src/inspect/tree-text.ts';
import type { RuleSetName } from '../../src/protocol/hardforks/registry.ts';
import { hardhatFailureMessage } from '../../src/rpc/hardhat-failures.ts';
import { neverCancelled } from '../../src/scheduling/cancel-check.ts';
import { createRpcHarness } from '../rpc/rpc-harness.ts';
import { createFakeTime } from '../support/fake-time.ts';

const projects = new URL('../../fixtures/projects/', import.meta.url);

interface ExpectedFrame {
  readonly contract: string | null;
  readonly definedIn: string | null;
  readonly function: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

interface Failure {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly deploy: readonly { readonly contract: string }[];
  readonly create?: { readonly contract: string };
  readonly call?: { readonly contract?: string };
  readonly outcome: 'revert' | 'halt' | 'rejected';
  /** Hardhat's message; by compiler version if it differs. */
  readonly message: string | null | Readonly<Record<string, string | null>>;
  readonly frames: readonly ExpectedFrame[];
  readonly times?: number;
  readonly blockGasLimit?: number;
}

interface CompilerRun {
  readonly name: string;
  /** The version of solc, or of Vyper for Vyper runs. */
  readonly solc: string;
  readonly coarse: boolean;
  readonly ast: boolean;
}

interface CompiledContract {
  readonly abi: unknown;
  readonly evm: { readonly bytecode: { readonly object: string; readonly linkReferences: unknown } };
}

type Request = (method: string, params: unknown[]) => Promise<unknown>;
type ReadArtifact = (contract: string) => unknown;
type RunFailure = (
  failure: Failure,
  request: Request,
  readArtifact: ReadArtifact,
) => Promise<{ readonly error: unknown; readonly addresses: ReadonlyMap<string, string> }>;

function readJson<Content>(path: string): Content {
  return JSON.parse(readFileSync(new URL(path, projects), 'utf8')) as Content;
}

// The scripts of the fixtures have no types.
const { RUNS } = (await import(new URL('settings.mjs', projects).href)) as { RUNS: readonly CompilerRun[] };
const { runFailure } = (await import(new URL('run-failure.mjs', projects).href)) as {
  runFailure: RunFailure;
};
/** The compiler run of a folder. The source maps of Vyper cover only a few instructions. */
function runOf(folder: string): CompilerRun {
  const name = folder.slice(folder.indexOf('/') + 1);
  if (folder.startsWith('vyper/')) return { name, solc: name, coarse: true, ast: true };
  const run = RUNS.find((each) => each.name === name);
  if (run === undefined) throw new Error(`settings.mjs has no ${name}`);
  return run;
}

const failures = readJson<readonly Failure[]>('failures.json');

/** The message for this compiler; `undefined` if Hardhat has no message, `null` if nothing fails. */
function expectedMessage({ message }: Failure, solc: string): string | null | undefined {
  if (message === null) return undefined;
  if (typeof message === 'string') return message;
  const minor = (version: string): number => Number(version.split('.')[1]);
  const fits = (bounds: string): boolean =>
    bounds.startsWith('>=') ? minor(solc) >= minor(bounds) : minor(solc) < minor(bounds);
  // Of two upper bounds, the lower one applies.
  const fitting = Object.keys(message)
    .filter(fits)
    .sort((left, right) => minor(left) - minor(right));
  const [found = '>=0.8.0'] = fitting;
  return message[found] ?? null;
}

/** The parts of a message that do not depend on its style. */
function factOf(message: string, addresses: ReadonlyMap<string, string>): string {
  const fact = message
    .replace(/^(?:VM Exception while processing transaction: |Transaction reverted: |Transaction )/, '')
    .replace(/^(reverted with panic code 0x\w+) .*/, '$1')
    .replace(/^non-payable (?:function|constructor)/, 'non-payable function')
    .replace(/^(?:function|constructor) was called with incorrect/, 'function was called with incorrect')
    .replace(/^.*r[au]n out of gas.*$/, 'out of gas')
    // Hardhat reports neither the reason nor the price.
    .replace(/^(call to precompile \d+ failed): .*/, '$1')
    .replace(/^(function call failed to execute|invalid opcode).*/, '$1');
  if (!fact.startsWith('reverted with custom error')) return fact;
  // Here, arguments have names. Hardhat quotes addresses and bytes.
  return fact
    .replace(/([(,] ?)\w+: /g, '$1')
    .replace(/"(0x\w*)"/g, '$1')
    .replace(/"\$(\w+)"/g, (_, name: string) => addresses.get(name) ?? name)
    .toLowerCase();
}

/** The message with the addresses of deployed contracts, which the table names `$token`. */
function withAddresses(message: string, addresses: ReadonlyMap<string, string>): string {
  return message.replace(/"\$(\w+)"/g, (_, name: string) => `"${getAddress(addresses.get(name) ?? name)}"`);
}

function expectedText({ contract, definedIn, function: name, file, line, column }: ExpectedFrame): string {
  if (file === null) return `${contract}${name === '<unknown>' ? '.<unknown>' : `.${name}`}`;
  // The constructor of a base has the name of the base. The other functions have the name of the running
  // contract.
  const named = name === 'constructor' || definedIn === null ? definedIn : contract;
  return `${named === null ? '' : `${named}.`}${name} (${file}:${line}:${column})`;
}

function actualText(frame: StackFrame): string {
  return frameText(frame).replace(/ \(0x\w{40}\)$/, '');
}

/** `Token.transfer (Token.sol`: the part that is exact even if the optimizer leaves coarse positions. */
function withoutPosition(text: string): string {
  return text.replace(/:\d+:\d+\)$/, '');
}

function withoutColumn(text: string): string {
  return text.replace(/:\d+\)$/, '');
}

/** True for a frame at its line, or at the start of its function. */
function isExactOrWhole(actual: StackFrame, expected: string): boolean {
  if (actualText(actual) === expected || actual.source === null) return true;
  const lines = readFileSync(new URL(`sources/${actual.source}`, projects), 'utf8').split('\n');
  const line = lines[(actual.line ?? 0) - 1] ?? '';
  if (/^\s*(?:function|modifier|constructor|fallback|receive|assembly|def)\b/.test(line)) return true;
  return expected.includes(`${actual.source}:${actual.line}:`);
}

/**
 * Checks a trace of optimized code. Frames may be missing, and positions may be the position of the function.
 */
function expectCoarse(actual: readonly StackFrame[], expected: readonly string[]): void {
  expect(actual[0] && withoutPosition(actualText(actual[0]))).toBe(withoutPosition(expected[0] ?? ''));
  let at = 0;
  for (const frame of actual) {
    const text = withoutPosition(actualText(frame));
    while (at < expected.length && withoutPosition(expected[at] ?? '') !== text) at++;
    expect(expected[at], `${actualText(frame)} is not expected, or not there`).toBeDefined();
    expect(isExactOrWhole(frame, expected[at] ?? ''), `${actualText(frame)} is not ${expected[at]}`).toBe(
      true,
    );
    at++;
  }
}

/** Failures with frames whose lines, but not columns, are exact, with the reason. */
const LINES_ONLY: ReadonlyMap<string, string> = new Map([
  ['Panics.brokenBytes', 'the compiler copies the array in the statement, not in its expression'],
  ['Calls.innerOutOfGas', 'gas may end at any opcode of the loop'],
  ['OldCaller.innerOutOfGas', 'gas may end at any opcode of the loop'],
  ['Legacy.outOfGas', 'gas may end at any opcode of the loop'],
  ['Calls.outOfGas', 'gas may end at any opcode of the loop'],
  ['Legacy.externalLibrary with too little gas', 'gas may end at any opcode before the call'],
  ['Creations.initcodeTooLarge', 'the mark of the source finds `created` before `create`'],
]);

/** Failures of otherwise exact runs with code that the optimizer shares or inlines. */
const COARSE: ReadonlyMap<string, readonly string[]> = new Map([
  ['0.7.6', ['Legacy.revertBare', 'Legacy.internalChain', 'Legacy.unknownSelector', 'Legacy.assemblyRevert']],
]);

/**
 * The IR pipeline leaves no trace of the function. The ABI of a library has no entry for storage parameters.
 */
const LIBRARY_BY_IR = 'Checks called directly';

const FOLDERS = ['solc', 'vyper'].flatMap((compiler) =>
  readdirSync(new URL(`${compiler}/`, projects)).map((name) => `${compiler}/${name}`),
);

describe.each(FOLDERS)('stack traces of %s', (folder) => {
  const run = runOf(folder);
  const { name } = run;
  const input = readJson<unknown>(`${folder}/input.json`);
  const output = readJson<{ contracts: Record<string, Record<string, CompiledContract>> }>(
    `${folder}/output.json`,
  );
  const contracts = new Map(Object.values(output.contracts).flatMap((ofFile) => Object.entries(ofFile)));
  const readArtifact: ReadArtifact = (contract) => {
    const { abi, evm } = contracts.get(contract) ?? {};
    const digits = evm?.bytecode.object.replace(/^0x/, '');
    return { abi, bytecode: `0x${digits}`, linkReferences: evm?.bytecode.linkReferences };
  };
  const vyper = folder.startsWith('vyper/') ? `vyper-${name.slice(0, 3)}` : null;
  const possible = failures.filter(({ group, deploy, create, call }) => {
    if (group.startsWith('vyper') ? group !== vyper : vyper !== null) return false;
    const named = [...deploy.map(({ contract }) => contract), create?.contract, call?.contract];
    return named.every((each) => each === undefined || contracts.has(each));
  });

  it.each(possible)('explains $name', (failure) => expectExplained(failure, 'prague'));

  // Under Rootstock rules, a failing creation returns no data to its caller.
  const creations = possible.filter(({ kind }) => kind === 'creation' && !run.coarse);
  if (creations.length > 0) {
    it.each(creations)(`explains $name under Rootstock's rules`, (failure) =>
      expectExplained(failure, 'rootstock'),
    );
  }

  async function expectExplained(failure: Failure, ruleSet: RuleSetName): Promise<void> {
    const gasLimit = BigInt(failure.blockGasLimit ?? 30_000_000);
    const { chain, call } = await createRpcHarness({}, { ruleSet, gasLimit });
    // Gas for the maximum depth costs more than the account has.
    if (failure.blockGasLimit !== undefined) {
      const [sender] = (await call('eth_accounts', [])) as string[];
      await call('hardhat_setBalance', [sender, `0x${(10n ** 30n).toString(16)}`]);
    }
    const onWarning = (text: string): never => {
      throw new Error(text);
    };
    const artifacts = new Artifacts({ timers: createFakeTime(0).timers, onWarning });
    await artifacts.addCompilation(input, output, vyper === null ? run.solc : null);
    const { error, addresses } = await runFailure(
      failure,
      (method, params) => call(method, params),
      readArtifact,
    );
    const head = chain.head();
    if (failure.outcome === 'rejected') {
      expect(error).toBeDefined();
      expect(head.transactions).toEqual([]);
      return;
    }
    const inspector = new Inspector(chain, new KnownContracts(artifacts, () => 33));
    const { failure: found, stackTrace } = await inspector.transaction(head, head.transactions.length - 1, {
      hasChanges: false,
      checkCancelled: neverCancelled,
    });
    const message = expectedMessage(failure, run.solc);
    if (message === null) {
      expect(found).toBeNull();
      expect(stackTrace).toEqual([]);
      return;
    }
    if (message !== undefined)
      expect(factOf(found?.message ?? '', addresses)).toBe(factOf(message, addresses));
    if (typeof message === 'string' && found !== null)
      expect(hardhatFailureMessage(found)).toBe(withAddresses(message, addresses));
    const frames = failure.frames.flatMap((frame) =>
      new Array<ExpectedFrame>(failure.times ?? 1).fill(frame),
    );
    const expected = frames.map(expectedText);
    const actual = stackTrace.map(actualText);
    if (failure.group.startsWith('vyper') && failure.frames.every(({ file }) => file === null)) {
      expect(stackTrace.map((frame) => `${frame.contract}.${frame.function}`)).toEqual(expected);
    } else if (run.coarse && failure.name === LIBRARY_BY_IR && run.solc !== '0.8.19' && !run.ast) {
      expect(actual).toEqual(['Checks (Checks.sol:5:1)']);
    } else if (run.coarse || COARSE.get(name)?.includes(failure.name) === true) {
      expectCoarse(stackTrace, expected);
    } else if (LINES_ONLY.has(failure.name)) {
      expect(actual.map(withoutColumn)).toEqual(expected.map(withoutColumn));
    } else {
      expect(actual).toEqual(expected);
    }
  }
});
