/** The accounts with keys in the node, and the impersonated accounts. */

import type { JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { client, epoch, headNumber, moment, momentTag } from '../chain.ts';
import { counted, errorText, grouped, shown } from '../format.ts';
import { ActButton, Fund, NameForm, PrivateKey } from '../parts/account-actions.tsx';
import { Scrolled } from '../parts/lists.tsx';
import { Table } from '../parts/table.tsx';
import { TokenAmount, TokenGaps } from '../parts/tokens.tsx';
import { type ReadState, useCalmHead, useRead, useReadState } from '../parts/use-read.ts';
import { Address, Amount, announcement, Empty, Loaded } from '../parts/values.tsx';
import { type AccountRow, accountRow, type TokenBalances, TokenReader } from '../token-balances.ts';

const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** The result of `inspect_impersonation`. */
export interface Impersonation {
  readonly accounts: readonly string[];
  readonly automatic: boolean;
}

/** Lists, starts and stops impersonations. `onChange` is called after a change. */
export function Impersonated({
  asked,
  onChange,
}: {
  readonly asked: ReadState<Impersonation>;
  readonly onChange: () => void;
}): JSX.Element {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState('');
  const id = useId();
  const begin = async (): Promise<void> => {
    try {
      const address = typed.trim();
      if (!ADDRESS.test(address)) throw new Error('Address: expected 0x and 40 hex digits');
      await client.act('anvil_impersonateAccount', [address]);
      setError('');
      setTyped('');
      announcement.value = 'Impersonation started';
      onChange();
    } catch (cause) {
      setError(errorText(cause));
    }
  };
  return (
    <section aria-label="Impersonated accounts">
      <h2>Impersonated accounts</h2>
      <p>
        Clients can send transactions from these accounts without private keys. The accounts pay the fees.
      </p>
      <form
        class="field"
        onSubmit={(event) => {
          event.preventDefault();
          void begin();
        }}
      >
        <label for={id}>Address</label>
        <input
          id={id}
          type="text"
          class="mono"
          value={typed}
          placeholder="0x and 40 hex digits"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />{' '}
        <button type="submit">Impersonate</button>
        {error === '' ? null : (
          <p class="failure" role="alert">
            {shown(error, 300)}
          </p>
        )}
      </form>
      <Loaded asked={asked}>
        {({ accounts, automatic }) => (
          <>
            <p>
              <label>
                <input
                  type="checkbox"
                  checked={automatic}
                  onChange={(event) =>
                    void client
                      .act('anvil_autoImpersonateAccount', [event.currentTarget.checked])
                      .then(onChange, (cause: unknown) => setError(errorText(cause)))
                  }
                />{' '}
                Impersonate all accounts
              </label>
            </p>
            {accounts.length === 0 ? (
              <Empty>No impersonated accounts</Empty>
            ) : (
              <ul class="plain">
                {accounts.map((address) => (
                  <li key={address}>
                    <Address address={address} isWhole />{' '}
                    <ActButton
                      act={() => client.act('hardhat_stopImpersonatingAccount', [address]).then(onChange)}
                      done="Impersonation stopped"
                      label={`Stop impersonating ${address}`}
                    >
                      Stop
                    </ActButton>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

/** Accounts per page, because a node can have thousands. */
const ROWS = 100;
/** Maximum tokens in an account's row. */
const MAX_TOKENS = 4;

function Tokens({
  address,
  tokens,
}: {
  readonly address: string;
  readonly tokens: TokenBalances;
}): JSX.Element {
  const own = tokens.balances.filter(({ account }) => account === address.toLowerCase());
  return (
    <>
      {own.slice(0, MAX_TOKENS).map((held) => (
        <div key={`${held.token}${held.id ?? ''}`}>
          <TokenAmount held={held} />
        </div>
      ))}
      {own.length > MAX_TOKENS ? (
        <span class="faint">and {grouped(own.length - MAX_TOKENS)} more</span>
      ) : null}
    </>
  );
}

function AccountTable({
  rows,
  tokens,
  impersonated,
  onChange,
}: {
  readonly rows: readonly AccountRow[];
  readonly tokens: TokenBalances | undefined;
  readonly impersonated: readonly string[];
  readonly onChange: () => void;
}): JSX.Element {
  return (
    <Scrolled label="Node accounts">
      <Table
        columns={['Account', { number: 'Balance' }, { number: 'Nonce' }, 'Tokens', 'Actions', 'Private key']}
      >
        {rows.map(({ address, balance, nonce, isContract }) => (
          <tr key={address}>
            <td>
              <Address address={address} isWhole /> {isContract ? <span class="tag">has code</span> : null}
            </td>
            <td class="number">
              <Amount wei={balance} />
            </td>
            <td class="number">{grouped(nonce)}</td>
            <td>{tokens === undefined ? null : <Tokens address={address} tokens={tokens} />}</td>
            <td class="changes">
              <Fund address={address} onDone={onChange} /> <NameForm address={address} />
            </td>
            <td class="changes">
              {impersonated.includes(address) ? (
                <span class="faint">impersonated</span>
              ) : (
                <PrivateKey address={address} />
              )}
            </td>
          </tr>
        ))}
      </Table>
    </Scrolled>
  );
}

export function Accounts(): JSX.Element {
  const [changes, setChanges] = useState(0);
  const tag = momentTag.value;
  const head = useCalmHead();
  const reader = useRef(new TokenReader());
  const [count, setCount] = useState(ROWS);
  const asked = useReadState(async () => {
    const all = await client.read<readonly string[]>('eth_accounts');
    const rows = await Promise.all(all.slice(0, count).map((address) => accountRow(address, tag)));
    return { rows, more: all.length - rows.length };
  }, [tag, head, changes, count]);
  const addresses = (asked.value?.rows ?? []).map(({ address }) => address);
  const tokens = useReadState(
    () => reader.current.read(addresses, epoch.peek(), moment.peek() ?? headNumber.peek()),
    [addresses.join(), tag, head],
  );
  const impersonation = useRead<Impersonation>('inspect_impersonation', [], [head, changes]);
  const onChange = (): void => setChanges((count) => count + 1);
  return (
    <>
      <h1>Accounts</h1>
      <p>
        The node signs for these accounts. Unless you set your own mnemonic, their keys are public:{' '}
        <b>funds sent to these accounts on a live network will be stolen.</b>
      </p>
      <Loaded asked={asked}>
        {({ rows, more }) =>
          rows.length === 0 ? (
            <Empty>No accounts</Empty>
          ) : (
            <>
              <AccountTable
                rows={rows}
                tokens={tokens.value}
                impersonated={impersonation.value?.accounts ?? []}
                onChange={onChange}
              />
              {more === 0 ? null : (
                <p>
                  <button type="button" onClick={() => setCount(count + ROWS)}>
                    Show more
                  </button>{' '}
                  <span class="faint">{counted(more, 'more account')}</span>
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {tokens.value === undefined ? null : <TokenGaps tokens={tokens.value} />}
      <Impersonated asked={impersonation} onChange={onChange} />
    </>
  );
}
