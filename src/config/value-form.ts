import { isUpstreamUrl } from '../fork/fork-options.ts';
import { DIRECT, isProxyUrl } from '../fork/upstream/proxy-url.ts';
import { fromHex } from '../primitives/hex.ts';
import type { TransactionGasLimit } from '../protocol/hardforks/rule-set.ts';
import { parseAllowedHost } from '../server/access-control.ts';

/** The form of an option's value: how it is written and parsed. */
export interface ValueForm<Value> {
  /** The placeholder of the value in the help. */
  readonly placeholder: string;
  /** The values, as words that follow "expected". */
  readonly allowed: string;
  /** A valid value. */
  readonly example: string;
  /** All values; empty if they are too many to list. */
  readonly choices: readonly string[];
  /** The name of one of the choices in errors: `unknown <noun> "x"`. */
  readonly noun: string;
  /** A secret is not repeated in messages. */
  readonly isSecret: boolean;
  /** Returns the remedy for an invalid value; `undefined` for the default one. */
  hint(text: string): string | undefined;
  /** Returns the parsed value; `undefined` if the text is invalid. */
  parse(text: string): Value | undefined;
}

type Description = Partial<Omit<ValueForm<never>, 'parse'>>;

export function form<Value>(description: Description, parse: ValueForm<Value>['parse']): ValueForm<Value> {
  return {
    placeholder: '<text>',
    allowed: 'a text',
    example: '',
    choices: [],
    noun: 'value',
    isSecret: false,
    hint: () => undefined,
    ...description,
    parse,
  };
}

const DIGITS = /^\d+$/;

/** Accepts an integer from `least` to `most`. `unit` is the counted thing. */
export function wholeNumber(least: number, most: number, example: string, unit?: string): ValueForm<number> {
  const allowed = `a whole number ${unit === undefined ? '' : `of ${unit} `}from ${least} to ${most}`;
  return form({ placeholder: `<${unit ?? 'number'}>`, allowed, example }, (text) => {
    const value = Number(text);
    return DIGITS.test(text) && value >= least && value <= most ? value : undefined;
  });
}

const LAST_BLOCK = Number.MAX_SAFE_INTEGER;

/** A block number, or a negative number that counts back from the newest block. */
export const forkBlock: ValueForm<number> = form(
  {
    placeholder: '<number>',
    allowed: `a whole number from 0 to ${LAST_BLOCK}, or from -1 down to count back from the newest block`,
    example: '7000000',
  },
  (text) => {
    const value = Number(text);
    const isNegativeZero = Object.is(value, -0);
    return /^-?\d+$/.test(text) && !isNegativeZero && Math.abs(value) <= LAST_BLOCK ? value : undefined;
  },
);

/** Accepts an integer of wei or gas from `least` to `most`, as `bigint`. */
export function bigintInteger(least: bigint, most: bigint, example: string, unit: string): ValueForm<bigint> {
  const allowed = `a whole number of ${unit} from ${least} to ${most}`;
  return form({ placeholder: `<${unit}>`, allowed, example }, (text) => {
    if (!DIGITS.test(text)) return undefined;
    const value = BigInt(text);
    return value >= least && value <= most ? value : undefined;
  });
}

/** Accepts gas from `least` to `most`, `none`, or `hardfork` for the limit of the hardfork. */
export function transactionGas(least: bigint, most: bigint): ValueForm<TransactionGasLimit> {
  const amount = bigintInteger(least, most, '30000000', 'gas');
  const allowed = `${amount.allowed}, "none" or "hardfork"`;
  return form({ placeholder: '[gas|none]', allowed, example: 'none' }, (written) =>
    written === 'none' || written === 'hardfork' ? written : amount.parse(written),
  );
}

const MAX_BLOCK_TIME = 86_400;

const MAX_TIMESTAMP = 2 ** 40;
/** ISO 8601 in UTC, or with an offset from it. Without an offset, the time would depend on the machine. */
const DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** A time in seconds since 1970, or as an ISO 8601 date in UTC. */
export const timestamp: ValueForm<number> = form(
  {
    placeholder: '<time>',
    allowed: `seconds since 1970 (0 to ${MAX_TIMESTAMP}), or a date in the form 2026-01-31 or 2026-01-31T12:00:00Z`,
    example: '1700000000',
  },
  (text) => {
    const value = DIGITS.test(text) ? Number(text) : DATE.test(text) ? Date.parse(text) / 1000 : Number.NaN;
    return value >= 0 && value <= MAX_TIMESTAMP ? Math.floor(value) : undefined;
  },
);

/** A duration of at least a millisecond, in seconds with fractions. */
export const seconds: ValueForm<number> = form(
  {
    placeholder: '<seconds>',
    allowed: `a number of seconds from 0.001 to ${MAX_BLOCK_TIME}`,
    example: '2.5',
  },
  (text) => {
    const value = Number(text);
    return /^(\d+|\d*\.\d+)$/.test(text) && value >= 0.001 && value <= MAX_BLOCK_TIME ? value : undefined;
  },
);

/** A percentage, with fractions. */
export const percent: ValueForm<number> = form(
  { placeholder: '<percent>', allowed: 'a percentage from 0 to 1000', example: '5' },
  (text) => {
    const value = Number(text);
    return /^\d+(\.\d+)?$/.test(text) && value <= 1000 ? value : undefined;
  },
);

/** A duration in seconds as {@link seconds}, or 0 for no limit. */
export const secondsOrNone: ValueForm<number> = form(
  { ...seconds, allowed: `${seconds.allowed}, or 0` },
  (text) => (/^0+$/.test(text) ? 0 : seconds.parse(text)),
);

const ETHER_DIGITS = 18;

/** An amount of ether with up to 18 decimals, parsed as wei. */
export const ether: ValueForm<bigint> = form(
  {
    placeholder: '<ether>',
    allowed: 'an amount of ether from 0 to 1000000000000000 with at most 18 decimals',
    example: '10000',
  },
  (text) => {
    const match = /^(\d{1,15}|10{15})(?:\.(\d{1,18}))?$/.exec(text);
    if (match?.[1] === undefined) return undefined;
    return BigInt(match[1] + (match[2] ?? '').padEnd(ETHER_DIGITS, '0'));
  },
);

const MAX_CHOICES_SHOWN = 3;

/** Accepts one of the words; `noun` is their name in errors. */
export function choice<const Word extends string>(noun: string, ...words: readonly Word[]): ValueForm<Word> {
  const placeholder = words.length > MAX_CHOICES_SHOWN ? '<name>' : `<${words.join('|')}>`;
  const description = {
    placeholder,
    allowed: `one of ${words.join(', ')}`,
    example: words[0] ?? '',
    choices: words,
    noun,
  };
  return form(description, (text) => words.find((word) => word === text));
}

/** Accepts text that matches the pattern. */
export function text(description: Description, pattern: RegExp): ValueForm<string> {
  return form(description, (written) => (pattern.test(written) ? written : undefined));
}

/** Visual Studio Code. `{path}` starts with a slash, except on Windows. */
export const DEFAULT_EDITOR_LINK = 'vscode://file/{path}:{line}:{column}';

const NO_LINK = 'none';
/** A URL with a scheme. Browsers run the text of these schemes as code or as a page. */
const LINK = /^(?!(?:javascript|data|vbscript|blob):)[a-z][a-z\d+.-]*:[^\s"'<>\\^`|]+$/i;
const PLACEHOLDER = /\{([^{}]*)\}/g;
const PLACEHOLDERS: ReadonlySet<string> = new Set(['path', 'line', 'column']);

/** The template of a link with `{path}`, `{line}` and `{column}`; `null` for `none`. */
export const editorLink: ValueForm<string | null> = form(
  {
    placeholder: '<link>',
    allowed: 'a URL with {path}, and optionally {line} and {column}, or "none"',
    example: DEFAULT_EDITOR_LINK,
  },
  (written) => {
    if (written === NO_LINK) return null;
    const names = Array.from(written.matchAll(PLACEHOLDER), ([, name = '']) => name);
    const isRight =
      LINK.test(written) &&
      names.includes('path') &&
      names.every((name) => PLACEHOLDERS.has(name)) &&
      !/[{}]/.test(written.replace(PLACEHOLDER, ''));
    return isRight ? written : undefined;
  },
);

/** The 20 bytes of an address. Ignores case. */
export const address: ValueForm<Uint8Array> = form(
  {
    placeholder: '<address>',
    allowed: 'an address (0x and 40 hexadecimal digits)',
    example: `0x${'0'.repeat(38)}33`,
  },
  (written) => (/^0x[0-9a-fA-F]{40}$/.test(written) ? fromHex(written) : undefined),
);

/** A BIP-39 mnemonic, parsed as words with single spaces. Words and checksum are checked later. */
export const mnemonic: ValueForm<string> = form(
  {
    placeholder: '<words>',
    allowed: '12, 15, 18, 21 or 24 English BIP-39 words, in lower case and in quotes',
    example: '"test test test test test test test test test test test junk"',
    isSecret: true,
  },
  (written) => {
    const words = written.trim().split(/\s+/);
    const isRight =
      [12, 15, 18, 21, 24].includes(words.length) && words.every((word) => /^[a-z]+$/.test(word));
    return isRight ? words.join(' ') : undefined;
  },
);

const WORD_COUNTS = [12, 15, 18, 21, 24] as const;

/** The number of words of a BIP-39 mnemonic. */
export const wordCount: ValueForm<number> = form(
  { placeholder: '[count]', allowed: `one of ${WORD_COUNTS.join(', ')}`, example: '24' },
  (written) => WORD_COUNTS.find((count) => String(count) === written),
);

/** An address, optionally with a colon and an amount of ether. `balance` is in wei, or `null`. */
export const fundedAddress: ValueForm<{ readonly address: Uint8Array; readonly balance: bigint | null }> =
  form(
    {
      placeholder: '<address[:ether]>',
      allowed: `${address.allowed}, optionally followed by a colon and an amount of ether`,
      example: `${address.example}:10000`,
    },
    (written) => {
      const [addressText = '', amount, ...rest] = written.split(':');
      const found = address.parse(addressText);
      const balance = amount === undefined ? null : ether.parse(amount);
      return found === undefined || balance === undefined || rest.length > 0
        ? undefined
        : { address: found, balance };
    },
  );

/** The URL of a node to fork, optionally followed by `@` and a block number. Its path can contain a key. */
export const upstreamUrl: ValueForm<string> = form(
  {
    placeholder: '<url[@block]>',
    allowed:
      'an HTTP or WebSocket URL, optionally followed by @ and a block number (negative to count back from the newest block)',
    example: 'https://node.example',
    isSecret: true,
  },
  (written) => (isUpstreamUrl(written) && !/@-0+$/.test(written) ? written : undefined),
);

/** A URL of an HTTP proxy, or `none`. */
export const proxyUrl: ValueForm<string> = form(
  {
    placeholder: '<url|none>',
    allowed: 'an HTTP or HTTPS URL of a proxy, or none',
    example: 'http://proxy.example:3128',
    isSecret: true,
  },
  (written) => (written === DIRECT || isProxyUrl(written) ? written : undefined),
);

/** An additional host name of the node. */
export const allowedHost: ValueForm<string> = form(
  {
    placeholder: '<host>',
    allowed: 'a host name (without scheme, port and path), *.name for all subdomains, or * for all hosts',
    example: 'node.example',
  },
  (written) => (parseAllowedHost(written) === undefined ? undefined : written),
);

/** A header of HTTP requests as name and value. */
export const httpHeader: ValueForm<readonly [name: string, value: string]> = form(
  {
    placeholder: '<name: value>',
    allowed: 'a header in the form "Authorization: Bearer abc"',
    example: '"Authorization: Bearer abc"',
    isSecret: true,
  },
  (written) => {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*([\x20-\x7e\t]*?)\s*$/.exec(written);
    return match?.[1] === undefined || match[2] === undefined ? undefined : [match[1], match[2]];
  },
);

/** The 32 bytes of a hash. */
export const hash32: ValueForm<Uint8Array> = form(
  {
    placeholder: '<hash>',
    allowed: 'a hash (0x and 64 hexadecimal digits)',
    example: `0x${'0'.repeat(62)}33`,
  },
  (written) => (/^0x[0-9a-fA-F]{64}$/.test(written) ? fromHex(written) : undefined),
);
