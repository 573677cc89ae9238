/**
 * Adds a trailing slash to the explorer's path. Behind a reverse proxy, the explorer may load at `/prefix`
 * instead of `/prefix/`, and its relative URLs then fail. This file still loads because its URL is a query on
 * the page's own URL.
 */

const { pathname, search, hash } = location;
if (!pathname.endsWith('/')) location.replace(`${pathname}/${search}${hash}`);
