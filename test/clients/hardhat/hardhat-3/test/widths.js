import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { network } from 'hardhat';

describe('a contract compiled for Osaka', async () => {
  const { viem } = await network.create();

  it('is deployed and accepts calls and transactions', async () => {
    const widths = await viem.deployContract('Widths');
    assert.equal(await widths.read.widthOf([2n ** 255n]), 256n);
    await widths.write.record([1_000n]);
    assert.equal(await widths.read.largest(), 10n);
    await assert.rejects(widths.write.record([1n]), /not wider/);
  });
});
