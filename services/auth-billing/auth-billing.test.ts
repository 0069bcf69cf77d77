import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { call, sendWithoutResponse } from '@tidemark/bus/rpc'
import type { AccountCommit } from '@tidemark/contracts/account'
import { isApiKeyShaped, prefixOf } from '@tidemark/contracts/api-key'
import type { CapChanges, CreateProject, SetProject } from '@tidemark/contracts/rpc/accounts'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import type { RotateKey } from '@tidemark/contracts/rpc/keys'
import * as keysRpc from '@tidemark/contracts/rpc/keys'
import { notifications, streams, subjects } from '@tidemark/contracts/subjects'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { sealer } from '@tidemark/secrets/seal'
import { surroundings } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import fc from 'fast-check'
import { test } from 'tap'
import { database } from './database.ts'
import { makeKey } from './domain/key.ts'
import { startService } from './service.ts'

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')

test('An API key', async t => {
  const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const anyKey = fc
    .array(fc.nat(61), { minLength: 40, maxLength: 40 })
    .map(numbers => makeKey('', () => numbers.pop() ?? 0).plaintext)

  t.test('has a fixed beginning, forty random characters and a checksum', async t => {
    const { plaintext: key, key: stored } = makeKey('first', randomInt)
    t.match(key, /^tmk_[0-9A-Za-z]{46}$/)
    t.equal(prefixOf(key), key.slice(0, 12))
    t.strictSame(stored, { prefix: key.slice(0, 12), hash: hashOf(key), label: 'first' })
    t.not(makeKey('', randomInt).plaintext, key)
  })

  t.test('ends with the CRC-32 of the text before, in base 62', async () => {
    fc.assert(
      fc.property(anyKey, key => {
        const check = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + base62.indexOf(digit), 0)
        return check === crc32(key.slice(0, -6))
      }),
    )
  })

  t.test('becomes invalid when one character is changed, or two are exchanged', async () => {
    const position = fc.integer({ min: 4, max: 49 })
    fc.assert(
      fc.property(anyKey, position, fc.constantFrom(...base62), (key, at, other) => {
        const changed = key.slice(0, at) + other + key.slice(at + 1)
        const exchanged = key.slice(0, at - 1) + key[at] + key[at - 1] + key.slice(at + 1)
        return [changed, exchanged].every(typed => isApiKeyShaped(typed) === (typed === key))
      }),
    )
    fc.assert(fc.property(fc.string(), text => !isApiKeyShaped(text)))
  })
})

test('auth-billing', async t => {
  const { env, bus, pool, stack } = await surroundings(t, { database, declare: declareStreams })
  const SECRETS_KEY = '0'.repeat(64)
  stack.use(await startService({ ...env, SECRETS_KEY }, new AbortController().signal))

  const timeoutMs = 10_000
  const create = (name: string, more: Partial<CreateProject> = {}) =>
    call(bus, accountsRpc.createProject, { name, tier: 'pro', unlimited: false, ...more }, { timeoutMs })
  const find = (prefix: string) => call(bus, accountsRpc.findKey, { prefix }, { timeoutMs })

  async function accountCommit(projectId: number): Promise<string> {
    const last = { last_by_subj: subjects.account(projectId) }
    let commit = ''
    await until(async () => {
      commit = (await bus.jsm.direct.getMessage(streams.accounts, last))?.string() ?? ''
      return commit !== ''
    })
    return commit
  }

  t.test('creates a project with a key that is found by its prefix', async t => {
    const created = await create('acme', { tier: 'agency', unlimited: true })
    t.match(created, { name: 'acme', tier: 'agency', prefix: created.api_key.slice(0, 12) })
    t.ok(isApiKeyShaped(created.api_key))
    t.strictSame(await find(created.prefix), {
      key: {
        prefix: created.prefix,
        hash: hashOf(created.api_key),
        projectId: created.project_id,
        tier: 'agency',
        unlimited: true,
        expiresAt: null,
        revokedAt: null,
      },
    })
  })

  t.test('publishes both in one commit in ACCOUNTS', async t => {
    const { project_id: projectId, prefix, api_key } = await create('published')
    const commit: AccountCommit = JSON.parse(await accountCommit(projectId))
    const [project, key] = commit.events
    t.strictSame(project, {
      type: 'ProjectCreated',
      data: { projectId, name: 'published', tier: 'pro', unlimited: false },
    })
    t.match(key, { type: 'KeyCreated', data: { projectId, prefix, hash: hashOf(api_key), expiresAt: null } })
    t.equal(commit.events.length, 2)
  })

  t.test("stores a project's proxy sealed, and returns it until it is removed", async t => {
    const set = (name: string, proxyUrl: string | null) =>
      call(bus, accountsRpc.setProject, { name, proxyUrl }, { timeoutMs })
    const { project_id, prefix } = await create('proxied')
    const shown = 'http://user:***@proxy.example:3128'
    t.match(await set('proxied', 'http://user:word@proxy.example:3128'), {
      project_id,
      name: 'proxied',
      proxy_url: shown,
    })
    const { proxy } = (await find(prefix)).key ?? {}
    t.equal(proxy?.shown, shown)
    t.equal(sealer(SECRETS_KEY).open(proxy?.sealed ?? ''), 'http://user:word@proxy.example:3128')
    await set('proxied', null)
    t.equal((await find(prefix)).key?.proxy, undefined)
    const refusal = (name: string, proxyUrl: string | null) => set(name, proxyUrl).catch(error => error)
    t.match(await refusal('nobody', null), { status: 404, field: 'name' })
    t.match(await refusal('proxied', 'ftp://x'), { status: 400, field: 'proxy_url' })
  })

  t.test('changes the terms of a project and a key, and notifies gateways before the response', async t => {
    const { project_id, prefix } = await create('changing')
    const set = (changes: Omit<SetProject, 'name'>) =>
      call(bus, accountsRpc.setProject, { name: 'changing', ...changes }, { timeoutMs })
    const setKey = (caps: CapChanges, of = prefix) =>
      call(bus, accountsRpc.setKey, { prefix: of, caps }, { timeoutMs })
    const readTerms = (projectId: number) => call(bus, accountsRpc.readTerms, { projectId }, { timeoutMs })
    let notified = 0
    const subscription = bus.nc.subscribe(notifications.keysChanged, { callback: () => void notified++ })
    t.teardown(() => subscription.unsubscribe())
    await bus.nc.flush()

    t.strictSame(
      await set({ tier: 'free', caps: { pagesPerDay: 40, cloudPagesPerDay: null }, cloudMode: 'browser' }),
      {
        project_id,
        name: 'changing',
        tier: 'free',
        unlimited: false,
        caps: { pages_per_day: 40, pages_per_month: 5_000, cloud_pages_per_day: null },
        cloud_mode: 'browser',
        proxy_url: null,
      },
    )
    t.equal(notified, 1)
    t.match(await setKey({ pagesPerDay: 30, pagesPerMonth: 9_000 }), {
      prefix,
      project_id,
      caps: { pages_per_day: 30, pages_per_month: 5_000, cloud_pages_per_day: null },
    })
    t.equal(notified, 2)
    t.match((await find(prefix)).key, {
      tier: 'free',
      caps: { pagesPerDay: 40, cloudPagesPerDay: null },
      keyCaps: { pagesPerDay: 30, pagesPerMonth: 9_000 },
      cloudMode: 'browser',
    })
    t.match(await readTerms(project_id), {
      terms: { tier: 'free', unlimited: false, caps: { pagesPerDay: 40 } },
    })
    t.strictSame(await readTerms(10 ** 9), { terms: null })
    await until(async () => /KeyCapsSet/.test(await accountCommit(project_id)))

    const each = Array.from({ length: 10 }, (_, n) =>
      n % 2 ? { caps: { pagesPerMonth: 7 } } : { unlimited: true },
    )
    await Promise.all(each.map(changes => set(changes)))
    t.match(
      (await find(prefix)).key,
      { unlimited: true, caps: { pagesPerDay: 40, pagesPerMonth: 7 } },
      'no change is lost',
    )
    t.match(await setKey({}, 'tmk_Nobody00').catch(error => error), { status: 404, field: 'prefix' })
  })

  t.test('stores the consent of a project to a language model, with its key and time', async t => {
    const { project_id: projectId, prefix } = await create('consenting')
    const other = await create('other-consent')
    const read = async (id = projectId) =>
      (await call(bus, accountsRpc.readModelConsent, { projectId: id }, { timeoutMs })).consent
    const set = (host: string | null, by = prefix, id = projectId) =>
      call(bus, accountsRpc.setModelConsent, { projectId: id, by, host }, { timeoutMs })
    t.equal(await read(), null, 'a new project has given no consent')
    const { consent } = await set('models.test')
    t.match(consent, { host: 'models.test', by: prefix, at: /^\d{4}-/ })
    t.strictSame((await set('models.test')).consent, consent, 'an equal one changes nothing')
    t.strictSame([await read(), await read(other.project_id)], [consent, null])
    const event = { type: 'ProjectModelConsentSet', data: { projectId, ...consent } }
    await until(async () => (await accountCommit(projectId)).includes('ProjectModelConsentSet'))
    t.match(JSON.parse(await accountCommit(projectId)), { events: [event] }, 'the event is the record of it')
    await t.rejects(set('evil.test', other.prefix), { code: 'unauthorized' }, 'by a key of another project')
    await call(bus, accountsRpc.setKey, { prefix, caps: { pagesPerDay: 1 } }, { timeoutMs })
    await t.rejects(set(null), { code: 'conflict', reason: 'narrowed_key' })
    await call(bus, accountsRpc.setKey, { prefix, caps: { pagesPerDay: 'default' } }, { timeoutMs })
    t.strictSame([(await set(null)).consent, await read()], [null, null], 'it can be withdrawn')
  })

  t.test('ends the shares of a crawl, for every key of the project', async t => {
    const { project_id: projectId, prefix } = await create('sharing')
    const other = await create('other-sharing')
    const end = (runId: number, by = prefix) =>
      call(bus, accountsRpc.endShares, { projectId, by, runId }, { timeoutMs })
    t.equal((await find(prefix)).key?.sharesEnded, undefined)
    const notified = bus.nc.subscribe(notifications.keysChanged, { max: 1 })
    await bus.nc.flush()
    const { at } = await end(42)
    t.equal((await Array.fromAsync(notified)).length, 1, 'gateways receive a notification')
    t.strictSame((await find(prefix)).key?.sharesEnded, { 42: at })
    const again = await end(42)
    const [first, second] = await Promise.all([end(43), end(44)])
    const ended = { 42: again.at, 43: first.at, 44: second.at }
    t.strictSame((await find(prefix)).key?.sharesEnded, ended, 'no concurrent end is lost')
    t.equal((await find(other.prefix)).key?.sharesEnded, undefined)
    await until(async () => (await accountCommit(projectId)).includes('CrawlSharesEnded'))
    const { events } = JSON.parse(await accountCommit(projectId))
    t.match(events, [{ data: { projectId, by: prefix, everyRun: null, forgotten: { length: 0 } } }])
    await t.rejects(end(42, other.prefix), { code: 'unauthorized' }, 'by a key of another project')
  })

  // A loop of rotations or ended shares could have filled the stream of accounts, which is kept for ever.
  t.test('limits the changes of a day, but never revocations', async t => {
    const { project_id: projectId, prefix } = await create('restless')
    const end = () => call(bus, accountsRpc.endShares, { projectId, by: prefix, runId: 42 }, { timeoutMs })
    await end()
    await pool.query('update account.project set changes = 500 where id = $1', [projectId])
    await t.rejects(end(), { code: 'too_many_requests', reason: 'account_changes' })
    const revoke = { projectId, by: prefix, prefix }
    await t.rejects(call(bus, keysRpc.revokeKey, revoke, { timeoutMs }), {
      code: 'conflict',
      reason: 'last_key',
    })
    await pool.query(`update account.project set changed_on = changed_on - 1 where id = $1`, [projectId])
    await end()
    const { rows } = await pool.query('select changes from account.project where id = $1', [projectId])
    t.strictSame(rows, [{ changes: 1 }], 'they are counted by the day')
  })

  t.test('stores no key', async t => {
    const { project_id, api_key } = await create('secret')
    const { rows } = await pool.query(`select * from account.key join account.project on project_id = id`)
    const everything = JSON.stringify(rows) + (await accountCommit(project_id))
    t.match(everything, hashOf(api_key))
    t.notMatch(everything, api_key.slice(12))
  })

  t.test('gives a name to exactly one of forty concurrent requests', async t => {
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => create('wanted')))
    const refused = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
    t.equal(refused.length, 39)
    for (const refusal of refused) {
      t.match(refusal, { status: 409, code: 'conflict', reason: 'name_taken', field: 'name' })
    }
    const { rows } = await pool.query(
      `select count(*)::int as keys from account.key join account.project on project_id = id where name = 'wanted'`,
    )
    t.equal(rows[0].keys, 1)
  })

  const list = async (projectId: number) =>
    (await call(bus, keysRpc.listKeys, { projectId }, { timeoutMs })).items
  const rotateBy = (by: string, projectId: number, more: Partial<RotateKey> = {}) =>
    call(bus, keysRpc.rotateKey, { projectId, by, label: null, graceSeconds: 60, ...more }, { timeoutMs })
  const revokeBy = (by: string, projectId: number, prefix: string) =>
    call(bus, keysRpc.revokeKey, { projectId, by, prefix }, { timeoutMs })
  /** Returns the youngest valid key. */
  const validKey = async (projectId: number): Promise<string> =>
    (await pool.query(youngestValid, [projectId])).rows[0].prefix
  const youngestValid = `select prefix from account.key
    where project_id = $1 and revoked_at is null and (expires_at is null or expires_at > now())
    order by created_at desc, prefix limit 1`
  const rotate = async (projectId: number, graceSeconds = 60, label: string | null = null) =>
    rotateBy(await validKey(projectId), projectId, { graceSeconds, label })
  const revoke = async (projectId: number, prefix: string) =>
    revokeBy(await validKey(projectId), projectId, prefix)

  t.test('rotates keys: the new one has no end, and the earlier ones end after the grace period', async t => {
    const { project_id: projectId, prefix: first } = await create('turning')
    const since = Date.now()
    const { key, sequence } = await rotate(projectId, 60, 'deploys')
    t.match(key, { label: 'deploys', grace_seconds: 60, prefix: key.api_key.slice(0, 12) })
    t.equal((await find(key.prefix)).key?.hash, hashOf(key.api_key))
    const [old, fresh, ...more] = await list(projectId)
    t.match(
      [old, fresh, more],
      [{ prefix: first }, { prefix: key.prefix, label: 'deploys', expires_at: null }, []],
    )
    const graceMs = Date.parse(old?.expires_at ?? '') - since
    t.ok(graceMs >= 60_000 && graceMs < 120_000, `${graceMs} ms of grace period`)
    t.ok((sequence ?? 0) > 0)
    t.match(JSON.parse(await accountCommit(projectId)).events, [
      { type: 'KeyCreated', data: { prefix: key.prefix } },
      { type: 'KeysSuperseded', data: { prefixes: [first], expiresAt: old?.expires_at } },
    ])
  })

  t.test('returns a new key although JetStream acknowledges nothing', async t => {
    const { project_id: projectId } = await create('unacknowledged')
    await accountCommit(projectId)
    const acknowledge = (is: boolean) => bus.jsm.streams.update(streams.accounts, { no_ack: !is })
    await acknowledge(false)
    t.teardown(() => acknowledge(true))
    const since = performance.now()
    const { key, sequence } = await rotate(projectId, 0)
    t.ok(performance.now() - since < 5_000, 'long before the gateway stops waiting')
    t.equal(sequence, null)
    t.equal((await find(key.prefix)).key?.hash, hashOf(key.api_key))
    await acknowledge(true)
    await until(async () => (await accountCommit(projectId)).includes(key.prefix))
  })

  t.test('notifies gateways of an ended key before the response', async t => {
    const { project_id: projectId, prefix } = await create('notified')
    let notified = 0
    const subscription = bus.nc.subscribe(notifications.keysChanged, { callback: () => void notified++ })
    t.teardown(() => subscription.unsubscribe())
    await bus.nc.flush()
    await rotate(projectId, 0)
    t.equal(notified, 1)
    await revoke(projectId, prefix)
    t.equal(notified, 2)
    await revoke(projectId, prefix)
    t.equal(notified, 2, 'nothing changed')
  })

  t.test('locks keys in one order, so that records of their use never block a rotation', async t => {
    const { project_id: projectId, prefix: high } = await create('orderly')
    let low = high
    while (low >= high) low = (await rotate(projectId, 60)).key.prefix
    const client = await pool.connect()
    t.teardown(() => client.release())
    await client.query('begin')
    await client.query('select from account.key where prefix = $1 for update', [low])
    const at = new Date().toISOString()
    const recording = call(
      bus,
      keysRpc.keysUsed,
      { used: [high, low].map(prefix => ({ prefix, at })) },
      { timeoutMs },
    )
    const rotating = rotate(projectId, 0)
    await until(async () => {
      const { rows } = await pool.query(
        `select count(*)::int as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows[0].waiting === 2
    })
    await pool.query('select from account.key where prefix = $1 for update nowait', [high])
    await client.query('commit')
    await Promise.all([recording, rotating])
    const [first] = await list(projectId)
    t.match(first, { prefix: high, last_used_at: at })
  })

  t.test('finds keys while many changes of a project wait for each other', async t => {
    const { project_id: projectId, prefix } = await create('busy')
    const client = await pool.connect()
    t.teardown(() => client.release())
    await client.query('begin')
    await client.query('select from account.project where id = $1 for update', [projectId])
    const rotations = Promise.all(Array.from({ length: 20 }, () => rotate(projectId)))
    t.equal((await find(prefix)).key?.projectId, projectId)
    await client.query('commit')
    await rotations
    t.equal((await list(projectId)).length, 21)
  })

  t.test('leaves one key of six after many concurrent requests to revoke them', async t => {
    const { project_id: projectId, prefix: first } = await create('besieged')
    const prefixes = [first]
    for (let n = 0; n < 5; n++) prefixes.push((await rotate(projectId, 3_600)).key.prefix)
    const nth = (n: number) => prefixes[n % prefixes.length] as string
    const requests = Array.from({ length: 72 }, (_, n) => ({
      prefix: nth(n),
      by: nth(Math.floor(n / 6) + n),
    }))
    const results = await Promise.allSettled(
      requests.map(({ prefix, by }) => revokeBy(by, projectId, prefix)),
    )
    const valid = (await list(projectId)).filter(({ revoked_at }) => revoked_at === null)
    t.equal(valid.length, 1)
    const last = valid[0]?.prefix ?? ''
    for (const [n, result] of results.entries()) {
      const { prefix, by } = requests[n] ?? {}
      if (result.status === 'fulfilled') t.not(prefix, last, 'the last key is not reported as revoked')
      else if (by !== last) t.match(result.reason, { status: 401 }, 'the key of the request was revoked')
      else t.match([prefix, result.reason], [last, { status: 409, reason: 'last_key' }])
    }
    t.match(await revokeBy(last, projectId, last).catch(error => error), { reason: 'last_key' })
  })

  t.test('rejects a key that ends while its rotation or revocation waits', async t => {
    const { project_id: projectId, prefix: old } = await create('waiting')
    const { prefix: next } = (await rotateBy(old, projectId)).key
    const client = await pool.connect()
    t.teardown(() => client.release())
    await client.query('begin')
    await client.query('select from account.project where id = $1 for update', [projectId])
    const requests = [rotateBy(old, projectId), revokeBy(old, projectId, next)]
    const refusals = requests.map(request => request.catch(error => error))
    await until(isWaiting)
    await client.query('update account.key set expires_at = clock_timestamp() where prefix = $1', [old])
    await client.query('commit')
    for (const refused of await Promise.all(refusals)) t.match(refused, { status: 401, code: 'unauthorized' })
    t.equal((await list(projectId)).length, 2, 'no key is created')
    t.equal((await find(next)).key?.revokedAt, null)
  })

  async function isWaiting(): Promise<boolean> {
    const { rows } = await pool.query(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0].waiting > 0
  }

  t.test('rejects requests by a key that is no longer valid', async t => {
    const { project_id: projectId, prefix: owners } = await create('robbed')
    const stolen = (await rotateBy(owners, projectId)).key.prefix
    await rotateBy(owners, projectId)
    await revokeBy(owners, projectId, stolen)
    const { prefix: foreign } = await create('robber')
    const before = await list(projectId)
    for (const by of [stolen, foreign, 'tmk_nobodyXX']) {
      const no = { status: 401, code: 'unauthorized' }
      t.match(await rotateBy(by, projectId, { graceSeconds: 0 }).catch(error => error), no, `${by} rotates`)
      t.match(await revokeBy(by, projectId, owners).catch(error => error), no, `${by} revokes`)
    }
    t.strictSame(await list(projectId), before, 'no key is created or revoked')

    const next = (await rotateBy(owners, projectId, { graceSeconds: 0 })).key.prefix
    t.match(await rotateBy(owners, projectId).catch(error => error), { status: 401 }, 'an expired key')
    t.ok(await rotateBy(next, projectId))
  })

  t.test('narrows a new key like the key of the request at that moment', async t => {
    const { project_id: projectId, prefix: narrow } = await create('narrowed')
    const wide = (await rotateBy(narrow, projectId)).key.prefix
    const caps = { pagesPerDay: 3 }
    await call(bus, accountsRpc.setKey, { prefix: narrow, caps }, { timeoutMs })
    const capsOf = async (prefix: string) => (await find(prefix)).key?.keyCaps
    t.strictSame(await capsOf((await rotateBy(narrow, projectId)).key.prefix), caps)
    t.strictSame(await capsOf((await rotateBy(wide, projectId)).key.prefix), undefined)
  })

  t.test('lets a narrowed key change only itself', async t => {
    const { project_id: projectId, prefix: owner } = await create('guarded')
    const narrow = (await rotateBy(owner, projectId, { graceSeconds: 86_400 })).key.prefix
    await call(bus, accountsRpc.setKey, { prefix: narrow, caps: { pagesPerDay: 3 } }, { timeoutMs })
    const other = (await rotateBy(owner, projectId, { graceSeconds: 86_400 })).key.prefix
    const endsOf = async () =>
      new Map((await list(projectId)).map(({ prefix, expires_at }) => [prefix, expires_at]))
    const before = await endsOf()
    for (const prefix of [owner, other])
      t.match(await revokeBy(narrow, projectId, prefix).catch(error => error), {
        status: 409,
        code: 'conflict',
        reason: 'narrowed_key',
        message: /Use a key .* without caps/,
      })
    const next = (await rotateBy(narrow, projectId, { graceSeconds: 0 })).key.prefix
    const after = await endsOf()
    for (const prefix of [owner, other]) t.equal(after.get(prefix), before.get(prefix), 'ends as before')
    t.ok(Date.parse(after.get(narrow) ?? '') <= Date.now(), 'only the narrowed key has ended')
    t.ok(await revokeBy(next, projectId, next), 'it may revoke itself')
    t.equal((await find(other)).key?.revokedAt, null)
  })

  t.test('revokes no key of another project', async t => {
    const { prefix } = await create('theirs')
    const { project_id: projectId } = await create('ours')
    await rotate(projectId)
    t.match(await revoke(projectId, prefix).catch(error => error), { status: 404, code: 'not_found' })
    t.equal((await find(prefix)).key?.revokedAt, null)
  })

  t.test('records when keys were last used, and never an earlier time', async t => {
    const { project_id: projectId, prefix } = await create('used')
    t.equal((await list(projectId))[0]?.last_used_at, null)
    const use = async (at: string) => {
      sendWithoutResponse(bus, keysRpc.keysUsed, {
        used: [
          { prefix, at },
          { prefix: 'tmk_nobodyXX', at },
        ],
      })
      await until(async () => (await list(projectId))[0]?.last_used_at != null)
    }
    await use('2026-11-21T10:00:00.000Z')
    await use('2026-11-20T10:00:00.000Z')
    await call(bus, keysRpc.keysUsed, { used: [] }, { timeoutMs }) // the earlier messages are handled now
    t.equal((await list(projectId))[0]?.last_used_at, '2026-11-21T10:00:00.000Z')
  })

  t.test('does not find a key that it did not create', async t => {
    t.strictSame(await find('tmk_00000000'), { key: null })
  })
})
