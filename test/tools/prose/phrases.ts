/** A phrase that the guide replaces. A space in a pattern matches a line break, too. */
export interface Phrase {
  /** The rule of the guide: 3 and 4 for links, 5 for verbs of programs, 6 for negations, 7 for terms. */
  readonly rule: 3 | 4 | 5 | 6 | 7;
  readonly pattern: RegExp;
  readonly remedy: string;
}

/** A word behind "those" or "that" that shows that no noun follows. */
const NO_NOUN =
  '(?:of|that|which|who|whose|with|without|in|on|at|from|for|by|to|as|before|behind|after|above|below|between|under|over|and|or|but|is|are|was|were|have|had|do|does|can|could|may|must|will|would|a|an|the|it|they|we|you|there|not|only|already|here)';

const PREPOSITION =
  '(?:of|in|for|from|to|by|with|at|on|after|before|behind|under|through|without|over|into|than|upon|within|against|between|beside|until|since|during)';

/** Words behind "where" that make it a condition. */
const CONDITION =
  '(?:there (?:is|are|was|were)|no|none|nothing|nobody|neither|one|both|needed|necessary|possible|given|missing|known|set|asked|any|such|not|only|all of)';

function phrase(rule: Phrase['rule'], pattern: string, remedy: string): Phrase {
  return { rule, pattern: new RegExp(pattern.replaceAll(' ', '\\s+'), 'gi'), remedy };
}

export const PHRASES: readonly Phrase[] = [
  phrase(3, `(?<=^["'(]?)where\\b(?=[^?]*,)`, 'write "if"'),
  phrase(3, `(?<=; )where\\b(?=[^?;]*,)`, 'write "if"'),
  phrase(3, `\\bwhere ${CONDITION}\\b`, 'write "if"'),
  phrase(
    3,
    `(?:\\b(?:also|even|except|only|unless|null|undefined|zero|false|true|empty|absent)|(?:; |throws (?:an? )?|rejects with (?:an? )?)N) where\\b`,
    'write "if"',
  ),
  phrase(3, `\\bwhere (?:[\\w'-]+ ){1,4}(?:not|no|none)\\b`, 'write "if"'),
  phrase(
    3,
    `\\bwhere (?:[\\w'-]+ ){1,4}(?:is|are) (?:absent|known|unknown|missing|needed|meant|set|given|empty|possible|present)\\b`,
    'write "if"',
  ),
  phrase(3, `\\bwhere (?:[\\w'-]+ ){1,4}(?:has|have|had) (?:one|it|them)\\b`, 'write "if"'),

  phrase(
    4,
    `\\b(?:begins?|starts?|continues?) (?:from where\\b|where (?:an?|the|another)\\b)`,
    'name the block or the chain',
  ),
  phrase(4, `\\bwhat(?:ever)?\\b(?![^.!]*\\?)`, 'name the thing'),
  phrase(4, `\\bwho(?:ever|soever)\\b`, 'write "client", "user" or "sender"'),
  phrase(4, `\\bthose(?= ${NO_NOUN}\\b|[.,;:)]|$)`, 'repeat the noun'),
  phrase(
    4,
    `\\bthose (?=(?:\\w+ed|made|kept|read|found|known|left|seen|taken|given|written|sent) (?:in|by|on|at|to|with|from|as)\\b)`,
    'repeat the noun',
  ),
  phrase(4, `\\bthat of\\b(?! course\\b)`, 'repeat the noun'),
  phrase(4, `\\b${PREPOSITION} which\\b`, 'write two sentences, or "with", "whose" or "that"'),
  phrase(4, `\\bwhich (?:is|are|was|were)\\b`, 'start a new sentence, or drop the words'),
  phrase(4, `(?<!\\bno |\\bas )\\bsuch\\b(?! as\\b)`, 'repeat the noun with "this" or "these"'),

  phrase(
    5,
    `\\b(?:says|tells)\\b(?! apart\\b)(?<!\\b(?:EIP-\\d+|ERC-\\d+|RSKIP-?\\d+|RFC \\d+|paper|specification|spec|standard|docs|documentation|user) \\w+)`,
    'write "returns", "prints" or "reports"',
  ),
  phrase(
    5,
    `\\b(?:is|are|was|were|be|been|being) told\\b(?! apart\\b)`,
    'write "gets", "reads" or "receives"',
  ),
  phrase(5, `\\bto(?:ld|ll) of\\b|\\btells? of\\b`, 'write "reports"'),
  phrase(
    5,
    `\\b(?:goes|go|went|going|gone) on\\b(?= (?:with|from|in|at|to|as|until|after|without|for|where|when|by|behind|while|and|or|if|unless|[a-z]+ing)\\b|[.,;:)]|$)`,
    'write "continues"',
  ),
  phrase(
    5,
    `\\bst(?:ands?|ood|anding)\\b(?! (?:for|in for|out|by|alone|still)\\b|-)`,
    'write "is", "appears" or the state',
  ),

  phrase(6, `\\bnone (?:where|that|there)\\b`, 'write "no" with the noun, or "if absent"'),
  phrase(6, `\\b(?:and|but|that) (?:is|are|has|have) none\\b(?! of\\b)`, 'write "invalid" or "without"'),
  phrase(6, `\\b(?:nothing|nobody|none|no one|anything) but\\b`, 'write "only"'),
  phrase(6, `\\bbut for\\b(?<!\\bnot\\b[^.;]*)`, 'write "except"'),
  phrase(
    6,
    `\\bnot un(?:common|usual|like|likely|known|limited|bounded|changed|reasonable|affected|related|important|true|able|safe|necessary|aware|used|willing)\\b`,
    'negate once',
  ),
  phrase(6, `\\b(?:never|not) without (?:an?|the|its|their)\\b`, 'negate once'),

  phrase(7, `\\bat once\\b`, 'write "immediately", "automine" or "at the same time"'),
  phrase(
    7,
    `\\b(?:is|are|was|were|be) (?:not )?gone\\b(?! (?:back|through|over|into)\\b)`,
    'write "expired", "was removed" or "does not exist"',
  ),
  phrase(
    7,
    `\\b(?:that|which) (?:is|are|was|were) (?:not )?there\\b|\\b(?:is|are|was|were) (?:not )?there(?=[.,;:)]|$| (?:already|yet|now|before|and|or|but|when|if|without|until|to)\\b)`,
    'write "exists" or "is present"',
  ),
  phrase(7, `\\bthere (?:is|are)(?=[.,;)]|$)`, 'name the existing things'),
  phrase(7, `\\b(?:comes?|came|coming) into being\\b`, 'write "is created"'),
  phrase(
    7,
    `^so (?:many|much|few)\\b|\\bso (?:many|much|few)\\b(?![^.,;:]*\\bthat\\b)`,
    'write "N", a unit or "this number of"',
  ),
  phrase(7, `\\bso long\\b(?![^.,;:]*\\bthat\\b)`, 'write "N seconds" or "while"'),
  phrase(7, `\\bleast (?:gas price|price|fee|tip|gas)\\b`, 'write "minimum"'),
  phrase(7, `\\bkept (?:code|codes|answers?|forks?)\\b`, 'write "cache", "code cache" or "fork cache"'),
  phrase(7, `\\bcontracts from the start\\b`, 'write "predeployed contracts"'),
  phrase(7, `\\bnative contracts?\\b`, 'write "precompiled contract" or "precompile"'),
  phrase(7, `(?<!-)\\bdialects?\\b`, 'write "compat mode" or "error style"'),
  phrase(
    7,
    `\\b(?:the|a|each|every|this|that|its|all|other|own|lower|higher) rooms?\\b(?! (?:for|that|left)\\b)|\\brooms (?:of|below|above)\\b`,
    'write "module"',
  ),
  phrase(7, `\\brehears(?:als?|e|es|ed|ing)\\b`, 'write "warm-up"'),
  phrase(7, `\\bmisspel(?:t|led|ling|lings)\\b`, 'write "unknown field" or "typo"'),
  phrase(7, `\\bslips?\\b`, 'write "typo"'),
  phrase(
    7,
    `(?<!\\bconnections? )\\b(?:is|are|was|were|be|been|being|gets?) refused\\b`,
    'write "is rejected"',
  ),
  phrase(
    7,
    `\\brefused (?:requests?|calls?|transactions?|blocks?|messages?|methods?|parameters?)\\b`,
    'write "rejected"',
  ),
  phrase(
    7,
    `\\b(?:calls?|requests?|work|transactions?) in hand\\b|\\b(?:has|have|had) in hand\\b`,
    'write "pending requests"',
  ),
  phrase(7, `\\bwho calls\\b(?![^.!]*\\?)`, 'write "client"'),
  phrase(7, `\\bnobody (?:calls|asks|waits)\\b`, 'use the passive or a concrete subject'),
  phrase(
    7,
    `\\bwords of (?:an?|the|its|this|each|that) (?:errors?|messages?|reply|refusal)\\b`,
    'write "message"',
  ),
  phrase(7, `\\bby (?:its |their )?places?\\b`, 'write "by index"'),
  phrase(7, `\\bblocks? beside\\b|\\bbeside the (?:best )?chain\\b`, 'write "side block" or "orphan"'),
  phrase(7, `\\bin pieces\\b`, 'write "in time slices" or "in chunks"'),
  phrase(
    7,
    `\\bin (?:one|a|each|several|short|many) turns?\\b|\\b(?:between|in) turns\\b`,
    'write "time slice" or "yields"',
  ),
  phrase(7, `\\bmakes? no sense\\b`, 'write "invalid" with the expected form'),
  phrase(7, `\\bin the manner of\\b`, 'write "like" or "alternative to"'),
];
