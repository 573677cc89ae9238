/** The storage of a contract, by variable. */

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { client, momentTag } from '../../chain.ts';
import { counted, errorText, grouped, shortHex, shown, withoutZeros, withShortKeys } from '../../format.ts';
import { type MappingKeys, withKey } from '../../mapping-keys.ts';
import { Value } from '../../parts/decoded.tsx';
import { useCalmHead, useReadState } from '../../parts/use-read.ts';
import { Copy, Empty, Loaded } from '../../parts/values.tsx';
import { KeyForm } from './key-form.tsx';

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
const KEYS_NOTE =
  'Mappings do not store their keys. The node lists the entries whose keys it finds. Enter other keys to see their entries.';
const SLOTS_UNKNOWN =
  'The node does not know which slots are in use: the contract is from the forked chain, or has more than 10,000 slots.';

/** Items per request. */
const PAGE = 50;

/** The contract and block of the storage, and the keys that the reader entered. */
interface StorageView {
  readonly address: string;
  readonly tag: string;
  readonly keys: MappingKeys;
  readonly setKeys: (keys: MappingKeys) => void;
}

function Row({ variable, view }: { readonly variable: Variable; readonly view: StorageView }): JSX.Element {
  const { address, tag, keys, setKeys } = view;
  const [more, setMore] = useState<readonly Variable[]>([]);
  const [isAll, setAll] = useState(!variable.hasMore);
  const [error, setError] = useState('');
  const { items } = variable;
  const keysText = JSON.stringify(keys);
  useEffect(() => {
    // More entries can move later entries to another page.
    setMore([]);
    setAll(!variable.hasMore);
  }, [keysText]);
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
      const page = { variable: variable.variable, first: shownItems.length, count: PAGE, keys };
      const { variables } = await client.read<Storage>('inspect_storage', [address, tag, page]);
      const [found] = variables;
      setMore([...more, ...(found?.items ?? [])]);
      setAll(found?.hasMore !== true);
    } catch (cause) {
      setError(errorText(cause));
    }
  };
  const keyForm = variable.hasUnknownKeys ? (
    <KeyForm
      name={shown(withShortKeys(variable.variable), 80)}
      type={variable.type}
      onAdd={async (path) => {
        const added = withKey(keys, variable.variable, path);
        // An unsuitable key would hide all variables. The node rejects it here.
        await client.read<Storage>('inspect_storage', [address, tag, { count: 1, keys: added }]);
        setKeys(added);
      }}
    />
  ) : null;
  if (shownItems.length === 0 && isAll)
    return (
      <li>
        {name} <span class="faint">{variable.hasUnknownKeys ? KEYS_UNKNOWN : 'empty'}</span>{' '}
        <span class="where">{type}</span>
        {keyForm}
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
            <Row key={`${index}${item.variable}`} variable={item} view={view} />
          ))}
        </ul>
        {isAll ? null : (
          <button type="button" onClick={() => void readMore()}>
            More
          </button>
        )}
        {error === '' ? null : <p class="failure">{shown(error, 400)}</p>}
        {keyForm}
      </details>
    </li>
  );
}

/** The variables, and the slots without a known variable. */
export function StorageTree({ address }: { readonly address: string }): JSX.Element {
  const tag = momentTag.value;
  const [keys, setKeys] = useState<MappingKeys>({});
  const asked = useReadState(
    () => client.read<Storage>('inspect_storage', [address, tag, { keys }]),
    [address, tag, keys, useCalmHead()],
  );
  const view = { address, tag, keys, setKeys };
  return (
    <Loaded asked={asked}>
      {({ variables, unnamed, unnamedCount, contract }) =>
        variables.length + unnamed.length === 0 ? (
          <Empty>
            {unnamedCount === null ? SLOTS_UNKNOWN : contract === null ? 'No known storage' : 'Empty storage'}
          </Empty>
        ) : (
          <>
            {variables.some(({ hasUnknownKeys }) => hasUnknownKeys) ? <p class="faint">{KEYS_NOTE}</p> : null}
            <ul class="variables">
              {variables.map((variable, index) => (
                <Row key={`${index}${variable.variable}`} variable={variable} view={view} />
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
