import { describe, expect, it } from 'vitest';
import { bytesToBigInt } from '../../../src/primitives/bytes.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { p2shScript } from '../../../src/rootstock/bitcoin/script.ts';
import { transactionId } from '../../../src/rootstock/bitcoin/transaction.ts';
import { flyoverDerivationHash, flyoverScriptHash } from '../../../src/rootstock/peg/register-flyover.ts';
import { push } from '../../evm/rootstock/rootstock-scene.ts';
import { CONTRACT, code } from '../../reference/scene.ts';
import { accountOf, INPUTS, instructions, key, transactionOf } from '../peg/bitcoin-builder.ts';
import { COIN, MemoryBridge, WEI, type WitnessBlock } from '../peg/memory-bridge.ts';
import { eventsOf, setPegScene } from '../peg/peg-scene.ts';
import { BRIDGE, BRIDGE_BALANCE, callData } from './bridge-scene.ts';

/** The bytes of all headers that a Bridge in memory knows, from the first one on the genesis block. */
function headersOf({ state }: MemoryBridge): Uint8Array[] {
  const { parentChain } = state;
  return Array.from(
    { length: parentChain.head.height },
    (_, index) => parentChain.blockAt(index + 1)?.header.raw ?? new Uint8Array(),
  );
}

/** A scene whose Bridge has a block of the parent chain with this transaction. */
async function setPeginScene(transaction: (memory: MemoryBridge) => ReturnType<typeof transactionOf>) {
  const memory = new MemoryBridge();
  const built = transaction(memory);
  const block = memory.mine(built, 1);
  const scene = await setPegScene();
  await scene.send('federator1', 'receiveHeaders', headersOf(memory));
  return { ...scene, block, transaction: built };
}

const register = ({ bytes, height, tree }: WitnessBlock) =>
  callData('registerBtcTransaction', bytes, height, tree);
const RECEIVER = accountOf(key('receiver'));

describe('registerBtcTransaction', () => {
  it('credits the receiver, and costs 22,000 gas and 2 gas per byte', async () => {
    const { pair, transact, ask, block, transaction } = await setPeginScene(({ constants }) =>
      transactionOf(
        [INPUTS.p2pkh()],
        [{ script: constants.federation.outputScript, value: COIN }, instructions(RECEIVER)],
      ),
    );
    const data = register(block);
    const result = await transact('somebody', { data });
    const zeros = data.filter((byte) => byte === 0).length;
    const intrinsic = 21_000n + BigInt(4 * zeros + 16 * (data.length - zeros));
    expect(result.gasUsed).toBe(intrinsic + 22_000n + 2n * BigInt(data.length));
    expect(eventsOf(result).map(([name]) => name)).toEqual(['pegin_btc']);
    expect(pair.state.account(RECEIVER)?.balance).toBe(COIN * WEI);
    expect(pair.state.account(BRIDGE)?.balance).toBe(BRIDGE_BALANCE - COIN * WEI);
    const id = toHex(transactionId(transaction)).slice(2);
    expect(await ask('isBtcTxHashAlreadyProcessed', id)).toBe(true);
    expect(await ask('getBtcTxHashProcessedHeight', id)).toBeGreaterThan(0n);
    const again = await transact('somebody', { data });
    expect(again.logs).toEqual([]);
    expect(pair.state.account(RECEIVER)?.balance).toBe(COIN * WEI);
  });

  it('fails without changes if the Bridge has too few coins', async () => {
    const { pair, transact, bridge, block } = await setPeginScene(({ constants }) =>
      transactionOf([INPUTS.p2pkh()], [{ script: constants.federation.outputScript, value: COIN }]),
    );
    pair.state.setAccount(BRIDGE, { nonce: 0n, balance: COIN * WEI - 1n });
    const { logs } = await transact('somebody', { data: register(block) });
    expect(logs).toEqual([]);
    expect(bridge().utxos.all()).toEqual([]);
    expect(pair.state.account(BRIDGE)?.balance).toBe(COIN * WEI - 1n);
  });

  it('accepts a witness after the coinbase of its block', async () => {
    const { ask, transact, bridge, block } = await setPeginScene(({ constants }) =>
      transactionOf([INPUTS.p2shP2wpkh()], [{ script: constants.federation.outputScript, value: COIN }]),
    );
    const { blockHash, coinbase } = block;
    expect(await ask('hasBtcBlockCoinbaseTransactionInformation', blockHash)).toBe(false);
    const { bytes, tree, witnessRoot, reservedValue } = coinbase;
    const values = [bytes, blockHash, tree, witnessRoot, reservedValue];
    await transact('somebody', { data: callData('registerBtcCoinbaseTransaction', ...values) });
    expect(await ask('hasBtcBlockCoinbaseTransactionInformation', blockHash)).toBe(true);
    await transact('somebody', { data: register(block) });
    expect(bridge().utxos.all()).toMatchObject([{ index: 0, value: COIN }]);
  });
});

describe('registerFastBridgeBtcTransaction', () => {
  it('pays the contract that calls it', async () => {
    const address = (seed: string) => Uint8Array.of(0x6f, ...accountOf(key(seed)));
    const agreement = {
      agreement: new Uint8Array(32).fill(1),
      refundAddress: address('user'),
      contract: CONTRACT,
      providerAddress: address('provider'),
    };
    const { pair, block, bridge } = await setPeginScene(({ constants }) => {
      const hash = flyoverScriptHash(flyoverDerivationHash(agreement), constants.federation);
      return transactionOf([INPUTS.p2pkh()], [{ script: p2shScript(hash), value: 2n * COIN }]);
    });
    const data = callData(
      'registerFastBridgeBtcTransaction',
      block.bytes,
      block.height,
      block.tree,
      agreement.agreement,
      agreement.refundAddress,
      toHex(CONTRACT),
      agreement.providerAddress,
      true,
    );
    const size = push(data.length);
    pair.state.setAccount(CONTRACT, { nonce: 1n, balance: 0n });
    pair.state.setCode(
      CONTRACT,
      code(`${size} 6000 6000 37 6020 6000 ${size} 6000 6000 ${push(BRIDGE)} 62030000 f1 6020 6000 f3`),
    );
    const { returnData } = await pair.transact({ data });
    expect(bytesToBigInt(returnData)).toBe(2n * COIN * WEI);
    expect(pair.state.account(CONTRACT)?.balance).toBe(2n * COIN * WEI);
    expect(bridge().utxos.all()).toHaveLength(1);
    const { returnData: second } = await pair.transact({ data, nonce: 1n });
    expect(BigInt.asIntN(256, bytesToBigInt(second))).toBe(-302n);
  });
});
