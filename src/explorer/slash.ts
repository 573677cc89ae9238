/**
 * Gives the address of the node the slash at its end. A proxy that has the node below `/prefix` may show the page at `/prefix` too, from
 * where its files, whose addresses are relative to it, are not found. This file alone is: its address is a query of that of the page.
 */

const { pathname, search, hash } = location;
if (!pathname.endsWith('/')) location.replace(`${pathname}/${search}${hash}`);
