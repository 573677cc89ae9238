import { beforeAll, describe, expect, it } from 'vitest';
import { BridgeState } from '../../../src/rootstock/bridge/bridge-state.ts';
import { parseHeader } from '../../../src/rootstock/bridge/parent-chain.ts';
import { nextFederateCall } from '../../../src/rootstock/federate/next-call.ts';
import { headerBytes } from '../../../src/rootstock/parent-chain/parent-block.ts';
import { ParentScene, SINK } from '../parent-chain/scene.ts';
import { bridgeAccount, type PegScene, setPegScene } from '../peg/peg-scene.ts';

/** Sends headers until no call waits. Returns the number of calls, and the most slots that a decision reads. */
function sendHeaders(scene: PegScene, { chain }: ParentScene): { calls: number; reads: number } {
  const account = bridgeAccount(scene.pair.state);
  let reads = 0;
  const slot = (key: Uint8Array): Uint8Array => {
    reads++;
    return account.slot(key);
  };
  let most = 0;
  for (let calls = 0; ; calls++) {
    reads = 0;
    const state = new BridgeState({ ...account, slot }, scene.constants);
    const call = nextFederateCall({
      state,
      constants: scene.constants,
      parent: chain,
      blockNumber: 1,
      sent: new Set(),
    });
    most = Math.max(most, reads);
    if (call === null) return { calls, reads: most };
    const last = call.purpose.split(' ').at(-1) ?? '';
    const { height } = chain.index.block(last) ?? { height: 0 };
    for (let at = Math.max(1, height - 99); at <= height; at++) {
      const block = chain.index.blockAt(at);
      if (block !== undefined) scene.bridge().parentChain.add(parseHeader(headerBytes(block.header)));
    }
  }
}

describe('nextFederateCall', () => {
  let scene: PegScene;
  const parent = new ParentScene();
  beforeAll(async () => {
    scene = await setPegScene();
    parent.call('generatetoaddress', 1050, SINK);
  });

  it('sends 100 headers per call, and reads few slots for each decision', () => {
    const { calls, reads } = sendHeaders(scene, parent);

    expect(calls).toBe(11);
    expect(reads).toBeLessThan(200);
    expect(scene.bridge().parentChain.head.height).toBe(1050);
  });

  it('sends the headers of another branch', () => {
    parent.call('invalidateblock', parent.text('getblockhash', 900));
    parent.clock.time += 1000;
    parent.call('generatetoaddress', 251, SINK);

    expect(sendHeaders(scene, parent).calls).toBe(3);
    expect(scene.bridge().parentChain.head.height).toBe(1150);
  });

  it('sends nothing for a shorter branch that the Bridge knows', () => {
    parent.call('invalidateblock', parent.text('getblockhash', 1000));

    expect(sendHeaders(scene, parent).calls).toBe(0);
  });
});
