// Drafts of Rootstock proposals. Each draft can be added to Rootstock's rules on its own. The page of this folder
// lists the sources and their differences.

import { TWO_FEES_RULE } from '../fees.ts';
import { BERLIN, WARM_ACCESS_GAS } from './berlin.ts';
import { withOpcodes } from './opcodes.ts';
import type { PegDraft } from './precompiles.ts';
import type { RuleSet } from './rule-set.ts';
import type { SingleRule } from './single-rule.ts';

type Draft = Pick<SingleRule, 'number' | 'change' | 'requires' | 'add'>;

function draft(definition: Draft): SingleRule {
  return { kind: 'RSKIP', encoding: 'network', ...definition };
}

/** Returns the rule set whose reference engine also has the EIPs. */
function withLibraryEips(ruleSet: RuleSet, ...added: readonly number[]): RuleSet {
  const { reference } = ruleSet;
  return { ...ruleSet, reference: { ...reference, eips: [...(reference.eips ?? []), ...added] } };
}

function withPegUpgrade(ruleSet: RuleSet, upgrade: PegDraft): RuleSet {
  const { precompiles } = ruleSet;
  const pegUpgrades = new Set([...precompiles.pegUpgrades, upgrade]);
  return { ...ruleSet, precompiles: { ...precompiles, pegUpgrades } };
}

const TYPED_ENVELOPES = draft({
  number: 543,
  change: 'typed envelopes of transactions and receipts (EIP-2718)',
  requires: [],
  add: (ruleSet) => ({ ...ruleSet, hasOwnEnvelopes: true }),
});

const ETHEREUM_TYPES = draft({
  number: 546,
  change:
    'transactions of types 1 and 2; the lower one of two fees is the gas price, and access lists cost 80 gas a byte',
  requires: [543],
  add: (ruleSet) => ({
    ...ruleSet,
    transactionTypes: [0, 1, 2],
    fees: TWO_FEES_RULE,
    intrinsicGas: { ...ruleSet.intrinsicGas, accessListAddress: 0n, accessListSlot: 0n, accessListByte: 80n },
  }),
});

const DELEGATIONS = draft({
  number: 545,
  change: 'set-code transactions (type 4, EIP-7702); the pool accepts one transaction of a delegated account',
  requires: [546],
  add: (ruleSet) =>
    withLibraryEips(
      {
        ...ruleSet,
        transactionTypes: [...ruleSet.transactionTypes, 4],
        intrinsicGas: {
          ...ruleSet.intrinsicGas,
          // `PER_EMPTY_ACCOUNT_COST` (25,000) - `PER_AUTH_BASE_COST` (15,500)
          authorizationRefund: { gas: 9_500n, authority: 'delegated' },
        },
        calls: { ...ruleSet.calls, followsDelegations: true },
        accounts: { ...ruleSet.accounts, delegatedSendOnlyOne: true },
        reference: {
          ...ruleSet.reference,
          // The engine adds the refund, because ethereumjs has another rule for it.
          parameters: {
            ...ruleSet.reference.parameters,
            7702: { perEmptyAccountCost: 0, perAuthBaseGas: 0 },
          },
        },
      },
      7702,
    ),
});

const ACCESS_PRICES = draft({
  number: 555,
  change: 'gas costs of cold and warm accounts and slots (EIP-2929), and of SSTORE (EIP-2200)',
  requires: [],
  add: (ruleSet) =>
    withLibraryEips(
      {
        ...ruleSet,
        opcodes: withOpcodes(ruleSet.opcodes, WARM_ACCESS_GAS),
        gas: { ...ruleSet.gas, storage: BERLIN.gas.storage, access: BERLIN.gas.access },
        // The prices of SSTORE in ethereumjs depend on the hardfork.
        reference: { ...ruleSet.reference, hardfork: 'berlin' },
      },
      2929,
    ),
});

const PRECOMPILE_FAILURES = draft({
  number: 692,
  change: 'a transaction to a failing precompiled contract fails and uses all gas',
  requires: [],
  add: (ruleSet) => ({
    ...ruleSet,
    precompiles: { ...ruleSet.precompiles, failureInTransactionSucceeds: false },
  }),
});

const PEGOUT_SIZE = draft({
  number: 378,
  change: 'a transaction of the peg-out has at most 90,000 virtual bytes',
  requires: [],
  add: (ruleSet) => withPegUpgrade(ruleSet, 'RSKIP378'),
});

const PEGOUT_ORDER = draft({
  number: 559,
  change: 'confirmed peg-outs are selected in the order of their bytes',
  requires: [],
  add: (ruleSet) => withPegUpgrade(ruleSet, 'RSKIP559'),
});

/** The drafts. A draft follows the drafts that it requires. */
export const ROOTSTOCK_DRAFTS: readonly SingleRule[] = [
  ...[TYPED_ENVELOPES, ETHEREUM_TYPES, DELEGATIONS, ACCESS_PRICES, PRECOMPILE_FAILURES],
  ...[PEGOUT_SIZE, PEGOUT_ORDER],
];
