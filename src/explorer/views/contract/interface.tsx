/** The functions of a contract as forms: read, simulate, and send as any account. */

import type { Abi, AbiFunction } from 'abitype';
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { encodeAbiParameters, toFunctionSelector } from 'viem/utils';
import { argumentOf, encodable, expectedOf, nameOf, typeOf } from '../../abi-input.ts';
import { client, headNumber, momentTag } from '../../chain.ts';
import { functionsOf, selectorOf } from '../../contract-facts.ts';
import { type FunctionRead, isPlainRead, readPlain } from '../../contract-reads.ts';
import type { CallTarget } from '../../execution-target.ts';
import { decimal, errorText, shown, weiOf } from '../../format.ts';
import type { DecodedParameter, Failure, Inspection } from '../../inspection.ts';
import { isView } from '../../known-call.ts';
import { checksummed } from '../../names.ts';
import { outcomeOf } from '../../outcome.ts';
import { AccountOptions, ArgumentField } from '../../parts/argument-field.tsx';
import { type AmountsOf, EntryValue, Parameters, ShortReason, WithoutLinks } from '../../parts/decoded.tsx';
import { FailedSend } from '../../parts/failure/failed-send.tsx';
import { WhyItFailed } from '../../parts/failure/why-it-failed.tsx';
import { useCalmHead, useRead, useReadState } from '../../parts/use-read.ts';
import { announcement, Empty, TransactionHash } from '../../parts/values.tsx';
import { place } from '../../router.ts';
import { type CallFields, failureOf, minedSince, send } from '../../sending.ts';
import { CopyCall } from './copy-call.tsx';

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const WEI_DIGITS = 18;

type Outcome =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'read'; readonly inspection: Inspection; readonly target: CallTarget }
  | { readonly kind: 'sent'; readonly hash: string; readonly isPending: boolean }
  | { readonly kind: 'failed'; readonly hash: string; readonly failure: Failure };

const ANNOUNCEMENTS = { refused: 'Rejected', read: 'Done', sent: 'Sent', failed: 'Failed' } as const;

/** The return values. A single value without a name needs no brackets. */
function Results({
  results,
  of,
}: {
  readonly results: readonly DecodedParameter[];
  readonly of: AmountsOf | null;
}): JSX.Element {
  const [only] = results;
  if (only === undefined || results.length > 1 || only.name !== '')
    return <Parameters parameters={results} of={of} />;
  return <EntryValue parameter={only} index={0} of={of} />;
}

function Shown({ outcome, isView }: { readonly outcome: Outcome; readonly isView: boolean }): JSX.Element {
  if (outcome.kind === 'refused')
    return (
      <p class="failure" role="alert">
        {shown(outcome.reason, 2_000)}
      </p>
    );
  if (outcome.kind === 'sent')
    return (
      <p class="outcome" role="status">
        {outcome.isPending ? 'Pending: ' : 'Sent: '}
        <TransactionHash hash={outcome.hash} />
      </p>
    );
  if (outcome.kind === 'failed')
    return <FailedSend title="Transaction failed" hash={outcome.hash} failure={outcome.failure} />;
  const { failure, call } = outcome.inspection;
  if (failure !== null) return <WhyItFailed inspection={outcome.inspection} target={outcome.target} />;
  const results = call.results ?? [];
  const amounts: AmountsOf | null =
    call.call === null ? null : { token: call.to.address, signature: call.call.signature, side: 'outputs' };
  return (
    <p class="outcome" role="status">
      {results.length === 0 ? (
        isView ? (
          'No return value'
        ) : (
          'Would succeed'
        )
      ) : (
        <Results results={results} of={amounts} />
      )}
    </p>
  );
}

/** The current result of a function without parameters. Its addresses are not links, because it is part of a button. */
function CurrentResult({
  read,
  address,
  signature,
}: {
  readonly read: FunctionRead;
  readonly address: string;
  readonly signature: string;
}): JSX.Element {
  return (
    <WithoutLinks.Provider value={true}>
      <span class="current">
        {'failure' in read ? (
          <span class="reason">
            <ShortReason failure={read.failure} />
          </span>
        ) : (
          <Results results={read.results} of={{ token: address, signature, side: 'outputs' }} />
        )}
      </span>
    </WithoutLinks.Provider>
  );
}

function FunctionForm({
  entry,
  address,
  from,
  signed,
  current,
}: {
  readonly entry: AbiFunction;
  readonly address: string;
  /** The result after the selected block, for a function without parameters. */
  readonly current: FunctionRead | undefined;
  /** `null` until the accounts are loaded. */
  readonly from: string | null;
  readonly signed: readonly string[];
}): JSX.Element {
  const [texts, setTexts] = useState<readonly string[]>(entry.inputs.map(() => ''));
  const [value, setValue] = useState('');
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [awaitsAccount, setAwaitsAccount] = useState(false);
  const isRead = isView(entry);
  const callOf = (): CallFields & { readonly to: string } => {
    if (from === null || !ADDRESS.test(from)) throw new Error('Send as: expected 0x and 40 hex digits');
    const values = entry.inputs.map((input, index) =>
      argumentOf(input, texts[index] ?? '', nameOf(input, index)),
    );
    const selector = toFunctionSelector(entry);
    const data = `${selector}${encodeAbiParameters(encodable(entry.inputs), values).slice(2)}`;
    const wei = entry.stateMutability === 'payable' && value.trim() !== '' ? weiOf(value) : 0n;
    return { from, to: address, data, value: `0x${wei.toString(16)}` };
  };
  const run = async (work: (call: CallFields) => Promise<Outcome>): Promise<void> => {
    setBusy(true);
    try {
      const done = await work(callOf());
      setOutcome(done);
      announcement.value = ANNOUNCEMENTS[done.kind];
    } catch (error) {
      setOutcome({ kind: 'refused', reason: errorText(error) });
    } finally {
      setBusy(false);
    }
  };
  const read = (): Promise<void> =>
    run(async (call) => {
      const block = momentTag.peek();
      const params = [call, block, {}, null, { count: 0, changes: false }];
      const inspection = await client.read<Inspection>('inspect_call', params);
      return { kind: 'read', inspection, target: { call: { ...call }, block } };
    });
  const write = (): Promise<void> =>
    run(async (call) => {
      const head = headNumber.peek();
      try {
        const hash = await send(call, signed);
        const outcome = await outcomeOf(hash);
        if (outcome?.failed === true)
          return { kind: 'failed', hash, failure: await failureOf(hash, 'reverted') };
        return { kind: 'sent', hash, isPending: outcome === null };
      } catch (error) {
        // Some error styles report the failure of a mined transaction as an error.
        const hash = await minedSince(head, call.from);
        const reason = errorText(error);
        if (hash === null) return { kind: 'refused', reason };
        return { kind: 'failed', hash, failure: await failureOf(hash, reason) };
      }
    });
  // Forms render before the accounts are loaded.
  useEffect(() => {
    if (!awaitsAccount || from === null) return;
    setAwaitsAccount(false);
    void read();
  }, [awaitsAccount, from === null]);
  const form = useRef<HTMLDetailsElement>(null);
  const visited = place.value;
  const meant = visited.query.get('entry');
  const isMeant = meant !== null && meant === selectorOf(entry);
  useEffect(() => {
    if (!isMeant || form.current === null) return;
    form.current.open = true;
    form.current.scrollIntoView({ block: 'center' });
    form.current.querySelector('summary')?.focus({ preventScroll: true });
  }, [isMeant, visited]);
  return (
    <details
      class="function"
      ref={form}
      onToggle={({ currentTarget }) => {
        if (!currentTarget.open || !isRead || entry.inputs.length > 0) return;
        // A view function without arguments is read when it is opened. An earlier value may be outdated.
        setOutcome(null);
        setAwaitsAccount(true);
      }}
    >
      <summary class="mono">
        <b>{shown(entry.name, 80)}</b>
        <span class="faint">
          (
          {entry.inputs
            .map((input) => shown(`${typeOf(input)}${input.name ? ` ${input.name}` : ''}`, 60))
            .join(', ')}
          )
        </span>{' '}
        {entry.stateMutability === 'payable' ? <span class="tag">payable</span> : null}
        {current === undefined ? null : (
          <CurrentResult read={current} address={address} signature={`${entry.name}()`} />
        )}
      </summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void read();
        }}
      >
        {entry.inputs.map((parameter, index) => (
          <ArgumentField
            key={`${index}${parameter.name}`}
            label={nameOf(parameter, index)}
            type={typeOf(parameter)}
            expected={expectedOf(parameter)}
            value={texts[index] ?? ''}
            onInput={(text) => setTexts(texts.map((old, place) => (place === index ? text : old)))}
          />
        ))}
        {entry.stateMutability === 'payable' ? (
          <ArgumentField
            label="Value in ether"
            expected="for example 0.5 (empty = 0)"
            value={value}
            onInput={setValue}
          />
        ) : null}
        <p class="buttons">
          <button type="submit" disabled={isBusy}>
            {isRead ? 'Read' : 'Simulate'}
          </button>
          {isRead ? null : (
            <button type="button" class="primary" disabled={isBusy} onClick={() => void write()}>
              Send
            </button>
          )}
          <CopyCall
            entry={entry}
            isView={isRead}
            fields={callOf}
            onError={(error) => setOutcome({ kind: 'refused', reason: errorText(error) })}
          />
        </p>
      </form>
      {outcome === null ? null : <Shown outcome={outcome} isView={isRead} />}
    </details>
  );
}

/** The functions of one ABI; a proxy also has the functions of its implementation. */
export interface FunctionGroup {
  /** Empty if there is only one group. */
  readonly title: string;
  readonly abi: Abi;
}

/** Functions without parameters come first, because they show their results. */
function inOrder(functions: readonly AbiFunction[]): readonly AbiFunction[] {
  return functions.toSorted((left, right) => Number(isPlainRead(right)) - Number(isPlainRead(left)));
}

interface Columns {
  readonly title: string;
  readonly columns: readonly { readonly title: string; readonly entries: readonly AbiFunction[] }[];
}

function columnsOf({ title, abi }: FunctionGroup): Columns {
  const functions = functionsOf(abi);
  const columns = [
    { title: 'Read', entries: inOrder(functions.filter(isView)) },
    { title: 'Write', entries: functions.filter((entry) => !isView(entry)) },
  ].filter(({ entries }) => entries.length > 0);
  return { title, columns };
}

/** All functions of a contract, view functions first. */
export function Interface({
  groups,
  address,
}: {
  readonly groups: readonly FunctionGroup[];
  readonly address: string;
}): JSX.Element {
  const accounts = useRead<readonly string[]>('eth_accounts', []);
  const [chosen, setChosen] = useState<string | null>(null);
  const [first = ''] = accounts.value ?? [];
  const from = (chosen ?? first).trim();
  const sender = ADDRESS.test(from) ? from : address;
  const balance = useRead<string>('eth_getBalance', [sender, 'latest']);
  const id = useId();
  const tag = momentTag.value;
  const functions = groups.flatMap(({ abi }) => functionsOf(abi));
  const reads = useReadState(
    () => readPlain(address, functions, sender, tag),
    [address, sender, tag, functions.length, useCalmHead()],
  );
  if (functions.length === 0) return <Empty>No functions in the ABI</Empty>;
  return (
    <>
      <div class="field">
        <label for={id}>Send as (any address)</label>
        <input
          id={id}
          type="text"
          list={`${id}list`}
          class="mono"
          value={chosen ?? checksummed(first)}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setChosen(event.currentTarget.value)}
        />
        <AccountOptions id={`${id}list`} accounts={accounts.value ?? []} />
        {ADDRESS.test(from) && balance.value !== undefined ? (
          <span class="faint"> balance: {decimal(BigInt(balance.value), WEI_DIGITS)} ether</span>
        ) : null}
      </div>
      {groups.map(columnsOf).map(({ title, columns }, place) =>
        columns.length === 0 ? null : (
          <section key={`${place}${title}`} aria-label={title === '' ? 'Functions' : shown(title, 100)}>
            {title === '' ? null : (
              <h2>
                <bdi>{shown(title, 100)}</bdi>
              </h2>
            )}
            <div class="fields">
              {columns.map(({ title: column, entries }) => (
                <section key={column} aria-label={title === '' ? column : `${column}: ${shown(title, 100)}`}>
                  {title === '' ? <h2>{column}</h2> : <h3>{column}</h3>}
                  {entries.map((entry, index) => (
                    <FunctionForm
                      key={`${entry.name}${index}`}
                      entry={entry}
                      address={address}
                      current={isPlainRead(entry) ? reads.value?.get(selectorOf(entry) ?? '') : undefined}
                      from={
                        chosen === null && accounts.value === undefined && accounts.error === null
                          ? null
                          : from
                      }
                      signed={accounts.value ?? []}
                    />
                  ))}
                </section>
              ))}
            </div>
          </section>
        ),
      )}
    </>
  );
}
