/** A JSON-RPC client over a WebSocket that reconnects. */

/** An error response of the node. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The connection broke before the response. */
export class DisconnectedError extends Error {
  override readonly name = 'DisconnectedError';

  constructor() {
    super('cannot reach the node');
  }
}

/** `broken` is retried soon; `dropped` means that the chain was dropped. */
export type ConnectionState = 'connecting' | 'open' | 'broken' | 'dropped';

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly params?: { readonly subscription: string; readonly result: unknown };
}

/** A subscription that is renewed with each connection. */
interface Standing {
  readonly params: readonly unknown[];
  readonly onItem: (item: unknown) => void;
}

/** The subprotocol for unlogged calls. The explorer's reads would hide the calls of programs. */
const QUIET_PROTOCOL = 'node-cli-quiet';

/** Resolves to true if the chain was dropped. The request ends if the signal is aborted. */
type IsDropped = (signal: AbortSignal) => Promise<boolean>;

const FIRST_PAUSE = 250;
const MAX_PAUSE = 5_000;
/** Timeout in milliseconds of a request to a node that does not respond. */
const REQUEST_TIMEOUT = 5_000;

/** A client of one chain: the base chain, or the lane or API key in its path. */
export class RpcClient {
  readonly #url: string;
  readonly #onState: (state: ConnectionState) => void;
  readonly #pending = new Map<number, Pending>();
  readonly #standing = new Set<Standing>();
  readonly #subscribed = new Map<string, Standing>();
  /** Sent after the connection opens. */
  #waiting: string[] = [];
  #socket: WebSocket | null = null;
  #lastId = 0;
  #pause = FIRST_PAUSE;
  #isSuspended = false;
  readonly #isDropped: IsDropped | null;
  #later: ReturnType<typeof setTimeout> | undefined;

  /**
   * `url` is the HTTP URL of the chain. `isDropped` is called before a reconnection, because the first call
   * to a lane's path creates the lane. It rejects while the node is not reachable.
   */
  constructor(url: string, onState: (state: ConnectionState) => void, isDropped: IsDropped | null = null) {
    this.#url = url;
    this.#onState = onState;
    this.#isDropped = isDropped;
    this.#open();
  }

  /** Reconnects. Polls instead if the chain was dropped, because another client may create it again. */
  async #openAgain(): Promise<void> {
    if (!this.#canOpen) return;
    if (this.#isDropped !== null) {
      const question = new AbortController();
      const tooLate = setTimeout(() => question.abort(), REQUEST_TIMEOUT);
      const isDropped = await this.#isDropped(question.signal).catch(() => null);
      clearTimeout(tooLate);
      if (!this.#canOpen) return;
      if (isDropped !== false) {
        this.#onState(isDropped === null ? 'broken' : 'dropped');
        this.#tryLater();
        return;
      }
    }
    this.#open();
  }

  get #canOpen(): boolean {
    return !this.#isSuspended && this.#socket?.readyState === WebSocket.CLOSED;
  }

  #tryLater(): void {
    clearTimeout(this.#later);
    this.#later = setTimeout(() => void this.#openAgain(), this.#pause);
    this.#pause = Math.min(2 * this.#pause, MAX_PAUSE);
  }

  /** Connects to a dropped chain, which creates it again. */
  makeAnew(): void {
    if (this.#socket?.readyState === WebSocket.CLOSED) this.#open();
  }

  #open(): void {
    this.#onState('connecting');
    const socket = new WebSocket(this.#url.replace(/^http/, 'ws'), QUIET_PROTOCOL);
    this.#socket = socket;
    socket.addEventListener('open', () => {
      this.#pause = FIRST_PAUSE;
      for (const text of this.#waiting) socket.send(text);
      this.#waiting = [];
      for (const standing of this.#standing) void this.#start(standing);
      this.#onState('open');
    });
    socket.addEventListener('message', ({ data }) => this.#receive(String(data)));
    socket.addEventListener('close', () => {
      this.#onState('broken');
      this.#subscribed.clear();
      for (const { reject } of this.#pending.values()) reject(new DisconnectedError());
      this.#pending.clear();
      this.#waiting = [];
      if (!this.#isSuspended) this.#tryLater();
    });
  }

  /** Closes the connection until {@link resume}, for example in the browser's back/forward cache. */
  suspend(): void {
    this.#isSuspended = true;
    this.#socket?.close();
  }

  /** Opens the connection that {@link suspend} closed. */
  resume(): void {
    if (!this.#isSuspended) return;
    this.#isSuspended = false;
    // If the old socket is still closing, its close event opens the connection.
    void this.#openAgain();
  }

  #receive(text: string): void {
    const message: Message = JSON.parse(text);
    if (message.params !== undefined) {
      this.#subscribed.get(message.params.subscription)?.onItem(message.params.result);
      return;
    }
    const pending = this.#pending.get(message.id ?? 0);
    if (pending === undefined) return;
    this.#pending.delete(message.id ?? 0);
    const { error } = message;
    if (error === undefined) pending.resolve(message.result);
    else pending.reject(new RpcError(error.code, error.message, error.data));
  }

  /** Resolves to the result. Rejects with {@link RpcError} or {@link DisconnectedError}. */
  read<Result>(method: string, params: readonly unknown[] = []): Promise<Result> {
    const id = ++this.#lastId;
    const text = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    return new Promise<Result>((resolve, reject) => {
      this.#pending.set(id, { resolve: (result) => resolve(result as Result), reject });
      if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
      else this.#waiting.push(text);
    });
  }

  /** Calls a method by POST, so that the node logs it like any program's call. Rejects like {@link read}. */
  async act<Result>(method: string, params: readonly unknown[] = []): Promise<Result> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    }).catch(() => {
      throw new DisconnectedError();
    });
    const { result, error } = (await response.json()) as Message;
    if (error !== undefined) throw new RpcError(error.code, error.message, error.data);
    return result as Result;
  }

  /**
   * Calls `onItem` with each item of a subscription, and renews the subscription after each reconnection.
   * Returns a function that ends it.
   */
  subscribe<Item>(params: readonly unknown[], onItem: (item: Item) => void): () => void {
    const standing: Standing = { params, onItem: (item) => onItem(item as Item) };
    this.#standing.add(standing);
    if (this.#socket?.readyState === WebSocket.OPEN) void this.#start(standing);
    return () => {
      this.#standing.delete(standing);
      for (const [id, subscribed] of this.#subscribed) {
        if (subscribed !== standing) continue;
        this.#subscribed.delete(id);
        void this.read('eth_unsubscribe', [id]).catch(() => undefined);
      }
    };
  }

  async #start(standing: Standing): Promise<void> {
    try {
      this.#subscribed.set(await this.read<string>('eth_subscribe', standing.params), standing);
    } catch (error) {
      // After a broken connection, the reconnection subscribes again.
      if (!(error instanceof DisconnectedError)) throw error;
    }
  }
}
