import { withoutMarkup } from './mask.ts';
import { breaksIn, type Passage } from './passage.ts';
import { readsAsProse } from './reads-as-prose.ts';

/** Parts of a page that show no text. */
const HIDDEN = /<!--[\s\S]*?-->|<(script|style)\b[\s\S]*?<\/\1>/gi;

/** Tags of elements that interrupt a sentence. */
const BLOCK_TAG = /<(?!\/?(?:a|b|code|em|i|kbd|small|span|strong)\b)[^>]*>/gi;

/** Returns the prose that an HTML file shows. */
export function passagesOfHtml(source: string, kind: Passage['kind']): Passage[] {
  const shown = source.replace(HIDDEN, (match) => `<p>${'\n'.repeat(breaksIn(match))}`);
  let end = 0;
  let line = 1;
  const passages: Passage[] = [];
  for (const { 0: tag, index } of [...shown.matchAll(BLOCK_TAG), { 0: '', index: shown.length }]) {
    const text = shown.slice(end, index);
    const prose = withoutMarkup(text.trim());
    const leading = breaksIn(text.slice(0, text.search(/\S|$/)));
    if (readsAsProse(prose)) passages.push({ kind, prose, line: line + leading });
    line += breaksIn(text) + breaksIn(tag);
    end = index + tag.length;
  }
  return passages;
}
