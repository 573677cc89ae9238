import { describe, expect, it } from 'vitest';
import { SENDER } from './methods/contract.ts';
import { createRpcHarness } from './rpc-harness.ts';

const COUNT = 60;
const ROUNDS = 5;

/** A legacy transaction with an invalid `r`, which no key can sign. */
const NOBODYS = `0xf86380840ee6b28082520894${'22'.repeat(20)}0180${'1b'}a0${'05'.repeat(32)}a0${'05'.repeat(32)}`;

describe('concurrent raw transactions', () => {
  it('transactions are added in order before later requests, except for invalid signatures', async () => {
    const { call } = await createRpcHarness();
    await call('evm_setAutomine', [false]);
    for (let round = 0; round < ROUNDS; round++) {
      const raws: unknown[] = [];
      for (let index = 0; index < COUNT; index++) {
        const nonce = `0x${(round * COUNT + index).toString(16)}`;
        const asked = { from: SENDER, to: SENDER, nonce, gas: '0x5208', gasPrice: '0x3b9aca00' };
        raws.push(await call('eth_signTransaction', [asked]));
      }
      const sends = raws.map((raw) => call('eth_sendRawTransaction', [raw]));
      const refused = call('eth_sendRawTransaction', [NOBODYS]);
      const mined = call('evm_mine');
      await expect(refused).rejects.toThrow('no public key can be recovered from the signature');
      const hashes = await Promise.all(sends);
      await mined;
      const block = (await call('eth_getBlockByNumber', ['latest', false])) as {
        readonly transactions: readonly string[];
      };
      expect(block.transactions).toEqual(hashes);
    }
  });
});
