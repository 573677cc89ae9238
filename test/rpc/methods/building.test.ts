import { type Hex, keccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { curve } from '../../../src/primitives/secp256k1/curve.ts';
import { signedBy } from '../../../src/protocol/transaction-encoding.ts';
import { testAccount, transfer } from '../../support/test-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';

const { address: FROM, privateKey: KEY } = testAccount(0);
const RECIPIENT = `0x${'5a'.repeat(20)}`;
const RANDAO = `0x${'11'.repeat(32)}`;
const ROOT = `0x${'22'.repeat(32)}`;

function signed(nonce: bigint): string {
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 3n };
  const request = { ...transfer({ ...fees, type: 2 }), nonce };
  return toHex(signedBy(request, FROM, (hash) => curve.sign(hash, KEY)).raw);
}

interface Built {
  readonly executionPayload: Readonly<Record<string, unknown>>;
  readonly blockValue: string;
}

async function scene(ruleSet: 'osaka' | 'amsterdam' = 'osaka') {
  const harness = await createRpcHarness({}, { ruleSet });
  const head = (await harness.call('eth_getBlockByNumber', ['latest', false])) as {
    readonly hash: string;
    readonly timestamp: string;
    readonly gasLimit: string;
  };
  const timestamp = `0x${(Number(head.timestamp) + 5).toString(16)}`;
  const attributes = {
    timestamp,
    prevRandao: RANDAO,
    suggestedFeeRecipient: RECIPIENT,
    withdrawals: [],
    parentBeaconBlockRoot: ROOT,
  };
  const build = async (...rest: readonly unknown[]): Promise<Built> =>
    (await harness.call('testing_buildBlockV1', [head.hash, attributes, ...rest])) as Built;
  return { ...harness, head, attributes, build };
}

/** Mines the transaction with the same fields and returns the block. */
async function minedWith(
  { call }: Pick<RpcHarness, 'call'>,
  raw: string,
  timestamp: string,
): Promise<Readonly<Record<string, unknown>>> {
  await call('anvil_setCoinbase', [RECIPIENT]);
  await call('anvil_setNextBlockPrevRandao', [RANDAO]);
  await call('anvil_setNextBlockParentBeaconBlockRoot', [ROOT]);
  await call('evm_setNextBlockTimestamp', [timestamp]);
  await call('eth_sendRawTransaction', [raw]);
  return (await call('eth_getBlockByNumber', ['latest', false])) as Readonly<Record<string, unknown>>;
}

describe('testing_buildBlockV1', () => {
  it('builds the block that mining the transactions would create, without changing the chain', async () => {
    const { call, build, attributes } = await scene();
    const raw = signed(0n);

    const { executionPayload, blockValue } = await build([raw]);

    expect(executionPayload.transactions).toEqual([raw]);
    expect(BigInt(blockValue)).toBe(21_000n * 3n);
    expect(await call('eth_blockNumber')).toBe('0x0');
    const mined = await minedWith({ call }, raw, attributes.timestamp);
    expect(executionPayload).toMatchObject({
      blockHash: mined.hash,
      stateRoot: mined.stateRoot,
      receiptsRoot: mined.receiptsRoot,
      gasUsed: mined.gasUsed,
      prevRandao: RANDAO,
      feeRecipient: RECIPIENT,
    });
  });

  it('builds an empty block for an empty array, and a block of the pool for null', async () => {
    const { call, build } = await scene();
    await call('evm_setAutomine', [false]);
    await call('eth_sendRawTransaction', [signed(0n)]);

    expect((await build([])).executionPayload.transactions).toEqual([]);
    expect((await build(null)).executionPayload.transactions).toEqual([signed(0n)]);
    expect(await call('txpool_status')).toMatchObject({ pending: 1 });
  });

  it('sets the extra data', async () => {
    const { build } = await scene();

    expect((await build([], '0xabcd')).executionPayload.extraData).toBe('0xabcd');
  });

  it('rejects a transaction that cannot be included, and an earlier timestamp', async () => {
    const { call, build, head, attributes } = await scene();

    await expect(build([signed(5n)])).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^transactions\[0\] cannot be included: nonce too high/),
    });
    const earlier = { ...attributes, timestamp: head.timestamp };
    await expect(call('testing_buildBlockV1', [head.hash, earlier, []])).rejects.toMatchObject({
      code: -32602,
    });
  });

  it('has the access list and the slot number of Amsterdam', async () => {
    const { call, build, attributes } = await scene('amsterdam');
    const raw = signed(0n);
    const { executionPayload } = await build([raw]);

    const mined = await minedWith({ call }, raw, attributes.timestamp);

    expect(executionPayload).toMatchObject({
      blockHash: mined.hash,
      slotNumber: mined.slotNumber,
      blockAccessList: await call('debug_getRawBlockAccessList', ['latest']),
    });
    expect(keccak256(executionPayload.blockAccessList as Hex)).toBe(mined.blockAccessListHash);
  });

  it('sets the slot number and moves the gas limit towards the target under Amsterdam', async () => {
    const { call, head, attributes } = await scene('amsterdam');
    const targets = { ...attributes, slotNumber: '0x1234', targetGasLimit: '0xffffffff' };

    const built = (await call('testing_buildBlockV1', [head.hash, targets, []])) as Built;

    const gasLimit = `0x${(Number(head.gasLimit) + Math.floor(Number(head.gasLimit) / 1024)).toString(16)}`;
    expect(built.executionPayload).toMatchObject({ slotNumber: '0x1234', gasLimit });
  });

  it.each(['slotNumber', 'targetGasLimit'])('rejects %s before Amsterdam', async (field) => {
    const { call, build, head, attributes } = await scene();

    expect((await build([])).executionPayload).not.toHaveProperty('blockAccessList');
    const building = call('testing_buildBlockV1', [head.hash, { ...attributes, [field]: '0x1' }, []]);
    await expect(building).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(
        `payloadAttributes.${field}: expected no value, because hardfork osaka`,
      ),
    });
  });

  it('does not exist on a hosted node', async () => {
    const { call } = await createRpcHarness({ hosted: true }, { ruleSet: 'osaka' });
    const { hash } = (await call('eth_getBlockByNumber', ['latest', false])) as { hash: string };

    await expect(
      call('testing_buildBlockV1', [hash, { timestamp: '0xffffffff', suggestedFeeRecipient: RECIPIENT }, []]),
    ).rejects.toMatchObject({ code: -32601 });
  });
});
