/** A row of the table of operations, with the facts that decide how a call is made and whether it may be repeated. */
export type Operation = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Needs no API key. */
  readonly isPublic?: true
  /** Accepts an `Idempotency-Key`, so that a repeated request has no second effect. */
  readonly isKeyed?: true
  /** A POST that has no further effect when it is repeated. */
  readonly isIdempotent?: true
  /** A deletion that returns nothing. */
  readonly isEmpty?: true
  /** Returns text instead of JSON. */
  readonly isText?: true
  /** The parameter that selects the next part of a list. */
  readonly pagedBy?: 'offset' | 'page' | 'until' | 'before'
  /** The field that identifies an item of a list that grows at its front: known items move into later parts. */
  readonly itemKey?: string
}
