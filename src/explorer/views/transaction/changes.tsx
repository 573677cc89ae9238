/** The state changes of a transaction: balances, tokens, storage variables. */

import type { JSX } from 'preact';
import { counted, decimal, grouped, shortHex, shown, withoutZeros, withShortKeys } from '../../format.ts';
import type { BalanceChange, Omitted, StateChanges, StorageChange, TokenChange } from '../../inspection.ts';
import { Value } from '../../parts/decoded.tsx';
import { Table } from '../../parts/table.tsx';
import { Address, Amount, Empty } from '../../parts/values.tsx';

/** The number of omitted rows. */
function More({ count = 0 }: { readonly count?: number | undefined }): JSX.Element | null {
  return count === 0 ? null : <p class="faint">and {grouped(count)} more</p>;
}

/** The value of a variable; the whole word of an unnamed slot. */
function Held({ value, type }: { readonly value: unknown; readonly type: string | null }): JSX.Element {
  if (value === '') return <span class="faint">empty</span>;
  if (type !== null || typeof value !== 'string') return <Value value={value} type={type} />;
  return <code title={value}>{shortHex(withoutZeros(value), 12)}</code>;
}

/** The fees within a balance change. */
function Fees({ feePaid, feeReceived }: BalanceChange): JSX.Element | null {
  const [words, wei] = feePaid === '0x0' ? ['received as fees', feeReceived] : ['paid for gas', feePaid];
  if (wei === '0x0') return null;
  return (
    <>
      <Amount wei={BigInt(wei)} /> {words}
    </>
  );
}

function tokenAmount({ change, decimals, symbol, id }: TokenChange): string {
  const amount = decimals == null ? grouped(change) : decimal(BigInt(change), decimals);
  const sign = change.startsWith('-') ? '' : '+';
  return `${sign}${amount} ${shown(symbol ?? '', 20)}${id === null ? '' : ` #${id}`}`;
}

function StorageRows({
  title,
  rows,
  more,
}: {
  readonly title: string;
  readonly rows: readonly StorageChange[];
  readonly more: number | undefined;
}): JSX.Element | null {
  if (rows.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <div class="scrolled">
        <Table class="narrow" columns={['Account', 'Variable', 'Before', 'After']}>
          {rows.map(({ account, variable, type, slot, before, after }, index) => (
            <tr key={`${index}${slot}`}>
              <td>
                <Address address={account.address} name={account.name} />
              </td>
              <td>
                {variable === null ? (
                  <code>slot {shortHex(slot, 8)}</code>
                ) : (
                  <>
                    <b title={shown(variable, 400)}>{shown(withShortKeys(variable), 200)}</b>{' '}
                    <span class="faint">{shown(type ?? '', 80)}</span>
                  </>
                )}
              </td>
              <td>
                <Held value={before} type={variable === null ? null : (type ?? '')} />
              </td>
              <td>
                <Held value={after} type={variable === null ? null : (type ?? '')} />
              </td>
            </tr>
          ))}
        </Table>
      </div>
      <More count={more} />
    </>
  );
}

/** The state changes of a transaction, with the number of omitted ones. */
export function Changes({
  changes,
  omitted,
}: {
  readonly changes: StateChanges;
  readonly omitted: Omitted;
}): JSX.Element {
  const { storage, transientStorage, omittedSlots, balances, tokens } = changes;
  if (storage.length + transientStorage.length + balances.length + tokens.length === 0)
    return <Empty>No changes</Empty>;
  return (
    <>
      {balances.length === 0 ? null : (
        <>
          <h2>Balances</h2>
          <div class="scrolled">
            <Table
              class="narrow"
              columns={['Account', { number: 'Change' }, { number: 'Balance after' }, 'Fees included']}
            >
              {balances.map((change) => (
                <tr key={change.account.address}>
                  <td>
                    <Address address={change.account.address} name={change.account.name} />
                  </td>
                  <td class="number">
                    <Amount wei={BigInt(change.after) - BigInt(change.before)} isChange />
                  </td>
                  <td class="number">
                    <Amount wei={BigInt(change.after)} />
                  </td>
                  <td class="faint changes">
                    <Fees {...change} />
                  </td>
                </tr>
              ))}
            </Table>
          </div>
          <More count={omitted.balances} />
        </>
      )}
      {tokens.length === 0 ? null : (
        <>
          <h2>Tokens</h2>
          <div class="scrolled">
            <Table class="narrow" columns={['Token', 'Account', { number: 'Change' }]}>
              {tokens.map((change, index) => (
                <tr key={`${index}${change.account.address}`}>
                  <td>
                    <Address address={change.token.address} name={change.token.name} />
                  </td>
                  <td>
                    <Address address={change.account.address} name={change.account.name} />
                  </td>
                  <td class="number mono">{tokenAmount(change)}</td>
                </tr>
              ))}
            </Table>
          </div>
          <More count={omitted.tokens} />
        </>
      )}
      <StorageRows title="Storage" rows={storage} more={omitted.storage} />
      <StorageRows title="Transient storage" rows={transientStorage} more={omitted.transientStorage} />
      {omittedSlots === 0 ? null : <p class="faint">{counted(omittedSlots, 'more slot')} changed</p>}
    </>
  );
}
