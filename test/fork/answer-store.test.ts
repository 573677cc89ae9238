import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerStore } from '../../src/fork/answer-store.ts';
import { type AnswerCache, answersInMemory, ForkCache } from '../../src/fork/cache/fork-cache.ts';
import { ForkCacheError, OfflineError, UpstreamError } from '../../src/fork/errors.ts';
import {
  blockQuestion,
  PINNED_BLOCK,
  type Question,
  questionOf,
  stateQuestion,
  type UpstreamCall,
} from '../../src/fork/upstream/upstream-call.ts';
import { nextIteration } from '../../src/scheduling/cancel-check.ts';
import { tolerantWord } from '../../src/wire/tolerant.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { word } from '../support/words.ts';

const CHAIN_ID = 33;
const PIN = { number: 9, hash: new Uint8Array(32).fill(0xab) };
const URLS = ['http://upstream'];
const ADDRESS = `0x${'c0'.repeat(20)}`;

function slotQuestion(slot: number): Question {
  return stateQuestion('eth_getStorageAt', 'word', ADDRESS, word(slot));
}

function longCall(last: number): Question {
  const data = `0x${last.toString(16).padStart(10_000, '0')}`;
  return questionOf({ method: 'eth_call', params: [{ data }, PINNED_BLOCK], expects: 'data' });
}

/** An upstream that answers from a function and records the keys of all calls. */
class Upstream {
  readonly asked: string[] = [];
  readonly #answer: (call: UpstreamCall) => unknown;

  constructor(answer: (call: UpstreamCall) => unknown) {
    this.#answer = answer;
  }

  readonly ask = async (call: UpstreamCall): Promise<unknown> => {
    this.asked.push(questionOf(call).key);
    const [answer] = await Promise.all([Promise.resolve(call).then(this.#answer), nextIteration()]);
    return answer;
  };
}

function storeOn(upstream: Upstream, cache: AnswerCache = answersInMemory(), isOffline = false): AnswerStore {
  return new AnswerStore(upstream, cache, { number: PIN.number, block: null, keys: new Set() }, isOffline);
}

describe('AnswerStore', () => {
  it('requests a pending question once', async () => {
    const upstream = new Upstream(() => word(7));
    const store = storeOn(upstream);
    const first = store.fetch(slotQuestion(1));
    await nextIteration();

    const answers = await Promise.all([first, store.fetchAll([slotQuestion(1), slotQuestion(2)])]);

    expect(answers).toEqual([word(7), [word(7), word(7)]]);
    expect(upstream.asked).toEqual([slotQuestion(1).key, slotQuestion(2).key]);
  });

  it('rejects all requests for a pending question that fails, and requests it again later', async () => {
    let isDown = true;
    const upstream = new Upstream(() => {
      if (isDown) throw new UpstreamError('down');
      return word(7);
    });
    const store = storeOn(upstream);

    const failed = await Promise.allSettled([store.fetch(slotQuestion(1)), store.fetch(slotQuestion(1))]);
    isDown = false;

    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(upstream.asked).toHaveLength(1);
    expect(await store.fetch(slotQuestion(1))).toBe(word(7));
  });

  it('reads the cache again only for a question that is not pending', async () => {
    let reads = 0;
    const upstream = new Upstream(() => word(7));
    const store = storeOn(upstream, {
      ...answersInMemory(),
      readOn: () =>
        ++reads === 1 ? undefined : Promise.reject(new ForkCacheError('the cache is unreadable')),
    });
    const first = store.fetch(slotQuestion(1));

    const answers = await Promise.all([first, store.fetch(slotQuestion(1))]);

    expect(answers).toEqual([word(7), word(7)]);
    await expect(store.fetch(slotQuestion(2))).rejects.toThrow('the cache is unreadable');
  });

  it('finds answers that another process adds to the cache', async () => {
    const directory = await temporaryDirectory();
    const [own, other] = [0, 1].map(() => new ForkCache(directory, URLS, createManualClock()));
    const upstream = new Upstream(() => word(7));
    const store = storeOn(upstream, await own?.answers(CHAIN_ID, PIN));
    await store.fetch(slotQuestion(1));
    (await other?.answers(CHAIN_ID, PIN))?.set(slotQuestion(2).key, word(8));

    const found = await store.fetch(slotQuestion(2));

    expect(found).toBe(word(8));
    expect(upstream.asked).toHaveLength(1);
  });

  it('requests an item that did not exist again', async () => {
    let block: unknown = null;
    const store = storeOn(new Upstream(() => block));
    await store.fetch(blockQuestion('0x5', false));
    block = 'a block';

    const found = await store.fetch(blockQuestion('0x5', false));

    expect(found).toBe('a block');
  });

  it('rejects a missing answer offline, with the request and the options that fetch it', async () => {
    const upstream = new Upstream(() => word(7));
    const store = storeOn(upstream, answersInMemory(), true);

    await expect(store.fetch(slotQuestion(1))).rejects.toThrow(
      new OfflineError(
        `response to eth_getStorageAt ["${ADDRESS}","${word(1)}"]`,
        '--fork-url <url> --fork-block-number 9',
      ),
    );
    expect(upstream.asked).toEqual([]);
  });

  it('keeps the answer to a long question in memory, but not in the cache and not in dumps', async () => {
    const cache = answersInMemory();
    const upstream = new Upstream(() => '0x01');
    const store = storeOn(upstream, cache);

    await store.fetch(longCall(1));

    expect(store.get(longCall(1))).toBe('0x01');
    expect([...cache.entries()]).toEqual([]);
    expect(store.all()).toEqual(new Map());
  });

  it('changes its version if a response is added that a dump contains', async () => {
    const store = storeOn(new Upstream(() => word(7)));
    const versions = [store.version];

    await store.fetch(slotQuestion(1));
    versions.push(store.version);
    store.stopCaching();
    await store.fetch(slotQuestion(2));
    versions.push(store.version);
    store.give(new Map([[slotQuestion(3).key, word(7)]]));
    versions.push(store.version);
    await store.fetch(slotQuestion(3));

    expect(new Set(versions).size).toBe(4);
    expect(store.version).toBe(versions[3]);
    expect(store.all().size).toBe(3);
  });

  it('keeps an answer that is too long for the cache until it is read', async () => {
    const directory = await temporaryDirectory();
    const code = `0x${'00'.repeat(2 ** 23)}`;
    const cache = await new ForkCache(directory, URLS, createManualClock()).answers(CHAIN_ID, PIN);
    const store = storeOn(new Upstream(() => code), cache);
    const question = stateQuestion('eth_getCode', 'dataOrNull', ADDRESS);

    await store.fetch(question);

    expect(store.get(question)).toBe(code);
    expect([...cache.entries()]).toEqual([]);
  });

  it('throws an error for a valid answer without the expected bytes', async () => {
    const store = storeOn(new Upstream(() => word(1)));
    await store.fetch(slotQuestion(1));

    expect(() => store.getBytes(slotQuestion(1), () => undefined)).toThrow(
      `invalid response from the fork URL to eth_getStorageAt: "${word(1)}"`,
    );
  });

  it('makes the same key for a state question as for any other call', () => {
    const { key, ...call } = slotQuestion(1);

    expect(key).toBe(questionOf(call).key);
    expect(key).toBe(`["eth_getStorageAt",["${ADDRESS}","${word(1)}","@"]]`);
  });

  /** Questions by index: slots, blocks (the last ones do not exist), and calls with long keys. */
  const QUESTIONS: readonly Question[] = [
    ...Array.from({ length: 6 }, (_, index) => slotQuestion(index)),
    ...Array.from({ length: 4 }, (_, index) => blockQuestion(`0x${index}`, false)),
    longCall(1),
    longCall(2),
  ];
  const [FIRST_BLOCK, FIRST_MISSING, FIRST_LONG] = [6, 8, 10];

  const blocks = blockAnswers();
  const answerAt = (index: number): unknown => {
    if (index < FIRST_BLOCK) return word(index + 100);
    return index < FIRST_LONG ? (index < FIRST_MISSING ? blocks[index - FIRST_BLOCK] : null) : '0x0102';
  };
  const INDEXES = new Map(QUESTIONS.map(({ key }, index) => [key, index]));

  const index = fc.nat({ max: QUESTIONS.length - 1 });
  const indexes = fc.uniqueArray(index, { minLength: 1, maxLength: 4 });
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('fetch' as const), indexes, fails: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('other process' as const), index }) },
    fc.record({ kind: fc.constant('load dump' as const), indexes, isValid: fc.boolean() }),
    fc.record({ kind: fc.constant('use other URLs' as const) }),
    fc.record({ kind: fc.constant('restart' as const) }),
  );

  it('behaves like a map with a file for any sequence of fetches, dumps and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const directory = await temporaryDirectory();
        const open = async (): Promise<AnswerCache> =>
          new ForkCache(directory, URLS, createManualClock()).answers(CHAIN_ID, PIN);
        let isDown = false;
        const upstream = new Upstream((call) => {
          if (isDown) throw new UpstreamError('down');
          return answerAt(INDEXES.get(questionOf(call).key) ?? -1);
        });
        let store = storeOn(upstream, await open());
        // The model: indexes on disk, indexes that the store has read from disk, and indexes in memory only.
        const disk = new Set<number>();
        let loaded = new Set<number>();
        let dumped = new Set<number>();
        let long = new Set<number>();
        // Invalid answers of a dump without a later request. The store cannot recognise them by their keys.
        const invalid = new Set<number>();
        let isCached = true;
        const isKnown = (one: number): boolean => loaded.has(one) || dumped.has(one) || long.has(one);

        for (const one of steps) {
          if (one.kind === 'fetch') {
            const requested = upstream.asked.length;
            isDown = one.fails;
            loaded = new Set([...loaded, ...disk]);
            const missing = one.indexes.filter((wanted) => !isKnown(wanted));
            const fetched = store.fetchAll(one.indexes.map((wanted) => QUESTIONS[wanted] as Question));
            if (isDown && missing.length > 0) {
              await expect(fetched).rejects.toThrow('down');
              // The other requests of the batch end.
              await nextIteration();
            } else expect(await fetched).toEqual(one.indexes.map(answerAt));
            expect(upstream.asked.slice(requested)).toEqual(missing.map((wanted) => QUESTIONS[wanted]?.key));
            for (const wanted of isDown ? [] : missing) {
              if (answerAt(wanted) === null) continue;
              invalid.delete(wanted);
              if (wanted >= FIRST_LONG) long.add(wanted);
              else if (isCached) for (const known of [disk, loaded]) known.add(wanted);
              else dumped.add(wanted);
            }
          } else if (one.kind === 'other process') {
            if (one.index >= FIRST_MISSING) continue;
            (await open()).set(QUESTIONS[one.index]?.key ?? '', answerAt(one.index));
            disk.add(one.index);
          } else if (one.kind === 'load dump') {
            const wanted = one.indexes.filter((given) => given < FIRST_MISSING && !dumped.has(given));
            store.give(
              new Map(
                wanted.map((given) => [QUESTIONS[given]?.key ?? '', one.isValid ? answerAt(given) : 7]),
              ),
            );
            for (const given of wanted) (one.isValid ? dumped : invalid).add(given);
            if (one.isValid) for (const given of wanted) invalid.delete(given);
          } else if (one.kind === 'use other URLs') {
            isCached = false;
            store.stopCaching();
          } else {
            store = storeOn(upstream, await open());
            invalid.clear();
            [loaded, dumped, long, isCached] = [new Set(disk), new Set(), new Set(), true];
          }
          for (const [place, question] of QUESTIONS.entries())
            expect(store.get(question)).toEqual(isKnown(place) ? answerAt(place) : undefined);
          for (const place of [0, 1])
            expect(store.getBytes(slotQuestion(place), tolerantWord)).toEqual(
              isKnown(place) ? tolerantWord(answerAt(place)) : undefined,
            );
        }
        const dump = store.all();
        for (const place of [...loaded, ...dumped].filter((known) => !invalid.has(known)))
          expect(dump.get(QUESTIONS[place]?.key ?? '')).toEqual(answerAt(place));
        expect([...dump.keys()]).toEqual([...dump.keys()].sort());
      }),
      { numRuns: 100 },
    );
  });
});

/** Two blocks with hashes of transactions, as a node returns them. */
function blockAnswers(): unknown[] {
  const answers = JSON.parse(
    readFileSync(new URL('../../src/rpc/examples/eth.json', import.meta.url), 'utf8'),
  ) as unknown;
  const found: unknown[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('parentHash' in value && 'transactions' in value && 'number' in value) found.push(value);
    else for (const member of Object.values(value)) visit(member);
  };
  visit(answers);
  const [block] = found;
  return [0, 1].map((number) => ({ ...(block as object), number: `0x${number}` }));
}
