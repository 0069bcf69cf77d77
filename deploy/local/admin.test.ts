import fs from 'node:fs'
import path from 'node:path'
import { database } from '@tidemark/auth-billing/database'
import { startService } from '@tidemark/auth-billing/service'
import { openBus } from '@tidemark/bus/connection'
import { migrate } from '@tidemark/db/migrate'
import { freshDatabase, throwawayNats } from '@tidemark/testing/servers'
import { test } from 'tap'
import * as createProjects from '../admin/create-project.ts'
import { createKey, listKeys, revokeKey } from '../admin/keys.ts'
import { purgeRun, purgeRuns } from '../admin/purge-runs.ts'
import * as rebuildProjections from '../admin/rebuild/rebuild-projections.ts'
import * as resendMails from '../admin/resend-mails.ts'
import { sentenceOf } from '../admin/sentence.ts'
import * as setKey from '../admin/set-key.ts'
import * as setProject from '../admin/set-project.ts'
import { declareStreams } from '../nats/declare.ts'
import { createProject } from './admin-client.ts'
import { command } from './command.ts'

test('npm run admin', async t => {
  process.env.LOG_LEVEL = 'fatal'
  const dir = t.testdir()
  const runFile = path.join(dir, 'run.json')
  const adminWith = (env: NodeJS.ProcessEnv, ...args: string[]) =>
    command(process.execPath, [path.join(import.meta.dirname, 'admin.ts'), ...args], {
      env: { ...process.env, TIDEMARK_DIR: dir, ...env },
    })
  const admin = (...args: string[]) => adminWith({}, ...args)

  await t.test('lists its commands for an unknown command', async t => {
    for (const args of [[], ['destroy-everything']]) {
      const { code, output } = await admin(...args)
      t.equal(code, 2)
      t.match(output, /npm run admin -- create-project --name NAME \[--tier free\|pro\|agency\|studio\]/)
    }
  })

  await t.test('says what a command does, and does nothing', async t => {
    const asked = [
      ['purge-run', '-h', '--id', '1'],
      ['help', 'purge-run'],
    ]
    for (const { code, output } of await Promise.all(asked.map(line => admin(...line)))) {
      t.equal(code, 0)
      t.equal(output, `${purgeRun.summary}\n  npm run admin -- purge-run --id N [--yes]`)
    }
    const { code, output } = await admin('--help')
    t.equal(code, 0)
    t.match(output, /create-project --name NAME.+ verify/s)
  })

  await t.test('deletes nothing for a slip of the hand', async t => {
    const older = (than: string) => purgeRuns.run(['--project', 'a', '--older-than', than, '--yes'], dir)
    await t.rejects(older('3m'), {
      exitCode: 2,
      message: /not a time: 3m\. Use an age \(90d, 12h\) or a time/,
    })
    await t.rejects(
      older('2026-02-31'),
      { exitCode: 2, message: /is not a time: / },
      'a day that does not exist',
    )
    await t.rejects(older('2099-01-01'), { exitCode: 2, message: /not in the past \(2099-01-01T/ })
    const nameless = rebuildProjections.run(['--name', ''], dir)
    await t.rejects(nameless, { exitCode: 2, message: /There is no projection ""/ })
  })

  await t.test('says what is wrong with an option, and how it should be', async t => {
    const wrong = [[], ['--name', 'a b'], ['--name', 'a', '--tier', 'gold']]
    for (const options of wrong)
      await t.rejects(createProjects.run(options, dir), {
        exitCode: 2,
        message: /create-project --name NAME/,
      })
    for (const options of [wrong[0] ?? [], ['--nmae', 'a']]) {
      const { code, output } = await admin('create-project', ...options)
      t.equal(code, 2)
      t.match(output, /create-project --name NAME/)
    }
  })

  await t.test('says what may be set, and how', async t => {
    const ofProject = [[], ['--pages-per-day', '1.5'], ['--cloud-mode', 'magic'], ['--unlimited', 'maybe']]
    const wrong = [
      ...ofProject.map(options => setProject.run(['--name', 'acme', ...options], dir)),
      setProject.run(['--tier', 'free'], dir),
      setKey.run(['--prefix', 'tmk_12345678'], dir),
      setKey.run(['--prefix', 'tmk_12345678', '--cloud-per-day', 'few'], dir),
    ]
    const ofKeys = [
      createKey.run([], dir),
      createKey.run(['--name', 'acme', '--label', 'a\tb'], dir),
      listKeys.run([], dir),
      revokeKey.run([], dir),
    ]
    for (const ended of await Promise.allSettled(ofKeys))
      t.match((ended as PromiseRejectedResult).reason, { exitCode: 2, message: /-keys? --(name|prefix)/ })
    for (const ended of await Promise.allSettled(wrong)) {
      const { reason } = ended as PromiseRejectedResult
      t.match(reason, { exitCode: 2, message: /\[--pages-per-day N\|none\|default\]/ })
    }
  })

  await t.test('says how to start an instance where none runs', async t => {
    const stale = { pid: 2 ** 30, nats: { url: 'nats://127.0.0.1:1' } }
    for (const content of [null, JSON.stringify(stale)]) {
      if (content) fs.writeFileSync(runFile, content)
      await t.rejects(createProjects.run(['--name', 'a'], dir), { exitCode: 1, message: /npm start/ })
    }
    t.match(await admin('create-project', '--name', 'a'), { code: 1, output: /npm start/ })
  })

  await t.test('creates missing streams with the requested size, and no others', async t => {
    const nats = await throwawayNats()
    t.teardown(() => nats.stop())
    const bus = await openBus({ url: nats.url, name: 'admin.test' })
    t.teardown(() => bus.close())
    const MB = 1024 ** 2
    await declareStreams(nats.url, {
      STREAM_RUNS_BYTES: String(64 * MB),
      STREAM_BULKY_BYTES: String(96 * MB),
    })
    await bus.jsm.consumers.delete('PAGES', 'extractor')
    await bus.jsm.streams.delete('AUDIT')
    await bus.jsm.streams.add({ name: 'THEIRS', subjects: ['theirs'], max_bytes: MB })
    fs.writeFileSync(runFile, JSON.stringify({ pid: process.pid, nats: { url: nats.url } }))

    const limitsAfter = async (env: NodeJS.ProcessEnv) => {
      const { code, output } = await adminWith(env, 'declare-streams')
      t.equal(code, 0, output)
      const streams: { name: string; limit: number }[] = JSON.parse(output).streams
      return new Map(streams.map(({ name, limit }) => [name, limit]))
    }
    const limits = await limitsAfter({ STREAM_MONITORS_BYTES: String(640 * MB) })
    t.equal(limits.get('MONITORS'), 640 * MB)
    t.equal(limits.get('RUNS'), 64 * MB, 'streams without a setting keep their size')
    t.equal(limits.get('THEIRS'), MB, 'and what is not ours')
    t.equal(limits.get('OBJ_BULKY'), 96 * MB)
    const larger = await limitsAfter({ STREAM_BULKY_BYTES: String(160 * MB) })
    t.equal(larger.get('OBJ_BULKY'), 160 * MB, 'the object store is resized, too')
    t.equal(limits.get('AUDIT'), 512 * MB, 'the missing ones exist again')
    t.match(await bus.jsm.consumers.info('PAGES', 'extractor'), { name: 'extractor' })

    const mistyped = await adminWith({ STREAM_STREAM_BYTES: String(9 * MB) }, 'declare-streams')
    t.match(mistyped, { code: 1, output: /^STREAM_STREAM_BYTES is not the setting of a stream/ })

    const huge = await adminWith({ STREAM_RUNS_BYTES: String(2 ** 52) }, 'declare-streams')
    t.equal(huge.code, 1)
    t.match(huge.output, /no capacity for the stream RUNS of 4503599627370496 bytes.+max_file_store/)
    t.notMatch(huge.output, /\n +at /, 'no stack')
  })

  await t.test('says which servers are to be prepared, and by what else', async t => {
    const env = { ...process.env, NATS_URL: '', DATABASE_URL: '' }
    const prepare = (...args: string[]) =>
      command(process.execPath, [path.join(import.meta.dirname, 'prepare.ts'), ...args], { env })
    t.match(await prepare('streams'), { code: 2, output: /^NATS_URL must name .+ declare-streams/ })
    t.match(await prepare(), { code: 2, output: /^NATS_URL and DATABASE_URL must name/ })
  })

  await t.test('creates a project in the running instance', async t => {
    const fresh = await freshDatabase()
    t.teardown(() => fresh.drop())
    const nats = await throwawayNats()
    t.teardown(() => nats.stop())
    await Promise.all([migrate(fresh.url, database), declareStreams(nats.url)])
    const SECRETS_KEY = '0'.repeat(64)
    const env = { NATS_URL: nats.url, DATABASE_URL: fresh.url, SECRETS_KEY }
    const service = await startService(env, new AbortController().signal)
    t.teardown(() => service[Symbol.asyncDispose]())
    fs.writeFileSync(runFile, JSON.stringify({ pid: process.pid, nats: { url: nats.url } }))

    const { code, output } = await admin('create-project', '--name', 'acme', '--unlimited')
    t.equal(code, 0)
    t.equal(output.split('\n').length, 1)
    const { api_key, ...created } = JSON.parse(output)
    t.strictSame(created, {
      project_id: created.project_id,
      name: 'acme',
      tier: 'pro',
      prefix: api_key.slice(0, 12),
    })

    const caps = ['--pages-per-day', '70', '--cloud-per-day', 'none']
    const terms = ['--tier', 'agency', ...caps, '--cloud-mode', 'auto']
    const said = ({ run }: { run(args: string[], dir: string): Promise<object> }, ...args: string[]) =>
      run(args, dir).catch(sentenceOf)
    t.strictSame(await said(setProject, '--name', 'acme', '--unlimited', 'false', ...terms), {
      project_id: created.project_id,
      name: 'acme',
      tier: 'agency',
      unlimited: false,
      caps: { pages_per_day: 70, pages_per_month: 1_000_000, cloud_pages_per_day: null },
      cloud_mode: 'auto',
      proxy_url: null,
    })
    t.match(await said(setKey, '--prefix', created.prefix, '--pages-per-month', '60'), {
      prefix: created.prefix,
      caps: { pages_per_month: 60 },
    })
    const { prefix } = created
    const leaked = await createKey.run(['--name', 'acme'], dir)
    t.strictSame(
      await said(revokeKey, '--prefix', leaked.prefix),
      { project_id: created.project_id, prefix: leaked.prefix, revoked: true },
      'a leaked key is revoked, even if the oldest key is narrowed',
    )
    t.equal(
      await said(revokeKey, '--prefix', prefix),
      `This is the last valid key of project ${created.project_id}. Create another one with create-key, then revoke this one.`,
    )
    const second = await createKey.run(['--name', 'acme', '--label', 'for the night'], dir)
    t.match(second, { project_id: created.project_id, api_key: /^tmk_/, label: 'for the night' })
    t.equal(second.prefix, second.api_key.slice(0, 12))
    t.strictSame(await said(revokeKey, '--prefix', prefix), {
      project_id: created.project_id,
      prefix,
      revoked: true,
    })
    t.match(await said(listKeys, '--name', 'acme'), {
      project_id: created.project_id,
      keys: [
        { prefix, label: 'default', revoked_at: String },
        { prefix: leaked.prefix, revoked_at: String },
        { prefix: second.prefix, label: 'for the night', expires_at: null, revoked_at: null },
      ],
    })
    t.match(await said(createKey, '--name', 'nobody'), /There is no project "nobody"/)
    t.match(await said(revokeKey, '--prefix', 'tmk_12345678'), /There is no key "tmk_12345678"/)

    t.strictSame(await said(resendMails), { mails: 0 })
    await t.rejects(resendMails.run(['now'], dir), { code: 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL' })

    const taken = 'There is a project "acme" already. Choose another name.'
    t.match(await admin('create-project', '--name', 'acme'), { code: 1, output: taken })

    const other = await createProject(runFile, { name: '-other', tier: 'studio', unlimited: true })
    t.match(other, { name: '-other', tier: 'studio', api_key: /^tmk_/ })
    await t.rejects(createProject(runFile, { name: '-other' }), { code: 'CALL_FAILED', message: /already/ })

    const elsewhere = { NATS_URL: nats.url, DATABASE_URL: fresh.url, TIDEMARK_DIR: t.testdir() }
    const remote = (...args: string[]) => adminWith(elsewhere, ...args)
    const many = await remote('list-keys', '--name', 'acme')
    t.match(JSON.parse(many.output), { project_id: created.project_id }, 'and in one on many machines')
    const unknown = await remote('rotate-secrets', '--reseal')
    t.match(unknown, { code: 1, output: /set SECRETS_KEY and SECRETS_KEYS_OLD as for its services/ })
  })
})
