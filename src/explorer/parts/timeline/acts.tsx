/** The buttons that change the chain. */

import type { JSX } from 'preact';
import { client, headNumber, moment } from '../../chain.ts';
import { blockText, counted, errorText, numberOf } from '../../format.ts';
import { go, pathTo } from '../../router.ts';
import { act, actFailure } from '../act.ts';
import { atBlock, createdLane } from '../bars.tsx';
import { NextBlock } from '../next-block.tsx';
import type { Snapshot } from './line.ts';

/** A menu of snapshots to revert to. */
function RevertTo({ snapshots }: { readonly snapshots: readonly Snapshot[] }): JSX.Element {
  return (
    <select
      aria-label="Revert to a snapshot"
      disabled={snapshots.length === 0}
      value=""
      onChange={(event) => {
        const id = event.currentTarget.value;
        event.currentTarget.value = '';
        if (id !== '') void act('Reverted', 'evm_revert', [id]);
      }}
    >
      <option value="">Revert to…</option>
      {[...snapshots].reverse().map(({ id, blockNumber }) => (
        <option key={id} value={id}>
          {id}: block {blockText(numberOf(blockNumber))}
        </option>
      ))}
    </select>
  );
}

/** Removes the blocks after the selected one, or restores the snapshot that was taken there. */
function RevertHere({
  at,
  snapshots,
}: {
  readonly at: number;
  readonly snapshots: readonly Snapshot[];
}): JSX.Element {
  const here = snapshots.findLast(({ blockNumber }) => numberOf(blockNumber) === at);
  const count = headNumber.value - at;
  const revert = async (): Promise<void> => {
    if (here === undefined) await act(`Reverted to block ${blockText(at)}`, 'anvil_rollback', [count]);
    else await act('Reverted', 'evm_revert', [here.id]);
    if (actFailure.peek() === null) go(atBlock(null));
  };
  return (
    <button
      type="button"
      title={
        here === undefined
          ? `Remove the newest ${counted(count, 'block')}`
          : `Restore snapshot ${here.id}, taken at this block`
      }
      onClick={() => void revert()}
    >
      Revert here
    </button>
  );
}

/** Creates a lane from the chain's current state, or from the selected block. */
function ForkLane({ at, onDone }: { readonly at: number | null; readonly onDone: () => void }): JSX.Element {
  const fork = async (): Promise<void> => {
    const block = at === null ? {} : { from: { block: `0x${at.toString(16)}` } };
    try {
      const key = await client.act<string>('lane_create', [block]);
      createdLane.value = { key, block: at ?? headNumber.peek() };
      actFailure.value = null;
      onDone();
    } catch (error) {
      actFailure.value = errorText(error);
    }
  };
  return (
    <button type="button" onClick={() => void fork()}>
      Fork lane here
    </button>
  );
}

/** All action buttons; `at` is the selected block. */
export function Acts({
  at,
  snapshots,
  hasLanes,
  onDone,
}: {
  readonly at: number;
  readonly snapshots: readonly Snapshot[];
  readonly hasLanes: boolean;
  /** Called after a change that no new block reports. */
  readonly onDone: () => void;
}): JSX.Element {
  return (
    <div class="acts" role="toolbar" aria-label="Chain actions">
      <button type="button" onClick={() => void act('Block mined', 'evm_mine')}>
        Mine
      </button>
      <button
        type="button"
        onClick={async () => {
          await act('Clock moved forward by 1 hour', 'evm_increaseTime', [3600]);
          await act('Block mined', 'evm_mine');
        }}
      >
        +1 hour
      </button>
      <button type="button" onClick={() => void act('Snapshot taken', 'evm_snapshot').then(onDone)}>
        Snapshot
      </button>
      {moment.value === null || at >= headNumber.value ? (
        <RevertTo snapshots={snapshots} />
      ) : (
        <RevertHere at={at} snapshots={snapshots} />
      )}
      <NextBlock />
      {hasLanes ? <ForkLane at={moment.value} onDone={onDone} /> : null}
      <a href={pathTo('block', String(at))}>Block {blockText(at)}</a>
    </div>
  );
}
