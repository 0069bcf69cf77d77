/** RUNS, facet `site` → the columns of `read.run` about AI bots. A run without a row gets none. */
import type { StreamMessage } from '@tidemark/bus/read'
import { textOf } from '@tidemark/contracts/plain-text'
import { RunSiteEvent } from '@tidemark/contracts/run-site'
import { runOfSubject } from '@tidemark/contracts/subjects'
import { commitReader, type Report } from './commits.ts'
import { type Client, columns, type Table, unnest } from './table.ts'

type SiteChange = { runId: number; aiBotPolicy: object; llmsTxt: string | null; llmsFullTxt: string | null }

const needs = { SitePolicyRead: ['aiBotPolicy', 'llmsTxt', 'llmsFullTxt'] } as const

/** Applies the site events of a batch in one statement. */
export function runSitesProjection(report: Report) {
  const read = commitReader<RunSiteEvent>(RunSiteEvent, needs, report)
  return async (client: Client, messages: readonly StreamMessage[]): Promise<void> => {
    const changes = new Map<number, SiteChange>()
    for (const { subject, event } of read(messages)) {
      const { runId } = runOfSubject(subject)
      changes.set(runId, { runId, ...event.data })
    }
    if (changes.size > 0) await client.query(update, columns(table, [...changes.values()]))
  }
}

const table: Table<SiteChange> = [
  ['id', 'bigint', change => change.runId],
  ['ai_bot_policy', 'jsonb', change => textOf(JSON.stringify(change.aiBotPolicy))],
  ['llms_txt', 'text', change => textOf(change.llmsTxt)],
  ['llms_full_txt', 'text', change => textOf(change.llmsFullTxt)],
]

const update = `
  update read.run set
    ai_bot_policy = change.ai_bot_policy,
    llms_txt = change.llms_txt,
    llms_full_txt = change.llms_full_txt
  from ${unnest(table, 'change')}
  where run.id = change.id`
