import { describe, expect, it } from 'vitest';
import { CONTRACT, code, RECIPIENT, type Scene } from '../../../reference/scene.ts';
import { wordBytes } from '../../../support/words.ts';
import { ENGINES } from '../engines.ts';
import { putRecipient, runs, setRootstockScene } from '../rootstock-scene.ts';
import {
  answerOfNative,
  callFromContract,
  forwarding,
  nativeAddress,
  nativeData,
  priceOfNative,
} from './precompile-scene.ts';

const ENVIRONMENT = nativeAddress('ENVIRONMENT');
const QUESTION = nativeData('getCallStackDepth', []);

describe.each(ENGINES)('Environment on the $engine engine', (tested) => {
  const scene = (): Promise<Scene> => setRootstockScene(tested);

  it('getCallStackDepth returns 1 for a transaction and for the contract that it calls', async () => {
    const prepared = await scene();
    const { returnData } = await prepared.call({ to: ENVIRONMENT, data: QUESTION });
    expect(returnData).toEqual(wordBytes(1));
    expect(await answerOfNative(prepared, 'ENVIRONMENT', 'getCallStackDepth', [])).toBe(1n);
  });

  it('getCallStackDepth returns 2 for a contract that another contract called', async () => {
    const prepared = await scene();
    putRecipient(prepared, forwarding(ENVIRONMENT));
    const { returnData } = await runs(prepared, forwarding(RECIPIENT), { data: QUESTION });
    // The first two words are the success flags of both calls.
    expect(returnData.subarray(64)).toEqual(wordBytes(2));
  });

  it('getCallStackDepth returns 1 for initcode of a transaction', async () => {
    const prepared = await scene();
    const question = `63${Buffer.from(QUESTION).toString('hex')} 60e0 1b 6000 52`;
    const call = `6020 6000 6004 6000 6000 73${Buffer.from(ENVIRONMENT).toString('hex')} 5a f1`;
    const initcode = code(`${question} ${call} 6020 6000 f3`);
    const { createdAddress } = await prepared.transact({ to: null, data: initcode });
    expect(prepared.state.code(createdAddress ?? CONTRACT)).toEqual(wordBytes(1));
  });

  it('a call is free, and fails for another function', async () => {
    const prepared = await scene();
    expect(await priceOfNative(prepared, 'ENVIRONMENT', QUESTION)).toBe(0n);
    const { isSuccess } = await callFromContract(prepared, 'ENVIRONMENT', Uint8Array.of(1, 2, 3, 4));
    expect(isSuccess).toBe(false);
  });
});
