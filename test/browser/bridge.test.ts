import { Transaction } from 'bitcoinjs-lib';
import { expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { opReturnScript } from '../../src/rootstock/bitcoin/script.ts';
import { bridgeConstants } from '../../src/rootstock/bridge/bridge-constants.ts';
import { ABI, BRIDGE } from '../rootstock/bridge/bridge-scene.ts';
import { describeInBrowser, openPage, untilShown } from '../support/browser/browser.ts';
import { viewFaults } from '../support/browser/layout.ts';
import { openScene } from '../support/browser/scene.ts';

const { federation } = bridgeConstants(33, 'legacy');
const RECEIVER = '70997970c51812dc3a010c7d01b50e0d17dc79c8';
const SECTION = 'section[aria-label="Bridge"]';

function pegin(): Transaction {
  const transaction = new Transaction();
  transaction.addInput(new Uint8Array(32).fill(7), 1);
  transaction.addOutput(federation.outputScript, 50_000_000n);
  transaction.addOutput(opReturnScript(fromHex(`0x52534b5401${RECEIVER}`)), 0n);
  return transaction;
}

describeInBrowser('Bridge calls in the explorer', (opened) => {
  it('shows the Bitcoin transaction that is registered, and its output to the federation', async () => {
    const { url, send } = await openScene();
    const data = ABI.encodeFunctionData('registerBtcTransaction', [
      pegin().toBuffer(),
      0,
      new Uint8Array(40),
    ]);
    const hash = await send({ to: toHex(BRIDGE), data, gas: '0x30d40' });
    const { page, faults } = await openPage(opened, `${url}/_/tx/${hash}`);

    await untilShown(page, `${SECTION} dd`, pegin().getId());
    await untilShown(page, `${SECTION} dd`, `0.5 BTC to ${federation.address}`);
    await untilShown(page, `${SECTION} .tag`, 'federation');
    await untilShown(page, `${SECTION} dd`, 'peg-in instructions, version 1: coins to');

    expect(faults).toEqual([]);
    expect(await viewFaults(opened, `${url}/_/tx/${hash}`, `${SECTION} .tag`)).toEqual([]);
  });

  it('shows the reason that the Bridge reports for a rejected header', async () => {
    const { url, send } = await openScene();
    const data = ABI.encodeFunctionData('receiveHeader', [`0x${'00'.repeat(79)}`]);
    const hash = await send({ to: toHex(BRIDGE), data, gas: '0x30d40' });
    const { page, faults } = await openPage(opened, `${url}/_/tx/${hash}`);

    await untilShown(page, `${SECTION} p`, 'header rejected: expected 80 bytes, got 79');
    await untilShown(page, '.tree .remark', 'header rejected');

    expect(faults).toEqual([]);
  });
});
