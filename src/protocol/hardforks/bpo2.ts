import { BPO1 } from './bpo1.ts';
import { osakaBlobs } from './osaka.ts';
import type { RuleSet } from './rule-set.ts';

/** The second blob-parameter fork after Osaka (EIP-7892): more blobs a block, and nothing else. */
export const BPO2: RuleSet = {
  ...BPO1,
  name: 'bpo2',
  blobs: osakaBlobs({ target: 14, maximum: 21, baseFeeUpdateFraction: 11_684_671n }),
  reference: { ...BPO1.reference, hardfork: 'bpo2' },
  toolHardfork: 'Bpo2',
};
