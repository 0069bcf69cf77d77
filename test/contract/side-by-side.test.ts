/** Two versions run side by side during a rolling update. This version ignores fields and events of a later version. */
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
import { recordDeletions } from '../../services/extractor/policies/forget-deleted-runs.ts'
import { recordSites } from '../../services/extractor/policies/record-sites.ts'
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

/** Returns the commit with a new field in every object, and a new event before the first and after the last. */
function later(commit: Commit): Commit {
  const strange = { type: 'SomethingOfALaterVersion', data: { [marked]: [1] } }
  const { events, ...rest } = grown(commit) as Commit
  return { ...rest, events: [strange, ...events, strange] }
}

/** Objects whose keys are data instead of fields. */
const maps: ReadonlySet<string> = new Set(['aiBotPolicy', 'ended'])

function grown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grown)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(
    ([name, part]) => [name, maps.has(name) ? part : grown(part)] as const,
  )
  return { ...Object.fromEntries(entries), [marked]: { [marked]: null } }
}

/** Returns the value without the new fields. */
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

type Apply = (report: (error: unknown) => void) => (client: never, messages: StreamMessage[]) => Promise<void>
/** Returns a reader that returns the statements that a projection would execute on an empty database. */
const writes =
  (apply: Apply): Read =>
  async (messages, report) => {
    const statements: string[] = []
    const client = {
      query: async (statement: string | { text: string }) => {
        statements.push(typeof statement === 'string' ? statement : statement.text)
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
  ['the reader of runs', ['run'], each(readRunMoney)],
  ['the reader of requests', ['served'], each(readRequestFacts)],
  ['the reader of usage', ['usage'], each(readSpent)],
  ['the webhook service', ['run', 'diff'], messages => readRunWebhooks(messages)],
  ['the reader of deleted runs', ['run'], writes(() => recordDeletions as ReturnType<Apply>)],
  ['the reader of sites', ['run'], writes(() => recordSites as unknown as ReturnType<Apply>)],
]

test('A commit of a later version', async t => {
  await t.test('matches the schema of commits', async t => {
    for (const family of Object.keys(subjects))
      for (const commit of golden(family)) t.ok(Value.Check(AnyCommit, later(commit)), family)
  })

  for (const [name, families, read] of readers) {
    await t.test(`is read by ${name} like a commit of this version`, async t => {
      for (const family of families) {
        const commits = golden(family)
        t.ok(commits.length > 0, family)
        for (const commit of commits) {
          const reported: unknown[] = []
          const [known, readLater] = await Promise.all(
            [commit, later(commit)].map(async one =>
              without(await read(messagesOf(family, [one]), error => reported.push(error))),
            ),
          )
          t.strictSame(readLater, known, `${commit.events[0]?.type}`)
          t.strictSame(reported, [], 'without a reported error')
        }
      }
    })
  }

  await t.test('leads to the same fold of a run', async t => {
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
