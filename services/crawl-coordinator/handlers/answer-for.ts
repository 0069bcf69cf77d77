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
import { subjects } from '@tidemark/contracts/subjects'
import type { EventStore } from '@tidemark/eventstore/store'
import { urlKey } from '@tidemark/url/key'
import { explain, notBegun } from '../domain/explain.ts'
import { collectFailures } from '../domain/failures.ts'
import { addToHistory, emptyHistory } from '../domain/history.ts'
import { receiptOf } from '../domain/receipt.ts'
import { belongsTo, isKnown, type Run } from '../domain/run.ts'
import { foldBeforeEnd, foldOf } from './fold-run.ts'
import { oneAtATime, paced } from './paced.ts'
import { remembering } from './remembered.ts'
import type { RunKeeper } from './run-keeper.ts'

type Ports = {
  store: Pick<EventStore, 'last' | 'load'>
  /** The keeper of a run that is looked after here. */
  kept: (runId: number) => RunKeeper | null
  /** Rules of traps that this installation does without. */
  trapsOff: ReadonlySet<TrapRule>
}

type Owned<T> = { projectId: number; what: T } | null

export type AnswerFor = {
  coverage(question: GetCoverage): Promise<GetCoverageAnswer>
  errors(question: ListErrors): Promise<ListErrorsAnswer>
  explain(question: ExplainUrl): Promise<ExplainUrlAnswer>
}

const receiptsRemembered = 200
const listsRemembered = 5
/** Of one answer, in characters: a message of NATS takes 8 MB. */
const mostText = 2_000_000

export function answerFor({ store, kept, trapsOff }: Ports): AnswerFor {
  const inTurn = oneAtATime()
  const receiptFromStream = remembering(store, receiptsRemembered, async (commits, version) =>
    ownedReceipt(await foldOf(commits), version),
  )
  const failuresFromStream = remembering<Owned<readonly RunError[]>>(
    store,
    listsRemembered,
    async commits => {
      const run = await foldOf(commits.slice(0, 1))
      if (!isKnown(run) || isDeleted(commits)) return null
      const failures = collectFailures()
      await paced(commits, failures.add)
      return { projectId: run.projectId, what: failures.found }
    },
  )

  return {
    async coverage({ projectId, runId }) {
      const held = await kept(runId)
        ?.look(ownedReceipt)
        .catch(() => null)
      const receipt = held ?? (await receiptFromStream(runId))
      return { coverage: receipt?.projectId === projectId ? receipt.what : null }
    },

    async errors({ projectId, runId, limit, offset }) {
      const failures = await failuresFromStream(runId)
      if (failures?.projectId !== projectId) return { errors: null }
      const items = fitting(failures.what.slice(offset, offset + limit))
      const next = offset + items.length
      return { errors: { items, next_offset: next < failures.what.length ? next : null } }
    },

    explain: question => inTurn(() => story(question)),
  }

  async function story({ projectId, runId, url }: ExplainUrl): Promise<ExplainUrlAnswer> {
    const { commits } = await store.load<RunCommit>(subjects.run(runId))
    if (!belongsTo(await foldOf(commits.slice(0, 1)), projectId) || isDeleted(commits)) {
      return { explanation: null, foundOn: null }
    }
    const asked = { key: urlKey(url), url }
    const past = emptyHistory()
    await paced(commits, stored => addToHistory(past, asked.key, stored))
    const told = (run: Run) =>
      run.status === 'running' ? explain({ run, now: Date.now(), trapsOff }, asked, past) : null
    const held = await kept(runId)
      ?.look(told)
      .catch(() => null)
    const explanation = held ?? told(await foldBeforeEnd(commits)) ?? notBegun(asked)
    const from = past.found?.from ?? null
    const page = from === null ? undefined : past.urls.get(from)
    return { explanation, foundOn: from !== null && page ? { key: from, url: page.url } : null }
  }
}

const ownedReceipt = (run: Run, version: number): Owned<Coverage> =>
  isKnown(run) ? { projectId: run.projectId, what: receiptOf(run, version) } : null

const isDeleted = (commits: readonly { commit: RunCommit }[]): boolean =>
  commits.at(-1)?.commit.events.some(({ type }) => type === 'RunDeleted') ?? false

/** As many of them, at least one, as an answer has room for. */
function fitting(errors: readonly RunError[]): RunError[] {
  let text = 0
  const room = errors.findIndex(({ url, found_from }) => {
    text += url.length + (found_from?.length ?? 0)
    return text > mostText
  })
  return errors.slice(0, room < 0 ? errors.length : Math.max(1, room))
}
