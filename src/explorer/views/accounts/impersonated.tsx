/** The accounts whose transactions need no key. */

import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { client } from '../../chain.ts';
import { errorText, shown } from '../../format.ts';
import { ActButton } from '../../parts/account-actions.tsx';
import type { Asked } from '../../parts/use-read.ts';
import { Address, announcement, Empty, Loaded } from '../../parts/values.tsx';

const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** The answer of `inspect_impersonation`. */
export interface Impersonation {
  readonly accounts: readonly string[];
  readonly automatic: boolean;
}

/** Lists them, begins and ends it. `onChange` is called when that changed something. */
export function Impersonated({
  asked,
  onChange,
}: {
  readonly asked: Asked<Impersonation>;
  readonly onChange: () => void;
}): JSX.Element {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState('');
  const id = useId();
  const begin = async (): Promise<void> => {
    try {
      const address = typed.trim();
      if (!ADDRESS.test(address)) throw new Error('Account: 0x and 40 hexadecimal digits are expected');
      await client.act('anvil_impersonateAccount', [address]);
      setError('');
      setTyped('');
      announcement.value = 'Impersonated';
      onChange();
    } catch (cause) {
      setError(errorText(cause));
    }
  };
  return (
    <section aria-label="Impersonated accounts">
      <h2>Impersonated accounts</h2>
      <p>Any program may send transactions in their name, without their keys. They pay for what they send.</p>
      <form
        class="field"
        onSubmit={(event) => {
          event.preventDefault();
          void begin();
        }}
      >
        <label for={id}>Impersonate the account</label>
        <input
          id={id}
          type="text"
          class="mono"
          value={typed}
          placeholder="0x and 40 digits"
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
                All accounts
              </label>
            </p>
            {accounts.length === 0 ? (
              <Empty>No account is impersonated by name.</Empty>
            ) : (
              <ul class="plain">
                {accounts.map((address) => (
                  <li key={address}>
                    <Address address={address} isWhole />{' '}
                    <ActButton
                      act={() => client.act('hardhat_stopImpersonatingAccount', [address]).then(onChange)}
                      done="Impersonation ended"
                      label={`Stop: ${address} is impersonated no longer`}
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
