/**
 * What a monitor's run differs by from the run before it. Facet `diff`, appended once a run by the policy beside the
 * projector, when both runs are over and in the read model.
 */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id } from './primitives.ts'

/**
 * Pages of each kind. Only `added`, `removed` and `changed` are a difference: what was not revisited or could not be
 * compared says nothing of the site.
 */
export const DiffCounts = Type.Object({
  added: Type.Integer(),
  removed: Type.Integer(),
  changed: Type.Integer(),
  unchanged: Type.Integer(),
  notRevisited: Type.Integer(),
  notCompared: Type.Integer(),
})
export type DiffCounts = Static<typeof DiffCounts>

export const DiffEvent = Type.Union([
  /** `previousRunId`: the run that it was compared with, the last before it that was done and read what it should. */
  fact('RunCompared', { runId: Id, projectId: Id, previousRunId: Id, counts: DiffCounts }),
  /**
   * There is nothing to compare it with, for the run before was deleted, or none before it was done: whoever waits
   * for the difference need not wait longer.
   */
  fact('RunNotCompared', {
    runId: Id,
    projectId: Id,
    previousRunId: Id,
    reason: Type.Union([Type.Literal('previous_run_deleted'), Type.Literal('no_baseline')]),
  }),
])
export type DiffEvent = Static<typeof DiffEvent>

export const DiffCommit = commitOf(DiffEvent)
export type DiffCommit = Static<typeof DiffCommit>
