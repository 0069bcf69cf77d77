/** Returns whether Postgres ended a statement after its maximum time (SQLSTATE 57014). */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '57014'
