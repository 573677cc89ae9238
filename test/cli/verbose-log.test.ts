import { expect, it } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { start } from './support/started-node.ts';

/** Emits an event with topic 7 and writes 5 to slot 1. */
const CODE = '0x60075f5fa1600560015500';
const CONTRACT = `0x${'c0'.repeat(20)}`;

it('--verbose prints call tree, events and state changes without artifacts', async () => {
  const node = await start(['--verbose'], { workingDirectory: await temporaryDirectory() });
  await node.call('anvil_setCode', CONTRACT, CODE);
  const [from] = (await node.call('eth_accounts')) as string[];
  await node.call('eth_sendTransaction', { from, to: CONTRACT, data: '0x12345678', gas: '0x30000' });
  await node.end();

  const { output } = node.host.written;
  expect(output.slice(output.indexOf('eth_sendTransaction'))).toMatchInlineSnapshot(`
    "eth_sendTransaction 0 ms
      Contract call:  selector 0x12345678
      Transaction:    0x78456465f0d255f8925a91b04573b2c270830fb5283cf020a8a57038efe41b45
      From:           0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266
      To:             0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0
      Value:          0 ether
      Gas used:       41827 of 196608
      Block #1:       0x7d62e3bb9f59938fe00d15c49bfe7075d2eed45f6e75008859b9b63e65f8232d
      Block time:     2026-01-02T03:04:06Z (1767323046)

      0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0.0x12345678() 20763 gas
        emit event 0x0000000000000000000000000000000000000000000000000000000000000007 (0 bytes)
      storage 0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0[slot 0x1]: 0x0000000000000000000000000000000000000000000000000000000000000000 → 0x0000000000000000000000000000000000000000000000000000000000000005

    Stopped
    "
  `);
});
