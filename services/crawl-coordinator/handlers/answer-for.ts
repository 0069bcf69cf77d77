/**
 * Answers for what became of a run's URLs: the receipt, the failures, and the story of one. Always from the run's
 * own events: a run that is kept here is read as it is held, any other from its stream or archive.
 */
import type {
  ExplainUrl,
  ExplainUrlAnswer,
  GetCoverage,
  GetCoverageAnswer,
  ListErrors,
  ListErrorsAnswer,
} from '@tidemark/contracts/ask/explain'
import type { Coverage } from '@tidemark/contracts/http/coverage'
import type { RunError } from '@tidemark/contracts/http/errors'
import type { RunCommit, TrapRule } from '@tidemark/contracts/run'
import type { EventStore } from '@tidemark/eventstore/store'
import { urlKey } from '@tidemark/url/key'
import type { Admissions } from '../adapters/admissions.ts'
import { explain, notBegun } from '../domain/explain.ts'
import { collectFailures } from '../domain/failures.ts'
import { addToHistory, emptyHistory } from '../domain/history.ts'
import { receiptOf } from '../domain/receipt.ts'
import { isKnown, type Run } from '../domain/run.ts'
import { fewAtATime } from '../turns/few-at-a-time.ts'
import { foldBeforeEnd, foldRun, readRun } from './fold-run.ts'
import { statusOf } from './last-word.ts'
import { remembering } from './remembered.ts'
import type { RunKeeper } from './run-keeper.ts'

type Ports = {
  store: Pick<EventStore, 'last' | 'read'>
  admissions: Pick<Admissions, 'find'>
  /** The keeper of a run that is looked after here. */
  kept: (runId: number) => RunKeeper | null
  /** Rules of traps that this installation does without. */
  trapsOff: ReadonlySet<TrapRule>
}

export type AnswerFor = {
  coverage(question: GetCoverage): Promise<GetCoverageAnswer>
  errors(question: ListErrors): Promise<ListErrorsAnswer>
  explain(question: ExplainUrl): Promise<ExplainUrlAnswer>
}

const receiptsRemembered = 200
const listsRemembered = 5
/** Of one answer, in characters: a message of NATS takes 8 MB. */
const mostText = 2_000_000

/** A foreign run is a missing one, and nothing of it is read. */
export function answerFor({ store, admissions, kept, trapsOff }: Ports): AnswerFor {
  const inTurn = fewAtATime(1)
  const owns = async ({ projectId, runId }: GetCoverage) =>
    (await admissions.find(runId))?.projectId === projectId
  const receiptFromStream = remembering(store, receiptsRemembered, async runId => {
    const { run, version } = await foldRun(store, runId)
    return { version, what: receipt(run, version) }
  })
  const failuresFromStream = remembering(store, listsRemembered, async runId => {
    const failures = collectFailures()
    const past = lastOf()
    const version = await readRun(store, runId, stored => {
      past.add(stored.commit)
      failures.add(stored)
    })
    return { version, what: past.isShown() ? failures.found : null }
  })

  return {
    async coverage(question) {
      if (!(await owns(question))) return { coverage: null }
      const { runId } = question
      const held = await kept(runId)
        ?.look(receipt)
        .catch(() => null)
      return { coverage: held ?? (await receiptFromStream(runId)) }
    },

    async errors(question) {
      const { runId, limit, offset } = question
      const failures = (await owns(question)) ? await failuresFromStream(runId) : null
      if (failures === null) return { errors: null }
      const items = fitting(failures.slice(offset, offset + limit))
      const next = offset + items.length
      return { errors: { items, next_offset: next < failures.length ? next : null } }
    },

    async explain(question) {
      return (await owns(question)) ? inTurn(() => story(question)) : untold
    },
  }

  async function story({ runId, url }: ExplainUrl): Promise<ExplainUrlAnswer> {
    const asked = { key: urlKey(url), url }
    const past = lastOf()
    const history = emptyHistory()
    const before = foldBeforeEnd()
    await readRun(store, runId, stored => {
      past.add(stored.commit)
      addToHistory(history, asked.key, stored)
      before.add(stored.commit)
    })
    if (!past.isShown()) return untold
    const told = (run: Run) =>
      run.status === 'running' ? explain({ run, now: Date.now(), trapsOff }, asked, history) : null
    const held = await kept(runId)
      ?.look(told)
      .catch(() => null)
    const explanation = held ?? told(before.run()) ?? notBegun(asked)
    const from = history.found?.from ?? null
    const page = from === null ? undefined : history.urls.get(from)
    return { explanation, foundOn: from !== null && page ? { key: from, url: page.url } : null }
  }
}

const untold: ExplainUrlAnswer = { explanation: null, foundOn: null }

const receipt = (run: Run, version: number): Coverage | null =>
  isKnown(run) ? receiptOf(run, version) : null

/** Notes the last commit, which says whether there is a run to be shown. */
function lastOf() {
  let last: RunCommit | null = null
  return {
    add(commit: RunCommit): void {
      last = commit
    },
    isShown: (): boolean => last !== null && statusOf(last) !== 'deleted',
  }
}

/** As many of them, at least one, as an answer has room for. */
function fitting(errors: readonly RunError[]): RunError[] {
  let text = 0
  const room = errors.findIndex(({ url, found_from }) => {
    text += url.length + (found_from?.length ?? 0)
    return text > mostText
  })
  return errors.slice(0, room < 0 ? errors.length : Math.max(1, room))
}
