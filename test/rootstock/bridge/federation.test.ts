import { computeAddress } from 'ethers';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { LOCAL_REMASC } from '../../../src/protocol/remasc.ts';
import { FEDERATION } from '../../../src/rootstock/bridge/federation.ts';
import { publicKeyOfSeed, setBridgeScene } from './bridge-scene.ts';

describe('the federation of a local network', () => {
  it('consists of the keys of three public texts, ordered by key', () => {
    const keys = FEDERATION.members.map(({ publicKey }) => toHex(publicKey));
    expect(keys).toEqual(['federator3', 'federator1', 'federator2'].map(publicKeyOfSeed));
  });

  it('has the addresses of its keys', () => {
    for (const { publicKey, address } of FEDERATION.members) {
      expect(toHex(address)).toBe(computeAddress(toHex(publicKey)).toLowerCase());
    }
  });

  it('receives the REMASC payments in the same order', () => {
    expect(LOCAL_REMASC.federators).toEqual(FEDERATION.members.map(({ address }) => address));
  });

  it('has the parent-chain address of its redeem script', async () => {
    const { ask } = await setBridgeScene();
    expect(await ask('getFederationAddress')).toBe('2N5muMepJizJE1gR7FbHJU6CD18V3BpNF9p');
    const keys = FEDERATION.members.map(({ publicKey }) => `21${toHex(publicKey).slice(2)}`).join('');
    expect(await ask('getActivePowpegRedeemScript')).toBe(`0x52${keys}53ae`);
  });

  it('exists from block 0, with a majority as threshold', async () => {
    const { ask } = await setBridgeScene();
    expect(await ask('getFederationSize')).toBe(3n);
    expect(await ask('getFederationThreshold')).toBe(2n);
    expect(await ask('getFederationCreationTime')).toBe(1_451_606_400n);
    expect(await ask('getFederationCreationBlockNumber')).toBe(1n);
    expect(await ask('getActiveFederationCreationBlockHeight')).toBe(0n);
  });

  it('returns the same key of a member for each key type', async () => {
    const { ask } = await setBridgeScene();
    for (const type of ['btc', 'rsk', 'mst']) {
      expect(await ask('getFederatorPublicKeyOfType', 1, type)).toBe(publicKeyOfSeed('federator1'));
    }
    expect(await ask('getFederatorPublicKeyOfType', 3, 'btc')).toBe('failure');
    expect(await ask('getFederatorPublicKeyOfType', -1, 'btc')).toBe('failure');
    expect(await ask('getFederatorPublicKeyOfType', 0, 'ltc')).toBe('failure');
  });
});

describe('absent federations', () => {
  it.each(['Retiring', 'Proposed', 'Pending'])('returns no members of a %s federation', async (kind) => {
    const { ask } = await setBridgeScene();
    expect(await ask(`get${kind}FederationSize`)).toBe(-1n);
    expect(await ask(`get${kind}FederatorPublicKeyOfType`, 0, 'rsk')).toBe('0x');
    expect(await ask(`get${kind}FederatorPublicKeyOfType`, 0, 'x')).toBe('failure');
  });

  it.each(['Retiring', 'Proposed'])(
    'returns no address and no creation time of a %s federation',
    async (kind) => {
      const { ask } = await setBridgeScene();
      expect(await ask(`get${kind}FederationAddress`)).toBe('');
      expect(await ask(`get${kind}FederationCreationTime`)).toBe(-1n);
      expect(await ask(`get${kind}FederationCreationBlockNumber`)).toBe(-1n);
    },
  );

  it('returns no threshold of a retiring federation and no hash of a pending one', async () => {
    const { ask } = await setBridgeScene();
    expect(await ask('getRetiringFederationThreshold')).toBe(-1n);
    expect(await ask('getPendingFederationHash')).toBe('0x');
  });

  it('rejects the creation of a federation by any sender', async () => {
    const { send } = await setBridgeScene();
    const key = publicKeyOfSeed('federator1');
    const hash = `0x${'11'.repeat(32)}`;
    for (const [seed, create, change] of [
      ['somebody', -10n, -10n],
      ['auth-a', -10n, -1n],
      ['auth-e', -10n, -1n],
    ] as const) {
      expect(await send(seed, 'createFederation')).toBe(create);
      expect(await send(seed, 'addFederatorPublicKeyMultikey', key, key, key)).toBe(change);
      expect(await send(seed, 'rollbackFederation')).toBe(change);
      expect(await send(seed, 'commitFederation', hash)).toBe(change);
    }
    expect(await send('auth-a', 'commitFederation', '0x11')).toBe('failure');
  });
});
