/**
 * The difference between a monitor's run and the previous run. Facet `diff`, appended once per run by the policy
 * beside the projector, when both runs have ended and are in the read model.
 */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { ModelUse } from './http/extraction.ts'
import { ChangedLine } from './http/page-diff.ts'
import { Id, oneOf, orNull } from './primitives.ts'

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

/** A changed line and its page. */
const IntentQuote = Type.Object({ url: Type.String(), ...ChangedLine.properties })

/** Whether the changes are those of the intent; null: unknown, and the reason is a code. */
export const IntentJudgement = Type.Object({
  matched: orNull(Type.Boolean()),
  reason: Type.String(),
  quotes: Type.Array(IntentQuote),
})
export type IntentJudgement = Static<typeof IntentJudgement>

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
    reason: oneOf(['previous_run_deleted', 'no_baseline']),
  }),
  /** Follows `RunCompared` once, if there are changes and the monitor has an intent and a webhook. */
  fact('IntentJudged', {
    runId: Id,
    projectId: Id,
    previousRunId: Id,
    ...IntentJudgement.properties,
    /** The use of the language model, which is billed by SERVED; null: none was used. */
    use: orNull(ModelUse),
  }),
])
export type DiffEvent = Static<typeof DiffEvent>

export const DiffCommit = commitOf(DiffEvent)
export type DiffCommit = Static<typeof DiffCommit>
