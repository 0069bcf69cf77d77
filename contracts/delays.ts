/** Milliseconds between two requests of one piece of work to a host, where a request outside a crawl names no delay. */
export const defaultDelayMs = 100
