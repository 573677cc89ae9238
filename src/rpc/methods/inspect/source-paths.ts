import { orNull } from '../../../wire/values.ts';
import { textUpTo } from '../../codecs/basic.ts';
import { arrayOf } from '../../codecs/codec.ts';
import { mayReceivePaths } from '../../local-paths.ts';
import { defineMethod, type Method, param } from '../../method.ts';

const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 1_000;

const sourceNames = arrayOf(
  textUpTo(MAX_NAME_LENGTH, 'the name of a source file', 1),
  'an array of names of source files',
  MAX_NAMES,
);

export const INSPECT_SOURCE_PATHS: readonly Method[] = [
  /**
   * Finds source files of the build output on the disk of the node, to open them in an editor. Paths are only
   * returned to clients on this machine, without a proxy. They are never returned with an API key, with
   * `--hosted` or with `--editor-link none`. Then `link` is `null`, and all paths are `null`.
   */
  defineMethod({
    name: 'inspect_sourcePaths',
    summary: 'The absolute paths of source files, and the link that opens them in an editor',
    priority: 'low',
    params: [param('sources', sourceNames)],
    result: {
      description:
        'The template of `--editor-link` with `{path}`, `{line}` and `{column}`, and the path of each source. A path is null if the file is not found. `link` is null if the client may not receive paths',
      schema: {
        type: 'object',
        properties: {
          link: orNull({ type: 'string' }),
          paths: { type: 'array', items: orNull({ type: 'string' }) },
        },
        required: ['link', 'paths'],
      },
    },
    handler: async (context, names) => {
      const { node, settings } = context;
      if (!mayReceivePaths(context)) return { link: null, paths: names.map(() => null) };
      const artifacts = await node.inspector.artifacts.load();
      await artifacts.ready();
      const { sourcePath, sourceRoots } = await import('../../../artifacts/source-paths.ts');
      const files = new Set<string | null>();
      for (const { file } of artifacts.contracts) files.add(file);
      const roots = sourceRoots(files, '.');
      return {
        link: settings.editorLink,
        paths: await Promise.all(names.map((name) => sourcePath(name, roots))),
      };
    },
  }),
];
