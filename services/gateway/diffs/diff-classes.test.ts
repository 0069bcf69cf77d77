/**
 * Every page of either run is in exactly one class of their difference, and the counts match: random pairs of runs,
 * compared by the real statements on a real Postgres and by a set model. `PAIRS` is their number; the full size is
 * 100,000.
 */
import { objectTables } from '@tidemark/content/object-tables'
import { openContent } from '@tidemark/content/store'
import { contentTables, headerTables, revisitTables } from '@tidemark/content/tables'
import { migrate } from '@tidemark/db/migrate'
import { ofProject } from '@tidemark/db/of-project'
import { columnTypes } from '@tidemark/db/types'
import { freshDatabase } from '@tidemark/testing/servers'
import fc from 'fast-check'
import pg from 'pg'
import { test } from 'tap'
import { database } from '../database.ts'
import { openDiffReads } from './adapters/diff-reads.ts'
import { modelOf, type Pair, pair } from './any-pair.scene.ts'
import type { Difference } from './domain/difference.ts'
import { projectId, type Stored, store } from './stored-pairs.scene.ts'

const pairs = Number(process.env.PAIRS ?? 1_000)
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const atATime = 500
const comparisonsAtOnce = 4

/** Each listed page with its class, by the number of its URL; a page in two lists has two. */
function listed(difference: Difference, urlOf: Stored['urlOf']): [n: number, name: string][] {
  const { added, removed, changedOld, changedNew, notRevisited, notCompared } = difference
  const urlsOf = (ids: readonly number[], name: string) =>
    ids.map((id): [number, string] => [urlOf.get(id) ?? -1, name])
  const left = ({ ids, causes }: Difference['notRevisited'], name: string) =>
    ids.map((id, n): [number, string] => [urlOf.get(id) ?? -1, `${name} ${causes[n]}`])
  if (urlsOf(changedOld, '').join() !== urlsOf(changedNew, '').join()) throw new Error('not side by side')
  return [
    ...urlsOf(added, 'added'),
    ...urlsOf(removed, 'removed'),
    ...urlsOf(changedNew, 'changed'),
    ...left(notRevisited, 'not_revisited'),
    ...left(notCompared, 'not_compared'),
  ]
}

/** Returns the fault of a pair's difference, or null. */
function faultOf(one: Pair, { urlOf }: Stored, difference: Difference): string | null {
  const model = modelOf(one)
  const found = listed(difference, urlOf)
  const classes = new Map(found)
  if (classes.size !== found.length) return 'a page is in two classes'
  for (const [n, name] of model)
    if ((classes.get(n) ?? 'unchanged') !== name)
      return `${n} is ${classes.get(n) ?? 'unchanged'}, and not ${name}`
  if (found.some(([n]) => !model.has(n))) return 'a class has what is no page of either run'
  if (difference.pages !== model.size) return `${difference.pages} pages, and not ${model.size}`
  if (difference.unchanged + found.length !== difference.pages) return 'the counts do not add up'
  return null
}

test('Every page of two runs is in one class', { timeout: 7_200_000 }, async t => {
  const fresh = await freshDatabase()
  const pool = new pg.Pool({ connectionString: fresh.url, max: comparisonsAtOnce, types: columnTypes() })
  pool.on('error', () => {})
  t.teardown(async () => {
    await pool.end()
    await fresh.drop()
  })
  await migrate(fresh.url, database)
  const tables = [...contentTables, ...revisitTables, ...objectTables, ...headerTables]
  for (const statement of ['create schema content', ...tables]) await pool.query(statement)
  const reads = openDiffReads(ofProject(pool))
  const content = openContent(pool)
  const seen = new Map<string, number>()

  for (let done = 0; done < pairs; done += atATime) {
    const some = fc.sample(pair, { seed: seed + done, numRuns: Math.min(atATime, pairs - done) })
    const stored = await store(pool, content, some, done * 2)
    const left = stored.entries()
    const compareAll = async () => {
      for (const [n, runs] of left) {
        const one = some[n]
        if (one === undefined) continue
        const difference = await reads.compare(projectId, runs.oldId, runs.newId)
        const fault = faultOf(one, runs, difference)
        if (fault !== null)
          throw new Error(`SEED=${seed}, pair ${done + n}: ${fault}\n${JSON.stringify(one)}`)
        for (const name of modelOf(one).values()) seen.set(name, (seen.get(name) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: comparisonsAtOnce }, compareAll))
    await pool.query('truncate read.run, read.page, read.pageless; truncate content.page cascade')
  }

  const names = ['added', 'removed', 'changed', 'unchanged', 'not_compared blocked', 'not_revisited blocked']
  const causes = [
    'timeout',
    'max_pages',
    'pending',
    'quota',
    'run_failed',
    'frontier_full',
    'sitemap',
    'unknown',
  ]
  for (const name of [...names, ...causes.flatMap(one => [`not_compared ${one}`, `not_revisited ${one}`])])
    t.ok(pairs < 1_000 || (seen.get(name) ?? 0) > 0, `${name}: ${seen.get(name) ?? 0}`)
  t.comment(`${pairs} pairs, SEED=${seed}`)
})
