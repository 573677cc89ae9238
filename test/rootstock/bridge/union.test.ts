import { getCreateAddress } from 'ethers';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { CONTRACT, ETHER } from '../../reference/scene.ts';
import {
  ABI,
  addressOfSeed,
  BRIDGE,
  BRIDGE_BALANCE,
  type BridgeScene,
  callData,
  setBridgeScene,
} from './bridge-scene.ts';

const UNION = fromHex(`0x${'11'.repeat(20)}`);
const NOWHERE = `0x${'00'.repeat(20)}`;

/** The account that sets the address of the union bridge. */
const LOCATOR = 'changeUnionBridgeContractAddressAuthorizer';
/** The contract that sets the permissions of the union bridge. */
const KEEPER = fromHex(
  getCreateAddress({ from: toHex(addressOfSeed('UnionBridgeAuthorizerDeployer')), nonce: 0 }),
);

interface Answer {
  /** The result; 'failure' if the call failed. */
  readonly answer: unknown;
  readonly logs: readonly unknown[];
}

/** Calls the Bridge in a transaction of an account without a key. */
async function callAs(
  { pair }: BridgeScene,
  sender: Uint8Array,
  method: string,
  values: readonly unknown[] = [],
  value = 0n,
): Promise<Answer> {
  const { nonce, balance } = pair.state.account(sender) ?? { nonce: 0n, balance: 0n };
  pair.state.setAccount(sender, { nonce, balance: balance + value });
  const data = callData(method, ...values);
  const price = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
  const { returnData, logs } = await pair.transact({ sender, to: BRIDGE, data, nonce, value, ...price });
  const [answer] =
    returnData.length === 0 ? ['failure'] : ABI.decodeFunctionResult(method, toHex(returnData));
  return {
    answer,
    logs: logs.map((log) => {
      const { name, args } = ABI.parseLog({ topics: log.topics.map(toHex), data: toHex(log.data) }) ?? {};
      return [
        name,
        ...Array.from(args ?? [], (argument) =>
          typeof argument === 'string' ? argument.toLowerCase() : argument,
        ),
      ];
    }),
  };
}

/** A scene with the union bridge at {@link UNION}. */
async function sceneWithUnion(): Promise<BridgeScene> {
  const scene = await setBridgeScene();
  expect(await scene.send(LOCATOR, 'setUnionBridgeContractAddressForTestnet', toHex(UNION))).toBe(0n);
  return scene;
}

function balanceOf({ pair }: BridgeScene, address: Uint8Array): bigint {
  return pair.state.account(address)?.balance ?? 0n;
}

describe('the union bridge', () => {
  it('starts without an address, with a cap of one coin and no events', async () => {
    const { ask } = await setBridgeScene();
    expect(await ask('getUnionBridgeContractAddress')).toBe(NOWHERE);
    expect(await ask('getUnionBridgeLockingCap')).toBe(ETHER);
    expect(await ask('getSuperEvent')).toBe('0x');
    expect(await ask('getBaseEvent')).toBe('0x');
  });

  it('rejects callers other than its contract', async () => {
    const { send, transact, pair } = await setBridgeScene();
    const address = toHex(UNION);
    expect(await send('somebody', 'setUnionBridgeContractAddressForTestnet', address)).toBe('failure');
    expect(await send('somebody', 'increaseUnionBridgeLockingCap', 1)).toBe('failure');
    expect(await send('somebody', 'setUnionBridgeTransferPermissions', true, true)).toBe('failure');
    expect(await send('somebody', 'requestUnionBridgeRbtc', 1)).toBe(-1n);
    const release = await transact('somebody', { value: 5n, data: callData('releaseUnionBridgeRbtc') });
    expect(toHex(release.returnData)).toBe(`0x${'ff'.repeat(32)}`);
    expect(pair.state.account(BRIDGE)?.balance).toBe(BRIDGE_BALANCE);
  });

  it('has the address that its authorized account sets', async () => {
    const { ask, send } = await setBridgeScene();
    const set = 'setUnionBridgeContractAddressForTestnet';
    expect(await send(LOCATOR, set, toHex(UNION))).toBe(0n);
    expect(await ask('getUnionBridgeContractAddress')).toBe(toHex(UNION));
    expect(await send(LOCATOR, set, NOWHERE)).toBe(0n);
    expect(await ask('getUnionBridgeContractAddress')).toBe(NOWHERE);
  });

  it('gets a higher cap from its authority, at most doubled per call', async () => {
    const scene = await sceneWithUnion();
    const raise = (cap: bigint) => callAs(scene, KEEPER, 'increaseUnionBridgeLockingCap', [cap]);
    for (const cap of [0n, ETHER, 2n * ETHER + 1n, 2n ** 255n]) {
      expect(await raise(cap), `${cap}`).toEqual({ answer: -2n, logs: [] });
    }
    expect(await raise(2n * ETHER)).toEqual({
      answer: 0n,
      logs: [['union_bridge_locking_cap_increased', toHex(KEEPER), ETHER, 2n * ETHER]],
    });
    expect(await scene.ask('getUnionBridgeLockingCap')).toBe(2n * ETHER);
  });

  it('receives coins up to its cap, and returns them', async () => {
    const scene = await sceneWithUnion();
    const request = (amount: bigint) => callAs(scene, UNION, 'requestUnionBridgeRbtc', [amount]);
    expect(await request(0n)).toEqual({ answer: -2n, logs: [] });
    expect(await request(ETHER + 1n)).toEqual({ answer: -2n, logs: [] });
    expect(await request(ETHER)).toEqual({
      answer: 0n,
      logs: [['union_rbtc_requested', toHex(UNION), ETHER]],
    });
    expect(await request(1n)).toEqual({ answer: -2n, logs: [] });
    expect(balanceOf(scene, UNION)).toBe(ETHER);
    expect(balanceOf(scene, BRIDGE)).toBe(BRIDGE_BALANCE - ETHER);
    expect(await callAs(scene, UNION, 'releaseUnionBridgeRbtc')).toEqual({ answer: -2n, logs: [] });
    expect(await callAs(scene, UNION, 'releaseUnionBridgeRbtc', [], ETHER)).toEqual({
      answer: 0n,
      logs: [['union_rbtc_released', toHex(UNION), ETHER]],
    });
    expect(balanceOf(scene, BRIDGE)).toBe(BRIDGE_BALANCE);
    expect((await request(ETHER)).answer).toBe(0n);
  });

  it('requires the permissions of its authority', async () => {
    const scene = await sceneWithUnion();
    const permit = (...flags: boolean[]) => callAs(scene, KEEPER, 'setUnionBridgeTransferPermissions', flags);
    const name = 'union_bridge_transfer_permissions_updated';
    expect(await permit(true, true)).toEqual({ answer: 0n, logs: [] });
    expect(await permit(false, true)).toEqual({ answer: 0n, logs: [[name, toHex(KEEPER), false, true]] });
    expect((await callAs(scene, UNION, 'requestUnionBridgeRbtc', [1n])).answer).toBe(-3n);
    expect(await permit(true, false)).toEqual({ answer: 0n, logs: [[name, toHex(KEEPER), true, false]] });
    expect((await callAs(scene, UNION, 'requestUnionBridgeRbtc', [1n])).answer).toBe(0n);
    expect((await callAs(scene, UNION, 'releaseUnionBridgeRbtc', [], 1n)).answer).toBe(-3n);
    expect(balanceOf(scene, BRIDGE)).toBe(BRIDGE_BALANCE - 1n);
  });

  it('is disabled after it returns more than it has received, and the Bridge keeps the amount', async () => {
    const scene = await sceneWithUnion();
    expect(await callAs(scene, UNION, 'releaseUnionBridgeRbtc', [], 5n)).toEqual({
      answer: -2n,
      logs: [['union_bridge_transfer_permissions_updated', toHex(BRIDGE), false, false]],
    });
    expect(balanceOf(scene, UNION)).toBe(5n);
    expect((await callAs(scene, UNION, 'requestUnionBridgeRbtc', [1n])).answer).toBe(-3n);
    expect((await callAs(scene, UNION, 'releaseUnionBridgeRbtc', [], 1n)).answer).toBe(-3n);
  });

  it.each(['Super', 'Base'])(
    'sets the event %s of at most 128 bytes, for its contract only',
    async (kind) => {
      const scene = await sceneWithUnion();
      const { ask, succeedsFor } = scene;
      const set = (data: string) => succeedsFor(UNION, `set${kind}Event`, data);
      expect(await succeedsFor(CONTRACT, `set${kind}Event`, '0x01')).toBe(false);
      expect(await succeedsFor(CONTRACT, `clear${kind}Event`)).toBe(false);
      const longest = `0x${'ab'.repeat(128)}`;
      expect(await set(longest)).toBe(true);
      expect(await set(`${longest}ab`)).toBe(false);
      expect(await ask(`get${kind}Event`)).toBe(longest);
      expect(await ask(`get${kind === 'Base' ? 'Super' : 'Base'}Event`)).toBe('0x');
      expect(await set('0xcd')).toBe(true);
      expect(await ask(`get${kind}Event`)).toBe('0xcd');
      const cleared = scene.pair.state.storageRootOf(BRIDGE);
      expect(await succeedsFor(UNION, `clear${kind}Event`)).toBe(true);
      expect(await ask(`get${kind}Event`)).toBe('0x');
      expect(await set('0xcd')).toBe(true);
      expect(scene.pair.state.storageRootOf(BRIDGE)).toEqual(cleared);
    },
  );
});
