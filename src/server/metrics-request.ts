// The request for the metrics, which each request is compared with.

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The path of the metrics, for GET and HEAD. */
const METRICS_PATH = /^\/metrics\/?$/;

/** True for the metrics endpoint; `path` has no query. */
export function isMetricsRequest(method: string | undefined, path: string): boolean {
  return (method === 'GET' || method === 'HEAD') && METRICS_PATH.test(path);
}
