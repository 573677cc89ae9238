/** The storage of a contract, by variable. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { client, momentTag } from '../../chain.ts';
import { counted, errorText, grouped, shortHex, shown, withoutZeros, withShortKeys } from '../../format.ts';
import { Value } from '../../parts/decoded.tsx';
import { useCalmHead, useReadState } from '../../parts/use-read.ts';
import { Copy, Empty, Loaded } from '../../parts/values.tsx';

interface Variable {
  readonly name: string;
  readonly variable: string;
  readonly type: string;
  readonly slot: string;
  readonly value: unknown;
  readonly length: string | null;
  readonly items: readonly Variable[] | null;
  readonly hasMore: boolean;
  readonly hasUnknownKeys: boolean;
}

interface Storage {
  readonly contract: string | null;
  readonly origin: string | null;
  readonly variables: readonly Variable[];
  readonly unnamed: readonly { readonly slot: string; readonly word: string }[];
  /** `null` if the node does not know the used slots. */
  readonly unnamedCount: number | null;
}

const KEYS_UNKNOWN = 'keys unknown';
const OTHER_KEYS_UNKNOWN = 'other keys unknown';
const SLOTS_UNKNOWN =
  'The node does not know which slots are in use: the contract is from the forked chain, or has more than 10,000 slots.';

/** Items per request. */
const PAGE = 50;

function Row({
  variable,
  address,
  tag,
}: {
  readonly variable: Variable;
  readonly address: string;
  readonly tag: string;
}): JSX.Element {
  const [more, setMore] = useState<readonly Variable[]>([]);
  const [isAll, setAll] = useState(!variable.hasMore);
  const [error, setError] = useState('');
  const { items } = variable;
  const name = (
    <b>
      <bdi class="mono" title={shown(variable.name, 400)}>
        {shown(withShortKeys(variable.name), 80)}
      </bdi>
    </b>
  );
  const type = <span class="faint mono">{shown(variable.type, 80)}</span>;
  if (items === null)
    return (
      <li>
        {name} ={' '}
        {variable.value === '' ? (
          <span class="faint">empty</span>
        ) : (
          <Value value={variable.value} type={variable.type} />
        )}{' '}
        <span class="where">
          {type}{' '}
          <span class="faint mono" title={variable.slot}>
            slot {shortHex(variable.slot, 6)}
          </span>
        </span>
      </li>
    );
  const shownItems = [...items, ...more];
  const readMore = async (): Promise<void> => {
    try {
      const page = { variable: variable.variable, first: shownItems.length, count: PAGE };
      const { variables } = await client.read<Storage>('inspect_storage', [address, tag, page]);
      const [found] = variables;
      setMore([...more, ...(found?.items ?? [])]);
      setAll(found?.hasMore !== true);
    } catch (cause) {
      setError(errorText(cause));
    }
  };
  if (shownItems.length === 0 && isAll)
    return (
      <li>
        {name} <span class="faint">{variable.hasUnknownKeys ? KEYS_UNKNOWN : 'empty'}</span>{' '}
        <span class="where">{type}</span>
      </li>
    );
  return (
    <li>
      <details open={shownItems.length <= 8}>
        <summary>
          {name} {type}{' '}
          <span class="faint">
            {variable.length !== null
              ? counted(BigInt(variable.length), 'item')
              : variable.type.startsWith('struct ')
                ? ''
                : counted(shownItems.length, 'entry', 'entries')}
            {variable.hasUnknownKeys ? `, ${OTHER_KEYS_UNKNOWN}` : ''}
          </span>
        </summary>
        <ul class="variables">
          {shownItems.map((item, index) => (
            <Row key={`${index}${item.variable}`} variable={item} address={address} tag={tag} />
          ))}
        </ul>
        {isAll ? null : (
          <button type="button" onClick={() => void readMore()}>
            More
          </button>
        )}
        {error === '' ? null : <p class="failure">{shown(error, 400)}</p>}
      </details>
    </li>
  );
}

/** The variables, and the slots without a known variable. */
export function StorageTree({ address }: { readonly address: string }): JSX.Element {
  const tag = momentTag.value;
  const asked = useReadState(
    () => client.read<Storage>('inspect_storage', [address, tag]),
    [address, tag, useCalmHead()],
  );
  return (
    <Loaded asked={asked}>
      {({ variables, unnamed, unnamedCount, contract }) =>
        variables.length + unnamed.length === 0 ? (
          <Empty>
            {unnamedCount === null ? SLOTS_UNKNOWN : contract === null ? 'No known storage' : 'Empty storage'}
          </Empty>
        ) : (
          <>
            <ul class="variables">
              {variables.map((variable, index) => (
                <Row key={`${index}${variable.variable}`} variable={variable} address={address} tag={tag} />
              ))}
            </ul>
            {unnamed.length === 0 ? null : (
              <>
                <h2>Unnamed slots</h2>
                {variables.length > 0 || contract === null ? null : (
                  <p class="faint">
                    The artifact of {shown(contract, 60)} has no storageLayout. Add storageLayout to the
                    compiler's output selection to see variables.
                  </p>
                )}
                <ul class="variables">
                  {unnamed.map(({ slot, word }) => (
                    <li key={slot}>
                      <span class="mono faint" title={slot}>
                        slot {shortHex(slot, 8)}
                      </span>{' '}
                      <code>{withoutZeros(word)}</code>
                      <Copy text={word} label="Copy word" />
                    </li>
                  ))}
                </ul>
                {unnamedCount !== null && unnamedCount > unnamed.length ? (
                  <p class="faint">and {grouped(unnamedCount - unnamed.length)} more</p>
                ) : null}
              </>
            )}
          </>
        )
      }
    </Loaded>
  );
}
