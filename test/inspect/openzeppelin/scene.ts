/**
 * Runs lists of steps on OpenZeppelin's contracts against a node over HTTP, and compares the inspections with
 * the list.
 */

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type Abi, encodeDeployData, encodeFunctionData, type Hex, toHex } from 'viem';
import { expect } from 'vitest';
import type { DecodedEntry, DecodedParameter } from '../../../src/artifacts/decoding.ts';
import { entryText, parametersText } from '../../../src/inspect/value-text.ts';
import { readableAmount } from '../../../src/primitives/ether.ts';
import { type StartedNode, start } from '../../cli/support/started-node.ts';
import { resultAt } from '../../support/json-rpc.ts';

/**
 * The expectations of a step. In all texts, `$name` is replaced by the address or value of that name in the
 * scene.
 */
export interface Expected {
  /** The name of the sender. Default: `admin`. */
  readonly from?: string;
  /** Wei. */
  readonly value?: bigint;
  /** All events in order, as text. */
  readonly events?: readonly string[];
  /** The results, as text. */
  readonly results?: string;
  /** The custom error, or the whole reason, of the failure. */
  readonly fails?: string;
  /** A part of the failing source line. Default: `revert` with the name of the error. */
  readonly line?: string;
  /** The functions of the stack trace, innermost first. */
  readonly frames?: readonly string[];
}

/** One action. `said` is the text that the node must return: `Token.transfer(to: $other, amount: 5)`. */
export type Step = Expected &
  (
    | {
        readonly kind: 'deploy';
        readonly as: string;
        readonly said: string;
        readonly args: readonly unknown[];
      }
    | {
        readonly kind: 'send' | 'read';
        readonly to: string;
        readonly said: string;
        readonly args: readonly unknown[];
      }
    | { readonly kind: 'prepare'; readonly prepare: (scene: Scene) => Promise<void> }
  );

/** A step that creates a contract and stores its address in the scene. */
export const deploy = (
  as: string,
  said: string,
  args: readonly unknown[],
  expected: Expected = {},
): Step => ({
  kind: 'deploy',
  as,
  said,
  args,
  ...expected,
});

export const send = (to: string, said: string, args: readonly unknown[], expected: Expected = {}): Step => ({
  kind: 'send',
  to,
  said,
  args,
  ...expected,
});

/** A step that calls without a transaction. */
export const read = (to: string, said: string, args: readonly unknown[], expected: Expected = {}): Step => ({
  kind: 'read',
  to,
  said,
  args,
  ...expected,
});

/** A step that sets names of the scene, or advances the time. */
export const prepare = (action: (scene: Scene) => Promise<void>): Step => ({
  kind: 'prepare',
  prepare: action,
});

interface Compiled {
  readonly abi: Abi;
  readonly evm: { readonly bytecode: { readonly object: string } };
}

interface BuildInfo {
  readonly input: { readonly sources: Readonly<Record<string, { readonly content: string }>> };
  readonly output: { readonly contracts: Readonly<Record<string, Readonly<Record<string, Compiled>>>> };
}

interface Told {
  readonly call: ToldCall;
  readonly failure: { readonly message: string } | null;
  readonly stackTrace: readonly {
    readonly contract: string | null;
    readonly function: string | null;
    readonly source: string | null;
    readonly line: number | null;
    readonly column: number | null;
  }[];
}

interface ToldCall {
  readonly kind: 'call';
  readonly to: { readonly name: string | null };
  readonly implementation: { readonly name: string | null } | null;
  readonly call: DecodedEntry | null;
  readonly results: readonly DecodedParameter[] | null;
  readonly isGuess: boolean;
  readonly outcome: string;
  readonly items: readonly (ToldCall | { readonly kind: 'event'; readonly event: DecodedEntry | null })[];
}

const packed = new URL('../../../fixtures/openzeppelin/project.json.gz', import.meta.url);

function eventsIn({ outcome, items }: ToldCall): string[] {
  if (outcome !== 'success') return [];
  return items.flatMap((item) => {
    if (item.kind === 'call') return eventsIn(item);
    return item.event === null ? '<unknown>' : entryText(item.event);
  });
}

/** The frame of a minimal proxy in `Expected.frames`. */
export const MINIMAL_PROXY = '<MinimalProxy>.<fallback>';

/** Enough for each step, and below the gas cap of a transaction. */
const GAS = toHex(8_000_000);

/** A node with the artifacts of OpenZeppelin, and the results of the steps. */
export class Scene {
  readonly node: StartedNode;
  /** The addresses and values by name. */
  readonly names = new Map<string, string>();
  /** Lines that the log must contain in this order. */
  readonly logged: string[] = [];
  /** The total gas of all receipts. */
  gasUsed = 0;
  /** The number of transactions and calls so far. */
  stepCount = 0;
  readonly #info: BuildInfo;
  readonly #contracts: ReadonlyMap<string, Compiled>;

  private constructor(node: StartedNode, info: BuildInfo) {
    this.node = node;
    this.#info = info;
    const all = Object.values(info.output.contracts).flatMap((ofFile) => Object.entries(ofFile));
    this.#contracts = new Map(all);
  }

  /** Starts a node like the command line, and adds the build info. It stops at the end of the test. */
  static async open(): Promise<Scene> {
    const files = JSON.parse(gunzipSync(readFileSync(packed)).toString()) as Readonly<Record<string, string>>;
    const [, text = ''] = Object.entries(files).find(([path]) => path.includes('/build-info/')) ?? [];
    const info = JSON.parse(text) as BuildInfo;
    const node = await start(['--no-artifacts', '--gas-report', '--hardfork', 'prague']);
    const scene = new Scene(node, info);
    await scene.call('inspect_addArtifacts', [info.input, info.output]);
    const accounts = (await scene.call('eth_accounts')) as string[];
    for (const [index, name] of ['admin', 'other', 'third'].entries()) {
      scene.names.set(name, accounts[index] ?? '');
    }
    scene.names.set('zero', `0x${'0'.repeat(40)}`);
    return scene;
  }

  /** Resolves to the result of a method. Rejects if the response is an error. */
  call(method: string, params: readonly unknown[] = []): Promise<unknown> {
    return resultAt(this.node.url, method, params);
  }

  /** Returns the text with names replaced by their values. */
  filled(text: string): string {
    return text.replace(/\$(\w+)/g, (_, name: string) => {
      const value = this.names.get(name);
      if (value === undefined) throw new Error(`the scene has no ${name}`);
      return value;
    });
  }

  /** The call data of a function. */
  data(contract: string, functionName: string, args: readonly unknown[]): Hex {
    return encodeFunctionData({ abi: this.#contract(contract).abi, functionName, args: this.#values(args) });
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (step.kind === 'prepare') await step.prepare(this);
      else await this.#runStep(step);
    }
  }

  async #runStep(step: Exclude<Step, { kind: 'prepare' }>): Promise<void> {
    this.stepCount++;
    const said = this.filled(step.said);
    const [, contract = '', functionName = ''] = /^(?:new )?(\w+)(?:\.(\w+))?\(/.exec(said) ?? [];
    const { abi, evm } = this.#contract(contract);
    const from = this.filled(`$${step.from ?? 'admin'}`);
    const value = toHex(step.value ?? 0n);
    const args = this.#values(step.args);
    const transaction =
      step.kind === 'deploy'
        ? {
            from,
            gas: GAS,
            value,
            data: encodeDeployData({ abi, bytecode: `0x${evm.bytecode.object}`, args }),
          }
        : {
            from,
            gas: GAS,
            value,
            to: this.filled(`$${step.to}`),
            data: encodeFunctionData({ abi, functionName, args }),
          };
    const told =
      step.kind === 'read' ? await this.#read(transaction, said, step) : await this.#sent(transaction, step);
    this.#compare(told, said, step);
    if (step.kind !== 'read') this.#expectLogged(said, step);
  }

  async #read(transaction: object, said: string, { fails }: Expected): Promise<Told> {
    const answer = await this.node.call('eth_call', transaction, 'latest');
    if (fails === undefined) expect(answer, said).toMatch(/^0x/);
    else expect(answer, said).toMatchObject({ error: { code: expect.any(Number) } });
    return (await this.call('inspect_call', [transaction, 'latest'])) as Told;
  }

  async #sent(transaction: object, step: Exclude<Step, { kind: 'prepare' }>): Promise<Told> {
    const hash = await this.call('eth_sendTransaction', [transaction]);
    const receipt = (await this.call('eth_getTransactionReceipt', [hash])) as {
      gasUsed: string;
      contractAddress: string;
    };
    this.gasUsed += Number(receipt.gasUsed);
    const told = (await this.call('inspect_transaction', [hash])) as Told;
    if (step.kind === 'deploy') this.names.set(step.as, receipt.contractAddress);
    return told;
  }

  #compare({ call, failure, stackTrace }: Told, said: string, step: Expected): void {
    const name = call.implementation?.name ?? call.to.name;
    const text = call.call === null ? null : entryText(call.call);
    const isCreation = said.startsWith('new ');
    expectText(isCreation ? `new ${text}` : `${name}.${text}`, said, said);
    expect(call.isGuess, said).toBe(false);
    if (step.results !== undefined)
      expectText(parametersText(call.results ?? []), this.filled(step.results), said);
    if (step.fails === undefined) {
      expect(failure, said).toBeNull();
      const events = (step.events ?? []).map((event) => this.filled(event).toLowerCase());
      expect(
        eventsIn(call).map((event) => event.toLowerCase()),
        said,
      ).toEqual(events);
      return;
    }
    expectText(failure?.message ?? '', this.#failureText(step.fails), said);
    const frames = stackTrace.map(({ contract, function: named }) => `${contract}.${named}`);
    if (step.frames !== undefined) expect(frames, said).toEqual(step.frames);
    for (const [index, frame] of stackTrace.entries()) {
      // A minimal proxy has no source.
      if (frames[index] === MINIMAL_PROXY && step.frames !== undefined) continue;
      expect(frame, said).toEqual(
        expect.objectContaining({
          function: expect.any(String),
          source: expect.any(String),
          line: expect.any(Number),
          column: expect.any(Number),
        }),
      );
    }
    const [first] = stackTrace;
    const line = this.#sourceLine(first?.source ?? '', first?.line ?? 0);
    if (step.line !== undefined) expect(line, said).toContain(step.line);
    else expect(line, said).toMatch(new RegExp(`\\brevert (?:\\w+\\.)?${/^\w+/.exec(step.fails)?.[0]}\\(`));
  }

  #expectLogged(said: string, { value, fails, events = [] }: Expected): void {
    const paid = value === undefined ? said : `${said} with ${readableAmount(value)}`;
    this.logged.push(
      said.startsWith('new ')
        ? `Contract deployment: ${paid} ${fails === undefined ? 'at 0x' : 'failed'}`
        : `Contract call: ${paid}\n`,
    );
    for (const event of events) this.logged.push(this.filled(event));
    if (fails !== undefined) this.logged.push(`Error: ${this.#failureText(fails)}\n`);
  }

  #failureText(fails: string): string {
    const text = this.filled(fails);
    return /^\w+\(.*\)$/s.test(text) ? `reverted with custom error '${text}'` : text;
  }

  /** Stops the node. Compares the gas report with the receipts, and the log with the steps. */
  async end(): Promise<void> {
    const report = (await this.call('inspect_gasReport')) as {
      readonly transactions: { readonly total: number };
      readonly contracts: readonly {
        readonly deployments: { readonly transactions: { readonly total: number } | null } | null;
        readonly functions: readonly { readonly transactions: { readonly total: number } | null }[];
      }[];
    };
    expect(report.transactions.total).toBe(this.gasUsed);
    const parts = report.contracts.flatMap(({ deployments, functions }) => [
      deployments?.transactions?.total ?? 0,
      ...functions.map(({ transactions }) => transactions?.total ?? 0),
    ]);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(this.gasUsed);
    await this.node.end();
    // The log line of a proxy call starts with the proxy.
    const log = this.node.host.written.output
      .replace(/ +/g, ' ')
      .replace(/(Contract call: )\S+ → /g, '$1')
      .toLowerCase();
    let at = 0;
    for (const line of this.logged) {
      const found = log.indexOf(` ${line.toLowerCase()}`, at);
      if (found === -1) expect.fail(`the log has no "${line}" in ${log.slice(at, at + 1500)}`);
      at = found + line.length;
    }
  }

  #contract(name: string): Compiled {
    const compiled = this.#contracts.get(name);
    if (compiled === undefined) throw new Error(`there is no ${name}`);
    return compiled;
  }

  #sourceLine(source: string, line: number): string {
    return this.#info.input.sources[source]?.content.split('\n')[line - 1] ?? '';
  }

  #values(args: readonly unknown[]): unknown[] {
    return args.map((arg) => {
      if (Array.isArray(arg)) return this.#values(arg);
      return typeof arg === 'string' && arg.startsWith('$') ? this.filled(arg) : arg;
    });
  }
}

/** Addresses are compared regardless of their checksum. */
function expectText(actual: string, expected: string, said: string): void {
  expect(actual.toLowerCase(), said).toBe(expected.toLowerCase());
}
