import { toHex } from '../../../primitives/hex.ts';
import { jsonObject, text } from '../../codecs/basic.ts';
import { leaf } from '../../codecs/codec.ts';
import { address } from '../../codecs/data.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';

const LONGEST_NAME = 100;

const label = leaf(
  `a name of at most ${LONGEST_NAME} characters`,
  { type: 'string', maxLength: LONGEST_NAME },
  (value) => (typeof value === 'string' && value.length <= LONGEST_NAME ? value : undefined),
);

export const INSPECT_CONTRACTS: readonly Method[] = [
  /**
   * Adds the contracts of a run of solc or Vyper, given as standard JSON. Contracts of the same file and name that were given
   * before are replaced. All lanes know them from then on.
   */
  defineMethod({
    name: 'inspect_addArtifacts',
    summary: 'Adds contracts by the input and output of their compiler, for decoding and stack traces',
    params: [param('input', jsonObject), param('output', jsonObject), optional('version', text, '')],
    result: { description: 'The number of contracts', schema: { type: 'integer' } },
    handler: async ({ inspector }, input, output, version) => {
      const artifacts = await inspector.artifacts.load();
      return artifacts.addCompilation(input, output, version === '' ? null : version);
    },
  }),
  /** Lists the contracts that are known, by the artifacts that were found or given. */
  defineMethod({
    name: 'inspect_contracts',
    summary: 'The contracts whose artifacts are known',
    params: [],
    result: {
      description:
        'Name, source, the file of the artifact (null for one that a call gave) and known addresses',
      schema: { type: 'array', items: { type: 'object' } },
    },
    handler: async ({ inspector }) => {
      const artifacts = await inspector.artifacts.load();
      await artifacts.ready();
      return Array.from(artifacts.contracts, ({ name, sourceName, file, deployments }) => ({
        name,
        sourceName,
        file,
        deployments,
      }));
    },
  }),
  /** Gives an address a name, by which logs and inspections call it on all lanes; an empty name takes it away. */
  defineMethod({
    name: 'inspect_label',
    summary: 'Gives an address a name for logs and inspections',
    params: [param('address', address), param('name', label)],
    result: { description: 'True', schema: { const: true } },
    handler: async ({ inspector }, account, name) => {
      const { labels } = await inspector.artifacts.load();
      if (name === '') labels.delete(toHex(account));
      else labels.set(toHex(account), name);
      return true;
    },
  }),
];
