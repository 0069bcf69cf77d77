/**
 * Pauses and resumes runs, even if another instance owns their shard: the owner is notified and reads the run
 * again. Repeating either changes nothing.
 */
import { refuse } from '@tidemark/bus/refusal'
import { mayContinue, narrowedKey } from '@tidemark/contracts/limits'
import type { ChangeRunResponse, ResumeRun } from '@tidemark/contracts/rpc/runs'
import type { Admissions } from '../adapters/admissions.ts'
import { isKnown, type Run } from '../domain/run.ts'
import { viewOf } from '../domain/view.ts'
import type { RunKeeper } from './run-keeper.ts'

type Ports = {
  admissions: Pick<Admissions, 'find'>
  keeper: (runId: number) => RunKeeper
  notifyAwaits: (runId: number) => void
}

/**
 * Returns the handler. It rejects with 409 a run that has ended (`run_ended`), and a key with lower caps than the caps
 * of the run (`narrowed_key`), because a resumed run continues with its own caps.
 */
export function changeRun({ admissions, keeper, notifyAwaits }: Ports, change: 'pause' | 'resume') {
  return async ({ projectId, runId, keyCaps }: ResumeRun): Promise<ChangeRunResponse> => {
    const admission = await admissions.find(runId)
    if (admission?.projectId !== projectId) return { run: null, sequence: 0 }
    const kept = keeper(runId)
    const theirs = await kept.look(keyCapsOf)
    if (theirs !== null && !mayContinue(keyCaps, theirs))
      throw refuse('conflict', { reason: 'narrowed_key', message: narrowedKey('crawl') })
    const answer = await kept[change]((run, version) => ({ run: viewOf(run), sequence: version }))
    if (answer.run === null) return answer
    const { status } = answer.run
    if (status !== 'running') {
      const message = `The crawl is ${status}, so it cannot ${change}. Start another crawl.`
      throw refuse('conflict', { reason: 'run_ended', message })
    }
    notifyAwaits(runId)
    return answer
  }
}

/** Null: the run is deleted, so no caps apply. */
const keyCapsOf = (run: Run) => (isKnown(run) ? (run.settings.keyCaps ?? {}) : null)
