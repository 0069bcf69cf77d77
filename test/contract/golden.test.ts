/**
 * Stored events must stay readable for ever. `golden/` holds one commit of every event as it was first written. Files
 * are only added, never edited.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AccountCommit, AccountEvent, IntentCommit, IntentEvent } from '@tidemark/contracts/account'
import { BatchCommit, BatchEvent } from '@tidemark/contracts/batches/events'
import { commitOf } from '@tidemark/contracts/commit'
import { BatchDeliveryDecided, DeliveryCommit, DeliveryEvent } from '@tidemark/contracts/delivery'
import { DiffCommit, DiffEvent } from '@tidemark/contracts/diff'
import { ExportCommit, ExportEvent } from '@tidemark/contracts/exports/events'
import { MonitorCommit, MonitorEvent } from '@tidemark/contracts/monitor'
import { RunCommit, RunEvent } from '@tidemark/contracts/run'
import { RunSiteCommit, RunSiteEvent } from '@tidemark/contracts/run-site'
import { ServedCommit, ServedEvent } from '@tidemark/contracts/served'
import { UsageCommit, UsageEvent } from '@tidemark/contracts/usage'
import { test } from 'tap'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { evolve } from '../../services/crawl-coordinator/domain/evolve/evolve.ts'
import { type Run, unknown } from '../../services/crawl-coordinator/domain/run.ts'

const folder = join(import.meta.dirname, 'golden')

const families: Record<string, { commit: TSchema; event: TSchema }> = {
  run: { commit: RunCommit, event: RunEvent },
  account: { commit: AccountCommit, event: AccountEvent },
  intent: { commit: IntentCommit, event: IntentEvent },
  served: { commit: ServedCommit, event: ServedEvent },
  usage: { commit: UsageCommit, event: UsageEvent },
  monitor: { commit: MonitorCommit, event: MonitorEvent },
  export: { commit: ExportCommit, event: ExportEvent },
  delivery: { commit: DeliveryCommit, event: DeliveryEvent },
  batch: { commit: BatchCommit, event: BatchEvent },
  'batch-delivery': { commit: commitOf(BatchDeliveryDecided), event: BatchDeliveryDecided },
  diff: { commit: DiffCommit, event: DiffEvent },
  site: { commit: RunSiteCommit, event: RunSiteEvent },
}

type EventSchema = { properties: { type: { const: string } } }

const namesOf = (event: TSchema): string[] => {
  const union = event as TSchema & { anyOf?: EventSchema[] }
  return (union.anyOf ?? [event as unknown as EventSchema]).map(({ properties }) => properties.type.const)
}

const files = readdirSync(folder)

for (const [family, { commit, event }] of Object.entries(families)) {
  test(`Every ${family} event that was ever written is still readable`, async t => {
    for (const file of files.filter(file => file.startsWith(`${family}.`))) {
      const text = readFileSync(join(folder, file), 'utf8')
      t.ok(
        Value.Check(commit, JSON.parse(text)),
        `${file}: ${JSON.stringify([...Value.Errors(commit, JSON.parse(text))][0])}`,
      )
    }
  })

  test(`Every ${family} event has its golden file`, async t => {
    for (const name of namesOf(event)) {
      t.ok(
        files.some(file => file.startsWith(`${family}.${name}.`)),
        `${family}.${name}.1.json`,
      )
    }
  })
}

test('A run is folded from the golden events', async t => {
  let run: Run = unknown
  for (const file of files.filter(file => file.startsWith('run.')).sort(inOrder)) {
    const { at, trace, events } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as RunCommit
    for (const event of events) run = evolve(run, event, at, trace)
  }
  t.equal(run.status, 'deleted')
})

const life = [
  'RunQueued',
  'RunStarted',
  'PagesAdmitted',
  'PagesOrdered',
  'PagesSettled',
  'RunFinished',
  'RunDeleted',
]
const inOrder = (a: string, b: string) => rank(a) - rank(b)
const rank = (file: string) => life.indexOf(file.split('.')[1] ?? '')
