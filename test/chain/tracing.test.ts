import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import type { CallMessage } from '../../src/chain/execution/calls.ts';
import { NO_OVERRIDES } from '../../src/chain/execution/state-overrides.ts';
import { TraceMismatchError } from '../../src/chain/execution/tracing.ts';
import { CallTracer } from '../../src/evm/tracers/call-tracer.ts';
import { PrestateTracer } from '../../src/evm/tracers/prestate-tracer.ts';
import { StructLogger, type StructTrace } from '../../src/evm/tracers/struct-logger.ts';
import type { TracerFactory } from '../../src/evm/tracers/tracer.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { NO_BLOBS } from '../../src/protocol/transaction.ts';
import { code, deploying } from '../reference/scene.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const sender = testAccount(0).address;
const other = testAccount(1).address;
const LATEST = { tag: 'latest' } as const;

/** Reads slot 0, adds one, writes it back. */
const COUNTER = code('5f 54 6001 01 5f 55 00');

const structs: TracerFactory<StructTrace> = ({ budget }) =>
  new StructLogger({ memory: true, stack: true, storage: true, returnData: true, limit: 0 }, budget);

async function deploy(chain: Chain, runtime: Uint8Array): Promise<Uint8Array> {
  const hash = await chain.sendFrom(
    sender,
    transfer({ to: null, value: 0n, data: deploying(runtime), gasLimit: 500_000n }),
  );
  const contract = (await chain.transaction(hash))?.receipt.contractAddress;
  if (contract === undefined || contract === null) throw new Error('the contract was not created');
  return contract;
}

function message(fields: Partial<CallMessage> = {}): CallMessage {
  return {
    sender,
    to: other,
    value: 0n,
    data: new Uint8Array(0),
    gasLimit: 100_000n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
    authorizationList: [],
    ...NO_BLOBS,
    ...fields,
  };
}

/** The result of an opcode: the top of the stack in the next step. */
function resultOf({ structLogs }: StructTrace, opcode: string): string | undefined {
  return structLogs[structLogs.findIndex(({ op }) => op === opcode) + 1]?.stack?.at(-1);
}

describe('block traces', () => {
  it('block traces run each transaction on the state after the previous one', async () => {
    const { chain } = await createTestChain({ automine: false });
    const creation = transfer({ to: null, value: 0n, data: deploying(COUNTER), gasLimit: 500_000n });
    await chain.sendFrom(sender, creation);
    await chain.mine();
    const contract = chain.head().receipts[0]?.contractAddress;
    if (contract === undefined || contract === null) throw new Error('the contract was not created');
    for (const from of [sender, other, sender]) {
      await chain.sendFrom(from, transfer({ to: contract, value: 0n, gasLimit: 100_000n }));
    }
    await chain.mine();
    await chain.sendFrom(sender, transfer({ to: contract, value: 0n, gasLimit: 100_000n }));
    await chain.mine();
    const block = await chain.block({ number: 2n });
    if (block === undefined) throw new Error('there is no block 2');
    const traced = await chain.tracing.block(block, structs);
    expect(traced.map(({ transaction }) => transaction.hash)).toEqual(
      block.transactions.map(({ hash }) => hash),
    );
    expect(traced.map(({ trace }) => resultOf(trace, 'SLOAD'))).toEqual(['0x0', '0x1', '0x2']);
    expect(traced.map(({ trace }) => BigInt(trace.gas))).toEqual(
      block.receipts.map(({ gasUsed }) => gasUsed),
    );
    expect(resultOf(await chain.tracing.transaction(block, 1, structs), 'SLOAD')).toBe('0x1');
    await expect(chain.tracing.transaction(block, 3, structs)).rejects.toThrow(RangeError);
    // Each transaction runs as often as requested. Skipped transactions run too.
    const walked: (string | undefined)[] = [];
    await chain.tracing.eachTransaction(chain.tracing.hold(block), async (index, run) => {
      for (let times = index; times > 0; times--) walked.push(resultOf(await run(structs), 'SLOAD'));
    });
    expect(walked).toEqual(['0x1', '0x2', '0x2']);
  });

  it('block traces use the environment of the block', async () => {
    const { chain, time } = await createTestChain();
    // TIMESTAMP, NUMBER, COINBASE, BLOCKHASH of the block before
    const contract = await deploy(chain, code('42 43 41 6001 43 03 40 00'));
    await chain.sendFrom(sender, transfer({ to: contract, value: 0n, gasLimit: 100_000n }));
    const block = chain.head();
    time.advance(1_000_000);
    await chain.mine({ count: 3 });
    const trace = await chain.tracing.transaction(block, 0, structs);
    expect(resultOf(trace, 'TIMESTAMP')).toBe(`0x${block.header.timestamp.toString(16)}`);
    expect(resultOf(trace, 'NUMBER')).toBe('0x2');
    expect(resultOf(trace, 'COINBASE')).toBe(toHex(block.header.coinbase));
    expect(resultOf(trace, 'BLOCKHASH')).toBe(`0x${BigInt(toHex(block.header.parentHash)).toString(16)}`);
  });

  it('block traces are empty for the genesis block', async () => {
    const { chain } = await createTestChain();
    expect(await chain.tracing.block(chain.head(), structs)).toEqual([]);
  });

  it('block traces leave the chain and its state unchanged', async () => {
    const { chain } = await createTestChain();
    const contract = await deploy(chain, COUNTER);
    await chain.sendFrom(sender, transfer({ to: contract, value: 0n, gasLimit: 100_000n }));
    const before = await chain.view(LATEST);
    const root = before.state.root;
    const headHash = chain.head().hash;
    for (let round = 0; round < 2; round++) {
      const trace = await chain.tracing.transaction(chain.head(), 0, structs);
      expect(resultOf(trace, 'SLOAD')).toBe('0x0');
    }
    expect((await chain.view(LATEST)).state).toBe(before.state);
    expect(before.state.root).toEqual(root);
    expect(chain.head().hash).toEqual(headHash);
    expect(await chain.pendingNonce(sender)).toBe(2n);
  });

  it.each(['istanbul', 'berlin', 'london', 'shanghai', 'prague', 'osaka'] as const)(
    'have the gas of the receipts under %s',
    async (ruleSet) => {
      const { chain } = await createTestChain({ ruleSet });
      const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 10n };
      const runtime = code('6000 54 6001 01 6000 55 00');
      await chain.sendFrom(
        sender,
        transfer({ to: null, value: 0n, data: deploying(runtime), gasLimit: 500_000n, ...fees }),
      );
      const contract = chain.head().receipts[0]?.contractAddress ?? null;
      for (let round = 0; round < 2; round++) {
        await chain.sendFrom(sender, transfer({ to: contract, value: 0n, gasLimit: 100_000n, ...fees }));
        const trace = await chain.tracing.transaction(chain.head(), 0, structs);
        expect(BigInt(trace.gas)).toBe(chain.head().receipts[0]?.gasUsed);
      }
    },
  );

  it('block traces fail with TraceMismatchError if the receipt differs', async () => {
    const { chain } = await createTestChain({ engine: 'reference' });
    await chain.sendFrom(sender, transfer());
    const block = chain.head();
    const { tracing } = chain;
    const receipts = block.receipts.map((receipt) => ({ ...receipt, gasUsed: receipt.gasUsed + 1n }));
    expect(await tracing.block(block, structs)).toHaveLength(1);
    await expect(tracing.block({ ...block, receipts }, structs)).rejects.toThrow(TraceMismatchError);
  });
});

describe('call trace', () => {
  const calls: TracerFactory = (subject) =>
    new CallTracer(subject, { onlyTopCall: false, withLog: false, describeRevert: () => null });

  it('a call trace runs on the state after the requested block', async () => {
    const { chain } = await createTestChain();
    const contract = await deploy(chain, COUNTER);
    await chain.sendFrom(sender, transfer({ to: contract, value: 0n, gasLimit: 100_000n }));
    const read = async (number: bigint) =>
      resultOf(
        await chain.tracing.call(message({ to: contract }), { number }, structs, NO_OVERRIDES),
        'SLOAD',
      );
    expect(await read(1n)).toBe('0x0');
    expect(await read(2n)).toBe('0x1');
  });

  it('a call trace applies account and block overrides for one call', async () => {
    const { chain } = await createTestChain();
    const contract = await deploy(chain, COUNTER);
    const slot = new Uint8Array(32);
    const account = {
      address: contract,
      balance: null,
      nonce: null,
      code: null,
      storage: null,
      slots: [],
      movePrecompileTo: null,
    };
    const trace = (change: object, block = {}): Promise<StructTrace> =>
      chain.tracing.call(message({ to: contract }), LATEST, structs, {
        accounts: [{ ...account, ...change }],
        block,
      });
    expect(resultOf(await trace({ slots: [{ slot, value: code('2a') }] }), 'SLOAD')).toBe('0x2a');
    expect(resultOf(await trace({ storage: [] }), 'SLOAD')).toBe('0x0');
    expect(resultOf(await trace({ code: code('42 00') }, { timestamp: 77 }), 'TIMESTAMP')).toBe('0x4d');
    expect(resultOf(await trace({ code: code('47 00'), balance: 9n }), 'SELFBALANCE')).toBe('0x9');
    expect(resultOf(await trace({}), 'SLOAD')).toBe('0x0');
    expect((await chain.view(LATEST)).state.account(contract)?.code.bytes).toEqual(COUNTER);
  });

  it('a call trace includes overridden accounts in the prestate', async () => {
    const { chain } = await createTestChain();
    const prestate: TracerFactory = (subject) =>
      new PrestateTracer(subject, { diffMode: false, disableCode: false, disableStorage: false });
    const address = fromHex(`0x${'99'.repeat(20)}`);
    const override = {
      address,
      balance: 5n,
      nonce: 6n,
      code: null,
      storage: null,
      slots: [],
      movePrecompileTo: null,
    };
    const trace = await chain.tracing.call(message({ to: address }), LATEST, prestate, {
      accounts: [override],
      block: {},
    });
    expect(trace).toHaveProperty([toHex(address)], { balance: '0x5', nonce: 6 });
  });

  it('a call trace fails with the same errors as the call', async () => {
    const { chain } = await createTestChain();
    await expect(
      chain.tracing.call(message({ gasLimit: 20_000n }), LATEST, calls, NO_OVERRIDES),
    ).rejects.toMatchObject({ code: -32000, message: expect.stringMatching(/intrinsic gas too low/) });
    await expect(chain.tracing.call(message(), { number: 9n }, calls, NO_OVERRIDES)).rejects.toMatchObject({
      code: -32600,
    });
  });
});
