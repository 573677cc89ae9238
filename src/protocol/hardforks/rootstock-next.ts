import { ROOTSTOCK } from './rootstock.ts';
import { ROOTSTOCK_DRAFTS } from './rootstock-drafts.ts';
import type { Preview, RuleSet } from './rule-set.ts';
import { withRules } from './single-rule.ts';

const PREVIEW: Preview = {
  kind: 'RSKIP',
  included: Object.fromEntries(ROOTSTOCK_DRAFTS.map(({ number, change }) => [number, change])),
  leftOut: {
    558: 'blobs: the text is an early draft without an implementation',
    690: 'releaseBtcTo of the Bridge: the text and the code are not stable yet',
  },
  elsewhere: {},
};

/** A preview of Rootstock's next rules: all drafts of `ROOTSTOCK_DRAFTS`. */
export const ROOTSTOCK_NEXT: RuleSet = {
  ...withRules(ROOTSTOCK, ROOTSTOCK_DRAFTS),
  name: 'rootstock-next',
  preview: PREVIEW,
};
