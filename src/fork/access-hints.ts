// The upstream's predictions of the accounts and slots that a message reads.

import { hexKey, toHex, toQuantity } from '../primitives/hex.ts';
import type { PredictableMessage } from '../state/state-source.ts';
import { asObject, tolerantFixedData } from '../wire/tolerant.ts';
import type { AnswerStore } from './answer-store.ts';
import { UpstreamRejectionError } from './errors.ts';
import type { HintOverrides } from './hint-overrides.ts';
import { isUnserved, type ServedMethods } from './served-methods.ts';
import { accountQuestions, slotQuestion } from './state-questions.ts';
import { PINNED_BLOCK, type Question, type UpstreamCall } from './upstream/upstream-call.ts';

/** Maximum bytes of call data in a request for hints. */
const MAX_DATA = 32_768;
/** Maximum questions of one hint. An upstream may answer anything. */
const MAX_QUESTIONS = 2_000;
/** JSON-RPC 2.0, section 5.1: invalid params. */
const INVALID_PARAMS = -32602;
/** Maximum failed requests in a row. Executions on the same state then send no further ones. */
const MAX_FAILURES = 3;

/** An account (20 bytes) that a message probably reads, and its slots (32 bytes each). */
interface HintedAccount {
  readonly address: Uint8Array;
  readonly slots: readonly Uint8Array[];
}

function hintedAccount(address: unknown, slots: readonly unknown[]): HintedAccount[] {
  const bytes = tolerantFixedData(address, 20);
  if (bytes === undefined) return [];
  return [
    {
      address: bytes,
      slots: slots.slice(0, MAX_QUESTIONS).flatMap((slot) => tolerantFixedData(slot, 32) ?? []),
    },
  ];
}

/** Reads a response of `eth_createAccessList`. Ignores invalid entries. */
function accessListOf(answer: unknown): HintedAccount[] {
  const list = asObject(answer)?.accessList;
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_QUESTIONS).flatMap((entry) => {
    const fields = asObject(entry);
    const slots = fields?.storageKeys;
    return hintedAccount(fields?.address, Array.isArray(slots) ? slots : []);
  });
}

/** Reads the keys of a response of the `prestateTracer`. Ignores invalid entries. */
function prestateOf(answer: unknown): HintedAccount[] {
  const accounts = Object.entries(asObject(answer) ?? {}).slice(0, MAX_QUESTIONS);
  return accounts.flatMap(([address, account]) =>
    hintedAccount(address, Object.keys(asObject(asObject(account)?.storage) ?? {})),
  );
}

type Overrides = HintOverrides['accounts'];

interface HintMethod {
  readonly method: string;
  /** Returns the parameters after the call and the block. */
  readonly options: (overrides: Overrides | null) => readonly unknown[];
  readonly read: (answer: unknown) => HintedAccount[];
}

/** The methods that predict reads, the best first. */
const METHODS: readonly HintMethod[] = [
  {
    method: 'eth_createAccessList',
    options: (overrides) => (overrides === null ? [] : [overrides]),
    read: accessListOf,
  },
  {
    method: 'debug_traceCall',
    options: (overrides) => [
      { tracer: 'prestateTracer', ...(overrides === null ? {} : { stateOverrides: overrides }) },
    ],
    read: prestateOf,
  },
];

/** The parts of an upstream that hints use. */
export interface HintSource {
  readonly answers: AnswerStore;
  readonly served: ServedMethods;
  /** True after a rate-limit error, because each call then waits for a budget. */
  readonly isLimited: boolean;
  /** Sends the call, without the answer store. */
  askNow(call: UpstreamCall): Promise<unknown>;
}

/** The mark of a method if the upstream rejects its parameters as a hint. */
function hintName(method: string): string {
  return `${method} as a hint`;
}

/** The mark of a method if the upstream rejects state overrides. */
function overridesName(method: string): string {
  return `${method} with state overrides`;
}

const NO_OVERRIDES: HintOverrides = { accounts: {}, own: new Set() };

/**
 * Asks the upstream which accounts and slots a message reads, and fetches them in one batch. Only their keys are
 * used: a wrong hint costs requests, but changes no result. After "method not found" or "invalid params", a method
 * is not used again for this upstream and block.
 */
export class AccessHints {
  readonly #source: HintSource;
  #failures = 0;

  constructor(source: HintSource) {
    this.#source = source;
  }

  /**
   * Resolves when the hinted values are fetched, or if there is no hint. The upstream gets the local state as
   * overrides if it accepts them. Never rejects.
   */
  async fetch(message: PredictableMessage, { accounts, own }: HintOverrides = NO_OVERRIDES): Promise<void> {
    const { to, data } = message;
    if (to === null || data.length === 0 || data.length > MAX_DATA || this.#failures >= MAX_FAILURES) return;
    const hasOverrides = Object.keys(accounts).length > 0;
    for (const one of METHODS) {
      const { method } = one;
      const { isLimited, served } = this.#source;
      if (isLimited || !served.mayServe(method) || !served.mayServe(hintName(method))) continue;
      const sendsOverrides = hasOverrides && served.mayServe(overridesName(method));
      // Without its code, the upstream knows nothing about the call.
      if (!sendsOverrides && own.has(hexKey(to))) continue;
      try {
        const found = await this.#ask(one, message, sendsOverrides ? accounts : null);
        this.#failures = 0;
        return await this.#fetchAll(found.filter(({ address }) => !own.has(hexKey(address))));
      } catch (error) {
        if (!(error instanceof UpstreamRejectionError)) this.#failures++;
        if (isUnserved(error)) served.drop(method);
        else if (error instanceof UpstreamRejectionError && error.code === INVALID_PARAMS)
          served.drop(hintName(method));
        else return;
      }
    }
  }

  /** Returns the hinted accounts. If the upstream rejects the overrides, asks again without them. */
  async #ask(
    { method, options, read }: HintMethod,
    message: PredictableMessage,
    overrides: Overrides | null,
  ): Promise<HintedAccount[]> {
    const params = [callOf(message), PINNED_BLOCK, ...options(overrides)];
    const call = { method, params, expects: 'anything', isOptional: true } as const;
    try {
      return read(await this.#source.askNow(call));
    } catch (error) {
      const isRejected = error instanceof UpstreamRejectionError && error.code === INVALID_PARAMS;
      if (overrides === null || !isRejected) throw error;
      this.#source.served.drop(overridesName(method));
      return this.#ask({ method, options, read }, message, null);
    }
  }

  async #fetchAll(accounts: readonly HintedAccount[]): Promise<void> {
    const { answers } = this.#source;
    const questions: Question[] = [];
    for (const { address, slots } of accounts) {
      const name = toHex(address);
      questions.push(...accountQuestions(name), ...slots.map((slot) => slotQuestion(name, toHex(slot))));
      if (questions.length >= MAX_QUESTIONS) break;
    }
    const missing = questions
      .slice(0, MAX_QUESTIONS)
      .filter((question) => answers.get(question) === undefined);
    // An execution that needs a value asks for it again, and reports the failure.
    if (missing.length > 0) await answers.fetchAll(missing).catch(() => undefined);
  }
}

/** Without gas, because the upstream has its own limit; with price 0, so that the sender needs no balance. */
function callOf({ sender, to, data, value }: PredictableMessage): unknown {
  return {
    from: toHex(sender),
    to: to === null ? undefined : toHex(to),
    data: toHex(data),
    gasPrice: '0x0',
    ...(value === 0n ? {} : { value: toQuantity(value) }),
  };
}
