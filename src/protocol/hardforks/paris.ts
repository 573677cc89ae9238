import { LONDON } from './london.ts';
import type { RuleSet } from './rule-set.ts';

/** Paris, the merge: proof of stake (EIP-3675), PREVRANDAO instead of DIFFICULTY (EIP-4399). */
export const PARIS: RuleSet = {
  ...LONDON,
  name: 'paris',
  isProofOfStake: true,
  difficulty: 0n,
  environment: { ...LONDON.environment, difficultyAnswers: 'prevRandao' },
  reference: { ...LONDON.reference, hardfork: 'paris' },
  toolHardfork: 'Paris',
};
