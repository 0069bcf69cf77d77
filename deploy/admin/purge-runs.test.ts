/** `purge-runs` with a deleter that fails at one run; `test/e2e/accounts.test.ts` tests it in a whole system. */
import path from 'node:path'
import { serve } from '@tidemark/bus/rpc'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import { database } from '@tidemark/crawl-coordinator/database'
import { surroundings } from '@tidemark/testing/surroundings'
import { test } from 'tap'
import { command } from '../local/command.ts'
import { writeRunFile } from '../local/run-file.ts'
import { declareStreams } from '../nats/declare.ts'
import { purgeRun, purgeRuns } from './purge-runs.ts'

const projectId = 7

const ordinary = {
  tier: 'free' as const,
  unlimited: false,
  caps: { pages_per_day: null, pages_per_month: null, cloud_pages_per_day: null },
  cloud_mode: null,
  proxy_url: null,
}

test('Old crawls', async t => {
  const { env, bus, pool } = await surroundings(t, { database, declare: declareStreams })
  const { rows } = await pool.query(
    `insert into coordinator.admission (project_id, enqueued_at, released_at, url)
     select ${projectId}, now(), now() - interval '1 hour', 'http://a.test/' || n from generate_series(1, 4) as n
     returning run_id`,
  )
  const [first = 0, kept = 0, poisoned = 0, last = 0] = rows
    .map(row => Number(row.run_id))
    .sort((a, b) => a - b)
  await pool.query('insert into coordinator.admission (project_id, enqueued_at) values (8, now())')

  const ended = new AbortController()
  t.teardown(() => ended.abort())
  const asked: number[] = []
  const faults: unknown[] = []
  const serving = { signal: ended.signal, report: (error: unknown) => faults.push(error) }
  void serve(
    bus,
    accountsRpc.setProject,
    async ({ name }) => ({ project_id: projectId, name, ...ordinary }),
    serving,
  )
  void serve(bus, forgetRpc.keptRuns, async () => ({ runIds: [kept] }), serving)
  void serve(
    bus,
    runsRpc.deleteRun,
    async ({ runId }) => {
      asked.push(runId)
      if (runId === poisoned) throw new TypeError('Cannot read properties of undefined')
      return { deleted: true, sequence: 1 }
    },
    serving,
  )
  void serve(bus, runsRpc.isRunActive, async () => ({ active: false, status: 'done' as const }), serving)
  await bus.nc.flush()

  const dir = t.testdir()
  const server = (url: string) => ({ url, pid: null })
  const servers = { postgres: server(env.DATABASE_URL), nats: server(env.NATS_URL), redis: server('') }
  writeRunFile(dir, { base_url: '', pid: process.pid, ...servers, secrets_key: '', processes: [] })
  const old = ['--project', 'acme', '--older-than', '0h']
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)

  await t.test('are only counted without a confirmation', async t => {
    const printed = JSON.stringify(await purgeRuns.run(old, dir, print))
    const { before, first: from, last: to, ...counted } = JSON.parse(printed)
    t.strictSame(counted, { project_id: projectId, name: 'acme', found: 3, deleted: 0 })
    t.match(from, { run_id: first, url: 'http://a.test/1', ended_at: String })
    t.match(to, { run_id: last, url: 'http://a.test/4' })
    t.ok(Math.abs(Date.now() - Date.parse(before)) < 60_000)
    t.match(lines, [/Nothing was deleted.+add --yes/])
    t.strictSame(asked, [])
  })

  await t.test('are listed one by one without a confirmation', async t => {
    const told = {
      run_id: first,
      project_id: projectId,
      url: 'http://a.test/1',
      status: 'done',
      deleted: false,
    }
    t.strictSame(await purgeRun.run(['--id', String(first)], dir, print), told)
    t.strictSame(asked, [])
  })

  await t.test('are deleted except the one that fails, which is named', async t => {
    const args = [path.join(import.meta.dirname, '../local/admin.ts'), 'purge-runs', ...old, '--yes']
    const environment = { env: { ...process.env, TIDEMARK_DIR: dir } }
    const { code, output } = await command(process.execPath, args, environment)
    t.equal(code, 1)
    t.strictSame(asked, [first, poisoned, last])
    const json = output.split('\n').find(line => line.startsWith('{')) ?? ''
    t.match(JSON.parse(json), { ok: false, deleted: 2, failed: [{ run_id: poisoned }] })
    t.match(output, `run ${poisoned} stays: The service failed to process the request. See its log.`)
    t.notMatch(output, /request id/)
    t.equal(faults.length, 1)
  })
})
