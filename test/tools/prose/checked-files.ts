import ts from 'typescript';
import { passagesOfComments } from './comments.ts';
import { type Finding, findingsIn } from './findings.ts';
import { passagesOfHtml } from './html.ts';
import { passagesOfMarkdown } from './markdown.ts';
import type { Passage } from './passage.ts';
import { passagesOfStrings } from './strings.ts';

/** The kinds of prose that a file may have. */
export type Kind = Passage['kind'];

const PAGE = /^(?:README|CHANGELOG)\.md$|^(?:src|test|fixtures)\/(?:.*\/)?README\.md$|^\.github\/.*\.md$/;
const SCRIPT = /^(?:src|bin|test|fixtures)\/.*\.(?:[cm]?js|[cm]?ts|tsx)$/;
const PROGRAM = /^(?:src|bin)\//;
const HTML = /^src\/.*\.html$/;
/** The file that holds the texts of licences. Its strings are not ours to rewrite. */
const LICENCE_TEXTS = 'src/build/third-party.mjs';
const TEST = /\.(?:test|test-d)\.[cm]?[jt]s$|^fixtures\/|^test\/clients\//;

/** Returns the kinds of prose that are counted in a file; none if the file is not checked. */
export function kindsOf(path: string): readonly Kind[] {
  if (PAGE.test(path) || HTML.test(path)) return ['text'];
  if (!SCRIPT.test(path)) return [];
  return PROGRAM.test(path) ? ['text', 'comments'] : ['comments'];
}

/** Returns the findings in a file, by line. */
export function findingsOf(path: string, source: string): Finding[] {
  const findings = passagesOf(path, source).flatMap(findingsIn);
  return findings.sort((a, b) => a.line - b.line);
}

function passagesOf(path: string, source: string): Passage[] {
  if (path.endsWith('.md')) return passagesOfMarkdown(source, 'text');
  if (path.endsWith('.html')) return passagesOfHtml(source, 'text');
  const options = {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  };
  const file = ts.createSourceFile(path, source, options, true);
  const strings = passagesOfStrings(
    file,
    PROGRAM.test(path) ? 'text' : 'comments',
    TEST.test(path) || path === LICENCE_TEXTS ? 'names' : 'all',
  );
  return [...strings, ...passagesOfComments(file)];
}
