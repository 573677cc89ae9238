import { OSAKA, osakaBlobs } from './osaka.ts';
import type { RuleSet } from './rule-set.ts';

/** The first blob-parameter-only fork after Osaka (EIP-7892): more blobs per block. */
export const BPO1: RuleSet = {
  ...OSAKA,
  name: 'bpo1',
  blobs: osakaBlobs({ target: 10, maximum: 15, baseFeeUpdateFraction: 8_346_193n }),
  reference: { ...OSAKA.reference, hardfork: 'bpo1' },
  toolHardfork: 'Bpo1',
};

/** The second blob-parameter-only fork after Osaka (EIP-7892): more blobs per block. */
export const BPO2: RuleSet = {
  ...BPO1,
  name: 'bpo2',
  blobs: osakaBlobs({ target: 14, maximum: 21, baseFeeUpdateFraction: 11_684_671n }),
  reference: { ...BPO1.reference, hardfork: 'bpo2' },
  toolHardfork: 'Bpo2',
};
