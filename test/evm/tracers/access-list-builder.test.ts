import { createBlockLevelAccessList } from '@ethereumjs/util';
import type { VM } from '@ethereumjs/vm';
import { getContractAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { reachedAuthorizations, signedAuthorizations } from '../../../src/evm/authorizations.ts';
import type { BlockEnvironment, Engine, Message } from '../../../src/evm/engine.ts';
import { HALT_REASONS } from '../../../src/evm/halt-reasons.ts';
import type { ExecutionObserver, ExecutionStep } from '../../../src/evm/observer.ts';
import { noImpersonatedSigner } from '../../../src/evm/signers.ts';
import { AccessRecorder } from '../../../src/evm/tracers/access-recorder.ts';
import { AccessListBuilder } from '../../../src/execution/block-accesses.ts';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { type BlockAccessList, encodeAccessList } from '../../../src/protocol/block-access-list.ts';
import { OPCODES } from '../../../src/protocol/hardforks/opcodes.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import type { RuleSet } from '../../../src/protocol/hardforks/rule-set.ts';
import { delegationTo } from '../../../src/state/account.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { Dice } from '../../fuzz/engines/dice.ts';
import { playScene } from '../../fuzz/engines/play-scene.ts';
import { randomScene } from '../../fuzz/engines/random-scene.ts';
import {
  AUTHORITY,
  addressOf,
  authorize,
  COINBASE,
  code,
  contractAddress,
  ETHER,
  environmentOf,
  messageOf,
  SENDER,
} from '../../reference/scene.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';
import { wordBytes } from '../../support/words.ts';

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

/** Returns the accounts that a transaction accesses before its recipient, and whether it reaches the recipient. */
function entryOf(
  message: Message,
  { feeRecipient, coinbase }: BlockEnvironment,
  state: Overlay,
): { parties: Uint8Array[]; isStarted: boolean } {
  const signed = signedAuthorizations(message.authorizationList, 33n, noImpersonatedSigner);
  const reached = reachedAuthorizations(signed, message, state, AMSTERDAM);
  const authorities = reached.signed.map(({ authority }) => authority);
  return { parties: [message.sender, feeRecipient ?? coinbase, ...authorities], isStarted: reached.arePaid };
}

/**
 * Returns the access list by the rules of EIP-7928, if the transaction runs out of gas before its first opcode.
 * Returns `null` for any other transaction.
 */
async function listWithoutCode(
  engine: Engine,
  environment: BlockEnvironment,
  state: Overlay,
  message: Message,
): Promise<BlockAccessList | null> {
  const before = state.toWorldState();
  const { parties, isStarted } = entryOf(message, environment, new Overlay(before));
  let steps = 0;
  const counter = { step: () => void steps++ };
  const { haltReason } = await engine.transact(environment, state, message, counter);
  if (steps > 0 || haltReason !== HALT_REASONS.outOfGas) return null;
  const accessed = isStarted ? [...parties, message.to ?? fromHex(addressOfCreation(message))] : parties;
  const builder = new AccessListBuilder();
  const accounts = new Map(accessed.map((address) => [toHex(address), { address, slots: new Map() }]));
  builder.add(1, accounts.values(), before, state);
  return builder.list();
}

/** Counts creations that run out of gas at their opcode. */
class UnpaidCreations implements ExecutionObserver {
  readonly wantedSteps: ReadonlySet<number> = new Set([OPCODES.CREATE, OPCODES.CREATE2]);
  #isLast = false;
  count = 0;

  step({ opcode }: ExecutionStep): void {
    // The reference engine reports all steps.
    this.#isLast = this.wantedSteps.has(opcode);
  }

  frameStart(): void {
    this.#isLast = false;
  }

  fault(reason: string): void {
    if (this.#isLast && reason === HALT_REASONS.outOfGas) this.count++;
  }
}

/** Executes a transaction on the state, and returns the access list of a block with only this transaction. */
async function recordedList(
  engine: Engine,
  environment: BlockEnvironment,
  state: Overlay,
  message: Message,
): Promise<BlockAccessList> {
  const before = state.toWorldState();
  const { parties, isStarted } = entryOf(message, environment, new Overlay(before));
  const recorder = new AccessRecorder(AMSTERDAM, message, parties, isStarted);
  await engine.transact(environment, state, message, recorder);
  const builder = new AccessListBuilder();
  builder.add(1, recorder.accounts(), before, state);
  return builder.list();
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
        const theirs = library.blockLevelAccessList;
        const unstarted = await listWithoutCode(wasm, environment, new Overlay(before), message);
        // EIP-8037 lists the account of an unpaid creation. The library does not.
        if (message.to === null) theirs.addAddress(addressOfCreation(message));
        const unpaid = new UnpaidCreations();
        await wasm.transact(environment, new Overlay(before), message, unpaid);
        // ethereumjs lists the changes of authorizations that run out of gas, although it undoes them. It does not
        // list a precompile that the gas does not pay for.
        const expected = unstarted === null ? toHex(theirs.serialize()) : toHex(encodeAccessList(unstarted));
        const ours = await recordedList(wasm, environment, state, message);
        const onReference = await recordedList(reference, environment, new Overlay(before), message);
        lists++;
        // The same holds for nested creations. Other tests check these accounts.
        const areEqual = toHex(encodeAccessList(ours)) === toHex(encodeAccessList(onReference));
        if (unpaid.count > 0 && areEqual) return;
        if ([ours, onReference].every((list) => toHex(encodeAccessList(list)) === expected)) return;
        differences.push({ seed, ours, onReference, theirs: theirs.raw() });
      });
    }
    expect(differences).toEqual([]);
    expect(lists).toBeGreaterThanOrEqual(SCENES);
  });
});

describe('block access list of a transaction without sufficient gas', () => {
  const RECIPIENT = addressOf(10);
  const DELEGATE = addressOf(11);
  /** Gas of a call, an authorization, the write of its account, a new account and a delegation. */
  const [CALLING, AUTHORIZING, WRITE, ACCOUNT, DELEGATION] = [15_000n, 7_816n, 9_000n, 183_600n, 35_190n];

  /** Returns the accounts of the list, which both engines must record, and the accounts with changes. */
  async function accountsOf(
    fields: Partial<Message>,
    prepare: (state: Overlay) => void = () => undefined,
  ): Promise<{ accounts: string[]; changed: string[] }> {
    const state = new Overlay(WorldState.empty());
    state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
    prepare(state);
    const before = state.toWorldState();
    const environment = environmentOf('amsterdam');
    const message = messageOf(fields);
    const lists: BlockAccessList[] = [];
    for (const engine of [
      createWasmEngine(AMSTERDAM, OPTIONS),
      await createReferenceEngine(AMSTERDAM, OPTIONS),
    ])
      lists.push(await recordedList(engine, environment, new Overlay(before), message));
    const [ours = [], theirs = []] = lists;
    expect(toHex(encodeAccessList(ours))).toBe(toHex(encodeAccessList(theirs)));
    const isChanged = ({ balanceChanges, nonceChanges, codeChanges }: BlockAccessList[number]) =>
      balanceChanges.length + nonceChanges.length + codeChanges.length > 0;
    const names = (list: BlockAccessList): string[] => list.map(({ address }) => toHex(address));
    return { accounts: names(ours), changed: names(ours.filter(isChanged)) };
  }

  const sorted = (...accounts: Uint8Array[]): string[] => accounts.map(toHex).toSorted();
  const parties = sorted(SENDER, COINBASE);

  it.each([
    ['its new account', CALLING + AUTHORIZING + ACCOUNT - 1n],
    ['the write of its account', CALLING + AUTHORIZING + ACCOUNT + WRITE - 1n],
    ['its delegation', CALLING + AUTHORIZING + ACCOUNT + WRITE + DELEGATION - 1n],
  ])('excludes the recipient if an authorization cannot pay for %s', async (_what, gasLimit) => {
    const authorizationList = [authorize(DELEGATE, 0n)];
    const fields = { to: RECIPIENT, authorizationList };
    expect(await accountsOf({ ...fields, gasLimit })).toEqual({
      accounts: sorted(SENDER, COINBASE, AUTHORITY),
      changed: parties,
    });
    const enough = CALLING + AUTHORIZING + ACCOUNT + WRITE + DELEGATION;
    expect(await accountsOf({ ...fields, gasLimit: enough })).toEqual({
      accounts: sorted(SENDER, COINBASE, AUTHORITY, RECIPIENT),
      changed: sorted(SENDER, COINBASE, AUTHORITY),
    });
  });

  it('includes the recipient and excludes its delegate if the gas does not pay for the delegate', async () => {
    const prepare = (state: Overlay): void => state.setCode(RECIPIENT, delegationTo(DELEGATE));
    const fields = { to: RECIPIENT };
    expect(await accountsOf({ ...fields, gasLimit: CALLING + 2_999n }, prepare)).toEqual({
      accounts: sorted(SENDER, COINBASE, RECIPIENT),
      changed: parties,
    });
    expect(await accountsOf({ ...fields, gasLimit: CALLING + 3_000n }, prepare)).toEqual({
      accounts: sorted(SENDER, COINBASE, RECIPIENT, DELEGATE),
      changed: parties,
    });
  });

  it('includes a recipient that receives wei but cannot pay for its account', async () => {
    const gasLimit = CALLING + 6_000n + ACCOUNT - 1n;
    expect(await accountsOf({ to: RECIPIENT, value: 1n, gasLimit })).toEqual({
      accounts: sorted(SENDER, COINBASE, RECIPIENT),
      changed: parties,
    });
  });

  it('includes the account of a creation that cannot pay for it', async () => {
    expect(await accountsOf({ to: null, gasLimit: 24_000n + ACCOUNT - 1n })).toEqual({
      accounts: sorted(SENDER, COINBASE, contractAddress(SENDER, 0n)),
      changed: parties,
    });
  });

  const salted = getContractAddress({
    opcode: 'CREATE2',
    from: toHex(RECIPIENT),
    salt: wordBytes(5),
    bytecode: '0x60000000',
  }).toLowerCase();

  it.each([
    ['CREATE', '6000 6000 6000 f0', 3n * 3n + 12_000n, toHex(contractAddress(RECIPIENT, 1n))],
    // The initcode is 4 bytes of the memory: PUSH1 0, STOP, STOP.
    ['CREATE2', '6360000000 6000 52 6005 6004 601c 6000 f5', 7n * 3n + 3n + 12_000n + 2n + 6n, salted],
  ])('includes the account of a nested %s that cannot pay for it', async (_opcode, runtime, gas, created) => {
    const prepare = (state: Overlay): void => {
      state.setAccount(RECIPIENT, { nonce: 1n, balance: 0n });
      state.setCode(RECIPIENT, code(runtime));
    };
    const without = [...parties, toHex(RECIPIENT)].toSorted();
    expect(await accountsOf({ to: RECIPIENT, gasLimit: CALLING + gas + ACCOUNT - 1n }, prepare)).toEqual({
      accounts: [...without, created].toSorted(),
      changed: parties,
    });
    expect(await accountsOf({ to: RECIPIENT, gasLimit: CALLING + gas - 1n }, prepare)).toEqual({
      accounts: without,
      changed: parties,
    });
  });
});
