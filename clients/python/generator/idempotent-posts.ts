/** The POST operations that change nothing more when they are repeated, for the generators of the clients. */

const actions = /\/(?:cancel|pause|resume)$/

/** Returns whether a repeated POST to a path of the OpenAPI document has no further effect. */
export const isIdempotentPost = (path: string): boolean => actions.test(path)
