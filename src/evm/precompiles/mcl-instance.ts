import createModule from 'mcl-wasm/dist/mcl_c.js';
import { MCL_BLS12_381, type MclModule } from './mcl-module.ts';

/** The sizes that the library was compiled for, as it wants to hear them: 4 units of 64 bits, and 6. */
const COMPILED_FOR = 46;
const MAP_BY_RFC_9380 = 5;

/** An instance of the library for one curve. Points are valid when they are on the curve, whatever their order. */
export async function instantiateMcl(curve: number): Promise<MclModule> {
  const module: MclModule = await createModule({
    cryptoGetRandomValues: () => {
      throw new Error('No precompile is random');
    },
  });
  if (module._mclBn_init(curve, COMPILED_FOR) !== 0) throw new Error(`mcl does not know curve ${curve}`);
  module._mclBn_verifyOrderG1(0);
  module._mclBn_verifyOrderG2(0);
  if (curve === MCL_BLS12_381) module._mclBn_setMapToMode(MAP_BY_RFC_9380);
  return module;
}
