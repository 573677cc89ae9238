import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { laneNews } from '../chain.ts';
import { blockText, numberOf, shown } from '../format.ts';
import { act } from '../parts/act.ts';
import { Scrolled } from '../parts/lists.tsx';
import { Table } from '../parts/table.tsx';
import { useCalm, useRead } from '../parts/use-read.ts';
import { Empty, Failure } from '../parts/values.tsx';
import { pathOn } from '../router.ts';
import { RpcError } from '../rpc/client.ts';

/** The error code of a node without lanes. */
const METHOD_NOT_FOUND = -32_601;

interface Lane {
  readonly key: string;
  readonly blockNumber: string;
  /** The label from a test runner: name and outcome. */
  readonly label?: {
    readonly name: string | null;
    readonly outcome: 'running' | 'passed' | 'failed' | null;
    readonly note: string | null;
  };
}

function Label({ label }: { readonly label: Lane['label'] | undefined }): JSX.Element {
  if (label === undefined) return <span class="faint">none</span>;
  const { name, outcome, note } = label;
  return (
    <>
      {name === null ? null : shown(name, 120)}{' '}
      {outcome === 'failed' ? <b class="reason">failed</b> : outcome}
      {note === null ? null : <div class="faint">{shown(note, 400)}</div>}
    </>
  );
}

/** The view of the lanes: isolated copies of the base chain. */
export function Lanes(): JSX.Element {
  const [changes, setChanges] = useState(0);
  const { value, error } = useRead<readonly Lane[]>('lane_list', [], [changes, useCalm(laneNews)]);
  const changed = (): void => setChanges(changes + 1);
  if (error !== null)
    return (
      <>
        <h1>Lanes</h1>
        {error instanceof RpcError && error.code === METHOD_NOT_FOUND ? (
          <Empty>
            Lanes are disabled. A lane is an isolated copy of the chain at its own URL path, for example for
            one test. To enable lanes, start the node with <code>--lanes</code>.
          </Empty>
        ) : (
          <Failure error={error} />
        )}
      </>
    );
  return (
    <>
      <h1>Lanes</h1>
      <p>
        A lane is an isolated copy of the chain at its own URL path.{' '}
        <button type="button" onClick={() => void act('Lane created', 'lane_create').then(changed)}>
          New lane
        </button>
      </p>
      {value === undefined ? null : value.length === 0 ? (
        <Empty>No lanes yet. The first request to a path creates its lane.</Empty>
      ) : (
        <Scrolled label="Lanes">
          <Table class="narrow" columns={['Lane', { number: 'Block' }, 'Label', 'Actions']}>
            {value.map(({ key, blockNumber, label }) => (
              <tr key={key}>
                <td>
                  <a href={pathOn(key, 'feed')}>
                    <bdi>{shown(key, 60)}</bdi>
                  </a>
                </td>
                <td class="number">{blockText(numberOf(blockNumber))}</td>
                <td>
                  <Label label={label} />
                </td>
                <td class="changes">
                  <button
                    type="button"
                    aria-label={`Reset ${shown(key, 60)}`}
                    onClick={() => void act(`Lane ${key} reset`, 'lane_reset', [key]).then(changed)}
                  >
                    Reset
                  </button>{' '}
                  <button
                    type="button"
                    aria-label={`Drop ${shown(key, 60)}`}
                    onClick={() => void act(`Lane ${key} dropped`, 'lane_drop', [key]).then(changed)}
                  >
                    Drop
                  </button>
                </td>
              </tr>
            ))}
          </Table>
        </Scrolled>
      )}
    </>
  );
}
