/** The frame of the explorer: top bar, timeline, tabs, and the current view. */

import { Component, type ComponentChildren, type ComponentType, type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { chainUrl, client, clockOffset, connection, facts, head, headNumber, moment } from './chain.ts';
import { clockOffsetText, errorText, grouped, numberOf, shown } from './format.ts';
import { forkBlock } from './log-search.ts';
import { actFailure } from './parts/act.ts';
import { CreatedLaneBar, createdLane, MomentBar } from './parts/bars.tsx';
import { Keys } from './parts/keys.tsx';
import { Search } from './parts/search.tsx';
import { Tabs } from './parts/tabs.tsx';
import { Timeline } from './parts/timeline.tsx';
import { useReadState } from './parts/use-read.ts';
import { Age, announcement, Failure, Text } from './parts/values.tsx';
import { pathOn, pathTo, place } from './router.ts';
import { nextTheme, theme } from './theme.ts';

interface State {
  readonly error: unknown;
}

/** An error boundary: if rendering throws, it shows the error and `otherwise`. The rest keeps working. */
class Guarded extends Component<
  { readonly children: ComponentChildren; readonly otherwise?: ComponentChildren },
  State
> {
  override state: State = { error: null };

  override componentDidCatch(error: unknown): void {
    this.setState({ error: error ?? new Error('unknown error') });
    // Prints the stack in the browser's console.
    reportError(error);
  }

  override render(): ComponentChildren {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <>
        <section class="failure" role="alert">
          <p>This view crashed. This is a bug in the explorer; the chain is not affected.</p>
          <p class="mono">{shown(errorText(error), 400)}</p>
          <button type="button" onClick={() => this.setState({ error: null })}>
            Try again
          </button>
        </section>
        {this.props.otherwise}
      </>
    );
  }
}

type View = ComponentType<{ readonly subject: string }>;

interface ViewEntry {
  readonly title: string;
  /** False for a view of one item, which has no tab. */
  readonly isTab: boolean;
  /** True for a view that keeps its state if its subject changes. */
  readonly isKept?: boolean;
  readonly load: () => Promise<View>;
}

/** The views by name in the URL. Each is loaded when it is first opened. */
const VIEWS: Readonly<Record<string, ViewEntry>> = {
  feed: { title: 'Feed', isTab: true, load: async () => (await import('./views/feed.tsx')).Feed },
  accounts: {
    title: 'Accounts',
    isTab: true,
    load: async () => (await import('./views/accounts.tsx')).Accounts,
  },
  contracts: {
    title: 'Contracts',
    isTab: true,
    load: async () => (await import('./views/contracts.tsx')).Contracts,
  },
  tokens: {
    title: 'Tokens',
    isTab: true,
    load: async () => (await import('./views/tokens.tsx')).Tokens,
  },
  gas: { title: 'Gas', isTab: true, load: async () => (await import('./views/gas.tsx')).Gas },
  mining: {
    title: 'Mining',
    isTab: true,
    load: async () => (await import('./views/mining.tsx')).Mining,
  },
  peg: {
    title: 'Peg',
    isTab: true,
    load: async () => (await import('./views/peg.tsx')).Peg,
  },
  pool: { title: 'Pool', isTab: true, load: async () => (await import('./views/pool.tsx')).Pool },
  lanes: { title: 'Lanes', isTab: true, load: async () => (await import('./views/lanes.tsx')).Lanes },
  console: {
    title: 'Console',
    isTab: false,
    isKept: true,
    load: async () => (await import('./views/console.tsx')).Console,
  },
  tx: {
    title: 'Transaction',
    isTab: false,
    load: async () => (await import('./views/transaction.tsx')).Transaction,
  },
  block: { title: 'Block', isTab: false, load: async () => (await import('./views/block.tsx')).Block },
  address: {
    title: 'Account',
    isTab: false,
    load: async () => (await import('./views/account.tsx')).Account,
  },
  deploy: {
    title: 'Deploy',
    isTab: false,
    load: async () => (await import('./views/deploy.tsx')).Deploy,
  },
  token: {
    title: 'Token',
    isTab: false,
    load: async () => (await import('./views/token.tsx')).Token,
  },
  debug: {
    title: 'Debug',
    isTab: false,
    load: async () => (await import('./views/debug.tsx')).Debug,
  },
  failure: {
    title: 'Failure',
    isTab: false,
    load: async () => (await import('./views/failure.tsx')).RecentFailure,
  },
};

const STATE_WORDS = {
  open: null,
  connecting: 'connecting',
  broken: 'not connected',
  dropped: 'dropped',
} as const;

/** The notice that the data are outdated: the node is not reachable, or the lane was dropped. */
function Disconnected(): JSX.Element | null {
  if (connection.value === 'broken')
    return (
      <p class="banner" role="alert">
        Cannot reach the node at {chainUrl}; retrying. The data below may be outdated.
      </p>
    );
  if (connection.value !== 'dropped') return null;
  return (
    <p class="banner" role="alert">
      Lane <bdi>{shown(place.value.chain, 60)}</bdi> was dropped. The data below may be outdated.{' '}
      <button type="button" onClick={() => client.makeAnew()}>
        Create it again
      </button>{' '}
      <a href={pathOn('', 'lanes')}>Other lanes</a>
    </p>
  );
}

/** The fork block; empty if the chain is not a fork. */
function ForkedAfter(): JSX.Element | null {
  const { value } = useReadState(forkBlock, [place.value.chain, facts.value?.genesisHash]);
  if (value === undefined || value === 0) return null;
  return (
    <span class="when">
      forked at block <b>{grouped(value)}</b>
    </span>
  );
}

/** The difference between the chain's clock and the local clock; empty if there is none. */
function ClockOffset(): JSX.Element | null {
  const offset = clockOffset.value;
  if (offset === 0) return null;
  return (
    <span title="Chain clock minus your clock. Each block is at least 1 s later than its parent, unless the node runs with --allow-blocks-with-same-timestamp.">
      <span class="wide">chain </span>clock: <b>{clockOffsetText(offset)}</b>
    </span>
  );
}

function Top(): JSX.Element {
  const known = facts.value;
  const latest = head.value;
  return (
    <header class="top">
      <a class="brand" href={pathTo('feed')}>
        node-cli
      </a>
      <span class={`state ${connection.value}`}>{STATE_WORDS[connection.value]}</span>
      {known === null || latest === null ? null : (
        <p class="chain-facts">
          <span>
            chain <b>{known.chainId}</b>
          </span>
          {place.value.chain === '' ? null : (
            <span class="lane-fact">
              lane <b>{place.value.chain}</b>
            </span>
          )}
          <span>
            block <b>{grouped(headNumber.value)}</b>{' '}
            <span class="when faint">
              <Age block={headNumber.value} seconds={numberOf(latest.timestamp)} />
            </span>
          </span>
          <ForkedAfter />
          <ClockOffset />
        </p>
      )}
      <Search />
      <a
        class="console-link mono"
        href={pathTo('console')}
        aria-label="Console"
        aria-current={place.value.view === 'console' ? 'page' : undefined}
        title="Console: call any RPC method"
      >
        ›_
      </a>
      <Keys />
      <button
        type="button"
        class="theme"
        onClick={nextTheme}
        aria-label={`Colour theme: ${theme.value}; click to change`}
        title={`Colour theme: ${theme.value}`}
      >
        {theme.value === 'dark' ? '☾' : theme.value === 'light' ? '☀' : '◐'}
      </button>
    </header>
  );
}

function ViewTabs(): JSX.Element {
  const hasBridge = facts.value?.hasBridge === true;
  const tabs = Object.entries(VIEWS)
    .filter(([name, { isTab }]) => isTab && (name !== 'peg' || hasBridge))
    .map(([name, { title }]) => ({ name, title, path: pathTo(name) }));
  return <Tabs label="Views" tabs={tabs} current={place.value.view} />;
}

interface Opened {
  readonly name: string;
  readonly view: View | null;
  readonly error: unknown;
}

function Main(): JSX.Element {
  const { view: name, subject } = place.value;
  const entry = VIEWS[name];
  const [opened, setOpened] = useState<Opened | null>(null);
  useEffect(() => {
    document.title = entry === undefined ? 'node-cli' : `${entry.title} ${subject} · node-cli`;
    let isWanted = true;
    entry?.load().then(
      (view) => isWanted && setOpened({ name, view, error: null }),
      (error: unknown) => isWanted && setOpened({ name, view: null, error }),
    );
    return () => {
      isWanted = false;
    };
  }, [name]);
  if (entry === undefined)
    return (
      <>
        <h1>Page not found</h1>
        <p class="empty">
          Unknown view “{name}”. <a href={pathTo('feed')}>Open the feed</a>
        </p>
      </>
    );
  if (opened?.name !== name) return <p class="loading">Loading…</p>;
  if (opened.view === null) return <Failure error={opened.error} />;
  const Shown = opened.view;
  const kept = entry.isKept === true ? '' : subject;
  return (
    <Guarded key={`${name}/${kept}`}>
      <Shown key={kept} subject={subject} />
    </Guarded>
  );
}

export function App(): JSX.Element {
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Top />
      <Guarded otherwise={<ViewTabs />}>
        <Timeline tabs={<ViewTabs />} />
      </Guarded>
      {moment.value === null ? null : <MomentBar />}
      {createdLane.value === null ? null : <CreatedLaneBar lane={createdLane.value} />}
      <Disconnected />
      {actFailure.value === null ? null : (
        <p class="banner" role="alert">
          <Text text={actFailure.value} longest={600} />{' '}
          <button
            type="button"
            onClick={() => {
              actFailure.value = null;
            }}
          >
            Dismiss
          </button>
        </p>
      )}
      <main id="main" tabIndex={-1}>
        <Main />
      </main>
      <output class="unseen" aria-live="polite">
        {announcement.value}
      </output>
    </>
  );
}
