import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareBytes } from '../../src/primitives/bytes.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { triePutAll } from '../../src/state/trie/trie-put-all.ts';
import { trieEntriesFrom } from '../../src/state/trie/trie-walks.ts';

/** Four-byte keys with shared prefixes, so that their tries have extensions. */
const key = fc.array(fc.constantFrom(0x00, 0x01, 0x10, 0x11, 0xff), { minLength: 4, maxLength: 4 });

it('trieEntriesFrom yields the entries from a key on in order', () => {
  const keys = fc.uniqueArray(key, { maxLength: 40, selector: (bytes) => bytes.join() });
  fc.assert(
    fc.property(keys, key, (all, first) => {
      const start = Uint8Array.from(first);
      const entries = all.map((bytes, value) => ({ key: Uint8Array.from(bytes), value }));
      const expected = entries
        .filter((entry) => compareBytes(entry.key, start) >= 0)
        .sort((left, right) => compareBytes(left.key, right.key));
      const found = Array.from(trieEntriesFrom(triePutAll(null, entries), start));
      expect(found.map((entry) => [toHex(entry.key), entry.value])).toEqual(
        expected.map((entry) => [toHex(entry.key), entry.value]),
      );
    }),
  );
});
