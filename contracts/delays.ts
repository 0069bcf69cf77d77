/** Default milliseconds between two requests of one piece of work to a host, for requests outside crawls. */
export const defaultDelayMs = 100
