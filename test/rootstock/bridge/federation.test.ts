import { networks, payments, script } from 'bitcoinjs-lib';
import { computeAddress } from 'ethers';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { LOCAL_REMASC } from '../../../src/protocol/remasc.ts';
import { bridgeConstants } from '../../../src/rootstock/bridge/bridge-constants.ts';
import { publicKeyOfSeed, setBridgeScene } from './bridge-scene.ts';

const { federation: FEDERATION } = bridgeConstants(33, 'legacy');

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

/** Public keys of emergency members of a local network: their private keys are the hashes of these texts. */
const EMERGENCY = ['erp-fed-01', 'erp-fed-02', 'erp-fed-03', 'erp-fed-05'].map(publicKeyOfSeed);

/** The script of a federation, compiled by another library. */
function multisig(threshold: number, keys: readonly string[]): string {
  const sorted = [...keys].sort().map((key) => key.slice(2));
  return `OP_${threshold} ${sorted.join(' ')} OP_${keys.length} OP_CHECKMULTISIG`;
}

describe('the federation with a witness script', () => {
  const members = ['federator1', 'federator2', 'federator3'].map(publicKeyOfSeed);
  const redeemScript = script.fromASM(
    `OP_NOTIF ${multisig(2, members)} OP_ELSE f401 OP_CHECKSEQUENCEVERIFY OP_DROP ${multisig(3, EMERGENCY)} OP_ENDIF`,
  );

  it('has the members, the emergency keys and the delay of release 9.1', async () => {
    const { ask } = await setBridgeScene({}, 33, 'p2wsh');
    expect(await ask('getActivePowpegRedeemScript')).toBe(toHex(redeemScript));
    expect(await ask('getFederationSize')).toBe(3n);
    expect(await ask('getFederationThreshold')).toBe(2n);
    expect(await ask('getFederatorPublicKeyOfType', 1, 'rsk')).toBe(publicKeyOfSeed('federator1'));
  });

  it('has the address of a witness script in a P2SH script', async () => {
    const { ask } = await setBridgeScene({}, 33, 'p2wsh');
    const network = networks.regtest;
    const witness = payments.p2wsh({ redeem: { output: redeemScript, network }, network });
    const { address, output } = payments.p2sh({ redeem: witness, network });
    expect(await ask('getFederationAddress')).toBe(address);
    const { federation } = bridgeConstants(33, 'p2wsh');
    expect(toHex(federation.outputScript)).toBe(toHex(output ?? new Uint8Array(0)));
    expect(federation.formatVersion).toBe(4000);
  });

  it('applies to no public network', async () => {
    const { ask } = await setBridgeScene({}, 31, 'p2wsh');
    expect(await ask('getFederationSize')).toBe(4n);
  });
});

describe('the federations of the public networks', () => {
  it.each([
    [30, 15n, 8n, 1_514_948n, networks.bitcoin, 500_000n, 30_000_000_000n],
    [31, 4n, 3n, 1_538_967n, networks.testnet, 100_000n, 20_000_000_000n],
  ] as const)(
    'chain %i has its genesis federation and constants',
    async (chainId, size, threshold, time, network, fee, cap) => {
      const { ask } = await setBridgeScene({}, chainId);
      expect(await ask('getFederationSize')).toBe(size);
      expect(await ask('getFederationThreshold')).toBe(threshold);
      expect(await ask('getFederationCreationTime')).toBe(time);
      const keys = await Promise.all(
        Array.from({ length: Number(size) }, async (_, index) =>
          ask('getFederatorPublicKeyOfType', index, 'btc'),
        ),
      );
      const output = script.fromASM(multisig(Number(threshold), keys as string[]));
      expect(await ask('getActivePowpegRedeemScript')).toBe(toHex(output));
      expect(await ask('getFederationAddress')).toBe(
        payments.p2sh({ redeem: { output, network }, network }).address,
      );
      expect(await ask('getFeePerKb')).toBe(fee);
      expect(await ask('getLockingCap')).toBe(cap);
      expect(await ask('getMinimumLockTxValue')).toBe(500_000n);
    },
  );
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
