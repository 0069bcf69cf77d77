/**
 * Two versions work side by side while one takes the other's place: what the later writes, with fields and events that
 * this one has never heard of, this one reads as if they were not there.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeJson } from '@tidemark/bus/codec'
import type { StreamMessage } from '@tidemark/bus/read'
import { AnyCommit } from '@tidemark/contracts/commit'
import type { RunCommit } from '@tidemark/contracts/run'
import { test } from 'tap'
import { Value } from 'typebox/value'
import { evolve } from '../../services/crawl-coordinator/domain/evolve/evolve.ts'
import { type Run, unknown } from '../../services/crawl-coordinator/domain/run.ts'
import { noteDeletions } from '../../services/extractor/policies/forget-deleted-runs.ts'
import { noteSites } from '../../services/extractor/policies/note-sites.ts'
import { readModel } from '../../services/gateway/read-model/projections/read-model.ts'
import {
  readRequestFacts,
  readRunFacts as readRunMoney,
  readSpent,
} from '../../services/usage-ledger/adapters/commits.ts'
import { readRunFacts as readRunWebhooks } from '../../services/webhook/adapters/commits.ts'

const folder = join(import.meta.dirname, 'golden')
const marked = 'of_a_later_version'

type Commit = { at: string; events: { type: string; data: unknown }[] }

const golden = (family: string): Commit[] =>
  readdirSync(folder)
    .filter(file => file.startsWith(`${family}.`))
    .sort()
    .map(file => JSON.parse(readFileSync(join(folder, file), 'utf8')))

/** With something new in every object, before the first event and after the last. */
function later(commit: Commit): Commit {
  const strange = { type: 'SomethingOfALaterVersion', data: { [marked]: [1] } }
  const { events, ...rest } = grown(commit) as Commit
  return { ...rest, events: [strange, ...events, strange] }
}

/** What is in these by name is data, and none of it is a field. */
const maps: ReadonlySet<string> = new Set(['aiBotPolicy'])

function grown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grown)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(
    ([name, part]) => [name, maps.has(name) ? part : grown(part)] as const,
  )
  return { ...Object.fromEntries(entries), [marked]: { [marked]: null } }
}

/** What was passed on of it, as it was known then. */
function without(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, part) => (name === marked ? undefined : part)) ?? 'null')
}

const subjects: Record<string, string> = {
  run: 'runs.07.7.crawl',
  diff: 'runs.07.7.diff',
  delivery: 'runs.07.7.webhook',
  site: 'runs.07.7.site',
  served: 'served.7',
  usage: 'usage.7',
  account: 'accounts.7',
  intent: 'accounts.intent-7',
  audit: 'audit.7',
}

const messagesOf = (family: string, commits: Commit[]): StreamMessage[] =>
  commits.map((commit, n) => ({
    sequence: n + 1,
    subject: subjects[family] ?? '',
    data: encodeJson(commit),
    headers: undefined,
    time: new Date(commit.at),
    pending: 0,
  }))

type Read = (messages: StreamMessage[], report: (error: unknown) => void) => unknown

/** What a projection would write, asked of a database that has nothing. */
type Apply = (report: (error: unknown) => void) => (client: never, messages: StreamMessage[]) => Promise<void>
const writes =
  (apply: Apply): Read =>
  async (messages, report) => {
    const statements: string[] = []
    const client = {
      query: async (asked: string | { text: string }) => {
        statements.push(typeof asked === 'string' ? asked : asked.text)
        return { rows: [], rowCount: 0 }
      },
    }
    await apply(report)(client as never, messages)
    return statements
  }

const each =
  (read: (message: StreamMessage) => unknown): Read =>
  messages =>
    messages.map(read)

const familiesIn: Record<string, string[]> = {
  RUNS: ['run', 'diff', 'delivery', 'site'],
  ACCOUNTS: ['account', 'intent'],
  AUDIT: ['audit'],
}

const readers: [string, string[], Read][] = [
  ...readModel.map(({ name, stream, apply }): [string, string[], Read] => [
    `the projection ${name}`,
    familiesIn[stream] ?? [],
    writes(apply as Apply),
  ]),
  ['who bills runs', ['run'], each(readRunMoney)],
  ['who bills requests', ['served'], each(readRequestFacts)],
  ['who keeps the ledger', ['usage'], each(readSpent)],
  ['who decides on webhooks', ['run', 'diff'], messages => readRunWebhooks(messages)],
  ['who forgets deleted runs', ['run'], writes(() => noteDeletions as ReturnType<Apply>)],
  ['who reads sites', ['run'], writes(() => noteSites as ReturnType<Apply>)],
]

test('What a later version writes', async t => {
  await t.test('is a commit like any other', async t => {
    for (const family of Object.keys(subjects))
      for (const commit of golden(family)) t.ok(Value.Check(AnyCommit, later(commit)), family)
  })

  for (const [name, families, read] of readers) {
    await t.test(`is read by ${name} as if nothing were new`, async t => {
      for (const family of families) {
        const commits = golden(family)
        t.ok(commits.length > 0, family)
        for (const commit of commits) {
          const told: unknown[] = []
          const [known, met] = await Promise.all(
            [commit, later(commit)].map(async one =>
              without(await read(messagesOf(family, [one]), error => told.push(error))),
            ),
          )
          t.strictSame(met, known, `${commit.events[0]?.type}`)
          t.strictSame(told, [], 'and nothing is told of it')
        }
      }
    })
  }

  await t.test('leaves a run as it would be', async t => {
    const life = ['RunQueued', 'RunStarted', 'PagesAdmitted', 'PagesOrdered', 'PagesSettled', 'RunFinished']
    const commits = golden('run')
      .filter(({ events }) => life.includes(events[0]?.type ?? ''))
      .sort((a, b) => life.indexOf(a.events[0]?.type ?? '') - life.indexOf(b.events[0]?.type ?? ''))
    const fold = (of: (commit: Commit) => Commit): Run => {
      let run: Run = unknown
      for (const commit of commits.map(of)) {
        const { at, trace, events } = commit as unknown as RunCommit
        for (const event of events) run = evolve(run, event, at, trace)
      }
      return run
    }
    const known = fold(commit => commit)
    t.strictSame(without(fold(later)), without(known))
    t.equal(known.status, 'done')
  })
})
