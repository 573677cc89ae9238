import { describe, expect, it } from 'vitest';
import { SourceOutline } from '../../src/artifacts/source-outline.ts';
import { finish } from '../../src/primitives/steps.ts';

const outlineOf = (text: string): SourceOutline => finish(SourceOutline.read(text, null));

describe('SourceOutline.linesFrom', () => {
  it('returns lines without line breaks, and fewer lines at the end of the file', () => {
    const outline = outlineOf('one\r\ntwo\n\nfour');
    expect(outline.linesFrom(1, 3, 10)).toEqual(['one', 'two', '']);
    expect(outline.linesFrom(3, 10, 10)).toEqual(['', 'four']);
    expect(outline.linesFrom(5, 1, 10)).toEqual([]);
  });

  it('cuts long lines between characters of several bytes', () => {
    const outline = outlineOf(`${'€'.repeat(20)}\n${'é'.repeat(5)}\n${'€'.repeat(5)}`);
    expect(outline.linesFrom(1, 3, 5)).toEqual([`${'€'.repeat(5)}…`, 'é'.repeat(5), '€'.repeat(5)]);
  });
});
