import { readdirSync, readFileSync } from 'node:fs';
import {
  type Abi,
  encodeErrorResult,
  encodeFunctionData,
  numberToHex,
  padHex,
  parseAbi,
  toFunctionSelector,
} from 'viem';
import { describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc/rpc-harness.ts';

const projects = new URL('../../fixtures/projects/', import.meta.url);

interface Compiled {
  readonly abi: Abi;
  readonly evm: {
    readonly bytecode: {
      readonly object: string;
      readonly linkReferences: Readonly<
        Record<string, Readonly<Record<string, readonly { readonly start: number }[]>>>
      >;
    };
  };
}

interface Told {
  readonly to: { readonly name: string | null };
  readonly implementation: { readonly name: string | null } | null;
  readonly call: { readonly name: string; readonly signature: string; readonly parameters: unknown } | null;
  readonly failure: { readonly message: string } | null;
  readonly items: readonly Told[];
}

interface Compilation {
  readonly input: unknown;
  readonly output: { readonly contracts: Readonly<Record<string, Readonly<Record<string, Compiled>>>> };
}

function readJson<Content>(path: string): Content {
  return JSON.parse(readFileSync(new URL(path, projects), 'utf8')) as Content;
}

const [buildInfo = ''] = readdirSync(new URL('hardhat-2/artifacts/build-info/', projects));
const hardhat = readJson<Compilation>(`hardhat-2/artifacts/build-info/${buildInfo}`);
const solc: Compilation = {
  input: readJson('solc/0.8.28/input.json'),
  output: readJson('solc/0.8.28/output.json'),
};

function contractOf({ output }: Compilation, file: string, name: string): Compiled {
  const compiled = output.contracts[file]?.[name];
  if (compiled === undefined) throw new Error(`there is no ${name}`);
  return compiled;
}

/** A chain with the artifacts of a compiler run. */
async function openProject({ input, output }: Compilation) {
  const { call } = await createRpcHarness({});
  await call('inspect_addArtifacts', [input, output]);
  const [from] = (await call('eth_accounts', [])) as string[];
  const gas = numberToHex(5_000_000);
  const send = async (transaction: object): Promise<string> =>
    (await call('eth_sendTransaction', [{ from, gas, ...transaction }])) as string;
  const deploy = async (code: string): Promise<string> => {
    const receipt = await call('eth_getTransactionReceipt', [await send({ data: `0x${code}` })]);
    return (receipt as { contractAddress: string }).contractAddress;
  };
  const inspect = async (hash: string): Promise<{ call: Told; failure: { message: string } | null }> =>
    (await call('inspect_transaction', [hash])) as { call: Told; failure: { message: string } | null };
  return { call, send, deploy, inspect };
}

describe('calls through a minimal proxy (EIP-1167)', () => {
  it('a call and its failure are decoded with the ABI of the implementation', async () => {
    const { call, send, deploy, inspect } = await openProject(solc);
    const [safe, cloner] = [
      contractOf(solc, 'Proxies.sol', 'Safe'),
      contractOf(solc, 'Proxies.sol', 'Cloner'),
    ];
    const target = (await deploy(safe.evm.bytecode.object)) as `0x${string}`;
    const factory = (await deploy(cloner.evm.bytecode.object)) as `0x${string}`;
    await send({
      to: factory,
      data: encodeFunctionData({ abi: cloner.abi, functionName: 'clone', args: [target] }),
    });
    const last = encodeFunctionData({ abi: cloner.abi, functionName: 'last' });
    const clone = padHex((await call('eth_call', [{ to: factory, data: last }, 'latest'])) as `0x${string}`, {
      size: 32,
    }).replace(/^0x0{24}/, '0x');
    const data = encodeFunctionData({ abi: safe.abi, functionName: 'withdraw', args: [5n] });
    const told = await inspect(await send({ to: clone, data }));
    expect(told.call).toMatchObject({
      call: { name: 'withdraw', parameters: [{ name: 'asked', value: '5' }] },
      implementation: { name: 'Safe' },
      failure: { message: "reverted with custom error 'TooMuch(asked: 5, held: 0)'" },
    });
    expect(told.failure?.message).toBe("reverted with custom error 'TooMuch(asked: 5, held: 0)'");
  });
});

describe('library functions with storage parameters', () => {
  it('a call is decoded with the selector from the compiler output', async () => {
    const { send, deploy, inspect } = await openProject(hardhat);
    const checks = contractOf(hardhat, 'contracts/Checks.sol', 'Checks');
    const linked = contractOf(hardhat, 'contracts/Linked.sol', 'Linked');
    const library = await deploy(checks.evm.bytecode.object);
    let code: string = linked.evm.bytecode.object;
    for (const { start } of linked.evm.bytecode.linkReferences['contracts/Checks.sol']?.Checks ?? [])
      code = code.slice(0, 2 * start) + library.slice(2) + code.slice(40 + 2 * start);
    const user = await deploy(`${code}${'5'.padStart(64, '0')}`);
    const told = await inspect(await send({ to: user, data: toFunctionSelector('add()') }));
    expect(told.call.items[0]).toMatchObject({
      to: { name: 'Checks' },
      call: {
        name: 'write',
        signature: 'write(uint256[] storage)',
        parameters: [{ name: '', type: 'uint256[] storage', value: '0' }],
      },
    });
  });
});

type Traced = Record<string, unknown> & { readonly calls?: readonly Traced[]; readonly decoded?: Told };

/** The trace without the members added by `decode`. */
function withoutDecoded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDecoded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      name === 'decoded' ? [] : [[name, withoutDecoded(member)]],
    ),
  );
}

describe('tracer option decode', () => {
  async function failedWithdrawal() {
    const project = await openProject(solc);
    const { send, deploy } = project;
    const [safe, cloner] = [
      contractOf(solc, 'Proxies.sol', 'Safe'),
      contractOf(solc, 'Proxies.sol', 'Cloner'),
    ];
    const target = await deploy(safe.evm.bytecode.object);
    const to = await deploy(cloner.evm.bytecode.object);
    await send({ to, data: encodeFunctionData({ abi: cloner.abi, functionName: 'clone', args: [target] }) });
    const data = encodeFunctionData({ abi: cloner.abi, functionName: 'withdrawFromLast', args: [5n] });
    return { ...project, to, data, hash: await send({ to, data }) };
  }
  const failure = { message: "reverted with custom error 'TooMuch(asked: 5, held: 0)'" };
  const decoded = [
    { contract: 'Cloner', call: { name: 'withdrawFromLast', parameters: [{ name: 'asked', value: '5' }] } },
    { call: { name: 'withdraw' }, implementation: { name: 'Safe' }, failure },
    { contract: 'Safe', call: { name: 'withdraw' }, failure },
  ];

  it('adds only names and values to the frames of callTracer', async () => {
    const { call, hash, to, data } = await failedWithdrawal();
    const tracerConfig = { withLog: true };
    const raw = await call('debug_traceTransaction', [hash, { tracer: 'callTracer', tracerConfig }]);
    const options = { tracer: 'callTracer', tracerConfig: { ...tracerConfig, decode: true } };
    const trace = (await call('debug_traceTransaction', [hash, options])) as Traced;
    expect(withoutDecoded(trace)).toEqual(raw);
    const frames = [trace, trace.calls?.[0], trace.calls?.[0]?.calls?.[0]];
    expect(frames.map((frame) => frame?.decoded)).toMatchObject(decoded);
    const called = (await call('debug_traceCall', [{ to, data }, 'latest', options])) as Traced;
    expect(called.decoded).toMatchObject(decoded[0] ?? {});
    const [inBlock] = (await call('debug_traceBlockByNumber', ['latest', options])) as { result: Traced }[];
    expect(inBlock?.result).toEqual(trace);
  });

  it('applies to flatCallTracer and to tracers in muxTracer, and not to other tracers', async () => {
    const { call, hash } = await failedWithdrawal();
    const trace = (options: object): Promise<unknown> => call('debug_traceTransaction', [hash, options]);
    const flat = (await trace({ tracer: 'flatCallTracer', tracerConfig: { decode: true } })) as Traced[];
    expect(flat.map((frame) => frame.decoded)).toMatchObject(decoded);
    expect(withoutDecoded(flat)).toEqual(await trace({ tracer: 'flatCallTracer' }));
    const mux = await trace({
      tracer: 'muxTracer',
      tracerConfig: { callTracer: { decode: true }, flatCallTracer: null, prestateTracer: { decode: true } },
    });
    expect(mux).toMatchObject({ callTracer: { decoded: decoded[0] } });
    expect(JSON.stringify((mux as Record<string, unknown>).flatCallTracer)).not.toContain('decoded');
    for (const tracer of ['prestateTracer', '4byteTracer', 'noopTracer'])
      expect(await trace({ tracer, tracerConfig: { decode: true } })).toEqual(await trace({ tracer }));
    expect(await trace({ decode: true })).toEqual(await trace({}));
  });

  it('decodes events, including well-known ones', async () => {
    const { call, deploy, send } = await openProject(solc);
    // Emits Transfer(0, 0, 5) and stops.
    const topic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
    const body = `6005600052600060007f${topic}6020 6000a300`.replaceAll(' ', '');
    const size = (body.length / 2).toString(16).padStart(2, '0');
    const to = await deploy(`60${size}600c60003960${size}6000f3${body}`);
    const options = { tracer: 'callTracer', tracerConfig: { withLog: true, decode: true } };
    const trace = await call('debug_traceTransaction', [await send({ to }), options]);
    expect(trace).toMatchObject({
      logs: [
        { decoded: { isGuess: true, event: { name: 'Transfer', parameters: [{}, {}, { value: '5' }] } } },
      ],
    });
  });
});

describe('custom errors without a declaration in known contracts', () => {
  /** Reverts with its call data. */
  const REVERTS = '66365f5f37365ffd5f5260076019f3';

  it('a well-known error is decoded and marked as a guess', async () => {
    const { call, send, deploy, inspect } = await openProject(solc);
    const to = await deploy(REVERTS);
    const account = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
    const data = encodeErrorResult({
      abi: parseAbi(['error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)']),
      errorName: 'ERC20InsufficientBalance',
      args: [account, 1n, 2n],
    });
    const message = `reverted with custom error 'ERC20InsufficientBalance(sender: ${account}, balance: 1, needed: 2)' (guessed by its selector)`;
    const failure = { message, isGuess: true, error: { name: 'ERC20InsufficientBalance' } };
    expect(await inspect(await send({ to, data }))).toMatchObject({ failure, call: { failure } });
    expect(await call('inspect_call', [{ to, data }])).toMatchObject({ failure });
  });

  it('an unknown error is reported with its data', async () => {
    const { send, deploy, inspect } = await openProject(solc);
    const to = await deploy(REVERTS);
    // The selector of the same error, without its arguments.
    for (const data of ['0x12345678', '0xe450d38c']) {
      const message = `reverted with an unrecognized custom error (return data: ${data})`;
      expect(await inspect(await send({ to, data }))).toMatchObject({
        failure: { message, isGuess: false, error: null },
      });
    }
  });

  it('a declared error is decoded with the ABI of its contract', async () => {
    const { send, deploy, inspect } = await openProject(solc);
    const safe = contractOf(solc, 'Proxies.sol', 'Safe');
    const to = await deploy(safe.evm.bytecode.object);
    const data = encodeFunctionData({ abi: safe.abi, functionName: 'withdraw', args: [5n] });
    expect(await inspect(await send({ to, data }))).toMatchObject({
      failure: { message: "reverted with custom error 'TooMuch(asked: 5, held: 0)'", isGuess: false },
    });
  });
});
