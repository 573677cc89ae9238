import { toHex } from '../../../primitives/hex.ts';
import { TimeSlice } from '../../../scheduling/time-slice.ts';
import { fetchingState } from '../../../state/state-source.ts';
import { orNull } from '../../../wire/values.ts';
import { textUpTo } from '../../codecs/basic.ts';
import { arrayOf } from '../../codecs/codec.ts';
import { address } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, param } from '../../method.ts';

const MAX_ADDRESSES = 100;
/** Work units per named address. */
const NAMING_WORK = 4_000;
/** Work units per compared contract. */
const CONTRACT_WORK = 16;

const addresses = arrayOf(address, `an array of at most ${MAX_ADDRESSES} addresses`, MAX_ADDRESSES);

const MAX_NAME_LENGTH = 1_000;
const artifactName = textUpTo(MAX_NAME_LENGTH, 'a string', 1);

export const INSPECT_NAMES: readonly Method[] = [
  /**
   * Returns the names of addresses in the current state: the label of `inspect_label`, and the name of the
   * contract. `implementation` is the contract behind a proxy. Names are `null` if they are unknown.
   */
  defineMethod({
    name: 'inspect_names',
    summary: 'The labels and contract names of addresses',
    priority: 'low',
    params: [param('addresses', addresses)],
    result: {
      description:
        'For each address, in order: `address`, `label`, `contract` and `implementation` (`address` and `contract`; null unless the contract is a proxy)',
      schema: { type: 'array', items: { type: 'object' } },
    },
    handler: async ({ node: { chain, inspector }, deadline }, wanted) => {
      const loaded = await inspector.ready();
      const slice = new TimeSlice(deadline);
      const state = chain.headState();
      const found: object[] = [];
      for (const account of wanted) {
        const hasCode = await fetchingState(() => (state.account(account)?.code.bytes.length ?? 0) > 0);
        const { contract, implementation } = hasCode
          ? await loaded.contractsAt(state, account)
          : { contract: null, implementation: null };
        found.push({
          address: toHex(account),
          label: loaded.contracts.labelOf(toHex(account)),
          contract: contract?.name ?? null,
          implementation: implementation && {
            address: toHex(implementation.address),
            contract: implementation.contract?.name ?? null,
          },
        });
        await slice.spend(NAMING_WORK);
      }
      return found;
    },
  }),
  /**
   * Returns a contract of the artifacts, deployed or not. The initcode contains zeros at the addresses of
   * libraries; `links` lists these places, in bytes. `bytecode` is `null` for interfaces and abstract
   * contracts. Returns `null` if no artifact has this name in this source.
   */
  defineMethod({
    name: 'inspect_artifact',
    summary: 'The ABI and the initcode of a contract with a known artifact',
    priority: 'low',
    params: [param('sourceName', artifactName), param('name', artifactName)],
    result: {
      description:
        '`name`, `sourceName`, `abi`, `bytecode` (the initcode) and `links` (`library`, `start` and `length` of each library address). Null for an unknown contract',
      schema: orNull({ type: 'object' }),
    },
    handler: async ({ node: { inspector }, deadline }, sourceName, name) => {
      const artifacts = await inspector.artifacts.load();
      await artifacts.ready();
      const slice = new TimeSlice(deadline);
      for (const contract of artifacts.contracts) {
        await slice.spend(CONTRACT_WORK);
        if (contract.name !== name || contract.sourceName !== sourceName) continue;
        // If a file was deleted after it was indexed, the contract has no artifact.
        const artifact = await contract.load().catch(() => null);
        if (artifact === null) continue;
        const { abi, creation } = artifact;
        const libraries = (creation?.holes ?? []).filter(({ kind }) => kind === 'library');
        return {
          name,
          sourceName,
          abi,
          bytecode: creation === null ? null : toHex(creation.bytes),
          links: libraries.map(({ name: library, start, length }) => ({ library, start, length })),
        };
      }
      return null;
    },
  }),
];
