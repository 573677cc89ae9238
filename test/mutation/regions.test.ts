import { describe, expect, it } from 'vitest';
import { regionAt, regionsOf, withProbes } from './regions.ts';

/** The source with its probes in short form. */
function probed(source: string): string {
  return withProbes(source, 0).replace(/globalThis\.reached\?\.\((\d+)\)/g, '<$1>');
}

describe('withProbes', () => {
  it.each([
    ['function f(): void { a(); }', 'function f(): void {<0>; a(); }'],
    ['const f = () => a;', 'const f = () => (<0>,a);'],
    ['const f = () => () => a;', 'const f = () => (<0>,() => (<1>,a));'],
    ['if (a) b(); else c();', 'if (a) {<0>;b();} else {<1>;c();}'],
    ['if (a) b(); else if (c) { d(); }', 'if (a) {<0>;b();} else {<1>;if (c) {<2>; d(); }}'],
    ['while (a) b();', 'while (a) {<0>;b();}'],
    ['const a = b ? c : d ? e : f;', 'const a = b ? (<0>,c) : (<1>,d ? (<2>,e) : (<3>,f));'],
    ['{ if (a) return; b(); }', '{ if (a) {<1>;return;} <0>;b(); }'],
    ['{ if (a) b(); if (c) d(); }', '{ if (a) {<1>;b();} <0>;if (c) {<2>;d();} }'],
    ['switch (a) { case 1: b(); default: }', 'switch (a) { case 1: <0>;b(); default: }'],
    ['type F = () => void; declare function f(): void;', 'type F = () => void; declare function f(): void;'],
  ])('reports the regions of %s', (source, expected) => {
    expect(probed(source)).toBe(expected);
  });

  it('counts from the given index, and does not change line numbers', () => {
    expect(withProbes('const f = () =>\n  a;', 7)).toBe('const f = () =>\n  (globalThis.reached?.(7),a);');
  });
});

describe('regionAt', () => {
  it.each([
    ['a', undefined],
    ['b', 0],
    ['c', 0],
    ['d', 2],
    ['e', 1],
  ])('finds the innermost region of %s', (name, expected) => {
    const source = '"a"; function f(x = "b") { if ("c") "d"; "e"; }';
    expect(regionAt(regionsOf(source), source.indexOf(`"${name}"`))).toBe(expected);
  });
});
