import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { client } from '../../chain.ts';
import { errorText, satoshisOf, shown } from '../../format.ts';
import { Coins, ParentText } from '../../parts/bridge.tsx';
import { useRead } from '../../parts/use-read.ts';
import { announcement, TransactionHash } from '../../parts/values.tsx';

const ADDRESS = /^0x[0-9a-f]{40}$/i;
/** The amount of a form at first, in coins. */
const FIRST_AMOUNT = '0.5';

/** The result of `peg_in` and `peg_out`. */
interface Pegged {
  /** The hash of the transaction on Rootstock. */
  readonly hash: string;
  /** The id of the Bitcoin transaction. */
  readonly txid: string;
}

/** Waiting, done or failed. */
type Progress =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running' }
  | { readonly kind: 'done'; readonly pegged: Pegged }
  | { readonly kind: 'failed'; readonly message: string };

/** A form with an account and an amount. `peg` sends it. */
function PegForm({
  title,
  account,
  accounts,
  minimum,
  note,
  peg,
  onDone,
}: {
  readonly title: string;
  /** The label of the account. */
  readonly account: string;
  readonly accounts: readonly string[];
  /** In satoshi. */
  readonly minimum: bigint;
  readonly note: ComponentChildren;
  readonly peg: (address: string, satoshis: bigint) => Promise<Pegged>;
  readonly onDone: () => void;
}): JSX.Element {
  const [address, setAddress] = useState<string | null>(null);
  const [text, setText] = useState(FIRST_AMOUNT);
  const [progress, setProgress] = useState<Progress>({ kind: 'idle' });
  const id = useId();
  const chosen = address ?? accounts[0] ?? '';
  const run = async (): Promise<void> => {
    setProgress({ kind: 'running' });
    try {
      if (!ADDRESS.test(chosen.trim())) throw new Error(`${account}: expected 0x and 40 hex digits`);
      const pegged = await peg(chosen.trim(), satoshisOf(text, 'Amount'));
      setProgress({ kind: 'done', pegged });
      announcement.value = `${title} done`;
    } catch (cause) {
      setProgress({ kind: 'failed', message: errorText(cause) });
    }
    onDone();
  };
  return (
    <form
      class="peg-form"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <h2>{title}</h2>
      <p class="faint">
        {note} Minimum <Coins satoshis={minimum} />.
      </p>
      <label for={`${id}-account`}>{account}</label>
      <input
        id={`${id}-account`}
        type="text"
        class="mono"
        list={`${id}-accounts`}
        value={chosen}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setAddress(event.currentTarget.value)}
      />
      <datalist id={`${id}-accounts`}>
        {accounts.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <label for={`${id}-amount`}>Amount in BTC</label>
      <input
        id={`${id}-amount`}
        type="text"
        inputMode="decimal"
        value={text}
        autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" disabled={progress.kind === 'running'}>
        {progress.kind === 'running' ? 'Running…' : title}
      </button>
      {progress.kind === 'failed' ? (
        <p class="failure" role="alert">
          {shown(progress.message, 600)}
        </p>
      ) : null}
      {progress.kind === 'done' ? (
        <p role="status">
          Done: <TransactionHash hash={progress.pegged.hash} />, Bitcoin transaction{' '}
          <ParentText text={progress.pegged.txid} digits={20} label="Copy transaction id" />
        </p>
      ) : null}
    </form>
  );
}

/** The minimum of a peg-out in satoshi, on a local network. */
const MINIMUM_PEGOUT = 250_000n;

/** The forms for a peg-in and a peg-out. They need the simulated parent chain. */
export function PegForms({
  minimum,
  onChange,
}: {
  /** The minimum of a peg-in in satoshi. */
  readonly minimum: bigint;
  readonly onChange: () => void;
}): JSX.Element {
  const { value: accounts = [] } = useRead<readonly string[]>('eth_accounts', []);
  return (
    <div class="peg-forms">
      <PegForm
        title="Peg in"
        account="Receiver on Rootstock"
        accounts={accounts}
        minimum={minimum}
        note="Pays the federation on Bitcoin, then confirms and registers the payment. The receiver gets the whole amount."
        peg={(to, satoshis) => client.act<Pegged>('peg_in', [{ to, satoshis: Number(satoshis) }])}
        onDone={onChange}
      />
      <PegForm
        title="Peg out"
        account="Sender on Rootstock"
        accounts={accounts}
        minimum={MINIMUM_PEGOUT}
        note="Sends coins to the Bridge and mines until Bitcoin confirms the payment. The amount includes the fee."
        peg={(from, satoshis) => client.act<Pegged>('peg_out', [{ from, satoshis: Number(satoshis) }])}
        onDone={onChange}
      />
    </div>
  );
}
