import { createBlockLevelAccessList } from '@ethereumjs/util';
import type { VM } from '@ethereumjs/vm';
import { getContractAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { reachedAuthorizations, signedAuthorizations } from '../../../src/evm/authorizations.ts';
import type { Engine, Message } from '../../../src/evm/engine.ts';
import { HALT_REASONS } from '../../../src/evm/halt-reasons.ts';
import { noImpersonatedSigner } from '../../../src/evm/signers.ts';
import { AccessRecorder } from '../../../src/evm/tracers/access-recorder.ts';
import { AccessListBuilder } from '../../../src/execution/block-accesses.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { encodeAccessList } from '../../../src/protocol/block-access-list.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import type { RuleSet } from '../../../src/protocol/hardforks/rule-set.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { Dice } from '../../fuzz/engines/dice.ts';
import { playScene } from '../../fuzz/engines/play-scene.ts';
import { randomScene } from '../../fuzz/engines/random-scene.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';

const OPTIONS = { chainId: 33, codeSizeLimit: 24_576 };
const AMSTERDAM = ruleSetNamed('amsterdam');
/** The same rule set for the reference library, with access lists. */
const LISTING: RuleSet = {
  ...AMSTERDAM,
  reference: { ...AMSTERDAM.reference, eips: [...(AMSTERDAM.reference.eips ?? []), 7928] },
};
const FIRST_SEED = 7_928_000;
const SCENES = 40;

function addressOfCreation({ sender, nonce }: Pick<Message, 'sender' | 'nonce'>): `0x${string}` {
  return getContractAddress({ from: toHex(sender), nonce }).toLowerCase() as `0x${string}`;
}

describe('block access list of a transaction', () => {
  it('matches the list of ethereumjs in random scenes', async () => {
    const wasm = createWasmEngine(AMSTERDAM, OPTIONS);
    const reference = await createReferenceEngine(LISTING, OPTIONS);
    const { evm } = await (reference as unknown as { prepare(): Promise<VM> }).prepare();
    const library = evm as unknown as { blockLevelAccessList: ReturnType<typeof createBlockLevelAccessList> };
    const differences: unknown[] = [];
    let lists = 0;
    for (let seed = FIRST_SEED, played = 0; played < SCENES; seed++) {
      const scene = randomScene(new Dice(seed));
      if (scene.ruleSet !== 'amsterdam') continue;
      played++;
      await playScene(scene, async ({ purpose, environment, state, message }) => {
        if (purpose === 'call') return;
        const before = state.toWorldState();
        library.blockLevelAccessList = createBlockLevelAccessList();
        library.blockLevelAccessList.blockAccessIndex = 1;
        await reference.transact(environment, new Overlay(before), message);
        const signed = signedAuthorizations(message.authorizationList, 33n, noImpersonatedSigner);
        const authorities = reachedAuthorizations(signed, message, new Overlay(before), AMSTERDAM);
        const parties = [
          message.sender,
          environment.feeRecipient ?? environment.coinbase,
          ...authorities.map(({ authority }) => authority),
        ];
        const recorded = async (engine: Engine, on: Overlay) => {
          const recorder = new AccessRecorder(AMSTERDAM, message, parties);
          await engine.transact(environment, on, message, recorder);
          const builder = new AccessListBuilder();
          builder.add(1, recorder.accounts(), before, on);
          return builder.list();
        };
        const theirs = library.blockLevelAccessList;
        // EIP-8037 lists the account of an unpaid creation. The library does not.
        if (message.to === null) theirs.addAddress(addressOfCreation(message));
        const expected = toHex(theirs.serialize());
        const { haltReason } = await wasm.transact(environment, new Overlay(before), message);
        // ethereumjs lists the changes of authorizations that run out of gas, although it undoes them.
        if (signed.length > 0 && haltReason === HALT_REASONS.outOfGas) return;
        const ours = await recorded(wasm, state);
        const onReference = await recorded(reference, new Overlay(before));
        lists++;
        if ([ours, onReference].every((list) => toHex(encodeAccessList(list)) === expected)) return;
        differences.push({ seed, ours, onReference, theirs: theirs.raw() });
      });
    }
    expect(differences).toEqual([]);
    expect(lists).toBeGreaterThanOrEqual(SCENES);
  });
});
