import { describe, expect, it } from 'vitest';
import { RecentAnswers } from '../../src/fork/recent-answers.ts';

function text(length: number): string {
  return '0'.repeat(length);
}

describe('RecentAnswers', () => {
  it('evicts the oldest answers above the limit and counts the bytes of all answers', () => {
    const answers = new RecentAnswers(10_000);

    for (let index = 0; index < 1000; index++) {
      answers.set(`${index}`, text(100));
      expect(answers.heldBytes).toBeLessThanOrEqual(10_000);
    }

    expect(answers.get('999')).toHaveLength(100);
    expect(answers.get('980')).toHaveLength(100);
    expect(answers.get('0')).toBeUndefined();
  });

  it('counts a replaced answer once', () => {
    const answers = new RecentAnswers(10_000);
    answers.set('a', text(100));
    const { heldBytes } = answers;

    answers.set('a', text(100));

    expect(answers.heldBytes).toBe(heldBytes);
  });

  it('keeps the newest answer even if it is larger than the limit', () => {
    const answers = new RecentAnswers(10_000);
    answers.set('a', text(10));

    answers.set('b', text(20_000));

    expect(answers.get('a')).toBeUndefined();
    expect(answers.get('b')).toHaveLength(20_000);
  });
});
