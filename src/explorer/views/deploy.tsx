/** The form that deploys a contract of the artifacts: libraries, constructor arguments, value and sender. */

import type { Abi, AbiConstructor } from 'abitype';
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { encodeAbiParameters } from 'viem/utils';
import { argumentOf, encodable, expectedOf, nameOf, typeOf } from '../abi-input.ts';
import { client, headNumber } from '../chain.ts';
import { isEntry } from '../contract-facts.ts';
import type { CallTarget } from '../execution-target.ts';
import { byteSize, errorText, numberOf, shown, weiOf } from '../format.ts';
import type { Failure, Inspection } from '../inspection.ts';
import { checksummed } from '../names.ts';
import { receivedOutcome } from '../outcome.ts';
import { AccountOptions, ArgumentField } from '../parts/argument-field.tsx';
import { FailedSend } from '../parts/failure/failed-send.tsx';
import { WhyItFailed } from '../parts/failure/why-it-failed.tsx';
import { useRead, useReadState } from '../parts/use-read.ts';
import { announcement, Empty, Facts, Loaded, TransactionHash } from '../parts/values.tsx';
import { go, pathTo, place } from '../router.ts';
import { type CallFields, failureOf, minedSince, send } from '../sending.ts';

interface Artifact {
  readonly name: string;
  readonly sourceName: string;
  readonly abi: Abi;
  /** `null` for interfaces and abstract contracts. */
  readonly bytecode: string | null;
  /** The places of library addresses in the initcode, in bytes. */
  readonly links: readonly { readonly library: string; readonly start: number; readonly length: number }[];
}

interface Deployable extends Artifact {
  readonly bytecode: string;
  /** The addresses of deployed libraries by name, newest first. */
  readonly deployed: ReadonlyMap<string, readonly string[]>;
}

const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** Returns the name of a library without its file. */
function shortLibrary(library: string): string {
  return library.slice(library.lastIndexOf(':') + 1);
}

async function readArtifact(sourceName: string, name: string): Promise<Artifact | Deployable | null> {
  const artifact = await client.read<Artifact | null>('inspect_artifact', [sourceName, name]);
  if (artifact === null || artifact.bytecode === null) return artifact;
  const abi = artifact.abi.filter(isEntry);
  const deployed = new Map<string, string[]>();
  if (artifact.links.length > 0) {
    const { contracts } = await client.read<{
      readonly contracts: readonly { readonly address: string; readonly contract: string | null }[];
    }>('inspect_deployments', [null, 200]);
    for (const { address, contract } of contracts)
      for (const each of contract?.split(' or ') ?? [])
        deployed.set(each, [...(deployed.get(each) ?? []), checksummed(address)]);
  }
  return { ...artifact, abi, deployed };
}

/** Returns the initcode with the addresses of libraries. Throws an `Error` if one is missing. */
function linked({ bytecode, links }: Deployable, libraries: ReadonlyMap<string, string>): string {
  const digits = [...bytecode.slice(2)];
  for (const { library, start, length } of links) {
    const address = (libraries.get(library) ?? '').trim();
    if (!ADDRESS.test(address))
      throw new Error(`Library ${shortLibrary(library)}: expected 0x and 40 hex digits`);
    digits.splice(2 * start, 2 * length, ...address.slice(2).toLowerCase());
  }
  return digits.join('');
}

type Result =
  | { readonly kind: 'refused'; readonly reason: string; readonly failureNumber: number | null }
  | { readonly kind: 'simulated'; readonly inspection: Inspection; readonly target: CallTarget }
  | { readonly kind: 'pending'; readonly hash: string }
  | { readonly kind: 'failed'; readonly hash: string; readonly failure: Failure };

/** Resolves to the number of failures on the chain. */
async function failureCount(): Promise<number> {
  const { count } = await client.read<{ readonly count: string }>('inspect_failures', [1]);
  return numberOf(count);
}

/** Sends the creation. Opens the contract if it is mined; otherwise resolves to the reason. */
async function deploy(call: CallFields, signed: readonly string[]): Promise<Result | null> {
  const head = headNumber.peek();
  const before = await failureCount();
  try {
    const hash = await send(call, signed);
    const outcome = await receivedOutcome(hash);
    if (outcome === null) return { kind: 'pending', hash };
    if (outcome.failed) return { kind: 'failed', hash, failure: await failureOf(hash, 'reverted') };
    announcement.value = 'Contract deployed';
    go(pathTo('address', outcome.contractAddress ?? ''));
    return null;
  } catch (error) {
    // Some error styles report the failure of a mined transaction as an error.
    const hash = await minedSince(head, call.from);
    const reason = errorText(error);
    if (hash !== null) return { kind: 'failed', hash, failure: await failureOf(hash, reason) };
    const count = await failureCount();
    return { kind: 'refused', reason, failureNumber: count > before ? count : null };
  }
}

function Shown({ result }: { readonly result: Result }): JSX.Element {
  if (result.kind === 'refused')
    return (
      <p class="failure" role="alert">
        {shown(result.reason, 2_000)}{' '}
        {result.failureNumber === null ? null : (
          <a href={pathTo('failure', String(result.failureNumber))}>Open the failure</a>
        )}
      </p>
    );
  if (result.kind === 'pending')
    return (
      <p class="outcome" role="status">
        Pending: <TransactionHash hash={result.hash} />
      </p>
    );
  if (result.kind === 'failed')
    return <FailedSend title="Deployment failed" hash={result.hash} failure={result.failure} />;
  const { inspection } = result;
  if (inspection.failure !== null) return <WhyItFailed inspection={inspection} target={result.target} />;
  return (
    <p class="outcome" role="status">
      Would succeed
    </p>
  );
}

/** The field of a library's address, with the addresses of its deployments. */
function LibraryField({
  library,
  known,
  value,
  onInput,
}: {
  readonly library: string;
  readonly known: readonly string[];
  readonly value: string;
  readonly onInput: (text: string) => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        Library <bdi>{shown(shortLibrary(library), 60)}</bdi>{' '}
        <span class="faint mono">{shown(library, 120)}</span>
      </label>
      <input
        id={id}
        type="text"
        class="mono"
        list={`${id}list`}
        value={value}
        placeholder="0x and 40 hex digits"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <datalist id={`${id}list`}>
        {known.map((address) => (
          <option key={address} value={address} />
        ))}
      </datalist>
      {known.length > 0 ? null : <p class="faint">No deployment found. Deploy the library first.</p>}
    </div>
  );
}

function Form({ artifact }: { readonly artifact: Deployable }): JSX.Element {
  const accounts = useRead<readonly string[]>('eth_accounts', []);
  const made = artifact.abi.find((entry): entry is AbiConstructor => entry.type === 'constructor');
  const inputs = made?.inputs ?? [];
  const isPayable = made?.stateMutability === 'payable';
  const [texts, setTexts] = useState<readonly string[]>(inputs.map(() => ''));
  const [value, setValue] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map());
  const [result, setResult] = useState<Result | null>(null);
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const libraries = [...new Set(artifact.links.map(({ library }) => library))];
  const knownOf = (library: string): readonly string[] => artifact.deployed.get(shortLibrary(library)) ?? [];
  const libraryText = (library: string): string => typed.get(library) ?? knownOf(library)[0] ?? '';
  const from = chosen ?? checksummed(accounts.value?.[0] ?? '');
  // Until the accounts are loaded, the sender is unknown.
  const isLoading = accounts.value === undefined && accounts.error === null;
  const callOf = (): CallFields => {
    if (!ADDRESS.test(from.trim())) throw new Error('Deploy as: expected 0x and 40 hex digits');
    const code = linked(artifact, new Map(libraries.map((each) => [each, libraryText(each)])));
    const values = inputs.map((input, index) => argumentOf(input, texts[index] ?? '', nameOf(input, index)));
    const data = `0x${code}${encodeAbiParameters(encodable(inputs), values).slice(2)}`;
    const wei = isPayable && value.trim() !== '' ? weiOf(value) : 0n;
    return { from: from.trim(), data, value: `0x${wei.toString(16)}` };
  };
  const run = async (work: (call: CallFields) => Promise<Result | null>): Promise<void> => {
    setBusy(true);
    try {
      setResult(await work(callOf()));
    } catch (error) {
      setResult({ kind: 'refused', reason: errorText(error), failureNumber: null });
    } finally {
      setBusy(false);
    }
  };
  const simulate = (): Promise<void> =>
    run(async (call) => {
      // The debug view needs the same block, also after later blocks.
      const block = `0x${headNumber.peek().toString(16)}`;
      const params = [call, block, {}, null, { count: 0, changes: false }];
      const inspection = await client.read<Inspection>('inspect_call', params);
      return { kind: 'simulated', inspection, target: { call: { ...call }, block } };
    });
  return (
    <form
      class="deploy"
      onSubmit={(event) => {
        event.preventDefault();
        void run((call) => deploy(call, accounts.value ?? []));
      }}
    >
      {libraries.map((library) => (
        <LibraryField
          key={library}
          library={library}
          known={knownOf(library)}
          value={libraryText(library)}
          onInput={(text) => setTyped(new Map(typed).set(library, text))}
        />
      ))}
      {inputs.map((parameter, index) => (
        <ArgumentField
          key={`${index}${parameter.name}`}
          label={nameOf(parameter, index)}
          type={typeOf(parameter)}
          expected={expectedOf(parameter)}
          value={texts[index] ?? ''}
          onInput={(text) => setTexts(texts.map((old, each) => (each === index ? text : old)))}
        />
      ))}
      {inputs.length > 0 ? null : <p class="faint">The constructor has no arguments.</p>}
      {!isPayable ? null : (
        <ArgumentField
          label="Value in ether"
          expected="for example 0.5 (empty = 0)"
          value={value}
          onInput={setValue}
        />
      )}
      <div class="field">
        <label for={id}>Deploy as (any address)</label>
        <input
          id={id}
          type="text"
          class="mono"
          list={`${id}list`}
          value={from}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setChosen(event.currentTarget.value)}
        />
        <AccountOptions id={`${id}list`} accounts={accounts.value ?? []} />
      </div>
      <p class="buttons">
        <button type="button" disabled={isBusy || isLoading} onClick={() => void simulate()}>
          Simulate
        </button>
        <button type="submit" class="primary" disabled={isBusy || isLoading}>
          Deploy
        </button>
      </p>
      {result === null ? null : <Shown result={result} />}
    </form>
  );
}

export function Deploy(): JSX.Element {
  const name = place.value.query.get('contract') ?? '';
  const source = place.value.query.get('source') ?? '';
  const asked = useReadState(
    () => (name === '' || source === '' ? Promise.resolve(null) : readArtifact(source, name)),
    [name, source],
  );
  return (
    <>
      <h1>
        Deploy <bdi>{shown(name, 80)}</bdi>
      </h1>
      <Loaded asked={asked}>
        {(artifact) => {
          if (artifact === null)
            return (
              <Empty>
                No artifact has this contract. <a href={pathTo('contracts')}>Choose a contract</a>
              </Empty>
            );
          if (!('deployed' in artifact))
            return <Empty>An interface or an abstract contract has no code to deploy.</Empty>;
          return (
            <>
              <Facts
                rows={[
                  [
                    'Source',
                    <span key="source" class="mono">
                      {shown(artifact.sourceName, 200)}
                    </span>,
                  ],
                  ['Initcode', byteSize(artifact.bytecode.length / 2 - 1)],
                ]}
              />
              <Form key={`${source}:${name}`} artifact={artifact} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}
