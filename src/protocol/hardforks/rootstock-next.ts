import { ROOTSTOCK } from './rootstock.ts';
import { ROOTSTOCK_DRAFTS } from './rootstock-drafts.ts';
import type { Preview, RuleSet } from './rule-set.ts';
import { withRules } from './single-rule.ts';

const PREVIEW: Preview = {
  kind: 'RSKIP',
  included: Object.fromEntries(ROOTSTOCK_DRAFTS.map(({ number, change }) => [number, change])),
  leftOut: {
    558: 'blobs: no implementation exists to compare with',
    690: 'releaseBtcTo of the Bridge: its code is not available',
  },
  elsewhere: {},
};

/** A preview of Rootstock's next rules: all drafts of `ROOTSTOCK_DRAFTS`. */
export const ROOTSTOCK_NEXT: RuleSet = {
  ...withRules(ROOTSTOCK, ROOTSTOCK_DRAFTS),
  name: 'rootstock-next',
  preview: PREVIEW,
};
