import { describe, expect, it } from 'vitest';
import { findingsIn } from './findings.ts';
import { withoutMarkup } from './mask.ts';
import { PHRASES } from './phrases.ts';

const found = (prose: string): string[] =>
  findingsIn({ kind: 'text', prose: withoutMarkup(prose), line: 1 }).map(
    ({ rule, words }) => `${rule}: ${words}`,
  );

/** Sentences with the words that the guide replaces. */
const REPLACED: readonly (readonly [words: string, sentence: string])[] = [
  ['3: Where', 'Where the upstream does not answer, the request fails.'],
  ['3: where', 'It saves the chain; where the disk is full, it fails.'],
  ['3: where there is', 'Returns the hash, or zero bytes where there is one missing.'],
  ['3: undefined where', 'The label; `null` or undefined where the lane has a key.'],
  ['3: only where', 'It is done only where a client asks.'],
  ['3: where the form has no', 'Returns nothing where the form has no member.'],
  ['3: where it is absent', 'The node makes it up where it is absent.'],
  ['3: where the rules have one', 'Base fee of the chain where the rules have one'],
  ['4: begins where another', 'The chain begins where another chain ends.'],
  ['4: what', 'Print what chain a node has'],
  ['4: Whatever', 'Whatever is sent to these accounts is lost.'],
  ['4: whoever', 'The fee is paid by whoever sends it.'],
  ['4: those', 'The blocks of the fork and those of the chain'],
  ['4: those', 'Its transactions come before those.'],
  ['4: those', 'The build finds all steps, except those marked by hand.'],
  ['4: that of', 'The hash is that of the parent.'],
  ['4: of which', 'A list of which the first item is shown.'],
  ['4: in which', 'The block in which it was mined'],
  ['4: for which', 'The chain for which it was made'],
  ['4: which is', 'The head, which is never dropped'],
  ['4: which are', 'Lists which are empty'],
  ['4: such', 'Lists of such values are read later.'],
  ['5: says', 'The node says why.'],
  ['5: tells', 'A line tells the reason.'],
  ['5: is told', 'A client is told how to start it.'],
  ['5: told of', 'A test told of in the log'],
  ['5: goes on', 'The node goes on with the saved chain.'],
  ['5: stands', 'The value stands behind the opcode.'],
  ['6: none where', 'It prints none where the list ends.'],
  ['6: and is none', 'The file begins like gzip and is none.'],
  ['6: nothing but', 'The tool reads nothing but headers.'],
  ['6: but for', 'All blocks are kept but for the first.'],
  ['6: not unlike', 'A lane is not unlike a fork.'],
  ['6: not without a', 'It works, but not without a key.'],
  ['7: at once', 'It mines each transaction at once.'],
  ['7: is gone', 'The lane is gone after an hour.'],
  ['7: that is there', 'A file that is there is loaded.'],
  ['7: is there', 'The answer is there already.'],
  ['7: there are', 'All values there are, in order'],
  ['7: comes into being', 'A folder comes into being.'],
  ['7: so many', 'Keep so many of the newest blocks, so that memory is free.'],
  ['7: So much', 'So much early work begins before work that has waited.'],
  ['7: so long', 'Forget transactions that have waited for so long in real time'],
  ['7: least gas price', 'The least gas price of a network'],
  ['7: kept code', 'The file of kept code'],
  ['7: contracts from the start', 'All contracts from the start are listed.'],
  ['7: native contracts', 'Bridge and other native contracts'],
  ['7: Dialect', 'Dialect hardhat for Hardhat'],
  ['7: the room', 'Each file of the room has a test.'],
  ['7: rehearsal', 'A rehearsal runs after the start.'],
  ['7: misspelt', 'A field is misspelt.'],
  ['7: slip', 'The name is the same except for a slip.'],
  ['7: is refused', 'The transaction is refused.'],
  ['7: refused request', 'Every refused request is logged.'],
  ['7: calls in hand', 'The node waits for the calls in hand.'],
  ['7: who calls', 'The key of the person who calls'],
  ['7: nobody calls', 'A lane that nobody calls'],
  ['7: words of an error', 'The words of an error'],
  ['7: by place', 'The changes, by place'],
  ['7: blocks beside', 'The blocks beside the others'],
  ['7: in pieces', 'The dump is written in pieces.'],
  ['7: in one turn', 'It took 80 ms in one turn.'],
  ['7: makes no sense', 'The upstream returns a value that makes no sense.'],
  ['7: in the manner of', 'A node in the manner of Anvil'],
];

/** Sentences that have the same words in another sense, and sentences that follow the guide. */
const PLAIN: readonly string[] = [
  'Shows the source line where the call failed',
  'The folder where the compiler writes its output',
  'The block number, the hash and where it was mined',
  'Where does the chain start?',
  'What does the node store?',
  'Read those blocks again.',
  'A tool such as Foundry reads it.',
  'cannot open: no such file or directory',
  'EIP-1559 says this.',
  'A letter stands for a word.',
  'The clock stands still.',
  'Selectors are told apart by their code.',
  'The label goes on the left side.',
  'This is not for reads but for writes.',
  'Some keys are not understood.',
  'Is there a node?',
  'It has so many entries that no list shows them.',
  'The option `--dialect` and the file `dialects.ts`',
  'There is no room for it.',
  'The answer does not fit the room that is left.',
  'The key is one that none of these clients has.',
  'connect ECONNREFUSED: the connection is refused',
  'A caller of a function pays its gas.',
  'The origin of an HTTP request and the page of a lane',
  'Each of them gets its message in turn.',
  'Each transaction is mined before its hash is returned',
  'Ctrl-C waits up to 5 s for pending requests, then exits with code 0.',
  'Give every URL path its own chain, forked from / on first use',
  'Maximum logs returned for ranges above --log-block-limit (0 = no limit)',
  '--threads is an Anvil option, but node-cli is single-threaded; remove the option',
  'no node at N (connection refused); start one or pass --url',
  'waiting up to 5 s for 3 lanes; press Ctrl-C again to exit immediately',
  'Loads the file into the chain. Options take precedence. Returns true if no option overrode the file.',
];

/** Sentences before and after a revision. */
const REVISED: readonly (readonly [before: string, after: string])[] = [
  ['a node that goes on from where the file stands', 'a node that loads the file'],
  ['the network whose rules are those of the service', "a network with the service's rules"],
  ['It holds no key but for those that are there from the start.', 'It has only the default keys.'],
  ['Throws where a client is told of none that is known.', 'Throws if no client is known.'],
  ['the time after which a lane that nobody calls is gone', 'idle time of a lane before it expires'],
  ['how so much is kept of what there was', 'the size of the cache'],
];

describe('the phrases', () => {
  it.each(REPLACED)('find %j in %j', (words, sentence) => {
    expect(found(sentence)).toContain(words);
  });

  it('have an example each', () => {
    const sentences = REPLACED.map(([, sentence]) => sentence);
    const unused = PHRASES.filter(
      ({ pattern }) => !sentences.some((sentence) => withoutMarkup(sentence).match(pattern)),
    );
    expect(unused).toEqual([]);
  });

  it.each(PLAIN)('find nothing in %j', (sentence) => {
    expect(found(sentence)).toEqual([]);
  });

  it.each(REVISED)('find %j, and nothing in its revision', (before, after) => {
    expect(found(before)).not.toEqual([]);
    expect(found(after)).toEqual([]);
  });

  it('match across a line break', () => {
    expect(findingsIn({ kind: 'text', prose: 'It mines them at\nonce.', line: 7 })).toEqual([
      {
        kind: 'text',
        line: 7,
        rule: 7,
        words: 'at once',
        remedy: 'write "immediately", "automine" or "at the same time"',
      },
    ]);
  });

  it('count overlapping words once', () => {
    expect(found('The list is empty where none was found.')).toEqual(['3: where none']);
  });
});

describe('the length of a sentence', () => {
  const words = (count: number): string => Array(count).fill('word').join(' ');

  it('is at most 25 words', () => {
    expect(found(`${words(25)}.`)).toEqual([]);
    expect(found(`${words(26)}.`)).toEqual(['1: word word word word word word word …']);
  });

  it('includes the parts behind semicolons and colons', () => {
    expect(found(`${words(20)}; ${words(5)}: ${words(1)}`)).toHaveLength(1);
  });

  it('is reported on the line of its first word', () => {
    const [finding] = findingsIn({ kind: 'comments', prose: `One.\nTwo.\n${words(30)}`, line: 3 });
    expect(finding).toMatchObject({ kind: 'comments', line: 5, rule: 1 });
    expect(finding?.remedy).toBe('30 words; write sentences of at most 25');
  });
});
