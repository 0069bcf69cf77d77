import fs from 'node:fs'
import path from 'node:path'
import { database as accounts } from '@tidemark/auth-billing/database'
import { startService } from '@tidemark/auth-billing/service'
import { publish } from '@tidemark/bus/publish'
import { call } from '@tidemark/bus/rpc'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import { subjects } from '@tidemark/contracts/subjects'
import { database as runs } from '@tidemark/crawl-coordinator/database'
import { database as contents } from '@tidemark/extractor/database'
import { database as monitors } from '@tidemark/scheduler/database'
import { sealer, secretKeyId } from '@tidemark/secrets/seal'
import { surroundings } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import { database as webhooks } from '@tidemark/webhook/database'
import { test } from 'tap'
import { recordRestored, restoredAt } from '../../local/restored.ts'
import { writeRunFile } from '../../local/run-file.ts'
import { readKeyFile, secretKeys, writeKeyFile } from '../../local/secrets-key.ts'
import { declareStreams } from '../../nats/declare.ts'
import { run } from './rotate-secrets.ts'

test('Replacing the key of secrets', async t => {
  const database = [accounts, webhooks, monitors, runs, contents]
  const { env, bus, pool, stack } = await surroundings(t, { database, declare: declareStreams })
  const dir = t.testdir()
  const timeoutMs = 10_000
  const file = path.join(dir, 'secrets.key')
  const keys = () => secretKeys(dir, {}, () => {})
  const { SECRETS_KEY: first } = keys()
  const before = sealer(first)
  const nameless = (text: string) => before.seal(text).replace(/^sealed2\.[0-9a-f]{8}/, 'sealed1')

  /** As `npm start` would. */
  async function start(): Promise<AsyncDisposable> {
    const { SECRETS_KEY, SECRETS_KEYS_OLD } = keys()
    const server = (url: string) => ({ url, pid: null })
    writeRunFile(dir, {
      base_url: '',
      pid: process.pid,
      postgres: server(env.DATABASE_URL),
      nats: server(env.NATS_URL),
      redis: server(''),
      secrets_key: secretKeyId(SECRETS_KEY),
      processes: [],
    })
    const service = await startService(
      { ...env, SECRETS_KEY, SECRETS_KEYS_OLD },
      new AbortController().signal,
    )
    const answers = () => call(bus, accountsRpc.readTerms, { projectId: 1 }, { timeoutMs })
    await until(() =>
      answers().then(
        () => true,
        () => false,
      ),
    )
    return service
  }

  const sealedTexts = async () => {
    const { rows } = await pool.query<{ sealed: string | null }>(
      `select sealed from webhook.secret union all select body from account.mail where body is not null
       union all select sealed from webhook.old_secret
       union all select proxy ->> 'sealed' from account.project where proxy is not null
       union all select credentials from content.export
       union all select settings ->> 'headers' from scheduler.monitor
       union all select settings ->> 'cookies' from scheduler.monitor
       union all select settings #>> '{proxy,sealed}' from scheduler.monitor
       union all select settings #>> '{login,steps}' from scheduler.monitor`,
    )
    return rows.flatMap(({ sealed }) => sealed ?? [])
  }
  const running = stack.use(await start())
  const project = { name: 'proxied', tier: 'pro' as const, unlimited: false }
  const proxyUrl = 'http://user:word@proxy.example:3128'
  const { prefix } = await call(bus, accountsRpc.createProject, project, { timeoutMs })
  await call(bus, accountsRpc.setProject, { name: 'proxied', proxyUrl }, { timeoutMs })
  const secrets = Array.from({ length: 1_200 }, (_, n) => `secret ${n}`)
  await pool.query(
    'insert into webhook.secret (project_id, sealed) select * from unnest($1::bigint[], $2::text[])',
    [
      secrets.map((_, n) => n + 1),
      secrets.map(text => (text.endsWith('7') ? nameless(text) : before.seal(text))),
    ],
  )
  await pool.query(
    'insert into webhook.old_secret (project_id, sealed, until) values (1, $1, now()), (1, $2, now())',
    [before.seal('an older secret'), nameless('the oldest')],
  )
  const mailed =
    'insert into account.mail (key, recipient, subject, body, sent_at) values ($1, $2, $2, $3, $4)'
  await pool.query(mailed, ['waits', 'a@b.example', before.seal('a mail'), null])
  await pool.query(mailed, ['sent', 'a@b.example', null, new Date()])
  const sealed = { headers: nameless('{"a":"b"}'), cookies: before.seal('c=d') }
  const settings = {
    ...sealed,
    proxy: { sealed: before.seal(proxyUrl), shown: '' },
    login: { steps: before.seal('steps of a login'), loggedOut: {} },
    userAgent: 'sealed1.not',
  }
  await pool.query(
    `insert into scheduler.monitor (project_id, tier, url, schedule, settings, created_at)
     values (1, 'pro', '', '', $1, now()), (1, 'pro', '', '', '{"maxPages":1}', now())`,
    [settings],
  )
  await pool.query(
    `insert into content.export (project_id, run_id, format, selection, sink, fingerprint, credentials)
     values (1, 1, 'jsonl', '{}', '{}', '', $1)`,
    [before.seal('keys of a bucket')],
  )
  const admit =
    'insert into coordinator.admission (project_id, enqueued_at) values (1, now()) returning run_id'
  const runIds: number[] = []
  for (const settings of [sealed, {}, {}]) {
    const { rows } = await pool.query<{ run_id: number }>(admit)
    const runId = Number(rows[0]?.run_id)
    runIds.push(runId)
    const data = { runId, projectId: 1, tier: 'pro', url: 'https://a.example/', settings }
    const commit = { at: new Date().toISOString(), events: [{ type: 'RunQueued', data }] }
    await publish(bus, subjects.run(runId), JSON.stringify(commit), { id: `run ${runId}` })
  }
  await pool.query('insert into coordinator.login_session (run_id, attempt, sealed) values ($1, 1, $2)', [
    runIds.at(-1),
    before.seal('a session'),
  ])
  const expected = new Set([
    ...secrets,
    'an older secret',
    'the oldest',
    'a mail',
    'keys of a bucket',
    proxyUrl,
    '{"a":"b"}',
    'c=d',
    'steps of a login',
  ])
  const opened = async (...keys: [string, ...string[]]) => {
    const { open } = sealer(keys[0], keys.slice(1))
    return new Set((await sealedTexts()).map(open))
  }

  await t.test('puts a new key before the old one, once, for processes that start next', async t => {
    t.strictSame(readKeyFile(dir), [first])
    t.match(await run([], dir), { old_keys: [secretKeyId(first)], next: /--reseal/ })
    const ring = readKeyFile(dir) ?? []
    t.equal(ring.length, 2)
    t.equal(ring[1], first)
    t.equal(fs.statSync(file).mode & 0o777, 0o600)
    t.strictSame(keys(), { SECRETS_KEY: ring[0], SECRETS_KEYS_OLD: first })
    for (const args of [[], ['--reseal'], ['--drop-old']])
      await t.rejects(run(args, dir), { message: /Restart it/ }, 'and nothing before that')
    t.strictSame(readKeyFile(dir), ring)
    await t.rejects(run(['--reseal', '--drop-old'], dir), { message: /One step/ })
  })

  await t.test('seals all values in tables with it, however often it runs', async t => {
    await running[Symbol.asyncDispose]()
    stack.use(await start())
    const [newest = ''] = readKeyFile(dir) ?? []
    t.strictSame(await run(['--reseal'], dir), {
      resealed: 1_209,
      unreadable: 0,
      left: 0,
      runs_left: 2,
      old_keys_needed: true,
    })
    t.strictSame(await opened(newest), expected)
    const found = await call(bus, accountsRpc.findKey, { prefix }, { timeoutMs })
    t.equal(sealer(newest).open(found.key?.proxy?.sealed ?? ''), proxyUrl, 'and gateways are notified')
    const { rows } = await pool.query('select settings from scheduler.monitor order by id')
    t.match(rows, [{ settings: { userAgent: 'sealed1.not' } }, { settings: { maxPages: 1 } }])
    t.equal((await pool.query('select from account.mail where body is null')).rowCount, 1)

    await pool.query('update webhook.secret set sealed = $1 where project_id = 9', [before.seal('secret 8')])
    t.match(await run(['--reseal'], dir), { resealed: 1, left: 0 })
  })

  await t.test('keeps the old key as long as a run needs it, and then removes it', async t => {
    const [newest = ''] = readKeyFile(dir) ?? []
    await t.rejects(run(['--drop-old'], dir), { message: /0 rows and 2 active runs/ })
    await pool.query('update coordinator.admission set released_at = now()')
    const lost = sealer('ab'.repeat(32)).seal('lost')
    await pool.query('insert into webhook.secret (project_id, sealed) values (5000, $1)', [lost])
    t.match(await run(['--reseal'], dir), { resealed: 0, unreadable: 1, left: 1, old_keys_needed: false })
    const older = 'ef'.repeat(32)
    await pool.query('insert into webhook.secret (project_id, sealed) values (5001, $1)', [
      sealer(older).seal('older'),
    ])
    process.env.SECRETS_KEYS_OLD = older
    const state = await run(['--reseal'], dir).finally(() => delete process.env.SECRETS_KEYS_OLD)
    t.match(
      state,
      { resealed: 1, unreadable: 1 },
      'the services also open with the old keys of the environment',
    )
    t.strictSame(await run(['--drop-old'], dir), { key: secretKeyId(newest), dropped: [secretKeyId(first)] })
    t.strictSame(readKeyFile(dir), [newest])
  })

  await t.test('seals again on many machines, whose environment names the keys', async t => {
    const [newest = ''] = readKeyFile(dir) ?? []
    const next = 'cd'.repeat(32)
    const elsewhere = { NATS_URL: env.NATS_URL, DATABASE_URL: env.DATABASE_URL, SECRETS_KEY: next }
    const own = { ...process.env }
    t.teardown(() => {
      for (const name of [...Object.keys(elsewhere), 'SECRETS_KEYS_OLD']) delete process.env[name]
      Object.assign(process.env, own)
    })
    Object.assign(process.env, elsewhere, { SECRETS_KEYS_OLD: newest })
    const state = await run(['--reseal'], t.testdir())
    t.match(state, { unreadable: 1, left: 2, old_keys_needed: true }, 'but the proxy, which a service seals')
    t.ok((await sealedTexts()).some(text => text.startsWith(`sealed2.${secretKeyId(next)}.`)))
  })
})

test('A folder that came out of a backup', async t => {
  const dir = t.testdir()
  const [then, other] = ['ab'.repeat(32), 'cd'.repeat(32)]
  const at = '2026-11-22T00:00:00.000Z'
  const keys = (env: NodeJS.ProcessEnv = {}) => secretKeys(dir, env, () => {})
  recordRestored(dir, { at, secretsKey: secretKeyId(then) })
  const refusal = { code: 'SETTINGS_BAD', message: new RegExp(`the key ${secretKeyId(then)}`) }
  t.throws(keys, refusal, 'is given no other key')
  t.equal(readKeyFile(dir), null)
  t.throws(() => keys({ SECRETS_KEY: other }), refusal)
  writeKeyFile(dir, [other, then])
  t.throws(() => keys({ SECRETS_KEY: other }), refusal, 'a file that is not read does not count')
  t.match(keys(), { SECRETS_KEY: other, SECRETS_KEYS_OLD: then })
  writeKeyFile(dir, [other])
  t.match(keys(), { SECRETS_KEY: other }, 'and from then on it may be replaced')
  t.equal(restoredAt(dir), at)
  recordRestored(dir, { at, secretsKey: secretKeyId(then) })
  t.match(keys({ SECRETS_KEY: other, SECRETS_KEYS_OLD: ` ${then}` }), { SECRETS_KEY: other })
  recordRestored(dir, { at, secretsKey: null })
  t.match(keys(), { SECRETS_KEY: other }, 'which was not known sealed nothing that is known of')
})
