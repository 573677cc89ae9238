import { OSAKA, osakaBlobs } from './osaka.ts';
import type { RuleSet } from './rule-set.ts';

/** The first blob-parameter fork after Osaka (EIP-7892): more blobs a block, and nothing else. */
export const BPO1: RuleSet = {
  ...OSAKA,
  name: 'bpo1',
  blobs: osakaBlobs({ target: 10, maximum: 15, baseFeeUpdateFraction: 8_346_193n }),
  reference: { ...OSAKA.reference, hardfork: 'bpo1' },
  toolHardfork: 'Bpo1',
};
