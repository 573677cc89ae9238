import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import { curve } from '../../../src/primitives/secp256k1/curve.ts';
import { KeyRecovery } from '../../../src/primitives/secp256k1/key-recovery.ts';
import { RecoveryRing, SLOTS } from '../../../src/primitives/secp256k1/recovery-ring.ts';
import { RecoveryThread } from '../../../src/primitives/secp256k1/recovery-thread.ts';
import type { Signature } from '../../../src/primitives/secp256k1/secp256k1.ts';
import { isPromise } from '../../../src/primitives/task.ts';
import { ManualTimers } from '../../server/manual-timers.ts';

interface Signed {
  readonly hash: Uint8Array;
  readonly signature: Signature;
}

function signed(index: number): Signed {
  const key = keccak256(Uint8Array.of(index >> 8, index & 255, 1));
  const hash = keccak256(Uint8Array.of(index >> 8, index & 255, 2));
  return { hash, signature: curve.sign(hash, key) };
}

const SIGNED = Array.from({ length: 300 }, (_, index) => signed(index));
const KEYS = SIGNED.map(({ hash, signature }) => curve.recover(hash, signature));
/** No point has this coordinate. */
const NOBODYS: Signature = { compact: new Uint8Array(64).fill(5), recovery: 0 };

/** The script of a thread that is ready, and fails when it is first asked. */
const FAILING_SCRIPT = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, workerData } from 'node:worker_threads';
    parentPort.postMessage(null);
    Atomics.wait(new Int32Array(workerData, 0, 4), 0, 0);
    throw new Error('the thread fails');
  `)}`,
);

function recoverAll(recovery: KeyRecovery): Promise<Uint8Array>[] {
  return SIGNED.map(async ({ hash, signature }) => recovery.recover(hash, signature));
}

/** Asks until the thread answers: it takes a while to begin. */
async function withThread(): Promise<{ readonly recovery: KeyRecovery; readonly timers: ManualTimers }> {
  const timers = new ManualTimers();
  const recovery = new KeyRecovery(timers, 2);
  for (;;) {
    const [first, second] = SIGNED.slice(0, 40).map(({ hash, signature }) =>
      recovery.recover(hash, signature),
    );
    if (isPromise(first) || isPromise(second)) return { recovery, timers };
    await nextTurn();
  }
}

describe('the recovery of keys', () => {
  it('is done at once for those who ask one after the other', async () => {
    const { recovery } = await withThread();
    await Promise.all(recoverAll(recovery));
    for (const [index, { hash, signature }] of SIGNED.slice(0, 20).entries()) {
      await nextTurn();
      await nextTurn();
      const key = recovery.recover(hash, signature);
      expect(isPromise(key)).toBe(false);
      expect(key).toEqual(KEYS[index]);
    }
  });

  it('gives those who ask at the same time the same keys from its thread, in the order in which they asked', async () => {
    const { recovery } = await withThread();
    const order: number[] = [];
    const answers = recoverAll(recovery).map((answer, index) => {
      void answer.then(() => order.push(index));
      return answer;
    });
    expect(await Promise.all(answers)).toEqual(KEYS);
    // More ask than there are slots, so that some are answered at once, before those that wait.
    const waited = order.slice(order.indexOf(1));
    expect(waited).toEqual(waited.toSorted((left, right) => left - right));
  });

  it('rejects where there is no key, and goes on', async () => {
    const { recovery } = await withThread();
    const hash = new Uint8Array(32);
    const answers = await Promise.allSettled([
      ...recoverAll(recovery).slice(0, 20),
      Promise.resolve().then(() => recovery.recover(hash, NOBODYS)),
      ...recoverAll(recovery).slice(0, 20),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array<string>(20).fill('fulfilled'),
      'rejected',
      ...Array<string>(20).fill('fulfilled'),
    ]);
  });

  it('begins no thread on one processor', async () => {
    const recovery = new KeyRecovery(new ManualTimers(), 1);
    for (let turn = 0; turn < 3; turn++) {
      for (const { hash, signature } of SIGNED.slice(0, 50))
        expect(isPromise(recovery.recover(hash, signature))).toBe(false);
      await nextTurn();
    }
  });

  it('recovers the keys itself from then on where no thread can be started', async () => {
    let starts = 0;
    const recovery = new KeyRecovery(new ManualTimers(), 2, async () => {
      starts++;
      throw new Error('the file of the thread is gone');
    });
    for (let turn = 0; turn < 3; turn++) {
      const answers = SIGNED.map(({ hash, signature }) => recovery.recover(hash, signature));
      expect(answers).toEqual(KEYS);
      await nextTurn();
      await nextTurn();
    }
    expect(starts).toBe(1);
  });

  it('recovers itself what a thread that fails leaves, and starts no other one', async () => {
    let starts = 0;
    const recovery = new KeyRecovery(new ManualTimers(), 2, async () => {
      starts++;
      return new RecoveryThread(FAILING_SCRIPT);
    });
    const ask = () => SIGNED.map(({ hash, signature }) => recovery.recover(hash, signature));
    let answers = ask();
    while (!answers.some(isPromise)) {
      await nextTurn();
      answers = ask();
    }
    expect(await Promise.all(answers)).toEqual(KEYS);
    for (let turn = 0; turn < 3; turn++) {
      await nextTurn();
      await nextTurn();
      expect(ask()).toEqual(KEYS);
    }
    expect(starts).toBe(1);
  });

  it('ends a thread that is not asked for a while, and begins another one when it is', async () => {
    const { recovery, timers } = await withThread();
    await Promise.all(recoverAll(recovery));
    timers.advance(5_000);
    expect(timers.pendingCount).toBe(1);
    timers.advance(5_000);
    expect(timers.pendingCount).toBe(0);
    await nextTurn();
    expect(await Promise.all(recoverAll(recovery))).toEqual(KEYS);
    while (timers.pendingCount === 0) await nextTurn();
    expect(await Promise.all(recoverAll(recovery))).toEqual(KEYS);
  });
});

describe('the ring of recoveries', () => {
  it('answers questions in their order, around its end', () => {
    const ring = new RecoveryRing();
    let asked = 0;
    let told = 0;
    for (let round = 0; round < 3; round++) {
      const before = asked;
      for (; asked < before + SLOTS - 10; asked++) {
        const { hash, signature } = SIGNED[asked % 50] ?? signed(0);
        ring.ask(hash, signature);
      }
      ring.end();
      const other = new RecoveryRing(ring.memory);
      // It has been ended, so that it returns as soon as there is nothing to answer.
      other.serve(curve.recover, () => void told++);
      expect(ring.answered()).toBe(asked);
      for (let count = before; count < asked; count++) expect(ring.answer(count)).toEqual(KEYS[count % 50]);
    }
    expect(told).toBe(3);
  });
});
