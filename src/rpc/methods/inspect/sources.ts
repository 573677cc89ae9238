import { toHex } from '../../../primitives/hex.ts';
import { boolean } from '../../codecs/basic.ts';
import { address } from '../../codecs/data.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';

export const INSPECT_SOURCES: readonly Method[] = [
  /**
   * Gives the sources of the contract at an address as it is now: its files with their content, the compiler with its settings,
   * and the ABI. `fit` is `similar` where only the metadata differ, as after a change of a comment. Of a proxy,
   * `implementation` is the same of the contract behind it; `contract` is `null` for a proxy that nothing describes. `null`
   * when neither is known. With `files` false the files are left out: the ABI and the names alone are small.
   */
  defineMethod({
    name: 'inspect_source',
    summary: 'The sources, compiler and ABI of the contract at an address',
    params: [param('address', address), optional('files', boolean, true)],
    result: {
      description:
        'The address with `contract` (`name`, `sourceName`, `fit`, `compiler`, `abi`, `files`) and, for a proxy, `implementation`; null for a contract that is not known',
      schema: { anyOf: [{ type: 'object' }, { type: 'null' }] },
    },
    handler: async ({ chain, inspector, checkInterrupt }, account, hasFiles) => {
      const loaded = await inspector.ready();
      const found = await loaded.source(chain.headState(), account, hasFiles, checkInterrupt);
      if (found === null) return null;
      const { contract, implementation } = found;
      return {
        address: toHex(account),
        contract,
        implementation:
          implementation === null
            ? null
            : { address: toHex(implementation.address), contract: implementation.contract },
      };
    },
  }),
];
