import fc from 'fast-check';

/** Parts of hostile strings. If the page runs one as code, it sets `window.ran`. */
const FRAGMENTS = [
  '<script>window.ran=1</script>',
  '<img src=x onerror=window.ran=1>',
  '"><svg onload=window.ran=1>',
  "');window.ran=1;('",
  'javascript:window.ran=1',
  '</title></bdi></code></main>',
  '{{constructor.constructor("window.ran=1")()}}',
  '&lt;b&gt;&#x202e;',
  '\u202e\u2066txet',
  '\u200f\u0627\u0644\u0639\u0631\u0628\u064a\u0629',
  '\u0000\u0007\u001b[31m\u007f\u0085',
  '\u2028\u2029\ufeff\u00ad\u200b',
  'Z\u0335\u0321\u0322\u0323\u0324\u0325\u0326'.repeat(20),
  '\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67',
  '\ud800',
  '__proto__',
  'constructor',
  'toString',
  '%s%n%c',
  '\\u{202e}',
  '../../..//?at=1#x',
  'x'.repeat(300),
  '\n\n\n\r\n\t',
] as const;

/** Strings that could run as code, or could move or hide other text. */
export const hostileString: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ unit: 'binary', maxLength: 8 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''));

/** Bytes that are not UTF-8: cut characters, overlong characters, surrogates and unused bytes. */
export const INVALID_UTF8 = 'c328a0a1e28228f0288cbcf8a1a1a1a1eda080fffec080';

/** All fragments in one string. */
export const ALL_FRAGMENTS = FRAGMENTS.join(' ');
