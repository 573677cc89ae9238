/** The node of an agent: its own node, which it can restart, or a running node at `--url`. */

import { resolve } from 'node:path';
import type { IndexedContract } from '../../artifacts/contract-index.ts';
import { LazyArtifacts } from '../../artifacts/lazy-artifacts.ts';
import { UsageError } from '../../config/errors.ts';
import { flagOf, type NodeOptions, OPTION_ENTRIES, type OptionKey } from '../../config/options.ts';
import { childHost, childOptions, rejectNodeOptions, urlFor } from '../child-node.ts';
import { EXIT_CODES } from '../command.ts';
import { type ConfigFile, optionsIn } from '../config-file.ts';
import type { Closable } from '../exit.ts';
import type { Host } from '../host.ts';
import { AnsweredError, NodeClient } from '../node-client.ts';
import { artifactFolders } from '../open-chain.ts';
import { type CommandLineOptions, settleCommandLine } from '../read-options.ts';
import { type RunningNode, startNode } from '../start.ts';

/** Thrown if a tool cannot complete. The message is the reason; `next` is the next step for the agent. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** Maximum characters of one response, to save the context of a language model. */
const MAX_CHARACTERS = 24_000;

/** Maximum number of stored long texts. Each may have megabytes. */
const MAX_KEPT = 8;

/** Stores the texts that are too long for one response. */
export class LongTexts {
  readonly #kept = new Map<string, string>();
  #count = 0;

  /** Returns the text. Cuts a long text and appends a note on how to read the rest. */
  cut(text: string): { readonly text: string; readonly isCut: boolean } {
    if (text.length <= MAX_CHARACTERS) return { text, isCut: false };
    const id = String(++this.#count);
    this.#kept.set(id, text);
    const [oldest = id] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(oldest);
    return { text: piece(id, text, 0), isCut: true };
  }

  /** Returns the part of a cut text from `offset` on; `null` if the text is no longer stored. */
  rest(id: string, offset: number): string | null {
    const text = this.#kept.get(id);
    return text === undefined ? null : piece(id, text, offset);
  }
}

function piece(id: string, text: string, offset: number): string {
  const end = Math.min(text.length, offset + MAX_CHARACTERS);
  const range = `characters ${offset} to ${end} of ${text.length}`;
  const rest =
    end < text.length
      ? `; for the rest call read_more with id "${id}" and offset ${end}`
      : '; end of the response';
  return `${text.slice(offset, end)}\n\n[${range}${rest}]`;
}

/** A node of this process, and its URL. */
interface OwnNode {
  readonly running: RunningNode;
  readonly url: string;
}

/** The options of the command line and the configuration file, as written. */
export interface StartArguments {
  readonly given: CommandLineOptions;
  readonly file: ConfigFile | null;
}

/** Milliseconds that a tool waits for folders to be read. The rest is read in the background. */
const MAX_READING_TIME = 5_000;

export class Session implements Closable {
  readonly longTexts = new LongTexts();
  readonly #words: StartArguments;
  readonly #host: Host;
  readonly #options: NodeOptions;
  #own: OwnNode | null = null;
  #changing: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** The port of the previous node. The next node reuses it, so that the URL does not change. */
  #port: number | null = null;
  /** Added folders of build outputs, for this node and later ones. */
  readonly #folders = new Set<string>();
  #localArtifacts: Promise<LazyArtifacts> | null = null;

  /** Throws {@link UsageError} for conflicting options. */
  constructor(words: StartArguments, host: Host) {
    this.#words = words;
    this.#host = host;
    this.#options = this.#settled({});
    if (this.isRemote) rejectNodeOptions(words.given);
  }

  /** True if `--url` is set. This process then neither starts nor closes the node. */
  get isRemote(): boolean {
    return this.#options.given.has('url');
  }

  /** The masked URL of the base chain. Throws {@link ToolError} if no node is running. */
  get url(): string {
    return this.isRemote ? new NodeClient(this.#options.url).name : this.#base();
  }

  /** Starts or replaces the node. Rejects with `UsageError`, before any change, or with `StartError`. */
  async start(options: object): Promise<void> {
    if (this.isRemote)
      throw new ToolError(
        `cannot restart the node at ${this.url}: this server did not start it`,
        'Reset its chain with rpc_call evm_reset, or run npx node-cli mcp without --url.',
      );
    const settled = this.#settled(options);
    const started = this.#changing.then(() => this.#restart(settled));
    this.#changing = started.catch(() => undefined);
    await started;
  }

  /**
   * Resolves to a client for the lane, by default for the base chain. Rejects with {@link ToolError} if no
   * node is running or the lane is unknown; `next` is the next step in that error.
   */
  async node(lane?: string, next = `Create it with create_lane {"name": "${lane}"}.`): Promise<NodeClient> {
    await this.#changing;
    const base = new NodeClient(this.#base());
    if (lane === undefined) return base;
    const known = await this.lanes(base);
    if (known.includes(lane)) return new NodeClient(this.laneUrl(lane));
    const listed = known.length === 0 ? 'the node has no lanes' : `expected one of ${known.join(', ')}`;
    throw new ToolError(`unknown lane ${lane}; ${listed}`, next);
  }

  /** Throws {@link ToolError} if the URL of the node already contains a lane or an API key. */
  laneUrl(lane: string): string {
    const url = new URL(this.#base());
    if (url.pathname !== '/')
      throw new ToolError(
        'the URL of the node already contains a lane or an API key, so other lanes cannot be used',
        'Omit lane: the tools use the chain at that URL.',
      );
    url.pathname = `/${lane}`;
    return url.href;
  }

  /** Resolves to the keys of the lanes. Rejects with {@link ToolError} if the node has none. */
  async lanes(node: NodeClient): Promise<readonly string[]> {
    const answer = await node.ask('lane_list', []).catch((error: unknown) => {
      if (!(error instanceof AnsweredError)) throw error;
      throw new ToolError(
        `the node has no lanes: ${error.message}`,
        this.isRemote
          ? 'Omit lane and use snapshot and revert, or start the node with --lanes.'
          : 'Omit lane and use snapshot and revert.',
      );
    });
    if (!Array.isArray(answer)) return [];
    return answer.flatMap((lane: unknown) => {
      const key: unknown = typeof lane === 'object' && lane !== null ? Reflect.get(lane, 'key') : null;
      return typeof key === 'string' ? [key] : [];
    });
  }

  /** Resolves to the artifacts of the own node. For a running node, reads the folders of the options. */
  async artifacts(): Promise<LazyArtifacts> {
    await this.#changing;
    if (this.#own !== null) return this.#own.running.artifacts;
    this.#localArtifacts ??= this.#openArtifacts();
    return this.#localArtifacts;
  }

  /**
   * Adds a folder of build outputs, for later nodes too. Resolves to its contracts. `isRead` is false if
   * reading continues after {@link MAX_READING_TIME}. Rejects with {@link ToolError} for too large folders.
   */
  async addFolder(
    path: string,
  ): Promise<{ readonly contracts: IndexedContract[]; readonly isRead: boolean }> {
    const folder = resolve(this.#host.workingDirectory, path);
    this.#folders.add(folder);
    const artifacts = await this.artifacts();
    await addFolders(artifacts, this.#folders);
    const loaded = await artifacts.load();
    const refusal = loaded.refusalOf(folder);
    if (refusal !== null) {
      this.#folders.delete(folder);
      throw new ToolError(
        refusal,
        'Pass the output folder of the compiler, such as "./out" or "./artifacts".',
      );
    }
    const contracts = [...loaded.contracts].filter(({ file }) => file?.startsWith(folder) === true);
    return { contracts, isRead: !loaded.isReading };
  }

  /**
   * Closes the node after a pending start; `isHurried` does not wait for pending requests. Resolves to its
   * exit code; rejects with `SaveError`.
   */
  async close(isHurried = false): Promise<number> {
    this.#isClosed = true;
    await this.#changing;
    await (await this.#localArtifacts)?.close();
    return (await this.#own?.running.close(isHurried)) ?? EXIT_CODES.success;
  }

  /** True if the node writes files when it closes. */
  get hasFiles(): boolean {
    const { gasReport, profile, coverage, forkRecord, dataDir } = this.#options;
    const isFinal = [gasReport, profile, coverage, forkRecord, dataDir].some((path) => path !== null);
    return this.#own !== null && (isFinal || this.unsaved() !== null);
  }

  unsaved(): string | null {
    return this.#own?.running.unsaved() ?? null;
  }

  #base(): string {
    if (this.isRemote) return this.#options.url;
    if (this.#own !== null) return this.#own.url;
    throw new ToolError('no node is running', 'Start one with start_node.');
  }

  /** Merges the agent's options into the command line. Throws {@link UsageError}. */
  #settled(options: object): NodeOptions {
    const { given, file } = this.#words;
    const agents = optionsIn(options, 'options');
    for (const [key, value] of agents) checkAgents(key, value?.source ?? `${key} in options`);
    const words = { ...given, given: new Map([...given.given, ...agents]) };
    const settled = settleCommandLine(words, file?.given).options;
    if (!agents.has('forkUrl') || settled.forkHeader.length === 0) return settled;
    // The user's headers can contain a secret for the user's own fork URL.
    const known = settleCommandLine(given, file?.given).options.forkUrl.map(originOf);
    if (settled.forkUrl.every((url) => known.includes(originOf(url)))) return settled;
    words.given.set('forkHeader', null);
    return settleCommandLine(words, file?.given).options;
  }

  async #restart(settled: NodeOptions): Promise<void> {
    const earlier = this.#own;
    this.#own = null;
    await earlier?.running.close();
    if (this.#isClosed) throw new ToolError('the server is shutting down', 'Connect again.');
    const beside = childOptions(settled);
    // With API keys, each key already has its own lane.
    const lanes = settled.lanes || settled.apiKey.length === 0;
    const port = settled.given.has('port') ? settled.port : (this.#port ?? beside.port);
    const host = childHost(this.#host);
    const running = await startNode({ ...beside, lanes, port }, host);
    this.#own = { running, url: urlFor(running, settled) };
    this.#port = Number(new URL(running.url).port);
    await (settled.verbose ? running.announce() : running.writeConfig());
    if (this.#folders.size > 0) await addFolders(running.artifacts, this.#folders);
  }

  async #openArtifacts(): Promise<LazyArtifacts> {
    const tell = (text: string): void => this.#host.errorOutput.write(`node-cli: note: ${text}\n`);
    const folders = await artifactFolders(this.#options, { notice: tell }, this.#host);
    const artifacts = new LazyArtifacts(
      { timers: this.#host.timers, onWarning: tell },
      folders.map(({ path }) => path),
    );
    await addFolders(artifacts, this.#folders);
    return artifacts;
  }
}

function originOf(url: string): string {
  return new URL(url).origin;
}

/** Throws {@link UsageError} for an option that only the user may set; `source` is its name there. */
function checkAgents(key: OptionKey, source: string): void {
  if (OPTION_ENTRIES.some(([name, { setBy }]) => name === key && setBy === 'agent')) return;
  throw new UsageError(
    `${source}: only the user can set it, with npx node-cli mcp ${flagOf(key)}. start_node accepts forkUrl, forkBlockNumber, compat, and all options for accounts, chain and mining`,
  );
}

async function addFolders(artifacts: LazyArtifacts, folders: Iterable<string>): Promise<void> {
  const loaded = await artifacts.load();
  for (const folder of folders) loaded.addFolder(folder);
  await artifacts.readyWithin(MAX_READING_TIME);
}
