import { script, Transaction } from 'bitcoinjs-lib';
import { decodeRlp, SigningKey } from 'ethers';
import { describe, expect, it } from 'vitest';
import { fromHex, hexKey, toHex } from '../../../src/primitives/hex.ts';
import { parseTransaction } from '../../../src/rootstock/bitcoin/transaction.ts';
import { signatureHash } from '../../../src/rootstock/peg/unsigned-transaction.ts';
import { callData, keyOfSeed, publicKeyOfSeed } from '../bridge/bridge-scene.ts';
import { eventsOf, hashOf, type PegScene, setPegScene } from './peg-scene.ts';

const SATOSHI = 10n ** 10n;
const COIN = 100_000_000n;

/** Signs all inputs of a waiting transaction. `values` are the amounts that the inputs spend. */
function signaturesOf(raw: string, seed: string, values: readonly bigint[]): string[] {
  const transaction = parseTransaction(fromHex(raw));
  return values.map((value, index) => {
    const signature = new SigningKey(keyOfSeed(seed)).sign(signatureHash(transaction, index, value));
    const compact = Buffer.concat([fromHex(signature.r), fromHex(signature.s)]);
    return `0x${Buffer.from(script.signature.encode(compact, 1)).subarray(0, -1).toString('hex')}`;
  });
}

async function waitingForSignatures({ ask }: PegScene): Promise<readonly string[]> {
  const [waiting] = decodeRlp(String(await ask('getStateForBtcReleaseClient'))) as string[][];
  return waiting ?? [];
}

describe.each(['legacy', 'p2wsh'] as const)('a pegout of the federation %s', (federation) => {
  it('is created, confirmed, signed by two members and released', async () => {
    const scene = await setPegScene(federation);
    scene.fund([COIN, 2n * COIN]);
    const { transact, ask, bridge, update } = scene;
    await transact('cow', { value: 500_000n * SATOSHI });
    const created = await update(50);
    const names = (result: typeof created) => eventsOf(result).map(([name]) => name);
    expect(names(created)).toEqual([
      'update_collections',
      'release_requested',
      'pegout_transaction_created',
      'batch_pegout_created',
    ]);
    expect(await ask('getQueuedPegoutsCount')).toBe(0n);
    expect(await ask('getNextPegoutCreationBlockNumber')).toBe(100n);
    expect(names(await update(52))).toEqual(['update_collections']);
    expect(names(await update(53))).toEqual(['update_collections', 'pegout_confirmed']);
    const [hash = '', raw = ''] = await waitingForSignatures(scene);
    const values = [eventsOf(created)[2]?.[2]].map(() => {
      const spent = hexKey(
        parseTransaction(fromHex(raw)).ins[0]?.hash.slice().reverse() ?? new Uint8Array(0),
      );
      return spent === hexKey(hashOf(0)) ? COIN : 2n * COIN;
    });
    const add = async (seed: string) =>
      transact(seed, {
        data: callData('addSignature', publicKeyOfSeed(seed), signaturesOf(raw, seed, values), hash),
      });
    expect(names(await add('federator2'))).toEqual(['add_signature']);
    expect(names(await add('federator2'))).toEqual([]);
    const released = eventsOf(await add('federator3'));
    expect(released.map(([name]) => name)).toEqual(['add_signature', 'release_btc']);
    const signed = Transaction.fromHex(String(released[1]?.[2]).slice(2));
    expect(signed.ins).toHaveLength(1);
    const { witness, script: input } = signed.ins[0] ?? { witness: [], script: new Uint8Array(0) };
    const items =
      federation === 'p2wsh'
        ? witness
        : (script.decompile(input) ?? []).map((item) =>
            typeof item === 'number' ? new Uint8Array(0) : item,
          );
    expect(
      items.map(({ length }) => (length > 60 ? (length > 80 ? 'script' : 'signature') : length)),
    ).toEqual(
      federation === 'p2wsh'
        ? [0, 'signature', 'signature', 0, 'script']
        : [0, 'signature', 'signature', 'script'],
    );
    expect(await waitingForSignatures(scene)).toEqual([]);
    expect(bridge().utxos.all()).toHaveLength(1);
    expect(toHex(signed.outs[1]?.script ?? new Uint8Array(0))).toBe(
      toHex(scene.constants.federation.outputScript),
    );
  });
});
