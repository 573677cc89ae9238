import { beforeAll, describe, expect, it } from 'vitest';
import { type DeployedContract, deploy, SENDER } from '../../rpc/methods/contract.ts';
import { createRpcHarness } from '../../rpc/rpc-harness.ts';
import { word } from '../../support/words.ts';
import { type Call, creationOf, deployed, failureOf, STRANGER } from './scene.ts';

// EthModuleTest, EthModuleDSLTest, EthModuleGasEstimationDSLTest and the calls of Web3ImplTest.

const IDENTITY = '0x0000000000000000000000000000000000000004';
/**
 * Code that returns the balance of the caller, slot 0, or the output of precompile 0x…01 for the first word
 * of calldata.
 */
const BALANCE = '0x33315f5260205ff3';
const SLOT = '0x5f545f5260205ff3';
const VIA_FIRST = '0x5f355f5260205f60205f5f6001620186a0f15060205ff3';

describe('eth_call', () => {
  let call: Call;
  let failures: DeployedContract;
  let slotReader: string;

  beforeAll(async () => {
    const harness = await createRpcHarness();
    ({ call } = harness);
    failures = await deploy(harness, 'Failures');
    slotReader = await deployed(call, SENDER, creationOf(SLOT));
  });

  it('returns 0x for an account without code and for code without output', async () => {
    const silent = await deployed(call, SENDER, creationOf('00'));

    expect(await call('eth_call', [{ to: STRANGER }, 'latest'])).toBe('0x');
    expect(await call('eth_call', [{ from: SENDER, to: silent }, 'latest'])).toBe('0x');
  });

  it('returns the reason and the data of a revert', async () => {
    const asked = { to: failures.address, data: failures.data('reason') };

    expect(await failureOf(call('eth_call', [asked, 'latest']))).toMatchObject({
      code: -32015,
      message: expect.stringContaining('not today'),
      data: expect.stringMatching(/^0x08c379a0/),
    });
  });

  it.each(['', '01', '010203'])('returns short or empty revert data: 0x%s', async (bytes) => {
    const size = (bytes.length / 2).toString(16).padStart(2, '0');
    const code = `0x62${bytes.padEnd(6, '0')}60e81b5f5260${size}5ffd`;

    expect(await failureOf(call('eth_call', [{ data: code }, 'latest']))).toMatchObject({
      code: -32015,
      message: expect.stringContaining('transaction reverted'),
      data: `0x${bytes}`,
    });
  });

  it('applies overrides of balance, nonce, code, state and single slots', async () => {
    const at = (overrides: object, to = slotReader): Promise<unknown> =>
      call('eth_call', [{ from: STRANGER, to }, 'latest', overrides]);

    expect(await at({})).toBe(word(0));
    expect(await at({ [slotReader]: { stateDiff: { [word(0)]: word(20) } } })).toBe(word(20));
    expect(await at({ [slotReader]: { state: { [word(0)]: word(21) } } })).toBe(word(21));
    expect(await at({ [slotReader]: { code: BALANCE }, [STRANGER]: { balance: '0x3e7' } })).toBe(word(999));
    expect(await at({ [STRANGER]: { nonce: '0x7' } })).toBe(word(0));
    expect(await at({})).toBe(word(0));
  });

  it('rejects state and stateDiff for the same account', async () => {
    const both = { state: { [word(0)]: word(1) }, stateDiff: { [word(0)]: word(1) } };

    expect(
      await failureOf(call('eth_call', [{ to: slotReader }, 'latest', { [slotReader]: both }])),
    ).toMatchObject({ code: -32602 });
  });

  it('moves a precompile for one call', async () => {
    const first = '0x0000000000000000000000000000000000000001';
    const asked = [{ to: STRANGER, data: word(5) }, 'latest'] as const;
    const code = { [STRANGER]: { code: VIA_FIRST } };

    const before = await call('eth_call', [...asked, code]);
    const moved = { ...code, [IDENTITY]: { movePrecompileToAddress: first } };

    expect(await call('eth_call', [...asked, moved])).toBe(word(5));
    expect(await call('eth_call', [...asked, code])).toBe(before);
  });
});

describe('eth_estimateGas', () => {
  it.each([
    ['a transfer', {}, '0x5208'],
    ['a transfer with less gas than it needs', { gas: '0x3e8' }, '0x5208'],
  ])('estimates the gas of %s', async (_kind, fields, gas) => {
    const { call } = await createRpcHarness();

    expect(await call('eth_estimateGas', [{ from: SENDER, to: STRANGER, value: '0x1', ...fields }])).toBe(
      gas,
    );
  });

  it('estimates the exact minimum with refunds, values and inner calls', async () => {
    const { call } = await createRpcHarness();
    const keeper = await deployed(call, SENDER, creationOf('5f355f5500'));
    await call('eth_sendTransaction', [{ from: SENDER, to: keeper, data: word(1), gas: '0x186a0' }]);
    const payer = await deployed(call, SENDER, creationOf(`5f5f5f5f600173${keeper.slice(2)}620186a0f100`));

    for (const asked of [
      { to: keeper, data: word(0) },
      { to: keeper, data: word(2) },
      { to: payer, value: '0x1' },
    ]) {
      const gas = BigInt(String(await call('eth_estimateGas', [{ from: SENDER, ...asked }])));
      const snapshot = await call('evm_snapshot');
      const run = async (limit: bigint): Promise<unknown> => {
        const hash = await call('eth_sendTransaction', [
          { from: SENDER, ...asked, gas: `0x${limit.toString(16)}` },
        ]);
        const { status } = (await call('eth_getTransactionReceipt', [hash])) as { readonly status: string };
        return status;
      };
      expect(await run(gas), JSON.stringify(asked)).toBe('0x1');
      await call('evm_revert', [snapshot]);
    }
  });

  it('returns the error of a revert', async () => {
    const harness = await createRpcHarness();
    const failures = await deploy(harness, 'Failures');
    const asked = { from: SENDER, to: failures.address, data: failures.data('assertion') };

    expect(await failureOf(harness.call('eth_estimateGas', [asked]))).toMatchObject({
      code: -32015,
      message: expect.stringContaining('transaction reverted'),
    });
  });
});

describe('transaction requests', () => {
  it.each(['eth_sendTransaction', 'personal_sendTransaction'])(
    'accept the chain id of the chain, 0x0 or none, and reject others: %s',
    async (method) => {
      const { call } = await createRpcHarness();
      const rest = method === 'personal_sendTransaction' ? [''] : [];
      const send = (fields: object): Promise<unknown> =>
        call(method, [
          { from: SENDER, to: STRANGER, value: '0x7', gas: '0x493e0', data: '0xff', ...fields },
          ...rest,
        ]);

      for (const fields of [
        {},
        { chainId: '0x21' },
        { chainId: '0x0' },
        { chainId: '0x00' },
        { chainId: null },
      ]) {
        const hash = await send(fields);
        expect(await call('eth_getTransactionByHash', [hash])).toMatchObject({ hash, to: STRANGER });
      }
      expect((await failureOf(send({ chainId: '0x1' }))).message).toMatch(/chain ?id/i);
    },
  );

  it('accept data or input, and prefer input', async () => {
    const { call } = await createRpcHarness();
    for (const [fields, input] of [
      [{ data: '0x01' }, '0x01'],
      [{ input: '0x02' }, '0x02'],
      [{ data: '0x03', input: '0x03' }, '0x03'],
    ] as const) {
      const hash = await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, ...fields }]);
      expect(await call('eth_getTransactionByHash', [hash])).toMatchObject({ input });
    }
  });

  it('reject an unknown account with its address', async () => {
    const { call } = await createRpcHarness();

    const failure = await failureOf(call('eth_sendTransaction', [{ from: STRANGER, to: SENDER }]));

    expect(failure.message.toLowerCase()).toContain(STRANGER);
  });

  it('reject a raw transaction of another chain', async () => {
    const [own, other] = [await createRpcHarness(), await createRpcHarness({}, { chainId: 34 })];
    const raw = await other.call('eth_signTransaction', [
      { from: SENDER, to: STRANGER, gas: '0x5208', gasPrice: '0x0', nonce: '0x0' },
    ]);

    expect((await failureOf(own.call('eth_sendRawTransaction', [raw]))).message).toMatch(/chain ?id/i);
  });
});
