/**
 * The difference between a monitor's run and the previous run. Facet `diff`, appended once per run by the policy
 * beside the projector, when both runs have ended and are in the read model.
 */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id } from './primitives.ts'

/**
 * Pages of each class. Every page of either run is in one class. Only `added`, `removed` and `changed` are differences:
 * pages that were not revisited or compared are no evidence of a change.
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
  /** `previousRunId`: the baseline, which is the latest earlier run that is done and was not cut short. */
  fact('RunCompared', { runId: Id, projectId: Id, previousRunId: Id, counts: DiffCounts }),
  /**
   * The run has no baseline: the run before was deleted, or no earlier run is done. Consumers that wait for the
   * difference stop waiting.
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
