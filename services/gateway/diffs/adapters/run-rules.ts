/** Reads the rules by which two runs compare pages. */
import { isDeepStrictEqual } from 'node:util'
import type { CompareRules } from '@tidemark/contracts/run-settings'
import type { OfProject } from '@tidemark/db/of-project'

export type PairRules = {
  /** Rules of the newer run, which count for the comparison by lines. */
  rules: CompareRules | null
  /** Whether the hashes of both runs are by these rules, or by none. */
  areSame: boolean
  /** Minimum changed words of the newer run. */
  minChangedWords: number | null
}

export type RunRules = (projectId: number, oldRunId: number, newRunId: number) => Promise<PairRules>

type Row = { id: number; comparison: CompareRules | null; minChangedWords: number | null }

const rulesOfRuns = `select id, comparison, min_changed_words as "minChangedWords" from read.run
  where project_id = $1 and id in ($2, $3)`

export const openRunRules =
  (reads: OfProject): RunRules =>
  async (projectId, oldRunId, newRunId) => {
    const { rows } = await reads(projectId).query<Row>(rulesOfRuns, [projectId, oldRunId, newRunId])
    const [old, fresh] = [oldRunId, newRunId].map(runId => rows.find(({ id }) => id === runId))
    return {
      rules: fresh?.comparison ?? null,
      areSame: isDeepStrictEqual(old?.comparison ?? null, fresh?.comparison ?? null),
      minChangedWords: fresh?.minChangedWords ?? null,
    }
  }
