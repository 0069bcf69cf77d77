/**
 * The tenant that a request counts for, so that projects share slots fairly, however many pieces of work each has.
 * Requests without a project come from extractors of earlier versions; each piece of work is then a separate tenant.
 */
type Sender = {
  /** Id of the run, or a negative id of other work. */
  workId: number
  projectId?: number | undefined
}

/** Returns the id of the tenant. A project has a positive id, and work without one a negative id. */
export const tenantOf = ({ projectId, workId }: Sender): number => projectId ?? -Math.abs(workId)
