/** The console: every RPC method with its documentation, a form, the answer as a tree, and a history. */

import type { JSX } from 'preact';
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import { chainUrl, client } from '../chain.ts';
import { clearRequests, keepRequest, type PastRequest, pastRequests } from '../console/history.ts';
import {
  changesChain,
  expectedText,
  foundMethods,
  namespaceOf,
  paramsOf,
  type RpcMethod,
} from '../console/methods.ts';
import { requestCodes } from '../console/request-code.ts';
import { absoluteTime, counted, errorText, grouped, shown } from '../format.ts';
import { Scrolled } from '../parts/lists.tsx';
import { useRead } from '../parts/use-read.ts';
import { announcement, Copy, Empty, Loaded } from '../parts/values.tsx';
import { go, pathTo } from '../router.ts';
import { RpcError } from '../rpc/client.ts';
import { type Input, inputsOf, ParamField, parameterOf } from './console/fields.tsx';
import { JsonTree } from './console/tree.tsx';

type Answer =
  | { readonly kind: 'result'; readonly value: unknown; readonly duration: number }
  | { readonly kind: 'error'; readonly error: unknown; readonly duration: number };

/** A request to repeat: it fills in the form of its method. */
interface Repeated {
  readonly method: string;
  readonly params: readonly unknown[];
}

function ChangesTag(): JSX.Element {
  return (
    <span class="tag bad" title="This method can change the chain, its settings or the keys of the node">
      changes
    </span>
  );
}

function MethodList({
  methods,
  current,
}: {
  readonly methods: readonly RpcMethod[];
  readonly current: string;
}): JSX.Element {
  const [text, setText] = useState('');
  const id = useId();
  const found = foundMethods(methods, text);
  const namespaces = groups(found);
  return (
    <section class="methods" aria-label="Methods">
      <div class="field">
        <label for={id}>Search {grouped(methods.length)} methods</label>
        <input
          id={id}
          type="text"
          value={text}
          placeholder="Name or purpose (Enter opens the first)"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            const [first] = found;
            if (event.key === 'Enter' && first !== undefined) go(pathTo('console', first.name));
          }}
        />
      </div>
      {found.length === 0 ? <Empty>No method matches “{shown(text, 60)}”</Empty> : null}
      <Scrolled class="method-list" label="Found methods">
        {namespaces.map(([namespace, own]) => (
          <div key={namespace}>
            <h2>{namespace}</h2>
            <ul class="plain">
              {own.map(({ name, summary }) => (
                <li key={name} class="method-row">
                  <a
                    class="mono"
                    href={pathTo('console', name)}
                    title={summary}
                    aria-current={name === current ? 'page' : undefined}
                  >
                    {name}
                  </a>
                  {changesChain(name) ? (
                    <span class="change-mark" title="Can change the chain">
                      ●
                    </span>
                  ) : null}
                </li>
              ))}
            </ul>
          </div>
        ))}
      </Scrolled>
      <p class="faint">
        <span class="change-mark">●</span> can change the chain
      </p>
    </section>
  );
}

function groups(methods: readonly RpcMethod[]): [namespace: string, methods: RpcMethod[]][] {
  const found = new Map<string, RpcMethod[]>();
  for (const method of methods) {
    const namespace = namespaceOf(method.name);
    found.set(namespace, [...(found.get(namespace) ?? []), method]);
  }
  return [...found];
}

function Shown({ answer }: { readonly answer: Answer }): JSX.Element {
  const time = <span class="faint note">{answer.duration.toFixed(0)} ms</span>;
  if (answer.kind === 'result')
    return (
      <section aria-label="Answer" class="answer">
        <h2>
          Answer {time} <Copy text={JSON.stringify(answer.value, null, 2)} label="Copy answer" />
        </h2>
        <JsonTree value={answer.value} />
      </section>
    );
  const { error } = answer;
  return (
    <section aria-label="Answer" class="answer">
      <h2>Error {time}</h2>
      <p class="failure" role="alert">
        {error instanceof RpcError ? <b class="mono">{error.code} </b> : null}
        <bdi>{shown(errorText(error), 2_000)}</bdi>
      </p>
      {error instanceof RpcError && error.data !== undefined ? (
        <JsonTree name="data" value={error.data} />
      ) : null}
    </section>
  );
}

function CopyAs({ codes }: { readonly codes: () => Readonly<Record<string, string>> }): JSX.Element {
  const [copied, setCopied] = useState('');
  const [error, setError] = useState('');
  const copy = async (name: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(codes()[name] ?? '');
      setError('');
      setCopied(name);
      announcement.value = 'Copied';
    } catch (cause) {
      setError(errorText(cause));
    }
  };
  return (
    <>
      <span class="faint">Copy as</span>
      {['curl', 'viem', 'ethers', 'cast'].map((name) => (
        <button key={name} type="button" aria-label={`Copy as ${name}`} onClick={() => void copy(name)}>
          {copied === name ? 'Copied' : name}
        </button>
      ))}
      {error === '' ? null : (
        <span class="reason" role="alert">
          {shown(error, 300)}
        </span>
      )}
    </>
  );
}

/** Reads use the explorer's connection without logging. Changes and subscriptions use HTTP. */
function send(method: string, params: readonly unknown[]): Promise<unknown> {
  const usesHttp = changesChain(method) || /_(?:un)?subscribe$/.test(method);
  return usesHttp ? client.act(method, params) : client.read(method, params);
}

function MethodForm({
  method,
  repeated,
}: {
  readonly method: RpcMethod;
  readonly repeated: Repeated | null;
}): JSX.Element {
  const [inputs, setInputs] = useState<readonly Input[]>(inputsOf(method, repeated?.params));
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [wrong, setWrong] = useState('');
  const { name, summary, params, result, examples = [] } = method;
  const [example] = examples;
  useEffect(() => {
    if (repeated !== null) setInputs(inputsOf(method, repeated.params));
  }, [repeated]);
  const values = (): readonly unknown[] =>
    paramsOf(params.map((param, index) => parameterOf(param, inputs[index] ?? { text: '' })));
  const run = async (): Promise<void> => {
    let given: readonly unknown[];
    try {
      given = values();
      setWrong('');
    } catch (error) {
      setWrong(errorText(error));
      return;
    }
    setBusy(true);
    const began = performance.now();
    try {
      const value = await send(name, given);
      setAnswer({ kind: 'result', value, duration: performance.now() - began });
      announcement.value = 'Answered';
      keepRequest({ method: name, params: given, time: Date.now(), failed: false });
    } catch (error) {
      setAnswer({ kind: 'error', error, duration: performance.now() - began });
      keepRequest({ method: name, params: given, time: Date.now(), failed: true });
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="method" aria-label={name}>
      <h1>
        <span class="mono">{name}</span> {changesChain(name) ? <ChangesTag /> : null}
      </h1>
      <p>{shown(summary, 400)}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void run();
        }}
      >
        {params.length === 0 ? <p class="faint">No parameters</p> : null}
        {params.map((param, index) => (
          <ParamField
            key={param.name}
            param={param}
            input={inputs[index] ?? { text: '' }}
            onChange={(input) => setInputs(inputs.map((old, place) => (place === index ? input : old)))}
          />
        ))}
        <p class="buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            Run
          </button>
          <kbd>Ctrl</kbd>
          <kbd>Enter</kbd>
          {example === undefined || params.length === 0 ? null : (
            <button
              type="button"
              onClick={() =>
                setInputs(
                  inputsOf(
                    method,
                    example.params.map(({ value }) => value),
                  ),
                )
              }
            >
              Fill in example
            </button>
          )}
        </p>
        <p class="buttons">
          <CopyAs codes={() => requestCodes(name, values(), chainUrl)} />
        </p>
      </form>
      {wrong === '' ? null : (
        <p class="failure" role="alert">
          {shown(wrong, 400)}
        </p>
      )}
      {answer === null ? (
        <p class="faint">Result: {shown(result.description ?? expectedText(result.schema ?? {}), 1_000)}</p>
      ) : (
        <Shown answer={answer} />
      )}
    </section>
  );
}

function History({ onRepeat }: { readonly onRepeat: (request: PastRequest) => void }): JSX.Element | null {
  const requests = pastRequests.value;
  if (requests.length === 0) return null;
  return (
    <section class="history" aria-label="History">
      <h2>
        History{' '}
        <button type="button" class="note" onClick={clearRequests}>
          Clear
        </button>
      </h2>
      <ul class="plain">
        {requests.map((request) => (
          <li key={`${request.method}${JSON.stringify(request.params)}`}>
            <button
              type="button"
              class="past"
              title={absoluteTime(Math.floor(request.time / 1_000))}
              onClick={() => onRepeat(request)}
            >
              <b class="mono">{shown(request.method, 80)}</b>{' '}
              {request.failed ? <span class="tag bad">error</span> : null}
              <span class="mono faint">{shown(JSON.stringify(request.params).slice(1, -1), 120)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Console({ subject }: { readonly subject: string }): JSX.Element {
  const asked = useRead<{ readonly methods: readonly RpcMethod[] }>('rpc.discover', []);
  const methods = useMemo(
    () => (asked.value?.methods ?? []).toSorted((left, right) => left.name.localeCompare(right.name)),
    [asked.value],
  );
  const [repeated, setRepeated] = useState<Repeated | null>(null);
  const method = methods.find(({ name }) => name === subject);
  return (
    <div class="console-view">
      <Loaded asked={asked}>{() => <MethodList methods={methods} current={subject} />}</Loaded>
      <div class="console-main">
        {method !== undefined ? (
          <MethodForm
            key={method.name}
            method={method}
            repeated={repeated?.method === method.name ? repeated : null}
          />
        ) : (
          <>
            <h1>Console</h1>
            <p class="empty">
              {subject === '' || asked.value === undefined
                ? `Choose a method. ${asked.value === undefined ? '' : `The node has ${counted(methods.length, 'method')}.`}`
                : `The node has no method “${shown(subject, 80)}”.`}
            </p>
          </>
        )}
        <History
          onRepeat={(request) => {
            setRepeated({ ...request });
            go(pathTo('console', request.method));
          }}
        />
      </div>
    </div>
  );
}
