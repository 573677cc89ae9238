import { createHash } from 'node:crypto';
import { encodeAbiParameters, type Hex, hexToBytes, keccak256, toBytes } from 'viem';
import { describe, expect, it } from 'vitest';
import { ruleSetOnChain } from '../../../src/protocol/hardforks/public-chains.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const DEPOSITS = '0x00000000219ab540356cbb839cbe05303d7705fa';
const WITHDRAWALS = '0x00000961ef480eb55e80d19ad83579a64c007002';
const EVENT = keccak256(toBytes('DepositEvent(bytes,bytes,bytes,bytes,bytes)'));
/** Logs its calldata with the topic of the event. */
const LOGGING = `0x365f5f377f${EVENT.slice(2)}365fa1`;

type Deposit = readonly [key: Hex, credentials: Hex, amount: Hex, signature: Hex, index: Hex];

const bytesOf = (digits: string, length: number): Hex => `0x${digits.repeat(length)}`;

function depositWith(digits: string): Deposit {
  const sizes = [48, 32, 8, 96, 8] as const;
  const [key, credentials, amount, signature, index] = sizes.map((size) => bytesOf(digits, size));
  return [key as Hex, credentials as Hex, amount as Hex, signature as Hex, index as Hex];
}

function eventOf(deposit: Deposit): Hex {
  const types = Array.from({ length: 5 }, () => ({ type: 'bytes' }) as const);
  return encodeAbiParameters(
    types as [{ type: 'bytes' }, { type: 'bytes' }, { type: 'bytes' }, { type: 'bytes' }, { type: 'bytes' }],
    deposit,
  );
}

const sha256 = (...parts: Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

/** The hash of requests of the given types and data (EIP-7685). */
function hashOf(...requests: readonly (readonly [type: number, data: Hex])[]): string {
  const hashes = requests.map(([type, data]) => sha256(Uint8Array.of(type), hexToBytes(data)));
  return `0x${sha256(...hashes).toString('hex')}`;
}

const dataOf = (...deposits: readonly Deposit[]): Hex =>
  `0x${deposits
    .flat()
    .map((field) => field.slice(2))
    .join('')}`;

async function createHarness(hardfork: 'prague' | 'amsterdam' = 'prague'): Promise<RpcHarness> {
  const harness = await createRpcHarness({}, { ruleSet: hardfork });
  await harness.call('anvil_setCode', [DEPOSITS, LOGGING]);
  return harness;
}

const deposit = (data: Hex): Readonly<Record<string, string>> => ({ from: SENDER, to: DEPOSITS, data });

async function latestHash({ call }: RpcHarness): Promise<unknown> {
  const block = (await call('eth_getBlockByNumber', ['latest', false])) as { requestsHash?: unknown };
  return block.requestsHash;
}

const [FIRST, SECOND] = [depositWith('a1'), depositWith('b2')];

describe('stake deposits (EIP-6110)', () => {
  it.each(['prague', 'amsterdam'] as const)(
    'deposits form the first request of their block under %s',
    async (hardfork) => {
      const harness = await createHarness(hardfork);
      const { call } = harness;
      await call('eth_sendTransaction', [deposit(eventOf(FIRST))]);
      expect(await latestHash(harness)).toBe(hashOf([0, dataOf(FIRST)]));
      await call('evm_setAutomine', [false]);
      const withdrawal = bytesOf('cc', 56);
      const asked = { from: SENDER, to: WITHDRAWALS, data: withdrawal, value: '0x1', gas: '0x100000' };
      await call('eth_sendTransaction', [asked]);
      await call('eth_sendTransaction', [{ ...deposit(eventOf(FIRST)), gas: '0x20000' }]);
      await call('eth_sendTransaction', [{ ...deposit(eventOf(SECOND)), gas: '0x20000' }]);
      await call('evm_mine');
      expect(await latestHash(harness)).toBe(
        hashOf([0, dataOf(FIRST, SECOND)], [1, `${SENDER}${withdrawal.slice(2)}` as Hex]),
      );
      await call('evm_mine');
      expect(await latestHash(harness)).toBe(hashOf());
    },
  );

  it('simulated blocks contain deposits in their requests', async () => {
    const { call } = await createHarness();
    const blockStateCalls = [{ calls: [deposit(eventOf(SECOND))] }];
    const [block] = (await call('eth_simulateV1', [{ blockStateCalls }])) as { requestsHash: string }[];
    expect(block?.requestsHash).toBe(hashOf([0, dataOf(SECOND)]));
  });

  it('logs of other contracts and malformed logs are not deposits', async () => {
    const harness = await createHarness();
    const { call } = harness;
    const other = `0x${'0d'.repeat(20)}`;
    await call('anvil_setCode', [other, LOGGING]);
    await call('eth_sendTransaction', [{ ...deposit(eventOf(FIRST)), to: other }]);
    expect(await latestHash(harness)).toBe(hashOf());
    const whole = eventOf(FIRST);
    const misplaced = whole.replace('a0'.padStart(64, '0'), 'a1'.padStart(64, '0')) as Hex;
    const long = whole.replace('30'.padStart(64, '0'), '31'.padStart(64, '0')) as Hex;
    const far = whole.replace('a0'.padStart(64, '0'), `ff${'a0'.padStart(62, '0')}`) as Hex;
    for (const data of [whole.slice(0, -64) as Hex, `${whole}00` as Hex, misplaced, long, far]) {
      await call('eth_sendTransaction', [deposit(data)]);
      expect(await latestHash(harness)).toBe(hashOf());
    }
    await call('anvil_setCode', [DEPOSITS, '0x365f5f37365fa0']);
    await call('eth_sendTransaction', [deposit(whole)]);
    expect(await latestHash(harness)).toBe(hashOf());
  });

  it('the deposit contract depends on the chain id', () => {
    const ruleSet = ruleSetNamed('osaka');
    const contractOn = (chainId: number): string =>
      Buffer.from(ruleSetOnChain(ruleSet, chainId).depositContract ?? []).toString('hex');
    expect(contractOn(1)).toBe(DEPOSITS.slice(2));
    expect(contractOn(11_155_111)).toBe('7f02c3e3c98b133055b8b348b2ac625669ed295d');
    expect(contractOn(17_000)).toBe('42'.repeat(20));
    expect(contractOn(560_048)).toBe(DEPOSITS.slice(2));
    expect(ruleSetNamed('cancun').depositContract).toBeNull();
  });

  it('eth_config returns the deposit contract', async () => {
    const { call } = await createHarness();
    expect(await call('eth_config')).toMatchObject({
      current: { systemContracts: { DEPOSIT_CONTRACT_ADDRESS: DEPOSITS } },
    });
  });
});
