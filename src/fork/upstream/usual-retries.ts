/** The default number of retries. A start reads it, but not the client of the upstream. */
export const USUAL_RETRIES = 5;
